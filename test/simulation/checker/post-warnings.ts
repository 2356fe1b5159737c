import type { History, Job } from './history.ts';
import { isEnd } from './observed.ts';

/** Whether post has read of a run that it is over. */
export function endSeenByPost({ observedRequests }: History, job: Job): boolean {
  return observedRequests.some(
    ({ request, observed }) =>
      request.on === 'post' && request.subject === job.id && observed.kind === 'row' && isEnd(observed.status),
  );
}

/** The warnings of post that name something: a run or a pipeline. */
export function warnings({ facts }: History, what: string): readonly string[] {
  const all = facts.post?.annotations ?? [];
  // A stop by fail-fast names the run after which it came.
  const isAbout = (message: string): boolean =>
    message.replace(/because [0-9a-f-]{36} did not succeed/, '').includes(what);
  return all.filter(({ level, message }) => level === 'warning' && isAbout(message)).map((one) => one.message);
}
