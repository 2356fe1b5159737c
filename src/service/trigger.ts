import { asUuid } from '../base/uuid.ts';
import type { Order, TriggerOptions, TriggerOutcome } from './api.ts';
import { type Caller, call } from './call.ts';
import { is2xx } from './classify.ts';
import { isSecretId, parseJson } from './reply.ts';

/** The time limits of a trigger, in ms. The second is long, because abandoning a trigger in flight may orphan a run. */
const DEADLINE = { connectMs: 15_000, answerMs: 120_000 };

/** Queues one run. Once the connection is established, only the deadline ends the request. */
export function trigger(caller: Caller, order: Order, options: TriggerOptions): Promise<TriggerOutcome> {
  return call<TriggerOutcome>(
    caller,
    {
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
      limits: { deadline: DEADLINE, untilConnected: true },
      attempts: 3,
      whenRejected:
        'Check that the pipeline exists, is active, and belongs to the workspace in which the API key was created.',
      mayRedirectToResult: true,
      onSend: options.onSend,
      // The id may be complete even if the body is not. In that case, the run is known.
      acceptPartial(answer) {
        const jobId = is2xx(answer) ? asUuid(parseJson(answer.text.trim())) : undefined;
        // A token may look like an id.
        return jobId && !isSecretId(jobId, (text) => caller.redactor.redact(text))
          ? { kind: 'queued', jobId }
          : undefined;
      },
      parse({ json }, unusable) {
        if (json === null) return { kind: 'no_credits' };
        return { kind: 'maybe_processed', problem: unusable('without the id of a run') };
      },
    },
    options,
  );
}
