import { stateAt } from '../../../../sandbox/model/index.ts';
import { isEnd } from '../heard.ts';
import { isHeard } from '../stdout-heard.ts';
import { isBefore } from '../stop.ts';
import type { RunStory, Story, Told } from '../story.ts';

type Job = RunStory['jobs'][number];

/** What was to become of a run that was still going on when nobody waited for it any longer. */
type Will =
  | { readonly is: 'cancel'; readonly why: string }
  | { readonly is: 'leave'; readonly why: string }
  /** Two things came at once, or nobody can say. */
  | { readonly is: 'either' };

/** Nothing goes on that was to be cancelled, nothing is cancelled that was to be left, and post says what it could not do. */
export function settled(story: Story): string[] {
  return story.runs.flatMap((run) => [
    ...run.jobs.flatMap((job) => ofJob(story, run, job)),
    ...intents(story, run),
  ]);
}

function ofJob(story: Story, run: RunStory, job: Job): string[] {
  const { facts } = story;
  const will = willOf(story, run, job);
  const status = stateAt(job, facts.endMs)?.status ?? '';
  const goesOn = !isEnd(status);
  const warned = warnings(story, job.id).length > 0;
  const found: string[] = [];
  if (will.is === 'leave' && job.cancelledAt !== null) {
    found.push(`run ${job.id} was cancelled, but was to be left: ${will.why}`);
  }
  if (will.is === 'cancel' && goesOn && !isExcused(story, run, job)) {
    found.push(`run ${job.id} goes on (${status}), but was to be cancelled: ${will.why}`);
  }
  const sawEnd = endSeenByPost(story, job);
  if (warned && sawEnd) found.push(`post warns of run ${job.id}, although it has seen its end`);
  if (warned && will.is === 'leave') found.push(`post warns of run ${job.id}, which was to be left`);
  if (mustWarn(story, will, job) && !sawEnd && !warned) {
    found.push(`post says nothing of run ${job.id}, whose end it has not seen`);
  }
  return found;
}

/** Decides by what was asked and by what happened, before anything was done about it. */
export function willOf(story: Story, run: RunStory, job: Job): Will {
  const { knowledge, stop, ended, isTie, lost } = run;
  const { asked } = story;
  if (knowledge.is !== 'known' || knowledge.id !== job.id) return unheardOf(story, run, job);
  if (isTie) return { is: 'either' };
  const endsFirst = ended !== undefined && (stop === undefined || isBefore(ended, stop));
  if (endsFirst) {
    const isCutShort = story.facts.main.end?.step === ended.step && !story.exited;
    const isLost = story.facts.writes.some(({ failed }) => failed);
    return isCutShort || isLost ? { is: 'either' } : { is: 'leave', why: 'main has seen its end' };
  }
  if (lost.may && (stop === undefined || isBefore(lost, stop))) {
    return story.exited ? { is: 'leave', why: 'contact was lost' } : { is: 'either' };
  }
  if (stop !== undefined && (asked.wait || !isBefore(knowledge, stop))) return stopped(story, stop.why);
  return story.exited ? byItself(story) : killed(story, run);
}

/** Nobody alive knows its id: only its first trigger's answer could tell it. */
function unheardOf({ asked }: Story, run: RunStory, job: Job): Will {
  if (job.id === run.pipeline.earlier) return { is: 'leave', why: 'it was not taken' };
  return run.knowledge.is === 'known' && !asked.always
    ? { is: 'either' }
    : { is: 'leave', why: 'nobody has its id' };
}

function stopped({ asked, exited, facts }: Story, why: string): Will {
  const policy = why === 'interrupted' || why === 'fail_fast' ? asked.onCancel : asked.onTimeout;
  // What a time-out asked for may be what the disk did not take; post then goes by on-cancel.
  const isForgotten = facts.writes.some(({ failed }) => failed) && asked.onCancel !== 'cancel';
  if (policy === 'cancel') return isForgotten ? { is: 'either' } : { is: 'cancel', why };
  // Killed before it could be written down that it is left.
  const isCutShort = !exited && facts.struck.length > 0;
  const isLost = isCutShort || facts.writes.some(({ failed }) => failed);
  return isLost && asked.onCancel === 'cancel'
    ? { is: 'either' }
    : { is: 'leave', why: `${why}, and the policy is leave` };
}

function byItself({ asked, facts }: Story): Will {
  // That it was let go of may be what the disk did not take.
  if (facts.writes.some(({ failed }) => failed) && asked.onCancel === 'cancel') return { is: 'either' };
  if (asked.wait) return { is: 'leave', why: 'main ended by itself' };
  return jobBecameCancelled(facts) && asked.onCancel === 'cancel'
    ? { is: 'cancel', why: 'the job was cancelled later' }
    : { is: 'leave', why: 'it was not waited for' };
}

function jobBecameCancelled({ spec, postEnv }: Story['facts']): boolean {
  return postEnv['INPUT_INTERNAL-JOB-STATUS'] === 'cancelled' && spec.runner.jobStatusAtStart !== 'cancelled';
}

function killed(story: Story, run: RunStory): Will {
  const { asked, facts } = story;
  if (asked.onCancel !== 'cancel') return { is: 'leave', why: 'on-cancel is leave' };
  if (!asked.wait) return { is: 'either' };
  if (run.knowledge.is !== 'known') return { is: 'either' };
  return isReadable(facts, run.knowledge.id)
    ? { is: 'cancel', why: 'main was killed' }
    : excusedLoss(story, run);
}

/** The kill came before the id could be on any disk, or the disk or the runner lost it. */
function excusedLoss({ facts }: Story, { knowledge }: RunStory): Will {
  const id = knowledge.is === 'known' ? knowledge.id : '';
  const isOnDisk = facts.writes.some(({ text, failed }) => !failed && text.includes(id));
  const cutShort = facts.main.end?.step === (knowledge.is === 'known' ? knowledge.step : 0);
  const isLost = isOnDisk || cutShort || facts.writes.some(({ failed }) => failed);
  return isLost
    ? { is: 'either' }
    : { is: 'cancel', why: 'main was killed, and its id was not written down' };
}

/** Whether post could find this id: in the state it was given, in main's own state file or in the journal. */
export function isReadable({ files, postEnv, writes }: Story['facts'], id: string): boolean {
  const texts = Object.entries(postEnv).flatMap(([key, value]) => (key.startsWith('STATE_') ? [value] : []));
  const hasJournal = [...files].some(([path, text]) => path.endsWith('.journal') && text.includes('}'));
  // A journal that lacks its beginning tells nobody whose it is.
  const isHoled = writes.some(({ path, failed }) => failed && path.endsWith('.journal'));
  if (texts.length === 0 && (!hasJournal || isHoled)) return false;
  for (const [path, text] of files) {
    if (path.endsWith('state_main') || path.endsWith('.journal')) texts.push(...text.split('\n'));
  }
  return texts.some((line) => line.includes(id) && line.endsWith('}'));
}

/** No PATCH in post's time could have been accepted. */
function isExcused(story: Story, run: RunStory, job: Job): boolean {
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
      request.call === 'cancel' && request.what === undefined && heard.kind !== 'denied',
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

function endSeenByPost({ told }: Story, job: Job): boolean {
  return told.some(
    ({ request, heard }) =>
      request.on === 'post' && request.subject === job.id && heard.kind === 'row' && isEnd(heard.status),
  );
}

/** Post has to speak when it was to cancel a run, had its time and has seen no end. */
function mustWarn({ facts, runs }: Story, will: Will, job: Job): boolean {
  const { post } = facts;
  if (will.is !== 'cancel' || post?.end?.how !== 'exited') return false;
  if (!isHeard(facts, 'post')) return false;
  const seenByMain = runs.some(
    ({ ended, knowledge }) => ended !== undefined && knowledge.is === 'known' && knowledge.id === job.id,
  );
  return !seenByMain && isReadable(facts, job.id);
}

function warnings({ facts }: Story, what: string): readonly string[] {
  const all = facts.post?.annotations ?? [];
  return all
    .filter(({ level, message }) => level === 'warning' && message.includes(what))
    .map((one) => one.message);
}

/** A trigger whose answer never reached a process that was alive: post says which pipeline, and nothing else. */
function intents(story: Story, run: RunStory): string[] {
  const { facts } = story;
  const { post, main } = facts;
  const said = warnings(story, run.pipeline.id).filter(
    (text) => !run.jobs.some(({ id }) => text.includes(id)),
  );
  const isUnsure = run.knowledge.is === 'doubt' && run.knowledge.pending;
  const failed = facts.writes.some((write) => write.failed);
  if (said.length > 0 && story.exited && !isUnsure && !failed)
    return [`post warns of ${run.pipeline.name} without need`];
  const readable = [...facts.files].some(
    ([path, text]) =>
      (path.endsWith('state_main') || path.endsWith('.journal')) && text.includes(run.pipeline.id),
  );
  const must = isUnsure && main.end?.how === 'killed' && post?.end?.how === 'exited' && readable;
  const struck = facts.struck.some(({ on }) => on === 'post');
  const inEnv = Object.values(facts.postEnv).some((value) => value.includes(run.pipeline.id));
  return must && !struck && said.length === 0 && (inEnv || !facts.spec.runner.noTemp)
    ? [`post says nothing of ${run.pipeline.name}, whose trigger was never answered`]
    : [];
}
