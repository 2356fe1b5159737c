import { pause } from '../base/clock.ts';
import { fileRemedy, sentences } from '../base/file-errors.ts';
import { messageOf, shorten } from '../base/safe-text.ts';
import type { Failure, Problem, TriggerOutcome } from '../service/api.ts';
import type { StepParts } from './parts.ts';
import type { ResolvedPipeline } from './plan.ts';
import { afterAllTries, isTransient, retryPauseMs, TRIES } from './retry.ts';
import { IntentRefused, type Run } from './state/ledger.ts';

/**
 * Triggers one run, at most once. Its intent is written before each POST is sent. A stop that comes before the
 * connection is established aborts the POST, also one that only repeats an earlier one. Repeats only what was provably
 * not processed, unless `on-lost-response: retry` accepts a second run. Afterwards the run is in progress, not queued or
 * unknown.
 */
export async function triggerRun(run: Run, pipeline: ResolvedPipeline, parts: StepParts): Promise<void> {
  const { ledger, clock, interruption, random } = parts;
  const stopped = AbortSignal.any([run.stopped, ledger.triggersStopped]);
  for (let tried = 0; !stopped.aborted; tried += 1) {
    const outcome = await send(run, pipeline, stopped, parts);
    if (outcome.kind === 'queued') {
      ledger.apply(run, { kind: 'queued', jobId: outcome.jobId });
      interruption.look();
      return;
    }
    if (outcome.kind === 'kept_back') {
      // An intent that is on disk, for a POST that the service rejected, must not leave a doubt.
      ledger.apply(run, run.phase.at === 'triggering' ? { ...outcome, kind: 'refused' } : outcome);
      return;
    }
    const repeatable = isRepeatable(outcome, parts);
    const isLast = tried + 1 >= TRIES;
    const retryInMs = repeatable && !isLast && !stopped.aborted ? retryPauseMs(random, tried, outcome) : undefined;
    ledger.apply(run, {
      kind: outcome.kind === 'maybe_processed' ? 'unknown' : 'refused',
      problem: repeatable && isLast ? afterAllTries(outcome.problem) : problemOf(outcome),
      ...(retryInMs !== undefined && { retryInMs }),
    });
    if (retryInMs === undefined) return;
    await pause(clock, retryInMs, stopped);
  }
}

/** No further POST was sent, because the step stops or because the intent could not be written. */
interface KeptBack {
  readonly kind: 'kept_back';
  readonly problem?: Problem;
}

/** The name is for people, and a record has to fit into an environment variable: 128 KiB on Linux. */
const LONGEST_NAME = 200;

async function send(
  run: Run,
  pipeline: ResolvedPipeline,
  signal: AbortSignal,
  { plan, clock, interruption, ledger, service }: StepParts,
): Promise<TriggerOutcome | KeptBack> {
  let refusal: unknown;
  const onSend = (): void => {
    const name = pipeline.name === null ? null : shorten(pipeline.name, LONGEST_NAME);
    try {
      ledger.apply(run, { kind: 'intent', pipeline: { id: pipeline.id, name }, wall: clock.wall() });
      // Post may have begun before it could see the intent.
      interruption.look();
      if (signal.aborted) throw new IntentRefused('the step stops');
    } catch (error) {
      refusal = error;
      throw error;
    }
  };
  try {
    const { fullResync, resetTarget } = plan;
    return await service.trigger({ pipelineId: pipeline.id, fullResync, resetTarget }, { onSend, signal });
  } catch (error) {
    if (error !== refusal) throw error;
    if (error instanceof IntentRefused) return { kind: 'kept_back' };
    return { kind: 'kept_back', problem: notRecorded(error) };
  }
}

function notRecorded(error: unknown): Problem {
  return {
    attempted: 'write down that a run is about to be triggered',
    cause: messageOf(error),
    remedy: sentences(
      'Without this record, a cancelled workflow could not cancel the run, so none was triggered.',
      fileRemedy(error),
      'Run the step again.',
    ),
  };
}

type NotQueued = Exclude<TriggerOutcome, { kind: 'queued' }>;

function isRepeatable(
  outcome: NotQueued,
  { plan }: StepParts,
): outcome is Extract<Failure, { kind: 'maybe_processed' | 'not_processed' }> {
  if (outcome.kind === 'maybe_processed') return plan.onLostResponse === 'retry';
  return outcome.kind === 'not_processed' && isTransient(outcome);
}

function problemOf(outcome: NotQueued): Problem | undefined {
  // Aborted before its connection was established: the POST was provably not processed.
  if (outcome.kind === 'aborted') return undefined;
  return outcome.kind === 'no_credits' ? OUT_OF_CREDITS : outcome.problem;
}

const OUT_OF_CREDITS: Problem = {
  attempted: 'trigger the run',
  cause: 'the account is out of sync credits',
  remedy: 'Add credits to the account of this API key, then run the pipeline again.',
};
