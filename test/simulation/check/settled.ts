/* No orphaned run after a cancellation, and no run cancelled that should be left. */
import type { Instant } from '../history.ts';
import { canPostKnow, isNowhereFound, isUnsettleable } from './exemptions.ts';
import { isOrderly, isShared, type RunFacts, rowsOf, type StepFacts } from './facts.ts';

/** Why a process may cancel a run, and with which policy. */
interface Cause {
  readonly why: string;
  readonly policy: string;
  /** The earliest time at which it may apply. */
  readonly at: number;
}

/** Returns what can end main's wait for a run. */
function causesOf({ begunAt, targets, wanted }: StepFacts, [stop]: StepFacts['stops'], { known }: RunFacts): Cause[] {
  const queueTimeoutAt = (known?.at ?? Infinity) + wanted.queueTimeoutMs;
  const causes = [
    { why: stop?.by ?? '', policy: wanted.onCancel, at: stop?.at ?? Infinity },
    { why: 'timeout', policy: wanted.onTimeout, at: wanted.waits ? begunAt + wanted.timeoutMs : Infinity },
    { why: 'queue-timeout', policy: wanted.onTimeout, at: queueTimeoutAt },
    { why: 'fail-fast', policy: wanted.onCancel, at: wanted.failFast && targets.length > 1 ? 0 : Infinity },
  ];
  return causes.filter(({ at }) => at < Infinity);
}

/** Each cancel needs a cause whose policy is `cancel`, and a run that the process has not seen finish. */
export function cancels(facts: StepFacts): string[] {
  const { main, post, runs } = facts;
  return [main, ...(post === undefined ? [] : [post])].flatMap((process) =>
    process.requests
      .filter(({ call }) => call === 'cancel')
      .flatMap(({ sent, subject }) => {
        const what = `${process.role} cancelled run ${subject}`;
        const run = runs.find(({ id }) => id === subject);
        if (run === undefined) return isShared(facts, subject) ? [] : [`${what}, which belongs to another step`];
        const seen = run.finalSeen[process.role];
        if (seen !== undefined && seen.order < sent.order) return [`${what}, which it had seen finish`];
        const mayCancel = process === main ? mayMainCancel(facts, run, sent) : mayPostCancel(facts, run);
        return mayCancel ? [] : [`${what} without a reason`];
      }),
  );
}

function mayMainCancel(facts: StepFacts, run: RunFacts, { at }: Instant): boolean {
  return causesOf(facts, facts.stops, run).some((cause) => cause.policy === 'cancel' && cause.at <= at);
}

function mayPostCancel(facts: StepFacts, run: RunFacts): boolean {
  const { isJobCancelled, main, post, spec, step, stops, wanted } = facts;
  // The runner may have read the state before main had finished.
  const isRead =
    !facts.hadIncident('container_cancel', 'abandoned') ||
    (step.isJournalKept && !facts.hasDiskFault('main', 'journal'));
  const isJournalReadable = step.isJournalKept && spec.runner.temp === 'kept';
  const isSaved = step.isStateKept && isRead && !facts.hasDiskFault('main', 'state');
  // Post knows that main saw the run finish, or that main detached it.
  const isAlone = isOrderly(main) && (main.end?.order ?? Infinity) < (post?.started.order ?? 0);
  if (run.finalSeen.main !== undefined && isSaved && isAlone) return false;
  // A step that could not begin has recorded this for post.
  const records = main.writes.filter(({ file }) => file === 'journal' || (file === 'state' && isSaved));
  const isToldOfRefusal = records.at(-1)?.failed === false && (isSaved || isJournalReadable);
  if (outcomeOf(facts) === 'not_triggered' && main.requests.length === 0 && isAlone && isToldOfRefusal) return false;
  const isLetGo = !wanted.waits && isOrderly(main) && main.end?.code === 0 && stops.length === 0;
  if (isLetGo && (isSaved || (isJournalReadable && step.isStateKept)))
    return isJobCancelled && wanted.onCancel === 'cancel';
  // Without a wait, `timeout` does not concern the runs that main has triggered.
  const isTimedOut = wanted.waits && outcomeOf(facts) === 'wait_timed_out';
  const isLeft = isTimedOut && wanted.onTimeout === 'leave' && isSaved;
  if (isLeft && !wanted.failFast && stops.length === 0) return false;
  return wanted.onCancel === 'cancel' || causesOf(facts, stops, run).some(({ policy }) => policy === 'cancel');
}

/** The outcome that main wrote last. It follows the lines that say what post may do. */
function outcomeOf({ main }: StepFacts): string | undefined {
  return main.outputs.findLast(({ name }) => name === 'outcome')?.value;
}

/** A run is left running only if a policy says so, if main lost it, or if no process could cancel it. */
export function orphans(facts: StepFacts): string[] {
  return facts.runs.flatMap((run) => {
    const since = mustBeCancelledSince(facts, run);
    if (!run.isLeft || since === undefined || isUnsettleable(facts, run, since)) return [];
    return [`run ${run.id} is an orphan: it is in progress at the end, but should have been cancelled`];
  });
}

/** The incidents that send a signal to main, but do not cancel its job. */
const SIGNALS: readonly string[] = ['step_timeout', 'cancel_step'];

/** Returns when it became certain that the run must be cancelled, or undefined if it need not be. */
export function mustBeCancelledSince(facts: StepFacts, run: RunFacts): Instant | undefined {
  const { decided, isJobCancelled, main, post, spec, step, wanted } = facts;
  const { end } = main;
  if (end === undefined || spec.task === 'dry_run' || spec.task === 'invalid') return undefined;
  // A step that could not begin takes no responsibility for existing runs, even if it could not write its outcome.
  const outcome = outcomeOf(facts);
  const hasSaidSo = isOrderly(main) || main.annotations.some(({ title }) => title.endsWith('nothing was triggered'));
  const isUnwritten =
    facts.hasDiskFault('main', 'journal', 'state') || (hasSaidSo && facts.hasDiskFault('main', 'output'));
  if ((outcome === 'not_triggered' || isUnwritten) && main.requests.length === 0) return undefined;
  // An outcome that could not be written was still decided.
  const isHidden = !wanted.waits && facts.hasDiskFault('main', 'output');
  const stops = facts.stops.filter(({ order }) => order < decided && !isHidden);
  const causes = causesOf(facts, stops, run).filter(({ at }) => at <= end.at);
  // The first cause decides, and all of them may be the first.
  if (wanted.onCancel !== 'cancel' || causes.some(({ policy }) => policy !== 'cancel')) return undefined;
  const [stop] = stops;
  const known = run.known ?? end;
  const hasCrashed = main.errors.some(({ order }) => stop === undefined || order < stop.order);
  if (stop !== undefined && !hasCrashed) return stop.order > known.order ? stop : known;
  // If main was killed before its last line, or interrupted before the end of its report, post takes over every run that
  // may continue. Later signals reach no code of main.
  const last = main.writes.find(({ failed, isLast }) => isLast && !failed);
  // A line about a failed write of the last line is not part of the report.
  const endsAt = main.writes.find(({ isLast }) => isLast)?.order ?? Infinity;
  const reportedAt = main.lines.findLast(({ isDebug, order }) => !isDebug && order < endsAt)?.order ?? 0;
  const isCutShort = step.incidents.some(
    ({ on, order, what }) => on === 'main' && SIGNALS.includes(what) && order < reportedAt,
  );
  if ((isCutShort || last === undefined) && !hasCrashed) return post?.started;
  // Main lost or detached the run before anything stopped it.
  const isPerhapsLost = causes.length === 0 || hasCrashed;
  if (isPerhapsLost) return isJobCancelled ? post?.started : undefined;
  // An annotation shows that main lost the run, even if it could not write its outcome.
  const isLost =
    outcome === 'lost' || main.annotations.some(({ message }) => message.includes(`Lost contact with run ${run.id}`));
  // Fail-fast and queue-timeout need not have applied, and main may have lost the run at the same time.
  return isLost || causes.some(({ why }) => why !== 'timeout') ? undefined : main.started;
}

/** Post keeps cancelling a run until it has ended, or until time runs out. */
export function pursued(facts: StepFacts): string[] {
  const { post, runs, spec, step } = facts;
  if (post?.end?.how !== 'exited' || spec.runner.post === 'without_key' || post.stops.length > 0) return [];
  const lastedMs = post.end.at - post.started.at;
  if (post.errors.length > 0 || lastedMs > 55_000 || (facts.history.steps.length > 1 && step.jobStatus === 'cancelled'))
    return [];
  // A revoked key is final after three rejections in a minute.
  const rejections = post.requests.filter(
    ({ answer, call }) => call === 'exchange' && answer?.kind === 'answered' && answer.status < 500,
  );
  if (rejections.length > 2) return [];
  return runs
    .filter((run) => run.isLeft && mustBeCancelledSince(facts, run) !== undefined && canPostKnow(facts, run))
    .filter((run) => !isNowhereFound(facts, run))
    .map(
      ({ id }) =>
        `post gave up run ${id} after ${lastedMs} ms (last status: ${rowsOf(post, id).at(-1)?.status ?? 'none'})`,
    );
}
