// Every violation that the checker excuses, with the reason and how often the excuse may apply in 24,000 scenarios.
import { stateAt } from '../../../sandbox/model/index.ts';
import type { Facts } from '../model/facts.ts';
import type { BareRun, History, Job, ObservedRequest } from './history.ts';
import { observe } from './observed.ts';
import type { Policy } from './policy.ts';
import {
  hasFailedState,
  hasJournal,
  hasLostState,
  isEndLost,
  isExitLost,
  isKept,
  isMainRepeated,
  isReadable,
  isUnwritten,
} from './stored.ts';
import { stalledMs } from './time.ts';

/**
 * Why the action cannot do better. `disk` relaxes a check because a write failed, and `orphan` excuses an orphaned run
 * although a process had time to cancel it.
 */
const REASONS = {
  'no process': [1_700, 'Main was killed and no post step ran, or post was killed.'],
  'left on purpose': [50, 'With on-cancel or on-timeout: leave, main gives up a run that stays in progress.'],
  'bad contact': [40, 'After a failed read or exchange, main may have given up a run that is still in progress.'],
  'no key': [20, 'The runner gave post no API key.'],
  'unreadable id': [250, 'Neither the state that post received nor a journal contains the id of the run.'],
  'no chance': [250, 'After a signal or in post, each request met a fault or an unknown status until time ran out.'],
  'orphan: interrupted': [10, 'A signal left post only a few seconds, in which the service accepted no cancel.'],
  'orphan: hurried': [10, 'After a signal, main lost its few seconds to a fault, a blocked write or a slow service.'],
  'killed in a write': [120, 'Main was killed before or while it recorded the id or the fate of the run.'],
  'two decide': [450, 'Post cannot see a main process that is still alive, so each process decides for itself.'],
  'main still runs': [1_500, 'Post has to stop a main process that is still alive when post starts.'],
  'frozen main': [10, 'Main never runs again.'],
  'several allowed': [250, 'With on-lost-response: retry, a run may exist whose id main does not know.'],
  'same composite': [10, 'Without a state, post settles runs of other uses of the action in the composite.'],
  'settled by others': [10, 'The post step of another execution may have settled the run.'],
  'lost timer': [400, 'A timer in main never fires, so main misses its deadlines.'],
  'late tokens': [10, 'Faults and blocked writes delay renewals, so a token may expire or be renewed twice.'],
  'several attempts': [2_300, 'Only `pursued` and the hard invariants cover attempts after the first.'],
  unreported: [250, 'Post cannot know what main reported, because the state that post received lacks records of main.'],
  'all steps': [150, 'Without a state, post also settles the runs left by other steps of its job.'],
  'no echo': [23_000, 'Without an echo, the checker searches only for whole secrets, which saves 30 % of the time.'],
  'closed stdout': [1_800, 'A write to stdout fails, because its reader is gone.'],
  'unread stdout': [950, 'The runner stopped reading stdout before the process ended.'],
  'early reader': [3_200, 'The runner read the outputs while main was still alive.'],
  'no last read': [10, 'After a signal or without a token, main cannot read a run again before it cancels it.'],
  'unread output': [55, 'The runner did not read the output of main, and no post step completed.'],
  'blind main': [10, 'A write blocked main until post had started, so main missed the mark of post.'],
  'no record': [10, 'Without records of main, post can report only that it knows nothing.'],
  'disk: outputs': [160, 'The output file is incomplete.'],
  'disk: report': [150, 'Post cannot know what main finished and reported, because a record of it is lost.'],
  'disk: warning': [400, 'Main warns of each file to which it could not write.'],
  'disk: repetition': [70, 'Main repeats a record if the disk reports an error, but the disk may have stored it.'],
} as const;

type Exemption = keyof typeof REASONS;

/** The most uses of each excuse in 24,000 scenarios: about half as many again as from seed 1, and at least ten. */
export const MOST_USES: ReadonlyMap<string, number> = new Map(
  Object.entries(REASONS).map(([name, [most]]) => [name, most]),
);

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

/** Whether post cannot know what main reported, because its state lacks main's first or last record. */
export function isUnreported(facts: Facts): boolean {
  const isLost = !isKept(facts, 0) || !isKept(facts, -1);
  return excuse(hasFailedState(facts) ? 'disk: report' : 'unreported', isLost);
}

/** Whether the runner read neither the whole output of main nor that of a post step that had time to report. */
export function isOutputUnread(facts: Facts): boolean {
  const { main, post } = facts;
  const hadTime = post?.end?.how === 'exited' && post.observed.length === 0;
  return excuse('unread output', !hadTime && (main.end?.how === 'killed' || !isRead(facts, 'main')));
}

/** Whether post found neither a state nor a journal. */
export function isUnrecorded(facts: Facts): boolean {
  return excuse('no record', hasLostState(facts) && !hasJournal(facts));
}

/** Whether post settles a run, or any run, again, because a record of its end is lost. */
export function isSettledAgain(facts: Facts, run?: BareRun): boolean {
  return excuse('disk: report', run === undefined ? isExitLost(facts) : isEndLost(facts, run));
}

/** Whether post may find main's first record or its repetition, which names no existing runs. */
export function isClaimRepeated(facts: Facts, run: BareRun): boolean {
  return excuse('disk: repetition', isMainRepeated(facts, run));
}

/** Whether post cannot know the id of this run or pipeline. */
export function isUnreadable(facts: Facts, id: string): boolean {
  return excuse('unreadable id', !isReadable(facts, id));
}

/** Whether post completed and the runner read its stdout. */
export function couldReport(facts: Facts): boolean {
  return !excuse('no process', facts.post?.end?.how !== 'exited') && isRead(facts, 'post');
}

/** Whether a policy leaves runs in progress. */
export function isLeftOnPurpose({ onCancel, onTimeout, timeoutMs, queueTimeoutMs }: Policy): boolean {
  const isLimited = Math.min(timeoutMs, queueTimeoutMs) < Infinity;
  return excuse('left on purpose', onCancel === 'leave' || (onTimeout === 'leave' && isLimited));
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

/** Whether main was still alive when post started. */
export function isBeside(facts: Facts): boolean {
  return excuse('main still runs', wasMainAlive(facts));
}

function wasMainAlive({ main, post }: Facts): boolean {
  return post !== undefined && (main.end?.step ?? Infinity) > post.startedStep;
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
  const { post, spec } = facts;
  const isLater = knowledge.is === 'known' && knowledge.step >= (post?.startedStep ?? 0);
  return excuse('two decide', spec.runner.sight !== 'all' && wasMainAlive(facts) && (fate === 'leave' || isLater));
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

/** Whether main may have repeated a trigger after a lost response, so that it warns although every run succeeded. */
export function isRepeatedInDoubt({ always }: Policy, runs: readonly BareRun[]): boolean {
  return excuse('several allowed', always && runs.some(({ triggers }) => triggers.length > 1));
}

/** Whether the runner read everything that a process wrote to stdout. */
export function isRead(facts: Facts, on: 'main' | 'post'): boolean {
  const isUnread = facts.crashed.some((one) => one.on === on && UNREAD.includes(one.kind));
  return isOpen(facts, on) && !excuse('unread stdout', isUnread);
}

/** Whether the output file is incomplete after a failed write, so that the runner may read earlier values. */
export function isOutputLost(facts: Facts): boolean {
  return excuse('disk: outputs', isUnwritten(facts));
}

/** Whether a warning of main names a file to which a write failed. */
export function isAboutWrite({ writes }: Facts, message: string): boolean {
  return excuse(
    'disk: warning',
    writes.some(({ failed, path }) => failed && message.includes(path)),
  );
}

/** Whether one of these requests failed, so that main may have given up its run. */
export function isOutOfContact(requests: Facts['requests']): boolean {
  return excuse(
    'bad contact',
    requests.some((request) => !['row', 'token'].includes(observe(request).kind)),
  );
}

/** Whether `queue-timeout` may have ended the wait for a run that stays in progress. */
export function isLeftInQueue({ inputs }: Facts['spec']): boolean {
  return excuse('left on purpose', (inputs['queue-timeout'] ?? '') !== '');
}
