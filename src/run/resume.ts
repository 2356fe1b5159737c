import { pause } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { Job, Problem, ReadOutcome } from '../service/api.ts';
import { isTerminal } from '../service/statuses.ts';
import { NOT_FOUND } from './await-run.ts';
import type { StepParts } from './parts.ts';
import { loseRun, record, recordEnd } from './record.ts';
import { mayPass, wishMs } from './retry.ts';
import { type RunState, takeOver } from './run-state.ts';
import type { StopSwitch } from './stop.ts';

/**
 * Takes an earlier run, which was claimed before, instead of triggering another one: when it is in progress, or has
 * ended as a success. False when it has ended otherwise, and a new run is wanted. An earlier run that cannot be read
 * may be in progress: then nothing is triggered, and the run's standing says why.
 */
export async function resumeRun(
  run: RunState,
  jobId: Uuid,
  parts: StepParts,
  stopSwitch: StopSwitch,
): Promise<boolean> {
  const outcome = await readEarlier(run, jobId, parts, stopSwitch);
  // Whoever stops the step decides what becomes of the run, not a failure that came in the same instant.
  if (outcome.kind === 'aborted' || (outcome.kind !== 'job' && stopSwitch.thrown() !== undefined))
    return true;
  if (outcome.kind !== 'job') {
    loseRun(parts, run, notReadable(jobId, outcome.kind === 'missing' ? NOT_FOUND : outcome.problem));
    return true;
  }
  if (!isWorthTaking(outcome.job, parts)) {
    parts.observe({ type: 'not_resumed', run, job: outcome.job });
    forget(run, parts);
    return false;
  }
  run.startedAt = parts.clock.now();
  takeOver(run, outcome.job, parts.clock.now());
  recordEnd(parts, run);
  parts.observe({ type: 'attached', run });
  return true;
}

/** The earlier run has ended, and is none of this step's any more. */
function forget(run: RunState, parts: StepParts): void {
  run.attached = false;
  run.jobId = undefined;
  run.standing = { at: 'waiting' };
  // That was another run: the new one keeps no distance to it.
  run.lastReadAt = undefined;
  record(parts, run, { kind: 'refused', run: run.number });
}

function isWorthTaking({ status }: Job, { plan }: StepParts): boolean {
  return !isTerminal(status) || plan.succeedOn.has(status);
}

/** Reads a run that existed before until there is an answer, at the poll interval, for as long as an outage may last. */
export async function readEarlier(
  run: RunState,
  jobId: Uuid,
  parts: StepParts,
  stopSwitch: StopSwitch,
): Promise<ReadOutcome> {
  const { clock, plan } = parts;
  const until = clock.now() + plan.maxOutageMs;
  while (true) {
    const outcome = await parts.service.read(jobId, { signal: stopSwitch.signal });
    run.lastReadAt = clock.now();
    if (outcome.kind === 'job' || outcome.kind === 'missing') return outcome;
    // As for a run that is awaited: a token that is refused although it is new is an outage of the service.
    if (outcome.kind !== 'unauthorized' && !mayPass(outcome)) return outcome;
    const inMs = Math.max(plan.pollIntervalMs, wishMs(outcome));
    if (clock.now() + inMs > until) return outcome;
    parts.observe({ type: 'retry', problem: outcome.problem, inMs, run });
    await pause(clock, inMs, stopSwitch.signal);
    if (stopSwitch.thrown() !== undefined) return { kind: 'aborted' };
  }
}

function notReadable(jobId: Uuid, problem: Problem): Problem {
  const { remedy = 'Run this step again in a while.' } = problem;
  return {
    ...problem,
    attempted: `read the earlier run ${jobId}`,
    remedy: `It may be in progress, so no other one was triggered. ${remedy} Without job-id, a new run is triggered.`,
  };
}
