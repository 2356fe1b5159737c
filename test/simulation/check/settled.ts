/* No orphaned run after a cancellation, and no run cancelled that should be left. */
import type { Instant } from '../history.ts';
import { canPostKnow, excused, isMute, isUnsettleable } from './exemptions.ts';
import { annotationsOf, isOrderly, meaningOf, type RunFacts, readableText, rowsOf, type StepFacts } from './facts.ts';

const REPEATS_WITHIN_MS = 1_500;

/** Why a process may cancel a run, and with which policy. */
interface Cause {
  readonly why: string;
  readonly policy: string;
  /** From when on it may apply. */
  readonly at: number;
}

/** Returns what can end main's wait for a run. */
function causesOf({ preparedAt, stops, targets, wanted }: StepFacts, run: RunFacts): Cause[] {
  const [stop] = stops;
  return [
    ...(stop === undefined ? [] : [{ why: stop.by, policy: wanted.onCancel, at: stop.at }]),
    ...(wanted.timeoutMs === Infinity
      ? []
      : [{ why: 'timeout', policy: wanted.onTimeout, at: preparedAt + wanted.timeoutMs }]),
    ...(wanted.queueTimeoutMs === Infinity
      ? []
      : [{ why: 'queue-timeout', policy: wanted.onTimeout, at: (run.known?.at ?? Infinity) + wanted.queueTimeoutMs }]),
    ...(wanted.failFast && targets.length > 1 ? [{ why: 'fail-fast', policy: wanted.onCancel, at: 0 }] : []),
  ];
}

/** Each cancel needs a cause whose policy is `cancel`, and a run that the process has not seen end. */
export function cancels(facts: StepFacts): string[] {
  const { main, post, runs } = facts;
  return [main, ...(post === undefined ? [] : [post])].flatMap((process) =>
    process.requests
      .filter(({ call }) => call === 'cancel')
      .flatMap(({ sent, subject }) => {
        const run = runs.find(({ id }) => id === subject);
        if (run === undefined)
          return isShared(facts, subject) ? [] : [`${process.role} cancelled a run that is not its own`];
        const what = `${process.role} cancelled run ${subject}`;
        const seen = run.finalSeen[process.role];
        // A cancel may be repeated with a new token at that moment.
        if (seen !== undefined && seen.at + REPEATS_WITHIN_MS < sent.at) return [`${what}, which it had seen end`];
        const mayCancel = process === main ? mayMainCancel(facts, run, sent) : mayPostCancel(facts, run);
        return mayCancel ? [] : [`${what} without a reason`];
      }),
  );
}

/** Without a state, post also sees to the runs of other uses in the same composite, whose identity is the same. */
function isShared(facts: StepFacts, id: string): boolean {
  const { history, index, spec, step } = facts;
  const owner = history.pipelineIds.findIndex((ids) =>
    history.service.jobs.some((job) => job.id === id && ids.includes(job.pipelineId)),
  );
  const other = history.scenario.steps[owner]?.runner;
  const isStateLost =
    !step.isStateKept ||
    facts.hadIncident('container_cancel') ||
    !facts.main.writes.some(({ failed, file }) => file === 'state' && !failed);
  return owner !== index && isStateLost && other?.action === spec.runner.action && other.job === spec.runner.job;
}

/** Post speaks of no run of another step. */
export function foreign(facts: StepFacts): string[] {
  const { history, post, runs } = facts;
  if (post === undefined || history.steps.length === 1) return [];
  const text = [...post.lines.map((line) => line.text), ...post.annotations.map(({ message }) => message)].join('\n');
  const others = history.service.jobs.filter(({ id }) => !runs.some((run) => run.id === id) && text.includes(id));
  return others
    .filter(({ id }) => !isShared(facts, id))
    .map(({ id }) => `post speaks of run ${id}, which is not its own`);
}

function mayMainCancel(facts: StepFacts, run: RunFacts, { at }: Instant): boolean {
  return causesOf(facts, run).some((cause) => cause.policy === 'cancel' && cause.at <= at);
}

function mayPostCancel(facts: StepFacts, run: RunFacts): boolean {
  const { isJobCancelled, main, post, step, wanted } = facts;
  // The runner may have read the state before main had finished.
  const isRead =
    !facts.hadIncident('container_cancel', 'abandoned') ||
    (step.isJournalKept && !facts.hasDiskFault('main', 'journal'));
  const isSaved = step.isStateKept && isRead && !facts.hasDiskFault('main', 'state');
  // Post knows that main saw the run end, or that main let it go.
  const isAlone = isOrderly(main) && (main.end?.order ?? Infinity) < (post?.started.order ?? 0);
  if (run.finalSeen.main !== undefined && isSaved && isAlone) return false;
  const isLetGo = !wanted.waits && isOrderly(main) && main.end?.code === 0;
  if (isLetGo && isSaved) return isJobCancelled && wanted.onCancel === 'cancel';
  // The outcome comes after the line that says that the run was left.
  const outcome = main.outputs.findLast(({ name }) => name === 'outcome')?.value;
  const isLeft = outcome === 'wait_timed_out' && wanted.onTimeout === 'leave' && isSaved;
  if (isLeft && !wanted.failFast && facts.stops.length === 0) return false;
  return wanted.onCancel === 'cancel' || causesOf(facts, run).some(({ policy }) => policy === 'cancel');
}

/** A run is left in progress only if a policy says so, if main lost it, or if nobody could cancel it. */
export function orphans(facts: StepFacts): string[] {
  return facts.runs.flatMap((run) => {
    const since = mustBeCancelledSince(facts, run);
    if (!run.isLeft || since === undefined || isUnsettleable(facts, run, since)) return [];
    return [`run ${run.id} is an orphan: it is in progress at the end, but should have been cancelled`];
  });
}

/** Returns when it became certain that the run must be cancelled, or undefined if it need not be. */
function mustBeCancelledSince(facts: StepFacts, run: RunFacts): Instant | undefined {
  const { decided, isJobCancelled, main, post, spec, targets, wanted } = facts;
  const { end } = main;
  const isHidden = !wanted.waits && facts.hasDiskFault('main', 'output');
  const stops = facts.stops.filter(({ order }) => order < decided && !isHidden);
  const [stop] = stops;
  if (end === undefined || spec.task === 'dry_run' || spec.task === 'invalid') return undefined;
  // A step that could not begin takes no responsibility for existing runs.
  const outcome = main.outputs.findLast(({ name }) => name === 'outcome')?.value;
  if (outcome === 'not_triggered' && main.requests.length === 0) return undefined;
  const [known = end] = [run.known];
  const causes = causesOf({ ...facts, stops, preparedAt: facts.begunAt }, run).filter(({ at }) => at <= end.at);
  const isCancel = wanted.onCancel === 'cancel' && causes.every(({ policy }) => policy === 'cancel');
  if (!isCancel) return undefined;
  // With `wait: false`, main lets go of all runs once it knows them.
  const isLetGo =
    !wanted.waits && targets.every(({ triggers }) => triggers.every(({ answered }) => answered !== undefined));
  // Main lost the run, or let it go, before anything stopped it.
  const hasCrashed = main.errors.length > 0;
  const isMainCertain = isOrderly(main) || decided < Infinity || isLetGo || hasCrashed;
  if (stop === undefined && (causes.length === 0 || hasCrashed) && isMainCertain) {
    if (post === undefined || !isJobCancelled) return undefined;
    return post.started;
  }
  if (stop !== undefined) return stop.order > known.order ? stop : known;
  // Neither fail-fast nor queue-timeout need have come to pass, and main may have lost the run at the same time.
  const isUndecided = outcome === 'lost' || causes.some(({ why }) => why !== 'timeout');
  if (isMainCertain) return isUndecided ? undefined : main.started;
  // Main was killed, or failed, and post has to do it.
  return post === undefined ? undefined : isLostBefore(facts, run) && !isJobCancelled ? undefined : post.started;
}

/** Whether main may have given up the run before it died: the service or the network did not do what they should. */
function isLostBefore({ main, scenario }: StepFacts, { id }: RunFacts): boolean {
  const isNameHidden = scenario.service.echo?.where === 'name';
  return main.requests.some((request) => {
    const { answered, call, subject } = request;
    if (answered === undefined) return false;
    if (call === 'list') return isNameHidden || meaningOf(request).is !== 'list';
    return (
      (call === 'exchange' && meaningOf(request).is !== 'token') ||
      (call === 'read' && subject === id && meaningOf(request).is !== 'row')
    );
  });
}

/** Each run that may be in progress at the end is named: by its id, or by its pipeline in a warning that it may be. */
export function named(facts: StepFacts): string[] {
  const { main, targets } = facts;
  const left = targets.flatMap((target) =>
    target.runs.filter(({ isLeft, isGiven }) => isLeft && !isGiven).map((run) => ({ run, target })),
  );
  if (left.length === 0) return [];
  // The service may show a secret instead of a name.
  if (facts.scenario.service.echo?.where === 'name') return [];
  const text = readableText(facts);
  const warnings = annotationsOf([main, ...facts.posts]).filter(
    ({ level, message }) => level !== 'notice' && /\bmay\b/.test(message),
  );
  const isNamed = ({ run, target }: (typeof left)[number]): boolean =>
    text.includes(run.id) ||
    warnings.some(({ message }) => target.names.some((name) => message.includes(visible(name))));
  return left
    .filter((each) => !isNamed(each) && !isMute(facts) && !isBlind(facts, warnings.length > 0))
    .map(({ run }) => `run ${run.id} is in progress, but nothing that a user can read names it`);
}

/** Post found nothing that it could read, and said so. */
function isBlind({ main, spec, step }: StepFacts, hasWarned: boolean): boolean {
  const isJournalReadable = step.isJournalKept && spec.runner.temp === 'kept';
  // In a container, the runner reads the state while main is still alive.
  const isStateReadable = step.isStateKept && !step.incidents.some(({ what }) => what === 'container_cancel');
  const isReadable = isStateReadable || isJournalReadable;
  const isWritten = !main.writes.some(({ failed, file }) => failed && (file === 'state' || file === 'journal'));
  return hasWarned && excused('unreadable files', !isReadable || !isWritten);
}

/** Messages show names without characters that could act as anything but text. */
function visible(name: string): string {
  return name.split(/[^\p{L}\p{N} _-]/u)[0] ?? name;
}

/** Post warns of each run that it should have cancelled and did not see end. Its own log then has the id. */
export function warned(facts: StepFacts): string[] {
  const { main, post, runs, step } = facts;
  if (
    post === undefined ||
    !isOrderly(post) ||
    post.errors.length > 0 ||
    post.annotations.some(({ isRead }) => !isRead)
  )
    return [];
  const warnings = annotationsOf([post])
    .filter(({ level }) => level === 'warning')
    .map(({ message }) => message);
  const failing = annotationsOf([post])
    .filter(({ level }) => level === 'error')
    .map(() => 'post reported an error, which annotates the job as failed');
  const isReported = isOrderly(main) && !annotationsOf([main]).some(({ isRead }) => !isRead);
  const silent = runs.filter((run) => {
    const since = mustBeCancelledSince(facts, run);
    if (!run.isLeft || since === undefined || !canPostKnow(facts, run)) return false;
    const isSaid = warnings.some((message) => message.includes(run.id));
    return !isSaid && !(isReported && step.isStateKept && run.finalSeen.main !== undefined);
  });
  return [...failing, ...silent.map(({ id }) => `post does not warn of run ${id}, which it did not see end`)];
}

/** Post repeats what main reported about its runs, if no one could read that. */
export function repeated(facts: StepFacts): string[] {
  const { main, post, runs, spec, step, wanted } = facts;
  if (post === undefined || !isOrderly(main) || !isOrderly(post) || post.errors.length > 0) return [];
  const isUnread = main.annotations.some(({ isRead }) => !isRead) || spec.runner.flushMs > 5_000;
  const isBeside = facts.hadIncident('container_cancel', 'abandoned', 'error');
  if (
    !isUnread ||
    isBeside ||
    wanted.maxAttempts > 1 ||
    spec.clock.sleep !== null ||
    facts.history.steps.length > 1 ||
    !wanted.waits ||
    !step.isStateKept ||
    facts.hasDiskFault('main')
  )
    return [];
  const text = [...post.lines.map(({ text: line }) => line), ...post.annotations.map(({ message }) => message)].join(
    '\n',
  );
  const reported = runs.filter(({ isGiven, known }) => known !== undefined && !isGiven);
  const last = reported.filter(({ id }) => step.outputs['job-id']?.includes(id));
  return last
    .filter(({ id }) => !text.includes(id))
    .map(({ id }) => `post does not repeat what main reported about run ${id}`);
}

/** Post pursues a run until it has ended, or until time runs out. */
export function pursued(facts: StepFacts): string[] {
  const { post, runs, spec, step } = facts;
  if (post?.end?.how !== 'exited' || spec.runner.post === 'without_key' || post.stops.length > 0) return [];
  const lastedMs = post.end.at - post.started.at;
  if (post.errors.length > 0 || lastedMs > 55_000 || (facts.history.steps.length > 1 && step.jobStatus === 'cancelled'))
    return [];
  return runs.flatMap((run) => {
    const since = mustBeCancelledSince(facts, run);
    if (!run.isLeft || since === undefined || !canPostKnow(facts, run)) return [];
    // A revoked key is final after three rejections in a minute.
    const rejections = post.requests.filter(
      ({ answer, call }) => call === 'exchange' && answer?.kind === 'answered' && answer.status < 500,
    );
    const last = rowsOf(post, run.id).at(-1);
    return rejections.length > 2
      ? []
      : [`post gave up run ${run.id} after ${lastedMs} ms (last status: ${last?.status ?? 'none'})`];
  });
}
