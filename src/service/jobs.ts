import { flat } from '../base/safe-text.ts';
import { asUuid, type Uuid } from '../base/uuid.ts';
import type { CallOptions, CancelOutcome, Failure, Job, Problem, ReadOutcome } from './api.ts';
import { type Call, type Caller, call } from './call.ts';
import { USUAL_LIMITS } from './http/transport.ts';
import { notJson } from './problem.ts';
import { brief, isJsonObject, LONGEST_TEXT, type Reply } from './reply.ts';
import { CANCELLABLE_STATUSES, MESSAGE_TOO_LONG } from './statuses.ts';

const SHORT_FIELDS = 'id,job_status';
const ALL_FIELDS = `${SHORT_FIELDS},status_message`;

/** Maximum length of a status, more than any output displays. The step keeps status changes in memory. */
const LONGEST_STATUS = 200;

/** The rows of a response about one job: a single row, no row, or the reason why the rows are unusable. */
export type JobRows =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'none' }
  | { readonly kind: 'nonsense'; readonly why: string };

/** Reads the rows of a response about a job. Accepts only a single row with the requested id. */
export function jobRows({ json: rows, text }: Pick<Reply, 'json' | 'text'>, jobId: Uuid, fields = ALL_FIELDS): JobRows {
  const nonsense = (why: string): JobRows => ({ kind: 'nonsense', why });
  if (rows === undefined) return nonsense(notJson(text));
  if (!Array.isArray(rows)) return nonsense('with a body that is not a list of rows');
  if (rows.length === 0) return { kind: 'none' };
  if (rows.length > 1) return nonsense(`with ${rows.length} rows instead of one`);
  const row: unknown = rows[0];
  if (!isJsonObject(row)) return nonsense('with a row that is not an object');
  if (asUuid(row['id']) !== jobId) return nonsense('with the row of another run');
  const { job_status: status, status_message: message } = row;
  if (typeof status !== 'string') return nonsense('with a row that has no job_status');
  // Convert the text to a single line first, because the conversion changes its length.
  const shown = typeof message === 'string' ? brief(flat(message), LONGEST_TEXT) : null;
  const statusMessage = fields === SHORT_FIELDS ? MESSAGE_TOO_LONG : shown;
  return { kind: 'job', job: { id: jobId, status: brief(status, LONGEST_STATUS), statusMessage } };
}

/** A request about one run. */
interface JobCall<T> extends Pick<Call<T>, 'attempted' | 'method' | 'headers' | 'body' | 'attempts'> {
  /** A condition on the row, to add to the query. */
  readonly filter?: string;
  /** The outcome of a 2xx without a row. */
  readonly none: T;
  /** Returns the outcome of an unusable 2xx. `isTooLarge` means that the run's message makes the row too large. */
  readonly unusable: (problem: Problem, isTooLarge: boolean) => T;
}

/** Makes a call about a run. If the message makes the row too large, later calls omit the message. */
function callJob<T extends { readonly kind: string }>(
  { filter = '', none, unusable, ...request }: JobCall<T>,
  caller: Caller,
  jobId: Uuid,
  options?: CallOptions,
): Promise<T | Extract<JobRows, { kind: 'job' }> | Failure> {
  const fields = caller.longMessages.has(jobId) ? SHORT_FIELDS : ALL_FIELDS;
  return call(
    caller,
    {
      ...request,
      path: `/rest/v1/jobs?id=eq.${jobId}${filter}&select=${fields}`,
      whenRejected: "Check that the API key belongs to the run's workspace.",
      parse(reply, describe) {
        const rows = jobRows(reply, jobId, fields);
        if (rows.kind === 'job') return rows;
        return rows.kind === 'none' ? none : unusable(describe(rows.why), false);
      },
      whenIncomplete({ how, received, problem }) {
        // A web page that is too large contains no status message.
        const isTooLarge = fields === ALL_FIELDS && how === 'too_large' && /^\s*\[\s*\{/.test(received);
        if (isTooLarge) caller.longMessages.add(jobId);
        return unusable(problem, isTooLarge);
      },
    },
    options,
  );
}

/** The response is incomplete because the status message makes the row too large. */
type TooLarge = { readonly kind: 'too_large'; readonly problem: Problem };

const READ: JobCall<ReadOutcome | TooLarge> = {
  attempted: "read the run's status",
  method: 'GET',
  // One new token is enough, because the next read follows soon.
  attempts: 2,
  none: { kind: 'missing' },
  unusable: (problem, isTooLarge) => ({ kind: isTooLarge ? 'too_large' : 'maybe_processed', problem }),
};

/** Reads a run's status. Repeats the read without the message if `repeatIfTooLarge` is set and the row is too large. */
export async function read(caller: Caller, jobId: Uuid, options: CallOptions = {}): Promise<ReadOutcome> {
  const { clock } = caller;
  const until = clock.now() + (options.withinMs?.() ?? USUAL_LIMITS.deadline.allMs);
  const first = await callJob(READ, caller, jobId, options);
  if (first.kind !== 'too_large') return first;
  const failure = { kind: 'maybe_processed', problem: first.problem } as const;
  if (options.repeatIfTooLarge !== true || until <= clock.now()) return failure;
  const withinMs = (): number => Math.min(options.withinMs?.() ?? Infinity, Math.max(0, until - clock.now()));
  const second = await callJob(READ, caller, jobId, { ...options, withinMs });
  return second.kind === 'too_large' ? failure : second;
}

/** The filter on the status prevents the cancel from overwriting a final status. */
const CANCEL: JobCall<CancelOutcome> = {
  attempted: 'cancel the run',
  method: 'PATCH',
  filter: `&job_status=in.(${CANCELLABLE_STATUSES.join(',')})`,
  headers: { 'content-type': 'application/json', prefer: 'return=representation' },
  body: JSON.stringify({ job_status: 'cancelled' }),
  attempts: 3,
  none: { kind: 'unchanged' },
  unusable: (problem) => ({ kind: 'accepted', problem }),
};

/** Cancels a run, unless its status is already final. */
export function cancel(caller: Caller, jobId: Uuid, options?: CallOptions): Promise<CancelOutcome> {
  return callJob(CANCEL, caller, jobId, options);
}
