/* No false success, no false failure, and outputs that tell the truth. */

import {
  annotationsOf,
  bearerOf,
  isFinal,
  isOrderly,
  isTokenDoubted,
  meaningOf,
  type RunFacts,
  rowsOf,
  type StepFacts,
  type TargetFacts,
  wasResumed,
} from './facts.ts';

/** How long after `timeout` the last check may still show a success. */
const LAST_LOOK_MS = 45_000;

export function success(facts: StepFacts): string[] {
  const { decided, main, spec, step, stops, targets, wanted } = facts;
  if (main.end?.code !== 0) return isSuccessMissed(facts) ? ['main failed although every run succeeded'] : [];
  if (spec.task === 'invalid') return ['main succeeded although an input is invalid'];
  const isAbandoned = facts.hadIncident('abandoned', 'container_cancel', 'worker_killed');
  if (!GOOD.includes(step.outputs['outcome'] ?? '') && !isAbandoned)
    return ['main succeeded although later steps do not get its outcome'];
  const early = stops
    .filter(({ order }) => order < decided)
    .map(({ by }) => `main succeeded although ${by} interrupted it`);
  const isWell = (target: TargetFacts): boolean =>
    spec.task === 'dry_run' || (wanted.waits ? hasSucceeded(facts, target, LAST_LOOK_MS) : hasId(target));
  const unseen = targets.filter((target) => !isWell(target));
  return [
    ...early,
    ...unseen.map(({ pipelineId }) => `main succeeded although it did not see the run of ${pipelineId} succeed`),
  ];
}

/** Returns the run that main knew last. One that it did not resume no longer counts. */
function lastKnown({ isReplaced, runs }: TargetFacts, by = Infinity): RunFacts | undefined {
  const known = runs.filter(({ isGiven, known: at }) => at !== undefined && at.order <= by && !(isGiven && isReplaced));
  return known.toSorted((a, b) => (a.known?.order ?? 0) - (b.known?.order ?? 0)).at(-1);
}

function hasId({ triggers }: TargetFacts): boolean {
  return triggers.some((each) => meaningOf(each).is === 'id');
}

function isUnclear({ triggers }: TargetFacts): boolean {
  return triggers.some((each) => meaningOf(each).is === 'unclear');
}

function hasSucceeded({ begunAt, spec, wanted }: StepFacts, target: TargetFacts, afterTimeoutMs: number): boolean {
  const seen = lastKnown(target)?.finalSeen.main;
  const latest = begunAt + wanted.timeoutMs + afterTimeoutMs + (spec.clock.sleep?.forMs ?? 0);
  return seen !== undefined && wanted.succeedOn.includes(seen.status) && seen.at < latest;
}

/** Whether main failed although nothing prevented a success. */
function isSuccessMissed(facts: StepFacts): boolean {
  const { spec, targets, wanted } = facts;
  const mayFail = wanted.failFast || wanted.queueTimeoutMs < Infinity || spec.clock.sleep !== null;
  if (!facts.isCalm || mayFail || spec.task === 'dry_run' || spec.task === 'invalid') return false;
  return targets.every(
    (target) =>
      !isUnclear(target) && (wanted.waits ? hasSucceeded(facts, target, 0) : hasId(target) && spec.task === 'trigger'),
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

export function outputs(facts: StepFacts): string[] {
  const { main, spec } = facts;
  if (facts.hasDiskFault('main', 'output')) return [];
  const early = earlyOutputs(facts);
  if (!isOrderly(main) || main.end === undefined) return early;
  const all: Readonly<Record<string, string>> = Object.fromEntries(
    main.outputs.map(({ name, value }) => [name, value]),
  );
  const { outcome = '', message = '', results = '' } = all;
  const isGood = GOOD.includes(outcome);
  const notes = annotationsOf([main]);
  const broken: Readonly<Record<string, boolean>> = {
    [`the outcome is "${outcome}"`]: !OUTCOMES.includes(outcome),
    [`the outcome is ${outcome}, but the exit code is ${main.end.code}`]:
      isGood !== (main.end.code === 0) && (!isGood || facts.isCalm),
    'the message is empty or has several lines': message === '' || /[\n\r\u2028]/.test(message),
    'the results are not JSON with an entry for each run': !isList(
      results,
      spec.task === 'invalid' ? 0 : facts.targets.length,
    ),
    'the results are too long': Buffer.byteLength(results) > MOST_RESULTS_BYTES,
    'a failure has no annotation': !isGood && main.annotations.length === 0,
    'a success has an error': main.end.code === 0 && notes.some(({ level }) => level === 'error'),
  };
  const specific =
    spec.task === 'invalid' ? refused(facts, outcome) : [...truth(facts, all), ...unjustified(facts, outcome)];
  return [
    ...early,
    ...Object.keys(broken).filter((what) => broken[what]),
    ...(spec.task === 'dry_run' ? [] : specific),
  ];
}

function isList(text: string, length: number): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && (value.length === length || value.length === 0);
  } catch {
    return false;
  }
}

/** What the outputs say while main works, in case it is killed. */
function earlyOutputs({ main, spec, targets }: StepFacts): string[] {
  const [request] = main.requests;
  const [first] = main.outputs;
  if (request === undefined) return [];
  const isRight = first?.name === 'job-status' && first.value === 'unknown' && first.order < request.sent.order;
  // With several runs, `job-id` is complete when all are known.
  const runs = spec.task === 'dry_run' || targets.length > 1 ? [] : targets.flatMap((target) => target.runs);
  const late = runs.filter(({ id, isGiven, known }) => {
    if (isGiven || known === undefined || main.end === undefined || main.end.at === known.at) return false;
    const shown = main.outputs.find(({ name, value }) => name === 'job-id' && value.includes(id));
    return main.end.order > known.order && (shown?.at ?? Infinity) > known.at;
  });
  return [
    ...(isRight ? [] : ['job-status was not set to unknown before the first request']),
    ...late.map(({ id }) => `the output job-id did not include run ${id} immediately`),
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

/** `job-id` and `job-status` match what main knew when it wrote them. */
function truth(facts: StepFacts, all: Readonly<Record<string, string>>): string[] {
  const { main, targets } = facts;
  // A step that could not begin sent nothing, and knows nothing.
  if (main.requests.length === 0) return [];
  // What arrives while the process ends may be in the outputs or not.
  const [early = [], late = []] = [main.outputs.at(-1)?.order ?? 0, main.end?.order ?? Infinity].map((by) =>
    targets.flatMap((target) => lastKnown(target, by)?.id ?? []),
  );
  const shown = (all['job-id'] ?? '').split('\n').filter((id) => id !== '');
  const isMissing =
    early.some((id) => !shown.includes(id) && late.includes(id)) || shown.some((id) => !late.includes(id));
  const status = all['job-status'] ?? '';
  const [target, second] = targets;
  const expected = target === undefined || second !== undefined ? undefined : statusesOf(facts, target);
  const isDenied = status === 'not_queued' && targets.some(({ runs }) => runs.some(({ isGiven }) => !isGiven));
  const isWrong = expected !== undefined && !expected.some((each) => matches(each, status));
  return [
    ...(isMissing ? [`job-id is "${shown.join(', ')}" but should be "${early.join(', ')}"`] : []),
    ...(isDenied ? ['job-status is not_queued although a run exists'] : []),
    ...(isWrong ? [`job-status is ${status} but should be ${expected.join(' or ')}`] : []),
  ];
}

/** An unknown status is shown in quotes, and without characters that could act as anything but text. */
function matches(expected: string, shown: string): boolean {
  return /^[a-z_]+$/.test(expected) ? expected === shown : !isFinal(shown);
}

/** What the job-status of a single run may be: what main knew when it wrote the outputs, or when it exited. */
function statusesOf({ main }: StepFacts, target: TargetFacts): string[] {
  const known = [main.outputs.at(-1)?.order ?? 0, main.end?.order ?? Infinity].map((by) => {
    const run = lastKnown(target, by);
    // A trigger that followed the last known run may have queued another one.
    const since = run?.known?.order ?? 0;
    const later = target.triggers.filter(({ sent }) => sent.order <= by && sent.order > since);
    if (later.some((each) => meaningOf(each).is === 'unclear')) return 'unknown';
    if (run === undefined && isUnclear(target)) return 'unknown';
    if (run === undefined) return 'not_queued';
    const rows = rowsOf(main, run.id).filter(({ order }) => order <= by);
    const final = rows.find(({ status }) => isFinal(status));
    return (final ?? rows.at(-1))?.status ?? (run.isGiven ? 'unknown' : 'queued');
  });
  // After an error, the result of a trigger may arrive too late.
  return main.errors.length > 0 ? [...known, 'unknown'] : known;
}

/** Each outcome needs a reason. With several runs, it is the worst of them. */
function unjustified(facts: StepFacts, outcome: string): string[] {
  const { begunAt, main, runs, spec, stops, targets, wanted } = facts;
  const endedAt = main.end?.at ?? Infinity;
  const queuedAt = Math.min(...runs.flatMap(({ known }) => known?.at ?? []));
  const hasSlept = spec.clock.sleep !== null && wanted.timeoutMs < Infinity;
  const isWanted = (run: RunFacts | undefined): boolean => wanted.succeedOn.includes(run?.finalSeen.main?.status ?? '');
  const reasons: Readonly<Record<string, boolean>> = {
    succeeded: targets.every((target) => isWanted(lastKnown(target))),
    // Beside runs, a trigger that was refused or could not be recorded counts as failed.
    failed:
      runs.some((run) => run.finalSeen.main !== undefined && !isWanted(run)) ||
      (runs.length > 0 && targets.some((target) => !hasId(target) && !isUnclear(target))),
    wait_timed_out: endedAt >= begunAt + wanted.timeoutMs || endedAt >= queuedAt + wanted.queueTimeoutMs || hasSlept,
    cancelled: stops.length > 0 || wanted.failFast,
    lost: targets.some((target) => isLost(facts, target)),
    not_triggered: targets.every((target) => !hasId(target) && !isUnclear(target)),
    // After an error, the result of a trigger arrives too late.
    unknown: targets.some((target) => isUnclear(target) || (main.errors.length > 0 && target.triggers.length > 0)),
    triggered: !wanted.waits && targets.every(hasId),
  };
  return reasons[outcome] === false ? [`the outcome ${outcome} has no reason`] : [];
}

const REJECTIONS = 3;
const KEY_REJECTED_FOR_MS = 60_000;

/**
 * Whether main had a reason to give up a run: an outage that is long enough, or enough rejections or empty responses.
 */
function isLost({ main, wanted }: StepFacts, target: TargetFacts): boolean {
  const run = lastKnown(target);
  if (run?.known === undefined) return false;
  if (main.errors.length > 0) return true;
  if (run.finalSeen.main !== undefined) return false;
  // A limit may end a read, which then proves nothing.
  const sent = main.requests.filter(
    ({ answer, call, subject }) => call === 'read' && subject === run.id && answer?.kind !== 'aborted',
  );
  // A read that was rejected for its token is repeated immediately with a new one, and only the repetition counts.
  const reads = sent.filter((each, nth) => {
    const next = sent[nth + 1];
    const isRepeated = next !== undefined && next.sent.at - each.sent.at < wanted.pollMs;
    return !isTokenDoubted(each) || !isRepeated || bearerOf(next) === bearerOf(each);
  });
  // Without a token or the list of pipelines, main cannot begin.
  if (reads.length === 0 && run.isGiven) return true;
  const good = reads.findLast((each) => meaningOf(each).is === 'row')?.answered ?? run.known;
  const failed = [...reads, ...main.requests.filter(({ call }) => call === 'exchange')].filter(
    (each) => (each.answered?.at ?? 0) >= good.at && !['row', 'token'].includes(meaningOf(each).is),
  );
  const firstFailedAt = Math.min(...failed.flatMap(({ answered }) => answered?.at ?? []));
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
    (last - firstFailedAt >= wanted.maxOutageMs && failed.length > 1) ||
    answers.length === REJECTIONS ||
    (rejected.length >= REJECTIONS && rejectedMs >= KEY_REJECTED_FOR_MS)
  );
}

/** Faults after which main must assume that the service did not process the request. */
const TRANSIENT: readonly unknown[] = [
  'refused',
  'unreachable',
  'http_429',
  'http_429_later',
  'no_database',
  'no_schema',
];
const WITHOUT_TOKEN_MS = 60_000;

/** A transient failure does not end the step before its first trigger, and the attempts that were asked for are made. */
export function patience(facts: StepFacts): string[] {
  const { main, spec, targets, wanted } = facts;
  const isStopped = wanted.timeoutMs < Infinity || wanted.queueTimeoutMs < Infinity || wanted.failFast;
  if (!facts.isCalm || isStopped) return [];
  const last = main.requests.at(-1);
  const isBefore = !main.requests.some(({ call }) => call === 'read') && !targets.some(hasId);
  // A list that only adds names is sent beside the first trigger, and does not end the step.
  const isForNames = last?.call === 'list' && main.requests.some(({ call }) => call === 'trigger');
  const isFirst = isBefore && !isForNames && last !== undefined && ['exchange', 'list', 'trigger'].includes(last.call);
  const isTransient = last !== undefined && TRANSIENT.includes(last.fault);
  const isFirstToken =
    last?.call === 'exchange' &&
    ['refused', 'unreachable'].includes(String(last.fault)) &&
    !main.requests.some(({ call }) => call !== 'exchange');
  const limitMs = isFirstToken ? Math.min(WITHOUT_TOKEN_MS, wanted.maxOutageMs) : wanted.maxOutageMs;
  // A list or a trigger that needs a new token has its own time, which may be over before that of the exchange.
  const callBefore = main.requests.findLast(({ call }) => call !== 'exchange')?.call;
  const failed = [...failedOf(main, last?.call), ...(last?.call === 'exchange' ? failedOf(main, callBefore) : [])];
  const triedMs =
    (last?.answered?.at ?? Infinity) - Math.min(...failed.map(({ answered }) => answered?.at ?? Infinity));
  const hasToken = !main.requests.some(({ call, fault }) => call === 'exchange' && fault !== undefined);
  const { faults, keyRevokedAtMs } = facts.scenario.service;
  const isReachable = hasToken && faults.length === 0 && keyRevokedAtMs === null;
  // An exchange for a token that 403 or 400 has refused is sent once. If it fails, the refusal ends the step.
  const refused = last?.call === 'exchange' ? main.requests.at(-2) : undefined;
  const isRefused = refused !== undefined && isTokenDoubted(refused) && meaningOf(refused).is === 'refused';
  const missing = targets.filter((target) => isReachable && isAttemptMissing(facts, target));
  return [
    ...(isFirst && isTransient && !isRefused && (triedMs < limitMs || failed.length < 2) && spec.clock.sleep === null
      ? [`main gave up ${triedMs} ms after the first failure, the last request being ${last.call}`]
      : []),
    ...missing.map(({ pipelineId }) => `main made no further attempt for ${pipelineId}`),
  ];
}

/** The requests with this call that have failed since its last valid response. */
function failedOf({ requests }: StepFacts['main'], call?: string): StepFacts['main']['requests'] {
  const own = requests.filter((each) => each.call === call);
  return own.slice(1 + own.findLastIndex((each) => ['token', 'list', 'id'].includes(meaningOf(each).is)));
}

function isAttemptMissing({ main, wanted }: StepFacts, target: TargetFacts): boolean {
  const { runs, triggers } = target;
  const seen = lastKnown(target)?.finalSeen.main;
  const last = triggers.at(-1);
  if (seen === undefined || last === undefined || isUnclear(target) || meaningOf(last).is !== 'id') return false;
  const given = runs.find(({ isGiven }) => isGiven);
  const most = wanted.maxAttempts - (given !== undefined && wasResumed(main, given.id) ? 1 : 0);
  const attempts = triggers.filter((each) => meaningOf(each).is === 'id').length;
  return attempts < most && wanted.retryOn.includes(seen.status) && !wanted.succeedOn.includes(seen.status);
}
