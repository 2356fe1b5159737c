import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, Problem, ReadOutcome } from './api.ts';
import { type Caller, call, USUAL_DEADLINE_MS, USUAL_MAX_BYTES } from './call.ts';
import { fieldsOf, jobRows, omitLongMessage } from './job-row.ts';
import { nonsenseProblem } from './problem.ts';

/** Reads a run's status. A row that is too large because of its message is read without it from then on. */
export async function read(caller: Caller, jobId: Uuid, options: CallOptions = {}): Promise<ReadOutcome> {
  const { clock } = caller;
  const until = clock.now() + (options.withinMs?.() ?? USUAL_DEADLINE_MS);
  const first = await readOnce(caller, jobId, options);
  if (first.kind !== 'too_large') return first;
  const failure = { kind: 'perhaps', problem: first.problem } as const;
  if (options.repeatIfTooLarge !== true || until <= clock.now()) return failure;
  const withinMs = (): number => Math.min(options.withinMs?.() ?? Infinity, Math.max(0, until - clock.now()));
  const second = await readOnce(caller, jobId, { ...options, withinMs });
  return second.kind === 'too_large' ? failure : second;
}

/** The row is too large because of its message. */
interface TooLarge {
  readonly kind: 'too_large';
  readonly problem: Problem;
}

/** Reads once. A 401 is answered by a single new token: the next read is never far. */
function readOnce(caller: Caller, jobId: Uuid, options: CallOptions): Promise<ReadOutcome | TooLarge> {
  const fields = fieldsOf(caller, jobId);
  return call<ReadOutcome | TooLarge>(
    caller,
    {
      attempted: 'read the status of the run',
      method: 'GET',
      path: `/rest/v1/jobs?id=eq.${jobId}&select=${fields}`,
      deadline: { allMs: USUAL_DEADLINE_MS },
      maxBytes: USUAL_MAX_BYTES,
      tries: 2,
      whenRejected: 'Check that the API key belongs to the workspace of the run.',
      understand(answer, subject) {
        const rows = jobRows(answer, jobId, fields);
        if (rows.kind === 'job') return rows;
        if (rows.kind === 'none') return { kind: 'missing' };
        return { kind: 'perhaps', problem: nonsenseProblem(subject, answer, rows.why) };
      },
      whenIncomplete({ how, problem }, received) {
        const isTooLong = omitLongMessage(caller, jobId, fields, how, received);
        return { kind: isTooLong ? 'too_large' : 'perhaps', problem };
      },
    },
    options,
  );
}
