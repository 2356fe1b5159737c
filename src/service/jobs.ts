import { flat } from '../base/safe-text.ts';
import { asUuid, type Uuid } from '../base/uuid.ts';
import type { CallOptions, CancelOutcome, Job, Problem, ReadOutcome } from './api.ts';
import { type Caller, call } from './call.ts';
import type { Incomplete } from './classify.ts';
import { USUAL_LIMITS } from './http/transport.ts';
import { notJson } from './problem.ts';
import { brief, isJsonObject, LONGEST_TEXT, type Reply } from './reply.ts';
import { CANCELLABLE_STATUSES, MESSAGE_TOO_LONG } from './statuses.ts';

const SHORT_FIELDS = 'id,job_status';
const ALL_FIELDS = `${SHORT_FIELDS},status_message`;

/** More than any place shows. Each change of a status is kept for as long as the step runs. */
const LONGEST_STATUS = 200;

const REMEDY = 'Check that the API key belongs to the workspace of the run.';

/** The rows of an answer about one job: its row, no row, or why they cannot be used. */
export type JobRows =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'none' }
  | { readonly kind: 'nonsense'; readonly why: string };

/** Reads the rows of an answer about a job. They count only if they are exactly one, with the requested id. */
export function jobRows({ json: rows, text }: Pick<Reply, 'json' | 'text'>, jobId: Uuid, fields = ALL_FIELDS): JobRows {
  const nonsense = (why: string): JobRows => ({ kind: 'nonsense', why });
  if (rows === undefined) return nonsense(notJson(text));
  if (!Array.isArray(rows)) return nonsense('with a body that is not a list of rows');
  if (rows.length === 0) return { kind: 'none' };
  if (rows.length > 1) return nonsense(`with ${rows.length} rows where one was asked for`);
  const row: unknown = rows[0];
  if (!isJsonObject(row)) return nonsense('with a row that is not an object');
  if (asUuid(row['id']) !== jobId) return nonsense('with the row of another run');
  const { job_status: status, status_message: message } = row;
  if (typeof status !== 'string') return nonsense('with a row that has no job_status');
  // On one line first, because only then its length is known.
  const shown = typeof message === 'string' ? brief(flat(message), LONGEST_TEXT) : null;
  const statusMessage = fields === SHORT_FIELDS ? MESSAGE_TOO_LONG : shown;
  return { kind: 'job', job: { id: jobId, status: brief(status, LONGEST_STATUS), statusMessage } };
}

/** Reads a run's status. If its message makes the row too large, this and later reads leave the message out. */
export async function read(caller: Caller, jobId: Uuid, options: CallOptions = {}): Promise<ReadOutcome> {
  const { clock } = caller;
  const until = clock.now() + (options.withinMs?.() ?? USUAL_LIMITS.deadline.allMs);
  const first = await readOnce(caller, jobId, options);
  if (first.kind !== 'too_large') return first;
  const failure = { kind: 'maybe_processed', problem: first.problem } as const;
  if (options.repeatIfTooLarge !== true || until <= clock.now()) return failure;
  const withinMs = (): number => Math.min(options.withinMs?.() ?? Infinity, Math.max(0, until - clock.now()));
  const second = await readOnce(caller, jobId, { ...options, withinMs });
  return second.kind === 'too_large' ? failure : second;
}

/** The row is too large because of its message. */
type TooLarge = { readonly kind: 'too_large'; readonly problem: Problem };

function readOnce(caller: Caller, jobId: Uuid, options: CallOptions): Promise<ReadOutcome | TooLarge> {
  const fields = fieldsOf(caller, jobId);
  return call<ReadOutcome | TooLarge>(
    caller,
    {
      attempted: 'read the status of the run',
      method: 'GET',
      path: `/rest/v1/jobs?id=eq.${jobId}&select=${fields}`,
      // One new token is enough, because the next read is never far away.
      attempts: 2,
      whenRejected: REMEDY,
      parse(reply, unusable) {
        const rows = jobRows(reply, jobId, fields);
        if (rows.kind === 'job') return rows;
        if (rows.kind === 'none') return { kind: 'missing' };
        return { kind: 'maybe_processed', problem: unusable(rows.why) };
      },
      whenIncomplete(incomplete) {
        const isTooLong = fields === ALL_FIELDS && isMessageTooLong(incomplete);
        if (isTooLong) caller.longMessages.add(jobId);
        return { kind: isTooLong ? 'too_large' : 'maybe_processed', problem: incomplete.problem };
      },
    },
    options,
  );
}

/** Requests the cancellation of a run, once. The filter on its status keeps a final status from being overwritten. */
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
      attempts: 3,
      whenRejected: REMEDY,
      parse(reply, unusable) {
        const rows = jobRows(reply, jobId, fields);
        if (rows.kind === 'job') return rows;
        if (rows.kind === 'none') return { kind: 'unchanged' };
        return { kind: 'accepted', problem: unusable(rows.why) };
      },
      whenIncomplete(incomplete) {
        if (isMessageTooLong(incomplete)) caller.longMessages.add(jobId);
        return { kind: 'accepted', problem: incomplete.problem };
      },
    },
    options,
  );
}

/** The fields of a run to request. */
function fieldsOf({ longMessages }: Caller, jobId: Uuid): string {
  return longMessages.has(jobId) ? SHORT_FIELDS : ALL_FIELDS;
}

/** Whether rows are too large, presumably because of a message. A web page that is too large has no message. */
function isMessageTooLong({ how, received }: Incomplete): boolean {
  return how === 'too_large' && /^\s*\[\s*\{/.test(received);
}
