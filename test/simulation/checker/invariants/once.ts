import type { History, ObservedRequest, RunHistory } from '../history.ts';
import { isEnd } from '../observed.ts';
import { TOLERANCE_MS } from '../tolerance.ts';

/** At most one run per pipeline, unless it was said that a second one is the lesser evil. */
export function once(history: History): string[] {
  const { facts, policy, observedRequests } = history;
  const strays = observedRequests.filter(
    ({ request }) => request.call === 'other' || (request.on === 'post' && isForMain(request.call)),
  );
  return [
    ...strays.map(({ request }) => `${request.on} sent a ${request.call} to ${request.url}`),
    ...history.runs.flatMap((run) => [
      ...tooMany(run, policy.always),
      ...run.triggers.flatMap((trigger) => wrongOrder(history, trigger)),
      ...run.triggers.flatMap((trigger, index) => wrongAgain(history, run, trigger, run.triggers[index - 1])),
    ]),
    ...unknownJobs(history, facts.world.jobs.length),
  ];
}

function isForMain(call: string): boolean {
  return call === 'trigger' || call === 'list';
}

function tooMany({ jobs, pipeline }: RunHistory, always: boolean): string[] {
  const ours = jobs.filter(({ id }) => id !== pipeline.earlier).length;
  return ours > 1 && !always ? [`${ours} runs of ${pipeline.name} were queued`] : [];
}

/** A trigger asks for what the inputs ask for, and nothing else: `reset-target` drops tables. */
function wrongOrder({ facts }: History, { request }: ObservedRequest): string[] {
  const { inputs } = facts.spec;
  const wanted = JSON.stringify({
    p_pipeline_id: request.subject,
    p_job_type: 'pipeline_run',
    p_full_resync: inputs['full-resync'] === 'true',
    p_reset_target: inputs['reset-target'] === 'true',
  });
  return request.body === wanted ? [] : [`a trigger asked for ${request.body} instead of ${wanted}`];
}

function unknownJobs({ runs }: History, all: number): string[] {
  const ours = runs.reduce((sum, { jobs }) => sum + jobs.length, 0);
  return ours === all ? [] : [`${all - ours} runs of foreign pipelines were queued`];
}

/** A trigger that must not have left: after an interruption or a time-out, or after one that may have worked. */
function wrongAgain(
  history: History,
  run: RunHistory,
  trigger: ObservedRequest,
  before: ObservedRequest | undefined,
): string[] {
  const { interrupted, policy } = history;
  const { request } = trigger;
  const name = `trigger ${request.nth} of ${run.pipeline.name}`;
  const found: string[] = [];
  const { mode } = history.facts.spec;
  if (mode === 'attach' || mode === 'dry_run') found.push(`${name} left, which was not requested`);
  if (run.knowledge.is === 'known' && run.knowledge.id === run.pipeline.earlier) {
    found.push(`${name} left, although an earlier run had been taken`);
  }
  if (interrupted !== undefined && request.step >= interrupted.step) {
    found.push(`${name} left after the interruption by ${interrupted.name}`);
  }
  if (run.stop?.why === 'fail_fast' && request.step > run.stop.step && !run.isTie) {
    found.push(`${name} left after another run had failed`);
  }
  if (mode === 'resume' && !isOverAndBad(history, run, request.step)) {
    found.push(`${name} left, although the earlier run may be in progress`);
  }
  if (goingOn(history, run, request.step) >= policy.maxParallel) found.push(`${name} left before its turn`);
  // A timer that was lost is one that never came.
  const hasTimers = history.facts.spec.lostTimer === null;
  if (hasTimers && run.stop?.why === 'timeout' && request.atMs > run.stop.atMs + TOLERANCE_MS) {
    found.push(`${name} left after the time-out`);
  }
  found.push(...connectedLate(history, run, trigger, name));
  if (before === undefined) return found;
  const may =
    before.observed.kind === 'denied' ||
    (before.observed.kind === 'unsent' && before.observed.retryable) ||
    (before.observed.kind === 'maybe_processed' && policy.always);
  if (!may) found.push(`${name} left after one of which is known: ${before.observed.kind}`);
  return found;
}

/** A trigger that was connecting when the step was stopped must not be connected any more: it would be sent. */
function connectedLate(
  { interrupted, facts }: History,
  { stop, isTie }: RunHistory,
  { request }: ObservedRequest,
  name: string,
): string[] {
  const { connectedStep: step, connectedAtMs: atMs } = request;
  if (step === undefined || atMs === undefined) return [];
  const found: string[] = [];
  if (interrupted !== undefined && step >= interrupted.step) {
    const lateMs = Math.round(atMs - interrupted.atMs);
    found.push(`${name} was connected ${lateMs} ms after the interruption by ${interrupted.name}`);
  }
  if (stop?.why === 'fail_fast' && step > stop.step && !isTie) {
    found.push(`${name} was connected after another run had failed`);
  }
  const hasTimers = facts.spec.lostTimer === null;
  if (hasTimers && stop?.why === 'timeout' && atMs > stop.atMs + TOLERANCE_MS) {
    found.push(`${name} was connected after the time-out`);
  }
  return found;
}

/** The earlier run was seen to have ended, and not as a success. */
function isOverAndBad({ observedRequests, policy }: History, { pipeline }: RunHistory, step: number): boolean {
  return observedRequests.some(
    ({ request, observed, step: at }) =>
      request.subject === pipeline.earlier &&
      at <= step &&
      observed.kind === 'row' &&
      isEnd(observed.status) &&
      !policy.succeedOn.includes(observed.status),
  );
}

/** How many other runs of the step take a place at this moment. */
function goingOn({ runs, policy }: History, run: RunHistory, step: number): number {
  return runs.filter((other) => {
    const [first] = other.triggers;
    if (other === run || first === undefined || first.request.step >= step) return false;
    if (other.knowledge.is !== 'known') return other.triggers.every((trigger) => trigger.step > step);
    if (!policy.wait || other.lost.step <= step) return false;
    return (other.ended?.step ?? Infinity) > step && other.stop === undefined;
  }).length;
}
