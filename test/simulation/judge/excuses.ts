import { stateAt } from '../../../sandbox/model/index.ts';
import { isReadable } from './readable.ts';
import type { Job, RunStory, Story, Told } from './story.ts';

/** Whether no PATCH in the time that was left could have been accepted. */
export function isExcused(story: Story, run: RunStory, job: Job): boolean {
  const { facts, told } = story;
  const { post } = facts;
  if (!isReadable(facts, job.id) && !story.exited) return true;
  if (post === undefined) return isMainExcused(story, run);
  const strikes = facts.struck.some(({ on }) => on === 'post');
  if (strikes) return true;
  if (facts.spec.runner.postKeyMissing) return true;
  if (!isReadable(facts, job.id)) return true;
  const asked = told.filter(
    ({ request }) => request.on === 'post' && (request.call === 'cancel' || request.call === 'exchange'),
  );
  if (asked.some(({ heard }) => heard.kind === 'refused' || heard.kind === 'no')) {
    return asked.some(({ request }) => request.what !== undefined) || facts.spec.keyRevokedAtMs !== null;
  }
  const fine = asked.filter(
    ({ request, heard }) =>
      request.call === 'cancel' &&
      request.subject === job.id &&
      request.what === undefined &&
      heard.kind !== 'denied',
  );
  // With a status that the precondition does not name nothing can be cancelled.
  const committed = fine.filter(({ request }) => request.committedAtMs !== undefined);
  if (committed.some(({ request }) => isCancellable(job, request.committedAtMs ?? 0))) return false;
  return triedToTheEnd(story, asked);
}

function isCancellable(job: Job, atMs: number): boolean {
  return ['queued', 'picked', 'running'].includes(stateAt(job, atMs)?.status ?? '');
}

/** Post has three minutes, and uses them. */
function triedToTheEnd({ facts }: Story, asked: readonly Told[]): boolean {
  const startedMs = facts.post?.startedAtMs ?? 0;
  const last = asked.at(-1)?.request.atMs ?? 0;
  return last >= startedMs + 150_000;
}

/** Without a post there are seconds: whatever took some of them is an excuse. */
function isMainExcused({ facts, told, interrupted }: Story, run: RunStory): boolean {
  if (facts.main.end?.how === 'killed') return true;
  const from = interrupted?.step ?? Infinity;
  const troubled = told.some(
    ({ request, step, heard }) =>
      request.on === 'main' && (step >= from || heard.kind === 'nothing') && request.what !== undefined,
  );
  const odd = run.jobs.some((job) => !isCancellable(job, interrupted?.atMs ?? 0));
  return (
    troubled || odd || facts.spec.latencyMs > 200 || facts.spec.keyRevokedAtMs !== null || hasEarlier(told)
  );
}

/** A fault that came before may have left no token that is good. */
function hasEarlier(told: readonly Told[]): boolean {
  return told.some(({ request }) => request.what !== undefined && request.call === 'exchange');
}
