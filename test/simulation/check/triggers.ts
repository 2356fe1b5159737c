/* At most one run per requested trigger and attempt. */
import type { RequestHistory } from '../history.ts';
import { isTempEmptied, meaningOf, type StepFacts, type TargetFacts, wasResumed } from './facts.ts';

export function triggers(facts: StepFacts): string[] {
  const { main, post, spec, targets } = facts;
  const byPost = (post?.requests ?? []).filter(({ call }) => call === 'trigger').map(() => 'post sent a trigger');
  const isForbidden = spec.task === 'await' || spec.task === 'dry_run' || spec.task === 'invalid';
  const all = main.requests.filter(({ call }) => call === 'trigger');
  const forbidden = isForbidden ? all.map(() => `main sent a trigger although its task is ${spec.task}`) : [];
  return [
    ...byPost,
    ...forbidden,
    ...targets.flatMap((target) => [
      ...repetitions(facts, target),
      ...tooMany(facts, target),
      ...resumed(facts, target),
    ]),
    ...all.flatMap((request) => afterStop(facts, request)),
  ];
}

/** A trigger may be repeated only if the one before it had no effect, or as another attempt. */
function repetitions(facts: StepFacts, { runs, triggers: own }: TargetFacts): string[] {
  const { wanted } = facts;
  return own.flatMap((request, index) => {
    const before = own[index - 1];
    if (before === undefined) return [];
    const what = `trigger ${index + 1} of ${request.subject}`;
    if ((before.answered?.order ?? Infinity) > request.sent.order)
      return [`${what} was sent while another was in flight`];
    const meaning = meaningOf(before);
    if (meaning.is === 'unsent') return [];
    if (meaning.is === 'unclear') return wanted.mayRepeat ? [] : [`${what} follows one that may have queued a run`];
    if (meaning.is !== 'id') return [`${what} follows one that was refused`];
    const seen = runs.find(({ id }) => id === meaning.id)?.finalSeen.main;
    if (seen === undefined || seen.order > request.sent.order)
      return [`${what} was sent before the last run was seen to finish`];
    const earlier = own.slice(0, index).map(meaningOf);
    const attempts = earlier.filter(({ is }) => is === 'id').length;
    const broken: Readonly<Record<string, boolean>> = {
      'although the status is not in retry-on': !wanted.retryOn.includes(seen.status),
      'before the end of retry-delay': request.sent.at - seen.at < wanted.retryDelayMs,
      'beyond max-attempts': attempts >= wanted.maxAttempts,
      'although an earlier trigger may have queued another run': earlier.some(({ is }) => is === 'unclear'),
    };
    return Object.keys(broken).flatMap((why) => (broken[why] ? [`${what} was sent ${why}`] : []));
  });
}

/** The service itself counts the runs. */
function tooMany({ main, spec, wanted }: StepFacts, { pipelineId, runs, triggers: own }: TargetFacts): string[] {
  const unclear = own.filter((each) => meaningOf(each).is === 'unclear').length;
  const isTriggered = spec.task === 'trigger' || spec.task === 'resume';
  const isFirstDone = runs.some(({ id, isGiven }) => isGiven && spec.task === 'resume' && wasResumed(main, id));
  const most = (isTriggered ? wanted.maxAttempts - (isFirstDone ? 1 : 0) : 0) + (wanted.mayRepeat ? unclear : 0);
  const count = runs.filter(({ isGiven }) => !isGiven).length;
  return count > most ? [`pipeline ${pipelineId} has ${count} new runs, where at most ${most} may exist`] : [];
}

/**
 * A run to resume is replaced only if main saw that it had failed. If it had not finished, it was the first attempt,
 * and any later run is another attempt.
 */
function resumed({ main, spec, wanted }: StepFacts, { runs, triggers: [first] }: TargetFacts): string[] {
  const given = runs.find(({ isGiven }) => isGiven);
  if (spec.task !== 'resume' || first === undefined || given === undefined) return [];
  const seen = given.finalSeen.main;
  if (seen === undefined || seen.order > first.sent.order || wanted.succeedOn.includes(seen.status))
    return ['main triggered a run although the run to resume was not seen to fail'];
  const isAttempt = wanted.retryOn.includes(seen.status) && first.sent.at - seen.at >= wanted.retryDelayMs;
  return !wasResumed(main, given.id) || isAttempt ? [] : ['main triggered a run right after the resumed one'];
}

function afterStop(facts: StepFacts, { connected, sent, subject }: RequestHistory): string[] {
  const {
    begunAt,
    main,
    mark,
    scenario,
    spec,
    stops: [stop],
    wanted,
  } = facts;
  const sleepMs = spec.clock.sleep?.forMs ?? 0;
  const [error] = main.errors;
  const latest = begunAt + wanted.timeoutMs + sleepMs;
  const isConnectedLate = stop !== undefined && main.errors.length === 0 && (connected?.order ?? 0) > stop.order;
  // Main looks for the mark right before it sends a trigger.
  const isMarked = mark !== undefined && sent.order > mark.order && !isTempEmptied(scenario);
  const isAfterPost = sent.order > cancelledByPost(facts);
  return [
    ...(isAfterPost ? [`trigger of ${subject} was sent after post cancelled a run`] : []),
    ...(isMarked ? [`trigger of ${subject} was sent after the mark of post`] : []),
    ...(stop !== undefined && sent.order > stop.order ? [`trigger of ${subject} was sent after ${stop.by}`] : []),
    ...(isConnectedLate && sent.order < stop.order ? [`trigger of ${subject} was connected after ${stop.by}`] : []),
    ...(error !== undefined && sent.order > error.order
      ? [`trigger of ${subject} was sent after an internal error`]
      : []),
    ...((connected ?? sent).at > latest ? [`trigger of ${subject} was sent after the timeout`] : []),
  ];
}

/** The time of post's first cancel if post could tell main to stop. A cancelled run lets main trigger the next one. */
function cancelledByPost(facts: StepFacts): number {
  const { main, post, scenario, spec } = facts;
  const journal = main.writes.find(({ file }) => file === 'journal')?.path;
  const isMarkable = spec.runner.temp === 'kept' && !isTempEmptied(scenario) && !facts.hasDiskFault('main', 'journal');
  if (!isMarkable || post?.writes.some(({ failed, path }) => failed && path === journal)) return Infinity;
  return post?.requests.find(({ call }) => call === 'cancel')?.sent.order ?? Infinity;
}

/** No more runs are unfinished at once than `max-parallel` allows. */
export function parallel(facts: StepFacts): string[] {
  const { main, runs, stops, targets, wanted } = facts;
  if (wanted.maxParallel === Infinity || wanted.queueTimeoutMs < Infinity || stops.length > 0) return [];
  // A run may be lost during an outage, and then no longer counts.
  if (main.requests.some(({ call, fault }) => fault !== undefined && (call === 'read' || call === 'exchange')))
    return [];
  if (facts.scenario.service.faults.length > 0 || facts.scenario.service.keyRevokedAtMs !== null) return [];
  return targets.flatMap(({ triggers: own }) =>
    own.flatMap(({ sent, subject }) => {
      const open = runs.filter(
        ({ finalSeen, job, known }) =>
          job.pipelineId !== subject &&
          known !== undefined &&
          known.order < sent.order &&
          (finalSeen.main?.order ?? Infinity) > sent.order,
      );
      return open.length < wanted.maxParallel
        ? []
        : [`${subject} was triggered while ${open.length} other runs were unfinished`];
    }),
  );
}
