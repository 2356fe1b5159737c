/* Every process ends in time, none ends early without a reason, and requests keep their minimum intervals. */
import type { Instant, ProcessHistory } from '../history.ts';
import {
  bearerOf,
  isOrderly,
  isTempEmptied,
  isTokenDoubted,
  meaningOf,
  type RunFacts,
  rowsOf,
  type StepFacts,
} from './facts.ts';

/** The runner kills main ten seconds after a signal, and reads the outputs then at the latest. */
const ENDS_WITHIN_MS = 9_300;
const OUTPUTS_WITHIN_MS = 6_500;
/** No runner kills a main process after the mark of its post step: main waits for a trigger, and then settles. */
const UNHURRIED_MS = 240_000;
const LOOKS_FOR_MARK_EVERY_MS = 1_000;
const NOTICES_DEATH_WITHIN_MS = 20_000;
const POST_ENDS_WITHIN_MS = 181_000;
/** After `timeout`, a last check takes half a minute, a trigger two minutes, and settling one minute. */
const AFTER_TIMEOUT_MS = 215_000;
/** After a signal, main exits as soon as everything is settled. */
const PROMPT_MS = 600;
/** How long a process waits for stdout to accept its report. */
const PRINTS_WITHIN_MS = 5_000;
/** Tries to cancel start every two seconds, with a pause of up to a second after a failure, until shortly before the end. */
const CANCELS_EVERY_MS = 3_500;
const CANCELS_FOR_MS = 8_500;
const MOST_OVERLAPPING = 12;

/** The extra time that something may take because the machine slept, or because stdout accepts nothing. */
function slackOf({ spec }: StepFacts): number {
  return (spec.clock.sleep?.forMs ?? 0) + Math.min(spec.runner.flushMs, PRINTS_WITHIN_MS);
}

export function ends(facts: StepFacts): string[] {
  const { history, main, mark, post, step, stops, wanted } = facts;
  const [stop] = stops;
  const slackMs = slackOf(facts);
  const endedAt = main.end?.at ?? history.endedAt;
  const since = (what: { readonly at: number } | undefined, end = endedAt): number =>
    what === undefined ? 0 : end - what.at - slackMs;
  const postEndedAt = post?.end?.at ?? history.endedAt;
  const isUnhurried = ({ by }: { by: string }): boolean => by === 'mark' || by === 'runner';
  const death = step.incidents.find(({ what }) => what === 'worker_killed');
  // A dead runner kills nothing.
  const [signal] = death === undefined ? (post?.stops ?? []) : [];
  const noticedAt = Math.min(endedAt, stops.find(isUnhurried)?.at ?? Infinity);
  const broken: Readonly<Record<string, boolean>> = {
    'the scenario does not end': !history.isOver,
    'main does not end': main.end === undefined,
    'post does not end': post !== undefined && post.end === undefined,
    [`main ends ${since(stop)} ms after ${stop?.by}`]: since(stop) > (stop?.isHurried ? ENDS_WITHIN_MS : UNHURRIED_MS),
    'main does not check for the mark of post':
      since(mark, noticedAt) > LOOKS_FOR_MARK_EVERY_MS && !isTempEmptied(facts.scenario),
    'post does not leave a mark for a main process that is alive': isMarkMissing(facts),
    'main does not notice that its runner died': since(death, noticedAt) > NOTICES_DEATH_WITHIN_MS,
    [`post takes ${since(post?.started, postEndedAt)} ms`]: since(post?.started, postEndedAt) > POST_ENDS_WITHIN_MS,
    [`post ends ${since(signal, postEndedAt)} ms after a signal`]: since(signal, postEndedAt) > ENDS_WITHIN_MS,
    'main waits longer than the timeout allows':
      endedAt - facts.begunAt - wanted.timeoutMs > AFTER_TIMEOUT_MS + slackMs,
    'post fails the job': post?.end?.how === 'exited' && post.end.code !== 0,
  };
  return [
    ...Object.keys(broken).filter((what) => broken[what]),
    ...lateOutputs(facts),
    ...slowEnd(facts),
    ...[...main.errors, ...(post?.errors ?? [])]
      .filter(({ message }) => !message.includes('injected'))
      .map(({ message }) => `an error escaped: ${message}`),
  ];
}

/** Post ended before main, whose journal it could find, and did not ask main to stop. */
function isMarkMissing(facts: StepFacts): boolean {
  const { main, mark, post, scenario, spec, step } = facts;
  if (mark !== undefined || !isOrderly(post) || post?.end === undefined || post.errors.length > 0) return false;
  const isFound = step.isJournalKept && spec.runner.temp === 'kept' && !isTempEmptied(scenario);
  return (
    isFound &&
    main.requests.length > 0 &&
    (main.end?.order ?? Infinity) > post.end.order &&
    !facts.hasDiskFault('main', 'state', 'journal') &&
    !facts.hasDiskFault('post')
  );
}

function lateOutputs(facts: StepFacts): string[] {
  const { main, stops } = facts;
  const [stop] = stops;
  if (stop === undefined || !stop.isHurried || facts.hasDiskFault('main', 'output') || main.requests.length === 0)
    return [];
  const until = stop.at + OUTPUTS_WITHIN_MS + slackOf(facts);
  const isKilled = main.end?.how === 'killed' && main.end.at <= until;
  const isIn = main.outputs.some(({ at, name }) => name === 'outcome' && at <= until);
  return isIn || isKilled ? [] : [`no outcome within ${OUTPUTS_WITHIN_MS} ms of ${stop.by}`];
}

function slowEnd({ main, runs, spec, stops: [stop] }: StepFacts): string[] {
  if (stop === undefined || !isOrderly(main) || main.end === undefined || spec.clock.sleep !== null) return [];
  if (runs.some(({ finalSeen, known }) => known !== undefined && finalSeen.main === undefined)) return [];
  const triggered = main.requests
    .filter(({ call }) => call === 'trigger')
    .map(({ answered }) => answered?.at ?? Infinity);
  const settled = Math.max(stop.at, ...triggered, ...runs.flatMap(({ finalSeen }) => finalSeen.main?.at ?? []));
  const tookMs = main.end.at - settled - Math.min(spec.runner.flushMs, PRINTS_WITHIN_MS);
  return tookMs > PROMPT_MS ? [`main kept running for ${tookMs} ms with nothing left to do`] : [];
}

/** After a signal, cancels are repeated, even if earlier ones failed or hang. */
export function urgency({ main, runs, spec, stops: [stop], wanted }: StepFacts): string[] {
  if (stop === undefined || !stop.isHurried || wanted.onCancel !== 'cancel' || spec.clock.sleep !== null) return [];
  const isTokenMissing = main.requests.some(
    ({ answered, call }) => call === 'exchange' && (answered?.at ?? Infinity) > stop.at,
  );
  // Another stop that came first gives the tries a minute, which may end now.
  const isLater = wanted.timeoutMs < Infinity || wanted.queueTimeoutMs < Infinity || wanted.failFast;
  if (isLater || isTokenMissing || main.errors.length > 0 || runs.length > MOST_OVERLAPPING) return [];
  const until = Math.min(main.end?.at ?? Infinity, stop.at + CANCELS_FOR_MS);
  return runs.flatMap(({ finalSeen, id, known }) => {
    if (known === undefined || known.at > stop.at || finalSeen.main !== undefined) return [];
    const sent = main.requests
      .filter(({ call, subject }) => call === 'cancel' && subject === id)
      .map((each) => each.sent.at);
    const times = [stop.at, ...sent.filter((at) => at >= stop.at), until];
    const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
    if (sent.length === 0) return [];
    const gaveUp = isOrderly(main) && until < stop.at + CANCELS_FOR_MS;
    return [
      ...(longest > CANCELS_EVERY_MS ? [`no cancel of run ${id} was sent for ${longest} ms after ${stop.by}`] : []),
      ...(gaveUp ? [`main gave up run ${id} ${until - stop.at} ms after ${stop.by}`] : []),
    ];
  });
}

/** A check takes up to half a minute, and the service may ask for a pause of a minute. */
const GIVES_UP_WITHIN_MS = 95_000;
/** Reads that confirm a cancellation may be early, and so may the last one before `timeout`. */
const CONFIRMING = 3;

export function pace(facts: StepFacts): string[] {
  const { history, main, post, runs } = facts;
  return [
    ...[main, post].flatMap((process) =>
      process === undefined
        ? []
        : [
            ...runs.flatMap((run) => tooOften(facts, process, run)),
            ...twoExchanges(facts, process),
            ...tooManyExchanges(process),
            ...expired(facts, process),
          ],
    ),
    ...runs.flatMap((run) => [
      ...withoutLastLook(facts, run),
      ...stubborn(facts, run),
      ...overdue(facts, run),
      ...hung(facts, run),
    ]),
    ...stubbornBefore(facts),
    ...history.service.violations.map(({ kind, detail }) => `the service complains: ${kind} (${detail})`),
  ];
}

/** The service allows one read of a run in this time. */
const SERVICE_POLL_MS = 30_000;

function tooOften({ wanted }: StepFacts, process: ProcessHistory, { id }: RunFacts): string[] {
  const own = process.requests.filter(({ subject }) => subject === id);
  // A read that was rejected for its token is repeated immediately with a new one.
  const reads = own.filter((each) => each.call === 'read' && !isTokenDoubted(each));
  const isLooking = wanted.timeoutMs < Infinity;
  const rows = rowsOf(process, id).map(({ status }) => status);
  // `queue-timeout` is checked once for each time in the queue, the first of which may begin with the trigger.
  const stretches = 1 + rows.filter((status, nth) => status === 'queued' && rows[nth - 1] !== 'queued').length;
  const allowed =
    (own.some(({ call }) => call === 'cancel') ? CONFIRMING : 0) +
    (isLooking ? 1 : 0) +
    (wanted.queueTimeoutMs < Infinity ? stretches : 0);
  // Once a cancel was sent, the service's own limit applies.
  const cancelledAt = own.find(({ call }) => call === 'cancel')?.sent.at ?? Infinity;
  let pacedAt = -Infinity;
  let early = 0;
  for (const { sent } of reads) {
    // A read that had to wait for a token was due before.
    const exchange = process.requests.find(({ answered, call }) => call === 'exchange' && answered?.at === sent.at);
    const intervalMs = sent.at < cancelledAt ? wanted.pollMs : Math.min(wanted.pollMs, SERVICE_POLL_MS);
    if (sent.at - pacedAt >= intervalMs) pacedAt = exchange?.sent.at ?? sent.at;
    else early += 1;
  }
  return early > allowed ? [`${process.role} read run ${id} ${early} times too early, where ${allowed} may be`] : [];
}

/** In a minute. Twelve triggers are sent with three tokens each, and reads and cancels get a new one every five seconds. */
const MOST_TOKENS = 60;
/** In a minute. While the exchange fails, it is repeated once a second, and for each trigger. */
const MOST_EXCHANGES = 100;

/** One exchange serves all calls that wait for a token. Only a stalled exchange may be overtaken. */
function twoExchanges({ history }: StepFacts, { requests, role }: ProcessHistory): string[] {
  // Post uses the service once for each main process whose journal it finds.
  if ((role === 'post' && history.steps.length > 1) || history.scenario.service.latencyMs > 500) return [];
  // A call that begins when no time is left gives up before it connects.
  const exchanges = requests.filter(({ call, connected }) => call === 'exchange' && connected !== undefined);
  const isDoubled = exchanges.some(({ sent }, index) =>
    exchanges
      .slice(0, index)
      .some(
        (earlier) =>
          earlier.fault === undefined &&
          (earlier.answered?.order ?? Infinity) > sent.order &&
          sent.at - earlier.sent.at < 2_000,
      ),
  );
  return isDoubled ? [`${role} exchanged the key twice at once`] : [];
}

/** A service that rejects every token is not flooded with requests for new ones. */
function tooManyExchanges({ requests, role }: ProcessHistory): string[] {
  const exchanges = requests.filter(({ call }) => call === 'exchange');
  const isFlood = (some: typeof exchanges, most: number): boolean =>
    some.some(({ sent }, index) => sent.at - (some[index - most]?.sent.at ?? -Infinity) < 60_000);
  const granted = exchanges.filter((each) => meaningOf(each).is === 'token');
  return [
    ...(isFlood(granted, MOST_TOKENS) ? [`${role} got more than ${MOST_TOKENS} tokens in a minute`] : []),
    ...(isFlood(exchanges, MOST_EXCHANGES) ? [`${role} exchanged the key more than ${MOST_EXCHANGES} times`] : []),
  ];
}

/** A token is renewed before it expires, if nothing goes wrong. */
function expired({ scenario, spec, history }: StepFacts, { requests, role }: ProcessHistory): string[] {
  const isHard = spec.clock.sleep !== null || scenario.service.faults.length > 0 || scenario.service.latencyMs > 500;
  if (isHard || requests.some(({ call, fault }) => call === 'exchange' && fault !== undefined)) return [];
  const late = requests.filter((request) => {
    const token = history.service.tokens.find(({ value }) => value === bearerOf(request));
    return token !== undefined && request.sent.at > token.expiresAt;
  });
  return late.length > 0 ? [`${role} sent ${late.length} requests with an expired token`] : [];
}

/** Before `timeout` is declared, the status is checked once more. */
function withoutLastLook(
  { begunAt, main, spec, stops, wanted }: StepFacts,
  { finalSeen, id, known }: RunFacts,
): string[] {
  const deadline = begunAt + wanted.timeoutMs;
  const isOther =
    !wanted.waits || stops.length > 0 || main.errors.length > 0 || wanted.failFast || wanted.queueTimeoutMs < Infinity;
  const outcome = main.outputs.findLast(({ name }) => name === 'outcome')?.value;
  if (isOther || spec.task === 'dry_run' || outcome !== 'wait_timed_out' || known === undefined || known.at >= deadline)
    return [];
  // The check has no token before a pending exchange ends.
  const hasLooked = main.requests.some(
    ({ answered, call, sent, subject }) =>
      (call === 'exchange' && (answered?.at ?? Infinity) >= deadline) ||
      (call === 'read' && subject === id && (answered?.at ?? sent.at) >= deadline),
  );
  const isOver = finalSeen.main !== undefined && finalSeen.main.at <= deadline;
  return hasLooked || isOver ? [] : [`main gave up run ${id} after the timeout without a final check`];
}

/** The wait for a run that no check finds ends after `max-outage`. */
function stubborn({ main, spec, stops, wanted }: StepFacts, { id, known }: RunFacts): string[] {
  if (known === undefined || stops.length > 0 || spec.clock.sleep !== null) return [];
  // While the exchange fails, its own outage counts.
  const hasNoToken = main.requests.some((request) => request.call === 'exchange' && meaningOf(request).is !== 'token');
  const mostMs = wanted.maxOutageMs * (hasNoToken ? 2 : 1) + wanted.pollMs * 2 + GIVES_UP_WITHIN_MS;
  let failedAt = Infinity;
  for (const request of main.requests) {
    if (request.call !== 'read' || request.subject !== id) continue;
    if (request.sent.at - failedAt > mostMs)
      return [`main still read run ${id} ${mostMs} ms after the first failed check`];
    const isGood = meaningOf(request).is === 'row';
    failedAt = isGood ? Infinity : Math.min(failedAt, request.answered?.at ?? Infinity);
  }
  return [];
}

/**
 * The exchange and the list are not repeated for longer than `max-outage` after their first failure in a row.
 * A renewal that fails while the token is still valid does not count.
 */
function stubbornBefore({ history, main, spec, wanted }: StepFacts): string[] {
  if (spec.clock.sleep !== null) return [];
  const granted = main.requests.flatMap(({ answer, answered, call }) => {
    if (call !== 'exchange' || answer?.kind !== 'answered' || answered === undefined) return [];
    const token = history.service.tokens.find(({ value }) => answer.text.includes(value));
    return token === undefined ? [] : [{ at: answered.at, expiresAt: token.expiresAt }];
  });
  const hasToken = (at: number): boolean => granted.some((each) => each.at <= at && each.expiresAt > at);
  return (['exchange', 'list'] as const).flatMap((call) => {
    let since: number | undefined;
    return main.requests.flatMap((request) => {
      if (request.call !== call) return [];
      const isLate =
        since !== undefined && request.sent.at - since > wanted.maxOutageMs + wanted.pollMs + GIVES_UP_WITHIN_MS;
      const isValid = ['token', 'list'].includes(meaningOf(request).is);
      const isRenewal = call === 'exchange' && hasToken(request.sent.at);
      since = isValid || isRenewal ? undefined : (since ?? request.answered?.at);
      return isLate ? [`main still repeated the ${call} after max-outage`] : [];
    });
  });
}

/** When a process first tried to cancel a run. */
function cancelSentAt({ requests }: ProcessHistory, id: string): number {
  return requests.find(({ call, subject }) => call === 'cancel' && subject === id)?.sent.at ?? Infinity;
}

/** How much later than its due time a check may be sent, in addition to the network's latency. */
const DUE_WITHIN_MS = 1_000;

/** When `queue-timeout` is reached, the status is checked, and a row that still says `queued` ends the wait. */
function overdue({ history, main, spec, stops, wanted }: StepFacts, { id, isGiven, known }: RunFacts): string[] {
  const isDisturbed =
    main.requests.some(({ fault }) => fault !== undefined) || history.scenario.service.faults.length > 0;
  const isOther = stops.length > 0 || main.errors.length > 0 || spec.clock.sleep !== null || wanted.failFast;
  if (known === undefined || isDisturbed || isOther || !wanted.waits || spec.task === 'dry_run') return [];
  const reads = main.requests.filter(({ call, subject }) => call === 'read' && subject === id);
  const cancelledAt = cancelSentAt(main, id);
  const slackMs = DUE_WITHIN_MS + 10 * history.scenario.service.latencyMs;
  let since = isGiven ? Infinity : known.at;
  return reads.flatMap((read, nth) => {
    const dueAt = since + wanted.queueTimeoutMs;
    const meaning = meaningOf(read);
    if (read.sent.at > cancelledAt || meaning.is !== 'row' || read.answered === undefined) return [];
    const isLate =
      read.sent.at > Math.max(dueAt, reads[nth - 1]?.answered?.at ?? 0) + slackMs &&
      dueAt > (reads[nth - 1]?.sent.at ?? 0);
    since = meaning.status === 'queued' ? Math.min(since, read.answered.at) : Infinity;
    const next = reads[nth + 1]?.sent.at ?? Infinity;
    const isIgnored = meaning.status === 'queued' && read.sent.at >= dueAt && next < cancelledAt && next < Infinity;
    return [
      ...(isLate ? [`main checked run ${id} only ${read.sent.at - dueAt} ms after queue-timeout`] : []),
      ...(isIgnored ? [`main still waited for run ${id} after queue-timeout`] : []),
    ];
  });
}

/** A check that is in flight when `timeout` or `queue-timeout` is reached does not delay the check that decides. */
function hung({ begunAt, main, spec, wanted }: StepFacts, { id, isGiven, known }: RunFacts): string[] {
  if (known === undefined || spec.clock.sleep !== null || !wanted.waits) return [];
  const endsAt = begunAt + wanted.timeoutMs;
  let since = isGiven ? Infinity : known.at;
  let [isFirst, inQueue] = [true, 0];
  const cancelledAt = cancelSentAt(main, id);
  return main.requests.flatMap((request) => {
    if (request.call !== 'read' || request.subject !== id) return [];
    // After another status, the time in the queue counts only from the first of two rows.
    const dueAt = isFirst || inQueue > 1 ? since + wanted.queueTimeoutMs : Infinity;
    const until = request.answered?.at ?? main.end?.at ?? 0;
    const meaning = meaningOf(request);
    if (meaning.is === 'row' && meaning.status === 'queued') [since, inQueue] = [Math.min(since, until), inQueue + 1];
    else if (meaning.is === 'row') [since, inQueue, isFirst] = [Infinity, 0, false];
    // The check after `timeout` is the last one. Later reads confirm a cancellation.
    const isLast = request.sent.at >= Math.min(endsAt - 1, cancelledAt);
    return Object.entries({ 'queue-timeout': dueAt, timeout: endsAt }).flatMap(([name, at]) =>
      !isLast && request.sent.at < at - 1 && until > at + DUE_WITHIN_MS
        ? [`main waited ${until - at} ms after ${name} for the response to an earlier check of run ${id}`]
        : [],
    );
  });
}

/**
 * Changes are durable before they are visible. Main prints nothing before it has saved an id, because a full pipe
 * blocks it.
 */
export function durable({ main, runs, spec }: StepFacts): string[] {
  const shown = [...main.lines, ...main.outputs].toSorted((a, b) => a.order - b.order);
  return runs.flatMap(({ id, isGiven, known }) => {
    if (isGiven || known === undefined || spec.task === 'dry_run') return [];
    const isAfter = ({ order }: Pick<Instant, 'order'>): boolean => order > known.order;
    const first = shown.find(isAfter);
    const saved = main.writes.find((each) => isAfter(each) && (each.file === 'state' || each.file === 'journal'));
    return first !== undefined && (saved?.order ?? Infinity) > first.order
      ? [`main printed a line before it saved the id of run ${id}`]
      : [];
  });
}
