import type { History, Job } from './history.ts';
import { isEnd } from './observed.ts';

/** Whether post has read of a run that it is over. */
export function endSeenByPost({ observedRequests }: History, job: Job): boolean {
  return observedRequests.some(
    ({ request, observed }) =>
      request.on === 'post' &&
      request.subject === job.id &&
      observed.kind === 'row' &&
      isEnd(observed.status),
  );
}

/** The warnings of post that name something: a run or a pipeline. */
export function warnings({ facts }: History, what: string): readonly string[] {
  const all = facts.post?.annotations ?? [];
  return all
    .filter(({ level, message }) => level === 'warning' && message.includes(what))
    .map((one) => one.message);
}
