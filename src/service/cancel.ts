import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, CancelOutcome } from './api.ts';
import { type Caller, call, USUAL_DEADLINE_MS, USUAL_MAX_BYTES } from './call.ts';
import { fieldsOf, jobRows, omitLongMessage } from './job-row.ts';
import { nonsenseProblem } from './problem.ts';
import { CANCELLABLE_STATUSES } from './statuses.ts';

/** Asks once for a run to be cancelled. The precondition keeps an end from being overwritten. */
export function cancel(caller: Caller, jobId: Uuid, options?: CallOptions): Promise<CancelOutcome> {
  const fields = fieldsOf(caller, jobId);
  return call<CancelOutcome>(
    caller,
    {
      attempted: 'cancel the run',
      method: 'PATCH',
      path: `/rest/v1/jobs?id=eq.${jobId}&job_status=in.(${CANCELLABLE_STATUSES.join(',')})&select=${fields}`,
      headers: { 'content-type': 'application/json', prefer: 'return=representation' },
      body: JSON.stringify({ job_status: 'cancelled' }),
      deadline: { allMs: USUAL_DEADLINE_MS },
      maxBytes: USUAL_MAX_BYTES,
      tries: 3,
      whenRejected: 'Check that the API key belongs to the workspace of the run.',
      understand(answer, subject) {
        const rows = jobRows(answer, jobId, fields);
        if (rows.kind === 'job') return rows;
        if (rows.kind === 'none') return { kind: 'unchanged' };
        return { kind: 'accepted', problem: nonsenseProblem(subject, answer, rows.why) };
      },
      whenIncomplete({ how, problem }, received) {
        omitLongMessage(caller, jobId, fields, how, received);
        return { kind: 'accepted', problem };
      },
    },
    options,
  );
}
