// Every violation that the checker excuses, with the reason. `npm run simulate` limits how often each excuse may apply.
import { stateAt } from '../../../sandbox/model/index.ts';
import { type Facts, ledgerOf, parsed, recordsOf } from '../model/facts.ts';
import type { BareRun, History, Job, ObservedRequest, Outline } from './history.ts';
import type { Policy } from './policy.ts';
import { stalledMs } from './time.ts';

/**
 * Why the action cannot do better. `disk` relaxes a check because a write failed, and `orphan` excuses an orphaned run
 * although a process had time to cancel it.
 */
const REASONS = {
  'no process': 'Main was killed and no post step ran, or post was killed.',
  'no key': 'The runner gave post no API key.',
  'unreadable id': 'Neither the state that post received nor a journal contains the id of the run.',
  'no chance': 'After a signal or in post, each request met a fault or an unknown status until time ran out.',
  'orphan: interrupted': 'A signal left post only a few seconds, in which the service accepted no cancel.',
  'orphan: hurried': 'After a signal, main lost its few seconds to a fault, a blocked write or a slow service.',
  'killed in a write': 'Main was killed before or while it recorded the id or the fate of the run.',
  'two decide': 'Post cannot see a main process that is still alive, so each process decides for itself.',
  'frozen main': 'Main never runs again.',
  'several allowed': 'With on-lost-response: retry, a run may exist whose id main does not know.',
  'same composite': 'Without a state, post settles the runs of the other uses of the action in the same composite.',
  'settled by others': 'The post step of another execution may have settled the run.',
  'lost timer': 'A timer in main never fires, so main misses its deadlines.',
  'late tokens': 'Faults, outages, blocked writes and slow services delay renewals, so a token may expire.',
  'several attempts':
    'The expectations do not cover another attempt after the first. `pursued` and the hard invariants do.',
  unreported: 'Post cannot know what main reported, because the state that post received lacks records of main.',
  'all steps': 'Without a state, post also settles the runs left by other steps of its job.',
  'no echo':
    'Without an echo of requests, the checker searches for whole secrets only, because it would take 30 % longer.',
  'closed stdout': 'A write to stdout fails, because its reader is gone.',
  'unread stdout': 'The runner stopped reading stdout before the process ended.',
  'early reader': 'The runner read the outputs while main was still alive.',
  'no last read': 'After a signal or without a token, main cannot read a run once more before it cancels the run.',
  'unread output': 'The runner did not read the output of main, and no post step completed.',
  'blind main': 'A write blocked main until post had started, so main missed the mark of post.',
  'no record': 'Without a record and without inputs, post can report only that it knows nothing.',
  'disk: fate': 'No disk has the record of how the wait for the run ended, so post follows on-cancel.',
  'disk: response': 'No disk has the record of the response to the trigger, so post reports the trigger.',
  'disk: claim': 'Main refuses to start if a disk reports an error, but post finds the record if the disk stored it.',
  'disk: intent': 'Main must not send a trigger before a disk has stored the intent.',
  'disk: detached': 'The step fails if no disk has the record that a run was detached.',
  'disk: outputs': 'The output file is incomplete.',
  'disk: repetition': 'Main repeats a record if the disk reports an error, but the disk may have stored it.',
  'disk: journal': 'A journal without its first record does not show which step it belongs to.',
} as const;

export type Exemption = keyof typeof REASONS;

/**
 * What a worker found. `undecided` means that either fate is acceptable. `exemptions` counts how often each excuse
 * applied to each invariant, as in `settled: no key`. `checking` is the current invariant.
 */
export const COUNTS = { runs: 0, undecided: 0, ties: 0, checking: '', exemptions: new Map<string, number>() };

export type Counts = typeof COUNTS;

/** Counts an excuse if its condition holds, and returns whether it does. */
export function excuse(name: Exemption, holds: boolean): boolean {
  const use = `${COUNTS.checking}: ${name}`;
  if (holds) COUNTS.exemptions.set(use, (COUNTS.exemptions.get(use) ?? 0) + 1);
  return holds;
}

/** Whether a run may stay in progress although it should be cancelled, because no cancel could succeed in time. */
export function isOrphanExcused(history: History, run: BareRun, job: Job): boolean {
  const { facts, requests: all, exited, interrupted } = history;
  const { main, post, spec } = facts;
  if (excuse('no process', (post ?? main).end?.how === 'killed')) return true;
  if (excuse('unreadable id', (post !== undefined || !exited) && !isReadable(facts, job.id))) return true;
  if (excuse('no key', post !== undefined && spec.runner.postKeyMissing)) return true;
  const requests = all.filter(
    ({ step, request: { on, call, subject } }) =>
      on === (post === undefined ? 'main' : 'post') &&
      (call === 'exchange' || (call === 'cancel' && subject === job.id)) &&
      (post !== undefined || step >= (interrupted?.step ?? 0)),
  );
  const isHopeless = ({ request }: ObservedRequest): boolean =>
    request.what !== undefined ||
    (spec.keyRevokedAtMs ?? Infinity) <= (request.committedAtMs ?? Infinity) ||
    (request.call === 'cancel' && !isCancellable(job, request.committedAtMs));
  const isOver = post?.observed.length !== 0 || requests.some(({ observed }) => observed.kind === 'no');
  if (!isOver && !triedToTheEnd(facts, requests)) return false;
  const cancels = requests.filter(({ request }) => request.call === 'cancel');
  const tried = cancels.length > 0 ? cancels : requests;
  if (excuse('no chance', tried.length > 0 && tried.every(isHopeless))) return true;
  if (post === undefined) return excuse('orphan: hurried', wasHurried(history, run));
  const signalMs = post.observed[0]?.atMs ?? Infinity;
  return excuse(
    'orphan: interrupted',
    requests.some(({ atMs }) => atMs >= signalMs),
  );
}

/** The service cancels only runs that have one of the statuses in the API documentation. */
function isCancellable(job: Job, atMs: number | undefined): boolean {
  return atMs !== undefined && ['queued', 'picked', 'running'].includes(stateAt(job, atMs)?.status ?? '');
}

/** Whether post tried for 3 minutes, or its share of 270 s if other steps left runs, minus its longest pause. */
function triedToTheEnd({ files, post }: Facts, requests: readonly ObservedRequest[]): boolean {
  const last = requests.at(-1)?.request.atMs ?? 0;
  const journals = [...files.keys()].filter((path) => path.endsWith('.journal')).length;
  return last >= (post?.startedAtMs ?? 0) + Math.min(180_000, 270_000 / Math.max(1, journals)) - 30_000;
}

function wasHurried({ facts, requests, interrupted }: History, run: BareRun): boolean {
  const from = interrupted?.step ?? Infinity;
  const isTroubled = requests.some(
    ({ request, step, observed }) =>
      request.on === 'main' &&
      request.what !== undefined &&
      // Before the signal, a fault counts only if it left main without a token or prevented a cancel.
      (step >= from ||
        observed.kind === 'nothing' ||
        request.call === 'exchange' ||
        (request.call === 'cancel' && request.committedAtMs === undefined)),
  );
  const isOdd = run.jobs.some((job) => !isCancellable(job, interrupted?.atMs ?? 0));
  const { latencyMs, keyRevokedAtMs } = facts.spec;
  const endMs = facts.main.end?.atMs ?? Infinity;
  const isBlocked = stalledMs(facts, 'main', interrupted?.atMs ?? 0, endMs) > 0;
  return isTroubled || isOdd || isBlocked || latencyMs > SLOW_MS || (keyRevokedAtMs ?? Infinity) < endMs;
}

/** If each leg of a request takes longer than this, a few seconds are not enough for an exchange and a cancel. */
export const SLOW_MS = 200;

/** Whether post can find a run in the state that it received or in a journal. */
export function isReadable(facts: Facts, id: string): boolean {
  const { files, spec } = facts;
  const journal = ledgerOf(facts).find(({ path }) => path.endsWith('.journal'));
  const hasJournal = journal !== undefined && !spec.runner.noTemp && files.has(journal.path);
  if (hasLostState(facts) && (!hasJournal || excuse('disk: journal', journal.failed))) return false;
  return ledgerOf(facts).some((record) => record.text.includes(id) && isWhole(facts, record));
}

function isWhole({ files }: Facts, { path, text }: { readonly path: string; readonly text: string }): boolean {
  return files.get(path)?.includes(text.trim()) === true;
}

/** Post's state lacks main's first record, so post does not know which step it belongs to. */
export function hasLostState(facts: Facts): boolean {
  return !isKept(facts, 0);
}

/** Post's state lacks main's first or last record, so post cannot know what main reported. */
export function isUnreported(facts: Facts): boolean {
  return excuse('unreported', !isKept(facts, 0) || !isKept(facts, -1));
}

/** Whether the state that post received contains main's first (0) or last (-1) record. */
function isKept(facts: Facts, at: 0 | -1): boolean {
  const record = ledgerOf(facts)
    .filter(({ path }) => path === facts.paths.state)
    .at(at);
  const entries = [...recordsOf(record?.text ?? '').records];
  return entries.length > 0 && entries.every(([key, value]) => facts.postEnv[`STATE_${key}`] === value);
}

/** Records that end a run for main. Without them, post takes the run for one that main still awaited. */
const CLOSING = ['stopped', 'detached', 'lost', 'finished', 'not_resumed'];
/** Records of the response to a trigger. Without them, post takes the trigger for one without a response. */
const RESPONSES = ['queued', 'refused', 'unknown'];

/** Whether no file accepted a record of this kind about a run, not even when main wrote the record again. */
function isRefused(facts: Facts, run: BareRun, kinds: readonly string[], mustBeLost = false): boolean {
  if (!ledgerOf(facts).some(({ failed }) => failed)) return false;
  const records = ledgerOf(facts).map((one) => ({ ...one, content: one.text.replace(/^[^=]*=/, '').trim() }));
  const taken = new Set(
    records.filter((one) => !one.failed || (mustBeLost && isWhole(facts, one))).map((one) => one.content),
  );
  return records.some(({ content }) => {
    if (taken.has(content)) return false;
    const { kind, run: number = run.number } = parsed(content) as { readonly kind: string; readonly run?: number };
    return kinds.includes(kind) && number === run.number;
  });
}

/** Whether main may have refused to send a trigger because no file accepted the intent. */
export function isIntentRefused(facts: Facts, run: BareRun): boolean {
  return excuse('disk: intent', isRefused(facts, run, ['intent']));
}

/** Whether post may have found a record that a disk stored, although the disk reported an error to main. */
export function isStoredUnseen(facts: Facts, run: BareRun, ...kinds: ('main' | 'claimed' | 'intent')[]): boolean {
  return excuse('disk: claim', isRefused(facts, run, kinds));
}

/** Whether the record of how main's wait for a run ended is lost, in which case post follows on-cancel. */
export function isFateLost({ facts, policy }: Outline, run: BareRun, fate?: string): boolean {
  return fate !== policy.onCancel && excuse('disk: fate', isRefused(facts, run, CLOSING, true));
}

/** Whether the record of the response to a trigger is lost, so that post reports the trigger. */
export function isResponseLost(facts: Facts, run: BareRun): boolean {
  return excuse('disk: response', isRefused(facts, run, RESPONSES, true));
}

/** Whether a step fails because no file accepted the record that it does not await the run. */
export function isDetachedUnrecorded(facts: Facts, run: BareRun): boolean {
  return excuse('disk: detached', isRefused(facts, run, ['detached']));
}

/** Whether another attempt followed the first one of a run, or was about to. */
export function isAttemptedAgain({ policy: { maxAttempts, retryOn }, runs }: History): boolean {
  const isDue = runs.some(({ ended }) => ended !== undefined && retryOn.includes(ended.status));
  return excuse('several attempts', maxAttempts > 1 && isDue);
}

/** Whether main was killed while a write blocked it, or in the same event as `step`. */
export function isKilledInWrite({ main: { end }, stalls }: Facts, step = Infinity): boolean {
  const isBlocked = ({ process, untilMs }: Facts['stalls'][number]): boolean =>
    process === 'main' && untilMs >= (end?.atMs ?? 0);
  return excuse('killed in a write', end?.how === 'killed' && (end.step === step || stalls.some(isBlocked)));
}

/** Whether main never runs again. */
export function isFrozen({ crashed }: Facts): boolean {
  return excuse(
    'frozen main',
    crashed.some(({ kind }) => kind === 'beside_frozen'),
  );
}

/** Whether a post step without a state may have settled this run, which another use of this action triggered. */
export function isTakenOver({ neighbours, requests, spec }: Facts, id: string): boolean {
  const isOwn = requests.some(({ call, subject }) => call === 'cancel' && subject === id);
  const isCancelling = (other: Facts): boolean =>
    hasLostState(other) && other.requests.some(({ call, subject }) => call === 'cancel' && subject === id);
  return excuse('same composite', spec.placement.action === '__composite' && !isOwn && neighbours.some(isCancelling));
}

/** Whether the post step of another execution settled a run that has ended. */
export function isSettledByOthers({ neighbours }: Facts, id: string): boolean {
  const isSettling = ({ requests }: Facts): boolean =>
    requests.some(({ on, subject }) => on === 'post' && subject === id);
  return excuse('settled by others', neighbours.some(isSettling));
}

/** Whether post, without a state, settled runs that other steps of its job left. */
export function isForAll(facts: Facts): boolean {
  return excuse('all steps', facts.neighbours.length > 0 && hasLostState(facts));
}

/** Whether post decides for a main process that it cannot see and that also decides for itself. */
export function areTwoDeciding({ facts }: History, { knowledge }: BareRun, fate: string | undefined): boolean {
  const { main, post, spec } = facts;
  const isBeside = post !== undefined && (main.end?.step ?? Infinity) > post.startedStep;
  const isLater = knowledge.is === 'known' && knowledge.step >= (post?.startedStep ?? 0);
  return excuse('two decide', spec.runner.sight !== 'all' && isBeside && (fate === 'leave' || isLater));
}

/** Whether main missed post's mark because a write blocked main until post had begun. */
export function isBlind(facts: Facts): boolean {
  const startedMs = facts.post?.startedAtMs ?? Infinity;
  return excuse(
    'blind main',
    facts.spec.runner.sight !== 'all' && stalledMs(facts, 'main', startedMs - 1, startedMs) > 0,
  );
}

/** Crashes after which a write to stdout fails, and crashes after which it succeeds but the runner never reads it. */
const CLOSED = ['stdout', 'shutdown', 'worker_killed'];
const UNREAD = ['beside', 'beside_lost', 'beside_frozen', 'background'];

/** Whether a process could write to stdout throughout its life. */
export function isOpen({ crashed }: Facts, on: 'main' | 'post'): boolean {
  return !excuse(
    'closed stdout',
    crashed.some((one) => one.on === on && CLOSED.includes(one.kind)),
  );
}

/** Whether no response contained a part of a secret, other than in the response to an exchange. */
export function isWithoutEcho({ requests, spec }: Facts): boolean {
  return excuse('no echo', spec.echo === null && !requests.some(({ what = '' }) => /^http_/.test(what)));
}

/** Whether the runner read the outputs while main was still alive. */
export function isReadEarly({ crashed }: Facts): boolean {
  return excuse(
    'early reader',
    crashed.some(({ on, kind }) => on === 'main' && UNREAD.includes(kind)),
  );
}

/** Whether main warned that a second run may exist because it repeated a trigger after a lost response. */
export function isRepeatedInDoubt({ always }: Policy, runs: readonly BareRun[]): boolean {
  return excuse('several allowed', always && runs.some(({ triggers }) => triggers.length > 1));
}

/** Whether the runner read everything that a process wrote to stdout. */
export function isRead(facts: Facts, on: 'main' | 'post'): boolean {
  const isUnread = facts.crashed.some((one) => one.on === on && UNREAD.includes(one.kind));
  return isOpen(facts, on) && !excuse('unread stdout', isUnread);
}

/**
 * Whether main's last write of outputs failed, or an earlier one may have left half of a multiline value or an
 * incomplete file. The checker then ignores the outputs.
 */
export function isOutputLost({ files, writes, paths }: Facts): boolean {
  const own = writes.filter(({ path }) => path === paths.output);
  const { records, torn } = recordsOf(files.get(paths.output) ?? '');
  const failed = own.filter((one) => one.failed);
  const isIncomplete = failed.some(({ text }) => text.includes('<<') || torn || !records.has('results'));
  return excuse('disk: outputs', own.at(-1)?.failed === true || isIncomplete);
}
