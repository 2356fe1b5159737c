// How main's wait for a run may have ended, and what must then happen to the run. If two events happened so close
// together that their order is unknown (a tie), only these two endings are possible.
import type { Instant } from '../model/facts.ts';
import { areTwoDeciding, excuse, isClaimRepeated, isKilledInWrite } from './exemptions.ts';
import { type BareRun, entriesOf, type History, type Job, type ObservedRequest, type Outline } from './history.ts';
import type { Observed } from './observed.ts';
import type { Policy } from './policy.ts';
import { intentRefusedAt, isClaimUnseen, isFateLost, isReadable } from './stored.ts';
import { blockedAround, inOrder, isBefore, NEVER, noticedAtMs, stalledMs, TOLERANCE_MS } from './time.ts';

export interface Stop extends Instant {
  readonly why: 'interrupted' | 'timeout' | 'queue_timeout' | 'fail_fast';
  /** The pipelines whose runs failed in the same event, for `fail_fast`. */
  readonly of?: readonly string[];
  /** The event may not have happened, because another run may have been lost later. */
  readonly isMaybe?: boolean;
}

export interface Ending extends Instant {
  readonly by: Stop['why'] | 'finished' | 'lost' | 'detached' | 'never triggered' | 'unknown' | 'kill';
  /** The event may not have happened, so later endings are possible as well. */
  readonly isMaybe?: boolean;
}

type StoppedRun = BareRun & { readonly stops: readonly Stop[] };

/** Every event that can stop main from waiting for a run. */
export function stopsOf(outline: Outline, run: BareRun, failure: Stop | undefined): readonly Stop[] {
  const { policy, interrupted, facts } = outline;
  const { reads, cancels, knowledge, ended, pipeline } = run;
  const stops: Stop[] = [];
  if (interrupted !== undefined) stops.push({ ...interrupted, why: 'interrupted' });
  const dueMs = timeoutAtMs(outline);
  const frozen = facts.crashed.find(({ kind }) => kind === 'beside_frozen');
  const lastMs = frozen?.atMs ?? facts.main.end?.atMs ?? facts.endMs;
  // A final status counts even if main reads it at the timeout, before it cancels.
  const isInTime = ended !== undefined && ended.request.step < (cancels[0]?.request.step ?? Infinity);
  if (dueMs <= lastMs + TOLERANCE_MS && !isInTime) {
    stops.push({ why: 'timeout', atMs: dueMs, step: Infinity });
  }
  // Main first learns that an existing run is queued when it reads the run.
  const isOfMain = knowledge.is === 'known' && knowledge.id !== pipeline.earlier;
  const queuedMs = isOfMain ? blockedAround(facts, knowledge.atMs).untilMs : undefined;
  const queued = queuedTooLong(reads, queuedMs, policy.queueTimeoutMs);
  if (queued !== undefined) stops.push({ why: 'queue_timeout', atMs: queued.atMs, step: queued.step });
  // Fail-fast stops a failed run only if another run failed in the same event.
  const isOwn = failure?.of?.includes(pipeline.id) === true && failure.of.length === 1;
  // With `leave`, fail-fast stops only runs that main has not triggered. Main still awaits those in progress.
  const isConcerned = policy.onCancel === 'cancel' || knowledge.is === 'none';
  const isLate = (failure?.atMs ?? 0) > dueMs;
  if (failure !== undefined && !isOwn && isConcerned && !isLate) stops.push(failure);
  return inOrder(stops);
}

/** When `timeout` ends. It starts with the token for existing runs, else before the first intent, which may block. */
export function timeoutAtMs({ facts, policy, requests }: Outline): number {
  const first = requests.find(({ request }) => request.call === 'trigger' || request.call === 'read')?.request;
  if (first === undefined) return Infinity;
  const token = requests.findLast(({ observed, step }) => observed.kind === 'token' && step <= first.step);
  const isAttach = facts.spec.mode === 'attach' && token !== undefined;
  const begunMs = isAttach ? token.atMs : blockedAround(facts, first.atMs).sinceMs;
  return noticedAtMs(facts, begunMs + policy.timeoutMs + facts.spec.clocks.main.timerLateMs);
}

/** The read that finds a run queued for too long, with no other status in between. One read alone proves nothing. */
function queuedTooLong(
  reads: readonly ObservedRequest[],
  beginsMs: number | undefined,
  timeoutMs: number,
): ObservedRequest | undefined {
  let sinceMs = beginsMs;
  let inARow = 0;
  for (const read of reads) {
    if (read.observed.kind !== 'row') continue;
    const isQueued = read.observed.status === 'queued';
    sinceMs = isQueued ? (sinceMs ?? read.atMs) : undefined;
    inARow = isQueued ? inARow + 1 : 0;
    if (inARow > 1 && read.atMs >= (sinceMs ?? Infinity) + timeoutMs) return read;
  }
  return undefined;
}

/** With `fail-fast`, the first run that does not succeed stops the others. */
export function firstFailure(outline: Outline, runs: readonly BareRun[]): Stop | undefined {
  if (!outline.policy.failFast || runs.length < 2) return undefined;
  const failures = runs.flatMap((run) => {
    const at = failedAt(outline, run);
    return at === undefined || at.step === Infinity ? [] : [{ ...at, id: run.pipeline.id }];
  });
  const [first] = failures.sort((a, b) => a.atMs - b.atMs);
  const together = failures.filter(({ step }) => step === first?.step).map(({ id }) => id);
  const isMaybe = first?.isMaybe === true;
  return first && { why: 'fail_fast', step: first.step, atMs: first.atMs, of: together, isMaybe };
}

function failedAt(outline: Outline, run: BareRun): (Instant & { readonly isMaybe?: boolean }) | undefined {
  const { policy } = outline;
  const { knowledge, ended, cancels, lost, triggers } = run;
  const [stop] = stopsOf(outline, run, undefined);
  if (knowledge.is !== 'known') {
    const refused = intentRefusedAt(outline.facts, run);
    if (refused !== undefined) return refused;
    const last = triggers.at(-1);
    // Without a token, main cannot send a trigger at all.
    const exchange = outline.requests.findLast(({ request: { on, call } }) => on === 'main' && call === 'exchange');
    if (last === undefined) return !policy.wait && exchange?.observed.kind === 'refused' ? exchange : undefined;
    return stop !== undefined && isRepeatable(last.observed, policy) ? undefined : last;
  }
  if (!policy.wait) return undefined;
  if (ended !== undefined && !policy.succeedOn.includes(ended.status)) return ended;
  if (ended !== undefined && cancels.length === 0) return undefined;
  // The run fails when it is cancelled. Until then, its own timeout can stop it like any other run.
  if (stop?.why === 'queue_timeout') return ended ?? cancels.at(-1) ?? stop;
  return stop === undefined || isBefore(lost, stop) ? { ...lost, isMaybe: lost.must.step !== lost.step } : undefined;
}

/** Whether main may send a trigger again after this response. */
export function isRepeatable(observed: Observed, { always }: Pick<Policy, 'always'>): boolean {
  if (observed.kind === 'maybe_processed') return always;
  return observed.kind === 'denied' || (observed.kind === 'unsent' && observed.retryable);
}

/** The possible endings of a run. There are two only after a tie or if the last event is uncertain. */
export function endingsOf(outline: Outline, run: StoppedRun, all: readonly StoppedRun[]): readonly Ending[] {
  const { facts, policy } = outline;
  const { knowledge, stops } = run;
  if (knowledge.is === 'doubt') return [{ by: 'unknown', atMs: 0, step: 0 }];
  const candidates: Ending[] = stops.map(({ why: by, atMs, step, isMaybe = false }) => ({ by, atMs, step, isMaybe }));
  if (knowledge.is === 'none') candidates.push(...keptBack(outline, run));
  else candidates.push(...endsOfKnown(outline, run, knowledge));
  if (!policy.wait && knowledge.is !== 'none') candidates.push(...detachedAt(all, policy));
  const { end } = facts.main;
  // A frozen main process never exits.
  if (!outline.exited) candidates.push({ by: 'kill', ...NEVER, ...(end && { atMs: end.atMs, step: end.step }) });
  const certain = candidates.filter(({ isMaybe }) => isMaybe !== true);
  const [first] = inOrder(certain);
  const isNeverRead = knowledge.is === 'known' && knowledge.step === Infinity;
  if (first === undefined) return isNeverRead ? [{ by: 'lost', ...NEVER }] : inOrder(candidates).slice(0, 2);
  // A timer of known lateness may still be off by 1–2 ms, plus the time that writes block the process.
  const isBlocked = facts.stalls.some(({ process }) => process === 'main');
  const isClose = (one: Ending): boolean => {
    if (one.step < Infinity && first.step < Infinity) return one.step === first.step;
    const [fromMs, toMs] = [Math.min(one.atMs, first.atMs), Math.max(one.atMs, first.atMs)];
    return toMs - fromMs - stalledMs(facts, 'main', fromMs, toMs) <= (isBlocked ? TOLERANCE_MS : TIMER_MS);
  };
  const others = candidates.filter(
    (one) =>
      one.by !== first.by &&
      !(first.by === 'finished' && (one.by === 'kill' || one.by === 'detached')) &&
      (isClose(one) || (one.isMaybe === true && isBefore(one, first))),
  );
  // A signal and fail-fast, for example, lead to the same outcome.
  const outcome = outcomeAfter(first, run, policy);
  const [other] = others.toSorted((one) => (outcomeAfter(one, run, policy) === outcome ? 1 : -1));
  return other === undefined ? [first] : [first, other];
}

const TIMER_MS = 2;

/** Whether a run does not exist because the service refused its last trigger or main gave up before sending one. */
function keptBack(outline: Outline, run: StoppedRun): Ending[] {
  const { triggers, stops } = run;
  const by = 'never triggered';
  const [stop] = stops;
  if (stop === undefined) return [{ by, atMs: -Infinity, step: -1 }];
  const last = triggers.at(-1);
  // Main never repeats a trigger that got such a response, so the run ended with it.
  if (last !== undefined && !isRepeatable(last.observed, { always: true })) {
    return [{ by, atMs: last.atMs, step: last.step }];
  }
  const denied = triggers.slice(-MOST_DENIED).filter(({ observed }) => observed.kind === 'denied');
  const isGivenUp = hasGivenUp(outline) || triggers.length >= MOST_TRIES || denied.length === MOST_DENIED;
  const refused = intentRefusedAt(outline.facts, run);
  if (refused !== undefined) return [{ by, atMs: refused.atMs, step: refused.step }];
  return isGivenUp ? [{ by, atMs: stop.atMs, step: -1, isMaybe: true }] : [];
}

/** The maximum number of attempts for a call, and of rejected tokens that main tries. */
const MOST_TRIES = 8;
const MOST_DENIED = 3;

function endsOfKnown(outline: Outline, run: StoppedRun, knowledge: Instant): Ending[] {
  const { ended, cancels, lost, stops } = run;
  const found: Ending[] = [];
  // The result of a cancel, or of the read that confirms it, arrives after the stop.
  const isConfirmed = ended !== undefined && ended.request.step >= (cancels[0]?.request.step ?? Infinity);
  if (ended !== undefined && !isConfirmed) found.push({ by: 'finished', atMs: ended.atMs, step: ended.step });
  if (lost.atMs < Infinity) found.push({ by: 'lost', atMs: lost.atMs, step: lost.step, isMaybe: true });
  if (lost.must.atMs < Infinity) found.push({ by: 'lost', ...lost.must });
  // Main never read the run, so it may have given up before a stop.
  const untilMs = stops[0]?.atMs ?? outline.facts.main.end?.atMs ?? Infinity;
  const isGivenUp = hasGivenUp(outline) || isReadInVain(run, untilMs, outline.policy);
  if (knowledge.step === Infinity && isGivenUp) found.push({ by: 'lost', atMs: -Infinity, step: -1, isMaybe: true });
  return found;
}

/** Whether enough calls failed, or one failed permanently, for main to give up before triggering or reading a run. */
function hasGivenUp({ requests }: Outline): boolean {
  const failed = requests.filter(
    ({ request: { on, call }, observed: { kind } }) =>
      on === 'main' && (call === 'exchange' || call === 'list') && !['token', 'list', 'nothing'].includes(kind),
  );
  return failed.length >= MOST_TRIES || failed.some(isPermanent);
}

/** Whether main never repeats a request that failed like this. */
function isPermanent({ observed }: ObservedRequest): boolean {
  return ['no', 'none', 'refused'].includes(observed.kind) || (observed.kind === 'unsent' && !observed.retryable);
}

/** Whether the last read before a stop was one that main does not repeat. */
function isReadInVain({ reads }: BareRun, stopMs: number, { pollMs, maxOutageMs }: Policy): boolean {
  const [first] = reads;
  const last = reads.findLast(({ atMs }) => atMs <= stopMs + TOLERANCE_MS);
  if (first === undefined || last === undefined) return false;
  return isPermanent(last) || last.atMs + pollMs - first.request.atMs >= maxOutageMs;
}

/** When main detaches the runs that it does not await: once no trigger is left to send. */
function detachedAt(all: readonly StoppedRun[], policy: Policy): Ending[] {
  let latest: Ending = { by: 'detached', atMs: -Infinity, step: -1 };
  for (const { knowledge, triggers, stops } of all) {
    const last = knowledge.is === 'known' ? knowledge : triggers.at(-1);
    if (last === undefined && stops.length === 0) continue;
    if (last === undefined || last.step === Infinity) return [];
    const isMaybe =
      knowledge.is !== 'known' && isRepeatable((last as ObservedRequest).observed, { ...policy, always: true });
    const { atMs, step } = last.step > latest.step ? last : latest;
    latest = { ...latest, atMs, step, ...((isMaybe || latest.isMaybe) && { isMaybe: true }) };
  }
  return [latest];
}

const OUTCOMES = {
  detached: 'triggered',
  interrupted: 'cancelled',
  timeout: 'wait_timed_out',
  queue_timeout: 'wait_timed_out',
  'never triggered': 'not_triggered',
  unknown: 'unknown',
  lost: 'lost',
  kill: 'lost',
} as const;

/** The outcome that main reports after an ending. */
export function outcomeAfter({ by }: Ending, { ended, knowledge }: BareRun, { succeedOn }: Policy): string {
  if (by === 'finished') return succeedOn.includes(ended?.status ?? '') ? 'succeeded' : 'failed';
  if (by === 'fail_fast') return knowledge.is === 'none' ? 'not_triggered' : 'cancelled';
  return OUTCOMES[by];
}

/** What must happen to a run that was in progress when main stopped waiting for it. */
export interface Fate {
  readonly is: 'cancel' | 'leave' | 'either';
  readonly why: string;
}

/** The fate of a run in the service. If main reported an outcome, only the endings with that outcome count. */
export function fateOf(history: History, run: History['runs'][number], job: Job): Fate {
  const { facts, exited, policy } = history;
  const { knowledge, endings: all } = run;
  const onKill = fateAfter(history, { by: 'kill', ...NEVER });
  if (knowledge.is !== 'known' || knowledge.id !== job.id) {
    const isClaimed = job.id === run.pipeline.earlier && isClaimUnseen(facts, run);
    const isInDoubt = job.id === run.pipeline.earlier && isClaimRepeated(facts, run);
    if (isClaimed) return { is: onKill, why: 'post found the record of its id, which main takes for refused' };
    const isEither = isInDoubt || areTwoDeciding(history, run, 'leave');
    return { is: isEither ? 'either' : 'leave', why: 'main does not know its id' };
  }
  const reported = entriesOf(history)?.[history.runs.indexOf(run)]?.['outcome'];
  const endings = all.filter((one) => reported === undefined || outcomeAfter(one, run, policy) === reported);
  const [is, other] = new Set(endings.map((one) => fateAfter(history, one)));
  const why = endings.map(({ by }) => by).join(' or ');
  if (is === undefined || other !== undefined) return { is: 'either', why };
  if (is !== onKill && isFateLost(facts, run)) {
    // Main may have cancelled the run itself, in which case post need not leave it running.
    const isTried = excuse('disk: report', run.cancels.length > 0);
    return { is: isTried ? 'either' : onKill, why: `${why}, of which no file has a record` };
  }
  const isUnrecorded =
    areTwoDeciding(history, run, is) ||
    (!exited && excuse('unreadable id', !isReadable(facts, job.id))) ||
    (is !== onKill && isKilledInWrite(facts));
  return { is: isUnrecorded ? 'either' : is, why };
}

function fateAfter({ facts, policy }: Outline, { by }: Ending): 'cancel' | 'leave' {
  const { onCancel, onTimeout } = policy;
  const isCancelled = (status: string | undefined): boolean => status === 'cancelled';
  const isCancelledLater =
    isCancelled(facts.postEnv['INPUT_INTERNAL-JOB-STATUS']) && !isCancelled(facts.spec.runner.jobStatusAtStart);
  const isStopped =
    by === 'interrupted' || by === 'fail_fast' || by === 'kill' || (by === 'detached' && isCancelledLater);
  const isTimedOut = by === 'timeout' || by === 'queue_timeout';
  return (isStopped && onCancel === 'cancel') || (isTimedOut && onTimeout === 'cancel') ? 'cancel' : 'leave';
}
