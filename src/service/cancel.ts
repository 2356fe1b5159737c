import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, CancelOutcome } from './api.ts';
import { type Caller, call, USUAL_DEADLINE_MS, USUAL_MAX_BYTES } from './call.ts';
import { JOB_FIELDS, jobRows } from './job-row.ts';
import { nonsenseProblem } from './problem.ts';
import { CANCELLABLE_STATUSES } from './statuses.ts';

/** Asks once for a run to be cancelled. The precondition keeps an end from being overwritten. */
export function cancel(caller: Caller, jobId: Uuid, options?: CallOptions): Promise<CancelOutcome> {
  return call<CancelOutcome>(
    caller,
    {
      attempted: 'cancel the run',
      method: 'PATCH',
      path: `/rest/v1/jobs?id=eq.${jobId}&job_status=in.(${CANCELLABLE_STATUSES.join(',')})&select=${JOB_FIELDS}`,
      headers: { 'content-type': 'application/json', prefer: 'return=representation' },
      body: JSON.stringify({ job_status: 'cancelled' }),
      deadline: { allMs: USUAL_DEADLINE_MS },
      maxBytes: USUAL_MAX_BYTES,
      tries: 3,
      whenRejected: 'Check that the API key belongs to the workspace of the run.',
      understand(answer, subject) {
        const rows = jobRows(answer.text, jobId);
        if (rows.kind === 'job') return rows;
        if (rows.kind === 'none') return { kind: 'unchanged' };
        return { kind: 'perhaps', problem: nonsenseProblem(subject, answer, rows.why) };
      },
    },
    options,
  );
}
