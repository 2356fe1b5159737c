/* No false success, no false failure, and outputs that tell the truth. */
import type { Instant, ProcessHistory } from '../history.ts';
import {
  annotationsOf,
  isFinal,
  isOrderly,
  meaningOf,
  type RunFacts,
  rowsOf,
  type StepFacts,
  type TargetFacts,
  wasResumed,
} from './facts.ts';

export function success(facts: StepFacts): string[] {
  const {
    main,
    spec,
    stops: [stop],
    targets,
    wanted,
  } = facts;
  const { end } = main;
  if (end === undefined || end.code !== 0)
    return isSuccessMissed(facts) ? ['main failed although every run succeeded'] : [];
  const early =
    stop !== undefined && stop.order < facts.decided ? [`main succeeded although ${stop.by} interrupted it`] : [];
  if (spec.task === 'invalid') return ['main succeeded although an input is invalid'];
  const isAbandoned = facts.hadIncident('abandoned', 'container_cancel', 'worker_killed');
  if (!GOOD.includes(facts.step.outputs['outcome'] ?? '') && !isAbandoned)
    return ['main succeeded although later steps do not get its outcome'];
  if (spec.task === 'dry_run') return early;
  const unseen = targets.filter((target) => !(wanted.waits ? hasSucceeded(facts, target) : hasId(target)));
  return [
    ...early,
    ...unseen.map(({ pipelineId }) => `main succeeded although it did not see the run of ${pipelineId} succeed`),
  ];
}

/** Returns the run that main knew last. One that it did not resume no longer counts. */
function lastKnown(target: TargetFacts, by = Infinity): RunFacts | undefined {
  const { isReplaced, runs } = target;
  const known = runs.filter(({ isGiven, known: at }) => at !== undefined && at.order <= by && !(isGiven && isReplaced));
  return known.toSorted((a, b) => (a.known?.order ?? 0) - (b.known?.order ?? 0)).at(-1);
}

function hasId({ triggers }: TargetFacts): boolean {
  return triggers.length > 0 && triggers.some((each) => meaningOf(each).is === 'id');
}

function hasSucceeded({ begunAt, spec, wanted }: StepFacts, target: TargetFacts): boolean {
  const seen = lastKnown(target)?.finalSeen.main;
  const latest = begunAt + wanted.timeoutMs + 45_000 + (spec.clock.sleep?.forMs ?? 0);
  return seen !== undefined && wanted.succeedOn.includes(seen.status) && seen.at <= latest;
}

/** Whether main failed although nothing stood in the way of a success. */
function isSuccessMissed(facts: StepFacts): boolean {
  const { begunAt, spec, targets, wanted } = facts;
  if (!facts.isCalm || spec.task === 'dry_run' || spec.task === 'invalid') return false;
  const isUnclear = targets.some(({ triggers }) => triggers.some((each) => meaningOf(each).is === 'unclear'));
  if (isUnclear || wanted.failFast || spec.clock.sleep !== null || wanted.queueTimeoutMs < Infinity) return false;
  const inTime = (at: Instant | undefined): boolean => at !== undefined && at.at < begunAt + wanted.timeoutMs - 100;
  return targets.every((target) =>
    wanted.waits
      ? hasSucceeded(facts, target) && inTime(lastKnown(target)?.finalSeen.main)
      : hasId(target) && spec.task === 'trigger',
  );
}

const OUTCOMES = [
  'succeeded',
  'failed',
  'wait_timed_out',
  'cancelled',
  'lost',
  'not_triggered',
  'unknown',
  'triggered',
  'dry_run',
];
const GOOD = ['succeeded', 'triggered', 'dry_run'];
const MOST_RESULTS_BYTES = 30_000;

/** The last value of each output that the process wrote. */
function outputsOf({ outputs }: ProcessHistory, by = Infinity): Readonly<Record<string, string>> {
  return Object.fromEntries(outputs.filter(({ order }) => order <= by).map(({ name, value }) => [name, value]));
}

export function outputs(facts: StepFacts): string[] {
  const { main, spec } = facts;
  if (facts.hasDiskFault('main', 'output')) return [];
  const early = earlyOutputs(facts);
  if (!isOrderly(main) || main.end === undefined) return early;
  const all = outputsOf(main);
  const { outcome = '', message = '', results = '' } = all;
  const isGood = GOOD.includes(outcome);
  const mayFail = facts.hasDiskFault('main') || facts.stops.length > 0 || main.errors.length > 0;
  const notes = annotationsOf([main]);
  const broken: Readonly<Record<string, boolean>> = {
    [`the outcome is "${outcome}"`]: !OUTCOMES.includes(outcome),
    [`the outcome is ${outcome}, but the exit code is ${main.end.code}`]:
      isGood !== (main.end.code === 0) && !(isGood && mayFail),
    'the message is empty or has several lines': message === '' || /[\n\r\u2028]/.test(message),
    'the results are not JSON with an entry for each run': !isList(
      results,
      spec.task === 'invalid' ? undefined : facts.targets.length,
    ),
    'the results are too long': Buffer.byteLength(results) > MOST_RESULTS_BYTES,
    'a failure has no annotation': !isGood && notes.length === 0 && !main.annotations.some(({ isRead }) => !isRead),
    'a success has an error': main.end.code === 0 && notes.some(({ level }) => level === 'error'),
  };
  return [
    ...early,
    ...Object.keys(broken).filter((what) => broken[what]),
    ...(spec.task === 'invalid'
      ? refused(facts, outcome)
      : spec.task === 'dry_run'
        ? []
        : [...truth(facts, all), ...unjustified(facts, outcome)]),
  ];
}

function isList(text: string, length: number | undefined): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && (length === undefined || value.length === length || value.length === 0);
  } catch {
    return false;
  }
}

/** What the outputs say while main works, in case that it is killed. */
function earlyOutputs({ main, spec, targets }: StepFacts): string[] {
  const [request] = main.requests;
  const [first] = main.outputs;
  if (request === undefined) return [];
  const isRight = first?.name === 'job-status' && first.value === 'unknown' && first.order < request.sent.order;
  // With several runs, `job-id` is complete when all are known.
  const known =
    spec.task === 'dry_run' || targets.length > 1
      ? []
      : targets.flatMap(({ runs }) => runs.filter(({ isGiven, known: at }) => !isGiven && at !== undefined));
  const end = main.end?.order ?? Infinity;
  const late = known.filter(({ id, known: at }) => {
    const shown = main.outputs.find(({ name, value }) => name === 'job-id' && value.includes(id));
    const died = main.end?.at === at?.at;
    return at !== undefined && at.order < end && !died && (shown === undefined || shown.at > at.at);
  });
  return [
    ...(isRight ? [] : ['job-status was not set to unknown before the first request']),
    ...late.map(({ id }) => `the output job-id did not name run ${id} at once`),
  ];
}

function refused({ main }: StepFacts, outcome: string): string[] {
  return [
    ...(main.requests.length === 0 ? [] : ['main sent a request although an input is invalid']),
    ...(outcome === 'not_triggered' && main.end?.code === 1
      ? []
      : [`an invalid input leads to the outcome ${outcome}`]),
  ];
}

/** `job-id` and `job-status` are what main knew. */
function truth(facts: StepFacts, all: Readonly<Record<string, string>>): string[] {
  const { main, spec, targets } = facts;
  const end = main.end?.order ?? Infinity;
  const written = main.outputs.at(-1)?.order ?? 0;
  // An id may arrive while the process ends.
  const [late = [], ids = []] = [end, written].map((by) =>
    targets.flatMap((target) => lastKnown(target, by)?.id ?? []),
  );
  const shown = (all['job-id'] ?? '').split('\n').filter((id) => id !== '');
  const isMissing =
    ids.some((id) => !shown.includes(id) && late.includes(id)) || shown.some((id) => !late.includes(id));
  // A step that could not begin sent nothing, and knows nothing.
  if (main.requests.length === 0) return [];
  const [target] = targets;
  const status = all['job-status'] ?? '';
  const queued = targets.filter(({ runs }) => runs.some(({ isGiven }) => !isGiven)).length;
  const isDenied = status === 'not_queued' && queued === targets.length && queued > 0;
  const expected = target === undefined || targets.length > 1 ? undefined : statusesOf(facts, target);
  const isWrong =
    expected !== undefined &&
    !expected.some((each) => (isFinal(each) || !isFinal(status) ? matches(each, status) : false));
  return [
    ...(isMissing ? [`job-id is "${shown.join(', ')}" but should be "${ids.join(', ')}"`] : []),
    ...(isDenied ? ['job-status is not_queued although a run exists'] : []),
    ...(isWrong && spec.task !== 'invalid' ? [`job-status is ${status} but should be ${expected.join(' or ')}`] : []),
  ];
}

/** An unknown status is shown in quotes, and without characters that could act as anything but text. */
function matches(expected: string, shown: string): boolean {
  return /^[a-z_]+$/.test(expected) ? expected === shown : !isFinal(shown);
}

/** What the job-status of a single run may be: what main knew when it wrote the outputs, or when it exited. */
function statusesOf({ main }: StepFacts, target: TargetFacts): string[] {
  const end = main.end;
  const written = main.outputs.at(-1)?.order ?? 0;
  const known = [written, end?.order ?? Infinity].map((by) => {
    const run = lastKnown(target, by);
    const last = target.triggers.findLast(({ sent }) => sent.order <= by);
    const isUnclear =
      last !== undefined && meaningOf(last).is === 'unclear' && (run?.known?.order ?? 0) < last.sent.order;
    const wasUnclear = target.triggers.some((each) => meaningOf(each).is === 'unclear') && run === undefined;
    if (isUnclear || wasUnclear) return 'unknown';
    if (run === undefined) return 'not_queued';
    const rows = rowsOf(main, run.id).filter(({ order }) => order <= by);
    const final = rows.find(({ status }) => isFinal(status));
    return (final ?? rows.at(-1))?.status ?? (run.isGiven ? 'unknown' : 'queued');
  });
  // After an error, the result of a trigger may come too late.
  return main.errors.length > 0 ? [...known, 'unknown'] : known;
}

/** Each outcome needs a reason. With several runs, it is the worst of them. */
function unjustified(facts: StepFacts, outcome: string): string[] {
  const { preparedAt, main, runs, spec, stops, targets, wanted } = facts;
  const endedAt = main.end?.at ?? Infinity;
  const sleepMs = spec.clock.sleep?.forMs ?? 0;
  const queuedAt = Math.min(...runs.flatMap(({ known }) => known?.at ?? []));
  const isTimedOut =
    endedAt >= preparedAt + wanted.timeoutMs - 100 ||
    endedAt >= queuedAt + wanted.queueTimeoutMs - 100 ||
    (sleepMs > 0 && wanted.timeoutMs < Infinity);
  const seen = (target: TargetFacts): string | undefined => lastKnown(target)?.finalSeen.main?.status;
  const reasons: Readonly<Record<string, boolean>> = {
    succeeded: targets.every((target) => wanted.succeedOn.includes(seen(target) ?? '')),
    failed: targets.some((target) =>
      target.runs.some(
        ({ finalSeen }) => finalSeen.main !== undefined && !wanted.succeedOn.includes(finalSeen.main.status),
      ),
    ),
    wait_timed_out: isTimedOut,
    cancelled: stops.length > 0 || wanted.failFast,
    lost: targets.some((target) => isLost(facts, target)),
    not_triggered: targets.some(
      ({ triggers }) => !triggers.some((each) => meaningOf(each).is === 'id' || meaningOf(each).is === 'unclear'),
    ),
    // After an error, the result of a trigger comes too late.
    unknown: targets.some(({ triggers }) =>
      triggers.some((each) => meaningOf(each).is === 'unclear' || main.errors.length > 0),
    ),
    triggered: !wanted.waits && targets.every(hasId),
    dry_run: spec.task === 'dry_run',
  };
  return reasons[outcome] === false ? [`the outcome ${outcome} has no reason`] : [];
}

const REJECTIONS = 3;
const KEY_REJECTED_FOR_MS = 60_000;

/** Whether main had a reason to give up a run: an outage that is long enough, or clear answers. */
function isLost({ main, wanted }: StepFacts, target: TargetFacts): boolean {
  const run = lastKnown(target);
  if (run?.known === undefined) return false;
  if (main.errors.length > 0) return true;
  if (run.finalSeen.main !== undefined) return false;
  const reads = main.requests.filter(({ call, subject }) => call === 'read' && subject === run.id);
  // Without a token or the list of pipelines, main cannot begin.
  if (reads.length === 0 && run.isGiven) return true;
  const good = reads.filter((each) => meaningOf(each).is === 'row').at(-1)?.answered ?? run.known;
  const bad = reads.filter(({ answered }) => (answered?.order ?? 0) > good.order);
  const exchanges = main.requests.filter(({ call, sent }) => call === 'exchange' && sent.at >= good.at - wanted.pollMs);
  const rejected = exchanges.filter(
    (each) => meaningOf(each).is === 'refused' || (each.answer?.kind === 'answered' && each.answer.status === 401),
  );
  const rejectedMs = (rejected.at(-1)?.sent.at ?? 0) - (rejected[0]?.sent.at ?? 0);
  const last = Math.max(...[bad.at(-1), exchanges.at(-1)].map((each) => each?.answered?.at ?? good.at));
  // A replica may not have a new run yet.
  const isSeen = run.isGiven || reads.some((each) => meaningOf(each).is === 'row');
  const isAnswer = (is: string): boolean => is === 'refused' || (is === 'none' && isSeen);
  const answers = bad.slice(-REJECTIONS).filter((each) => isAnswer(meaningOf(each).is));
  return (
    last - good.at >= wanted.maxOutageMs - 1_000 ||
    answers.length === REJECTIONS ||
    (rejected.length >= REJECTIONS && rejectedMs >= KEY_REJECTED_FOR_MS - 1_000)
  );
}

/** A failure that may pass does not end the step before its first trigger, and the attempts that were asked for are made. */
export function patience(facts: StepFacts): string[] {
  const { main, targets, wanted } = facts;
  if (!facts.isCalm || wanted.timeoutMs < Infinity || wanted.failFast) return [];
  const { keyRevokedAtMs, outages } = facts.scenario.service;
  const last = main.requests.at(-1);
  const isFirst = last !== undefined && ['exchange', 'list', 'trigger'].includes(last.call) && !targets.some(hasId);
  const isTransient =
    last?.fault !== undefined && ['refused', 'connect_hangs', 'http_429', 'http_503'].includes(last.fault);
  const tries = main.requests.filter(({ call }) => call !== 'read' && call !== 'cancel').length;
  const isUnclear = last?.call === 'trigger' && last.fault === 'http_503';
  const hasty =
    isFirst && isTransient && !isUnclear && tries < 3 ? [`main gave up after ${tries} tries of ${last.call}`] : [];
  const isOut = main.requests.some(({ call, fault }) => call === 'exchange' && fault !== undefined);
  const missing = targets.filter((target) => {
    if (isOut || outages.length > 0 || keyRevokedAtMs !== null) return false;
    const seen = lastKnown(target)?.finalSeen.main;
    const given = target.runs.find(({ isGiven }) => isGiven);
    const most = wanted.maxAttempts - (given !== undefined && wasResumed(main, given.id) ? 1 : 0);
    const isDone = target.triggers.filter((each) => meaningOf(each).is === 'id').length >= most;
    const isClear = target.triggers.every((each) => meaningOf(each).is !== 'unclear');
    const [trigger] = target.triggers;
    const isLast = trigger === undefined || meaningOf(target.triggers.at(-1) ?? trigger).is === 'id';
    return (
      seen !== undefined && !isDone && isClear && isLast && trigger !== undefined && isRetried(wanted, seen.status)
    );
  });
  return [...hasty, ...missing.map(({ pipelineId }) => `main made no further attempt for ${pipelineId}`)];
}

function isRetried({ retryOn, succeedOn }: StepFacts['wanted'], status: string): boolean {
  return retryOn.includes(status) && !succeedOn.includes(status);
}
