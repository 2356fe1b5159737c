import { pause } from '../base/clock.ts';
import { fileRemedy, sentences } from '../base/file-errors.ts';
import { shorten } from '../base/safe-text.ts';
import type { Failure, Problem, TriggerOutcome } from '../service/api.ts';
import type { StepParts } from './parts.ts';
import type { ResolvedPipeline } from './plan.ts';
import { record } from './record.ts';
import { afterAllTries, mayPass, retryPauseMs, TRIES } from './retry.ts';
import { noteStatus, type RunState, type Standing } from './run-state.ts';
import type { StopView } from './stop.ts';

/**
 * Triggers one run, at most once. Its intent is in the ledger before each POST is sent. A stop that comes before the
 * connection is established aborts the POST, also one that only repeats an earlier one. Repeats only what surely was not
 * processed, unless `retry-trigger: always` says that a second run is the lesser evil. Afterwards `run.standing`
 * says what became of it: in progress, not queued, or unknown.
 */
export async function triggerRun(
  run: RunState,
  pipeline: ResolvedPipeline,
  parts: StepParts,
  stopSwitch: StopView,
): Promise<void> {
  let doubt: Problem | undefined;
  for (let tried = 0; ; tried += 1) {
    const outcome = await send(run, pipeline, parts, stopSwitch);
    const isLast = tried + 1 >= TRIES;
    if (outcome.kind === 'queued') {
      run.jobId = outcome.jobId;
      noteStatus(run, 'queued', parts.clock.now());
      run.standing = { at: 'in_progress' };
      record(parts, run, { kind: 'queued', run: run.number, jobId: outcome.jobId });
      parts.observe({ type: 'queued', run });
      return;
    }
    if (outcome.kind === 'perhaps') doubt ??= outcome.problem;
    run.standing = doubt === undefined ? conclude(outcome) : { at: 'unknown', problem: doubt };
    if (isLast && run.standing.at === 'not_queued' && isRepeatable(outcome, parts)) {
      run.standing = { at: 'not_queued', problem: afterAllTries(outcome.problem) };
    }
    record(parts, run, { kind: doubt === undefined ? 'refused' : 'unknown', run: run.number });
    run.stop = stopSwitch.thrown();
    if (run.stop !== undefined || isLast || !isRepeatable(outcome, parts)) return;
    const inMs = retryPauseMs(parts.random, tried, outcome);
    parts.observe({
      type: 'retry',
      problem: outcome.problem,
      inMs,
      run,
      mayDouble: outcome.kind === 'perhaps',
    });
    await pause(parts.clock, inMs, stopSwitch.signal);
  }
}

/** Not sent, because the step is to stop or because its intent could not be written down. */
type NotSent = { readonly kind: 'kept_back' } | { readonly kind: 'not_recorded'; readonly problem: Problem };

class HeldBack extends Error {
  override readonly name = 'HeldBack';
  readonly why: NotSent;

  constructor(why: NotSent) {
    super(why.kind);
    this.why = why;
  }
}

/** The name is for people, and a record has to fit into an environment variable: 128 KiB on Linux. */
const LONGEST_NAME = 200;

async function send(
  run: RunState,
  pipeline: ResolvedPipeline,
  parts: StepParts,
  stopSwitch: StopView,
): Promise<TriggerOutcome | NotSent> {
  const { plan, clock, ledger } = parts;
  const onSend = (): void => {
    if (stopSwitch.thrown() !== undefined) throw new HeldBack({ kind: 'kept_back' });
    try {
      ledger.write({
        kind: 'intent',
        run: run.number,
        pipelineId: pipeline.id,
        pipelineName: pipeline.name === null ? null : shorten(pipeline.name, LONGEST_NAME),
        at: clock.wall(),
      });
    } catch (error) {
      throw new HeldBack({ kind: 'not_recorded', problem: notRecorded(error) });
    }
    run.standing = { at: 'triggering' };
    run.startedAt ??= clock.now();
  };
  if (stopSwitch.thrown() !== undefined) return { kind: 'kept_back' };
  try {
    const { fullResync, resetTarget } = plan;
    const order = { pipelineId: pipeline.id, fullResync, resetTarget };
    return await parts.service.trigger(order, { onSend, signal: stopSwitch.signal });
  } catch (error) {
    if (error instanceof HeldBack) return error.why;
    throw error;
  }
}

function notRecorded(error: unknown): Problem {
  return {
    attempted: 'write down that a run is about to be triggered',
    came: error instanceof Error ? error.message : String(error),
    remedy: sentences(
      'Without this record, a cancelled workflow could not cancel the run, so none was triggered.',
      fileRemedy(error),
      'Run the step again.',
    ),
  };
}

function isRepeatable(
  outcome: NotQueued,
  parts: StepParts,
): outcome is Extract<Failure, { kind: 'perhaps' | 'not_processed' }> {
  if (outcome.kind === 'perhaps') return parts.plan.retryTrigger === 'always';
  return outcome.kind === 'not_processed' && mayPass(outcome);
}

type NotQueued = Exclude<TriggerOutcome, { kind: 'queued' }> | NotSent;

function conclude(outcome: NotQueued): Extract<Standing, { at: 'not_queued' | 'unknown' }> {
  switch (outcome.kind) {
    case 'perhaps':
      return { at: 'unknown', problem: outcome.problem };
    // Aborted before its connection was established: the POST was provably not processed.
    case 'aborted':
    case 'kept_back':
      return { at: 'not_queued' };
    case 'no_credits':
      return { at: 'not_queued', problem: OUT_OF_CREDITS };
    case 'not_recorded':
    case 'not_processed':
    case 'unauthorized':
    case 'rejected':
    case 'key_refused':
      return { at: 'not_queued', problem: outcome.problem };
  }
}

const OUT_OF_CREDITS: Problem = {
  attempted: 'trigger the run',
  came: 'the account is out of sync credits',
  remedy: 'Add credits to the account of this API key, then run the step again.',
};
