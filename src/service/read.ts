import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, ReadOutcome } from './api.ts';
import { type Caller, call, USUAL_DEADLINE_MS, USUAL_MAX_BYTES } from './call.ts';
import { JOB_FIELDS, jobRows } from './job-row.ts';
import { nonsenseProblem } from './problem.ts';

/** Reads a run's status, once. A 401 is answered by a single new token: the next read is never far. */
export function read(caller: Caller, jobId: Uuid, options?: CallOptions): Promise<ReadOutcome> {
  return call<ReadOutcome>(
    caller,
    {
      attempted: 'read the status of the run',
      method: 'GET',
      path: `/rest/v1/jobs?id=eq.${jobId}&select=${JOB_FIELDS}`,
      deadline: { allMs: USUAL_DEADLINE_MS },
      maxBytes: USUAL_MAX_BYTES,
      tries: 2,
      whenRejected: 'Check that the API key belongs to the workspace of the run.',
      understand(answer, subject) {
        const rows = jobRows(answer.text, jobId);
        if (rows.kind === 'job') return rows;
        if (rows.kind === 'none') return { kind: 'missing' };
        return { kind: 'perhaps', problem: nonsenseProblem(subject, answer, rows.why) };
      },
    },
    options,
  );
}
