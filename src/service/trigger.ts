import { asUuid } from '../base/uuid.ts';
import type { Order, TriggerOptions, TriggerOutcome } from './api.ts';
import { type Call, type Caller, call, USUAL_MAX_BYTES } from './call.ts';
import { isSuccess } from './classify.ts';
import { parseJson } from './json.ts';
import { nonsenseProblem } from './problem.ts';

/** Long from there on: a trigger that is given up while the service works on it makes a run nobody knows. */
const DEADLINE = { connectMs: 15_000, answerMs: 120_000 };

/** Queues one run. Once its connection is established, only its deadline ends it. */
export function trigger(
  caller: Caller,
  order: Order,
  { onSend, ...options }: TriggerOptions,
): Promise<TriggerOutcome> {
  const what: Call<TriggerOutcome> = {
    attempted: 'trigger the run',
    method: 'POST',
    path: '/rest/v1/rpc/create_pipeline_run_job',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      p_pipeline_id: order.pipelineId,
      p_job_type: 'pipeline_run',
      p_full_resync: order.fullResync,
      p_reset_target: order.resetTarget,
    }),
    deadline: DEADLINE,
    maxBytes: USUAL_MAX_BYTES,
    tries: 3,
    whenRejected:
      'Check that the pipeline exists, is active, and belongs to the workspace in which the API key was created.',
    untilConnected: true,
    onSend,
    // The id may be there as a whole although the body is not: then the run is known, and nothing is lost.
    rescue(answer) {
      const jobId = isSuccess(answer) ? asUuid(parseJson(answer.text.trim())) : undefined;
      return jobId && { kind: 'queued', jobId };
    },
    understand(answer, subject) {
      if (answer.json === null) return { kind: 'no_credits' };
      return { kind: 'perhaps', problem: nonsenseProblem(subject, answer, 'without the id of a run') };
    },
  };
  return call(caller, what, options);
}
