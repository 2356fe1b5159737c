/* Everything ends in time, nothing hurries without need, and requests keep their pace. */
import type { Instant, ProcessHistory } from '../history.ts';
import { isOrderly, isTempEmptied, meaningOf, type RunFacts, type StepFacts } from './facts.ts';

/** The runner kills main ten seconds after a signal, and reads the outputs then at the latest. */
const MAIN_ENDS_WITHIN_MS = 9_300;
const OUTPUTS_WITHIN_MS = 6_500;
/** Nobody kills a main process after the mark of its post step: it waits for a trigger, and then settles. */
const UNHURRIED_MS = 240_000;
const NOTICES_MARK_WITHIN_MS = 1_000;
const NOTICES_DEATH_WITHIN_MS = 21_000;
const POST_ENDS_WITHIN_MS = 181_000;
/** All post steps of a cancelled job share 4 min 45 s. */
const POSTS_SHARE_MS = 285_000;
const SETTLES_WITHIN_MS = 90_000;
/** After a signal, main exits as soon as everything is settled. */
const PROMPT_MS = 600;
/** Attempts to cancel start every two seconds, with a pause of up to a second after a failure. */
const CANCELS_EVERY_MS = 3_500;
const SENDS_FOR_MS = 8_500;
const MOST_OVERLAPPING = 12;

export function ends(facts: StepFacts): string[] {
  const {
    history,
    main,
    mark,
    post,
    spec,
    step,
    stops: [stop],
    wanted,
  } = facts;
  const { flushMs } = spec.runner;
  const slackMs = Math.min(flushMs, 5_000) + (spec.clock.sleep?.forMs ?? 0);
  const endedAt = main.end?.at ?? history.endedAt;
  const tookMs = stop === undefined ? 0 : endedAt - stop.at - Math.min(flushMs, 250) - slackMs;
  const mostMs = stop?.isHurried ? MAIN_ENDS_WITHIN_MS : UNHURRIED_MS;
  const death = step.incidents.find(({ what }) => what === 'worker_killed');
  const isUnheard = ({ by }: { by: string }): boolean => by === 'mark' || by === 'runner';
  const noticedAt = Math.min(endedAt, facts.stops.find(isUnheard)?.at ?? Infinity);
  const hasMissed = (what: Instant | undefined, withinMs: number): boolean =>
    what !== undefined && noticedAt > what.at + withinMs + slackMs;
  const postMs = post === undefined ? 0 : (post.end?.at ?? history.endedAt) - post.started.at - slackMs;
  const [signal] = post?.stops ?? [];
  const reactionMs = signal === undefined || post?.end === undefined ? 0 : post.end.at - signal.at - slackMs;
  const cancel = step.incidents.find(
    ({ on, what }) => on === 'main' && (what === 'cancel' || what === 'container_cancel'),
  );
  const sharedMs =
    cancel === undefined || post?.end === undefined ? 0 : post.end.at - cancel.at - slackMs - spec.runner.postAfterMs;
  const overdueMs =
    wanted.timeoutMs === Infinity ? 0 : endedAt - facts.begunAt - wanted.timeoutMs - SETTLES_WITHIN_MS - slackMs;
  const broken: Readonly<Record<string, boolean>> = {
    'the scenario does not end': !history.isOver,
    'main does not end': main.end === undefined,
    'post does not end': post !== undefined && post.end === undefined,
    [`main ends ${tookMs} ms after ${stop?.by}`]: tookMs > mostMs,
    'main does not look for the mark of post':
      hasMissed(mark, NOTICES_MARK_WITHIN_MS) && !isTempEmptied(facts.scenario),
    'main does not notice that its runner died': hasMissed(death, NOTICES_DEATH_WITHIN_MS),
    [`post takes ${postMs} ms`]: postMs > POST_ENDS_WITHIN_MS,
    [`post ends ${reactionMs} ms after a signal`]: reactionMs > MAIN_ENDS_WITHIN_MS,
    [`post ends ${sharedMs} ms after the cancel of the job`]: sharedMs > POSTS_SHARE_MS && history.steps.length === 1,
    [`main waits ${overdueMs} ms longer than the timeout allows`]: overdueMs > 125_000,
    'post fails the job': post?.end?.how === 'exited' && post.end.code !== 0,
  };
  return [
    ...Object.keys(broken).filter((what) => broken[what]),
    ...lateOutputs(facts),
    ...slowEnd(facts),
    ...escaped(facts),
  ];
}

/** After a signal, cancels are sent again and again, whatever happens to those before. */
export function urgency({ main, runs, stops: [stop], wanted, ...facts }: StepFacts): string[] {
  if (stop === undefined || !stop.isHurried || wanted.onCancel !== 'cancel' || facts.spec.clock.sleep !== null)
    return [];
  const ended = main.end?.at ?? Infinity;
  const tokens = main.requests.filter(
    ({ answered, call }) => call === 'exchange' && (answered?.at ?? Infinity) > stop.at,
  );
  // The stop that came first gives the attempts a minute, which may end now.
  const isLater = wanted.timeoutMs < Infinity || wanted.queueTimeoutMs < Infinity || wanted.failFast;
  if (isLater || tokens.length > 0 || main.errors.length > 0 || runs.length > MOST_OVERLAPPING) return [];
  return runs.flatMap(({ finalSeen, id, known }) => {
    if (known === undefined || known.at > stop.at || finalSeen.main !== undefined) return [];
    const sent = main.requests
      .filter(({ call, subject }) => call === 'cancel' && subject === id)
      .map((each) => each.sent.at);
    const times = [stop.at, ...sent.filter((at) => at >= stop.at), Math.min(ended, stop.at + SENDS_FOR_MS)];
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    const longest = Math.max(...gaps);
    return longest > CANCELS_EVERY_MS && sent.length > 0
      ? [`no cancel of run ${id} was sent for ${longest} ms after ${stop.by}`]
      : [];
  });
}

/** An error in the code of the action. */
function escaped({ main, post, step }: StepFacts): string[] {
  const injected = step.incidents.filter(({ what }) => what === 'error').length;
  const errors = [...main.errors, ...(post?.errors ?? [])].filter((each) => !each.includes('injected'));
  return errors.map((error) => `an error escaped (${injected} were injected): ${error}`);
}

function lateOutputs({ main, spec, stops: [stop], ...facts }: StepFacts): string[] {
  if (stop === undefined || !stop.isHurried || facts.hasDiskFault('main', 'output') || main.requests.length === 0)
    return [];
  const slackMs = spec.clock.sleep?.forMs ?? 0;
  const isEarly = (main.end?.at ?? Infinity) <= stop.at + OUTPUTS_WITHIN_MS + slackMs && main.end?.how !== 'exited';
  const isIn = main.outputs.some(({ at, name }) => name === 'outcome' && at <= stop.at + OUTPUTS_WITHIN_MS + slackMs);
  return isIn || isEarly ? [] : [`no outcome within ${OUTPUTS_WITHIN_MS} ms of ${stop.by}`];
}

function slowEnd({ main, runs, spec, stops: [stop] }: StepFacts): string[] {
  if (stop === undefined || !isOrderly(main) || main.end === undefined || spec.clock.sleep !== null) return [];
  if (runs.some(({ finalSeen, known }) => known !== undefined && finalSeen.main === undefined)) return [];
  const triggered = main.requests
    .filter(({ call }) => call === 'trigger')
    .map(({ answered }) => answered?.at ?? Infinity);
  const settled = Math.max(stop.at, ...triggered, ...runs.flatMap(({ finalSeen }) => finalSeen.main?.at ?? []));
  const tookMs = main.end.at - settled - Math.min(spec.runner.flushMs, 5_000);
  return tookMs > PROMPT_MS ? [`main kept running for ${tookMs} ms with nothing left to do`] : [];
}

/** A check takes up to half a minute, and the service may ask for a pause of a minute. */
const GIVES_UP_WITHIN_MS = 95_000;
/** Reads that confirm a cancellation may come early, and so may the last one before `timeout`. */
const CONFIRMING = 3;

export function pace(facts: StepFacts): string[] {
  const { main, post, runs, wanted } = facts;
  return [
    ...runs.flatMap((run) => [tooOften(facts, main, run), tooOften(facts, post, run)].flat()),
    ...[main, post].flatMap((process) =>
      process === undefined ? [] : [...twoExchanges(facts, process), ...expired(facts, process)],
    ),
    ...(wanted.waits ? [] : readsOfDetached(facts)),
    ...runs.flatMap((run) => [...withoutLastLook(facts, run), ...stubborn(facts, run)]),
    ...facts.history.service.violations.map(({ kind, detail }) => `the service complains: ${kind} (${detail})`),
  ];
}

function tooOften(
  { spec, wanted, stops, ...facts }: StepFacts,
  process: ProcessHistory | undefined,
  { id }: RunFacts,
): string[] {
  const own = process?.requests ?? [];
  // A read that was rejected for its token is repeated at once with a new one.
  const reads = own.filter((each) => each.call === 'read' && each.subject === id && !isRejected(each));
  const hasCancels = own.some(({ call, subject }) => call === 'cancel' && subject === id);
  const isLooking =
    wanted.timeoutMs < Infinity || stops.length > 0 || wanted.failFast || facts.hadIncident('worker_killed');
  const allowed = (hasCancels ? CONFIRMING : 0) + (isLooking ? 1 : 0);
  let pacedAt = -Infinity;
  let early = 0;
  for (const { sent } of reads) {
    if (sent.at - pacedAt >= wanted.pollMs) pacedAt = sent.at;
    else early += 1;
  }
  return early > allowed ? [`${process?.role} read run ${id} ${early} times too early, where ${allowed} may be`] : [];
}

function isRejected({ answer }: ProcessHistory['requests'][number]): boolean {
  return answer?.kind === 'answered' && answer.status === 401;
}

/** One exchange serves all calls that wait for a token. Only one that stalls may be overtaken. */
function twoExchanges({ history }: StepFacts, { requests, role }: ProcessHistory): string[] {
  // Post uses the service once for each main process whose journal it finds.
  if (role === 'post' && history.steps.length > 1) return [];
  if (history.scenario.service.latencyMs > 500) return [];
  const exchanges = requests.filter(({ call }) => call === 'exchange');
  return exchanges.flatMap(({ sent }, index) => {
    const open = exchanges
      .slice(0, index)
      .filter(({ answered, fault }) => (answered?.order ?? Infinity) > sent.order && fault === undefined);
    return open.some(({ sent: first }) => sent.at - first.at < 2_000)
      ? [`${role} exchanged the key twice at once`]
      : [];
  });
}

/** A token is renewed before it expires, if nothing goes wrong. */
function expired({ scenario, spec, history }: StepFacts, { requests, role }: ProcessHistory): string[] {
  const isHard = spec.clock.sleep !== null || scenario.service.outages.length > 0 || scenario.service.latencyMs > 500;
  if (isHard || requests.some(({ call, fault }) => call === 'exchange' && fault !== undefined)) return [];
  const late = requests.filter(({ secret, sent }) => {
    const token = history.service.tokens.find(({ value }) => value === secret);
    return token !== undefined && sent.at > token.expiresAt;
  });
  return late.length > 0 ? [`${role} sent ${late.length} requests with an expired token`] : [];
}

/** Before `timeout` is declared, the status is checked once more. */
function withoutLastLook({ begunAt, main, stops, wanted }: StepFacts, { finalSeen, id, known }: RunFacts): string[] {
  const deadline = begunAt + wanted.timeoutMs;
  const isOther = stops.length > 0 || main.errors.length > 0 || wanted.failFast || wanted.queueTimeoutMs < Infinity;
  const outcome = main.outputs.findLast(({ name }) => name === 'outcome')?.value;
  if (isOther || outcome !== 'wait_timed_out' || known === undefined || known.at > deadline) return [];
  const requests = main.requests.filter(
    ({ call, subject }) => call === 'exchange' || (call === 'read' && subject === id),
  );
  const hasLooked = requests.some(({ answered, sent }) => (answered?.at ?? sent.at) >= deadline);
  const isOver = finalSeen.main !== undefined && finalSeen.main.at <= deadline;
  return hasLooked || isOver ? [] : [`main gave up run ${id} after the timeout without a last look`];
}

/** The wait for a run that no check finds ends after `max-outage`. */
function stubborn({ main, spec, stops, wanted }: StepFacts, run: RunFacts): string[] {
  const { id, known } = run;
  if (known === undefined || stops.length > 0 || spec.clock.sleep !== null) return [];
  const reads = main.requests.filter(({ call, subject }) => call === 'read' && subject === id);
  const good = [
    known,
    ...reads.filter((each) => meaningOf(each).is === 'row').flatMap(({ answered }) => answered ?? []),
  ];
  const mostMs = wanted.maxOutageMs + wanted.pollMs * 2 + GIVES_UP_WITHIN_MS;
  const late = reads.find(
    ({ sent }) => sent.at - Math.max(...good.map(({ at }) => at).filter((at) => at <= sent.at)) > mostMs,
  );
  return late === undefined ? [] : [`main still read run ${id} ${mostMs} ms after the last good check`];
}

function readsOfDetached({ main, spec, stops, wanted }: StepFacts): string[] {
  if (spec.task !== 'trigger' || stops.length > 0 || wanted.failFast || main.errors.length > 0) return [];
  return main.requests.filter(({ call }) => call === 'read').map(() => 'main read a run that it does not wait for');
}

/** A post step with nothing to do is silent. */
export function silence(facts: StepFacts): string[] {
  const { history, main, post, runs, spec, step, stops, targets, wanted } = facts;
  if (post === undefined || !isOrderly(main) || !step.isStateKept || main.errors.length > 0) return [];
  if (facts.hasDiskFault('main', 'state') || stops.some(({ by }) => by === 'stdout' || by === 'mark')) return [];
  const isUnread =
    [...main.lines, ...main.annotations].some(({ isRead }) => !isRead) ||
    spec.runner.flushMs > (stops.length > 0 ? 200 : 4_900);
  // In a container, post may have started before main had saved that it was done.
  if (facts.hadIncident('stdout_closed', 'shutdown', 'container_cancel')) return [];
  const isJobCancelled = step.jobStatus === 'cancelled';
  const isUnclear = targets.some(({ triggers }) => triggers.some(({ answered }) => answered === undefined));
  const isOver = runs.every(({ finalSeen, known }) => known === undefined || finalSeen.main !== undefined);
  const isLetGo = !isJobCancelled && main.end?.code === 0;
  if (isUnread || isUnclear || !(isOver || isLetGo || (wanted.onCancel === 'leave' && wanted.onTimeout === 'leave')))
    return [];
  if (history.steps.length > 1 && facts.hadIncident('abandoned')) return [];
  const said = post.requests.length + post.lines.length + post.annotations.length;
  return said > 0
    ? [`post sent ${post.requests.length} requests and printed ${said - post.requests.length} lines with nothing to do`]
    : [];
}

/** What is durable comes before what is visible: the id is saved before anything shows it. */
export function durable({ main, runs, spec }: StepFacts): string[] {
  const shown = [
    ...main.lines.map(({ order, text }) => ({ order, text })),
    ...main.outputs.map(({ order, value }) => ({ order, text: value })),
  ];
  return runs.flatMap(({ id, isGiven, known }) => {
    if (isGiven || known === undefined || spec.task === 'dry_run') return [];
    const first = shown.filter(({ order, text }) => order > known.order && text.includes(id))[0];
    const saved = main.writes.find(
      ({ file, order }) => order > known.order && (file === 'state' || file === 'journal'),
    );
    return first !== undefined && (saved?.order ?? Infinity) > first.order
      ? [`run ${id} was shown before it was saved`]
      : [];
  });
}

/** A trigger that was in flight when main ended by itself has its result in the outputs, or is unknown. */
export function inFlight({ main, stops: [stop] }: StepFacts): string[] {
  if (!isOrderly(main) || stop !== undefined || main.errors.length > 0) return [];
  const open = main.requests.filter(
    (each) => each.call === 'trigger' && each.answered === undefined && meaningOf(each).is === 'unclear',
  );
  return open.map(({ subject }) => `main ended while a trigger of ${subject} was in flight`);
}
