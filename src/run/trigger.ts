import { pause } from '../base/clock.ts';
import { fileRemedy, sentences } from '../base/file-errors.ts';
import { messageOf, shorten } from '../base/safe-text.ts';
import type { Problem, TriggerOutcome } from '../service/api.ts';
import type { StepParts } from './parts.ts';
import type { Plan, ResolvedPipeline } from './plan.ts';
import { afterAllTries, retryPauseMs, TRIES, type Transient } from './retry.ts';
import { IntentRefused, type Run } from './state/ledger.ts';

/**
 * Triggers a run at most once. Writes an intent before sending each POST. A stop that arrives before the connection is
 * established aborts the POST, even if it is a retry. Retries a POST only if the service provably did not process it,
 * unless `on-lost-response: retry` accepts the risk of several runs. Afterwards, the phase is `in_progress`, `left`,
 * `not_queued` or `unknown`.
 */
export async function triggerRun(run: Run, pipeline: ResolvedPipeline, parts: StepParts): Promise<void> {
  const { ledger, clock, interruption, plan, random } = parts;
  const stopped = AbortSignal.any([run.stopped, ledger.triggersStopped]);
  for (let tried = 0; !stopped.aborted; tried += 1) {
    const outcome = await send(run, pipeline, stopped, parts);
    if (outcome.kind === 'queued') {
      ledger.apply(run, { kind: 'queued', jobId: outcome.jobId });
      interruption.look();
      return;
    }
    if (outcome.kind === 'kept_back') {
      // The intent on disk must not suggest that a POST that was not sent may have created a run.
      ledger.apply(run, run.phase.at === 'triggering' ? { ...outcome, kind: 'refused' } : outcome);
      return;
    }
    const mayRepeat = isRepeatable(outcome, plan);
    const isLast = tried + 1 >= TRIES;
    const retryInMs = mayRepeat && !isLast && !stopped.aborted ? retryPauseMs(random, tried, outcome) : undefined;
    ledger.apply(run, {
      kind: outcome.kind === 'maybe_processed' ? 'unknown' : 'refused',
      problem: mayRepeat && isLast ? afterAllTries(outcome.problem) : problemOf(outcome),
      ...(retryInMs !== undefined && { retryInMs }),
    });
    if (retryInMs === undefined) return;
    await pause(clock, retryInMs, stopped);
  }
}

/** Maximum length of a recorded name. A record must fit into an environment variable, which Linux caps at 128 KiB. */
const LONGEST_NAME = 200;

/** Calls the service once. Sends no POST if the step stops or cannot write the intent. */
async function send(
  run: Run,
  pipeline: ResolvedPipeline,
  signal: AbortSignal,
  { plan, clock, interruption, ledger, service }: StepParts,
): Promise<TriggerOutcome | { readonly kind: 'kept_back'; readonly problem?: Problem }> {
  let refusal: unknown;
  const onSend = (): void => {
    const name = pipeline.name === null ? null : shorten(pipeline.name, LONGEST_NAME);
    try {
      ledger.apply(run, { kind: 'intent', pipeline: { id: pipeline.id, name }, wall: clock.wall() });
      // Check for post's mark, because post may have read the records before this intent.
      interruption.look();
      if (signal.aborted) throw new IntentRefused();
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
    const why = 'Without this record, the action could not cancel the run when the workflow is cancelled.';
    const remedy = sentences(why, fileRemedy(error), 'Run the step again.');
    const attempted = 'record the trigger before sending it';
    return { kind: 'kept_back', problem: { attempted, cause: messageOf(error), remedy } };
  }
}

type NotQueued = Exclude<TriggerOutcome, { kind: 'queued' }>;

function isRepeatable(outcome: NotQueued, { onLostResponse }: Plan): outcome is Transient {
  if (outcome.kind === 'maybe_processed') return onLostResponse === 'retry';
  return outcome.kind === 'not_processed' && outcome.retryable;
}

function problemOf(outcome: NotQueued): Problem | undefined {
  // The call was aborted before its connection was established, so the service provably did not process the POST.
  if (outcome.kind === 'aborted') return undefined;
  if (outcome.kind !== 'no_credits') return outcome.problem;
  return {
    attempted: 'trigger the run',
    cause: 'the account is out of sync credits',
    remedy: 'Add credits to the account of this API key, then run the pipeline again.',
  };
}
