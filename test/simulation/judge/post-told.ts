import { isEnd } from './heard.ts';
import type { Job, Story } from './story.ts';

/** Whether post has read of a run that it is over. */
export function endSeenByPost({ told }: Story, job: Job): boolean {
  return told.some(
    ({ request, heard }) =>
      request.on === 'post' && request.subject === job.id && heard.kind === 'row' && isEnd(heard.status),
  );
}

/** The warnings of post that name something: a run or a pipeline. */
export function warnings({ facts }: Story, what: string): readonly string[] {
  const all = facts.post?.annotations ?? [];
  return all
    .filter(({ level, message }) => level === 'warning' && message.includes(what))
    .map((one) => one.message);
}
