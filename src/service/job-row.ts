import { flat } from '../base/safe-text.ts';
import { asUuid, type Uuid } from '../base/uuid.ts';
import type { Job } from './api.ts';
import type { Caller } from './call.ts';
import { brief, isJsonObject, LONGEST_TEXT } from './json.ts';
import { type BrokenBody, notJson } from './problem.ts';
import type { Reply } from './reply.ts';
import { MESSAGE_TOO_LONG } from './statuses.ts';

/** The fields that reads and cancels ask for: all, and those of a run whose message is too long to read. */
const ALL_FIELDS = 'id,job_status,status_message';
const SHORT_FIELDS = 'id,job_status';

/** As much of a status as any place shows, and more: each change of it is kept for as long as the step runs. */
const LONGEST_STATUS = 200;

/**
 * Makes later reads and cancels of a run leave out its message, if a `text` of its rows that asked for `fields` was
 * too large because of that message. Returns whether it was.
 */
export function omitLongMessage(
  { longMessages }: Caller,
  jobId: Uuid,
  fields: string,
  how: BrokenBody,
  text: string,
): boolean {
  // A web page that is too large says nothing about the message.
  const isTooLong = how === 'too_large' && fields === ALL_FIELDS && /^\s*\[\s*\{/.test(text);
  if (isTooLong) longMessages.add(jobId);
  return isTooLong;
}

/** The fields of a run to ask for. */
export function fieldsOf({ longMessages }: Caller, jobId: Uuid): string {
  return longMessages.has(jobId) ? SHORT_FIELDS : ALL_FIELDS;
}

/** What an answer about one job holds: its row, no row, or, in words, what else. */
export type JobRows =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'none' }
  | { readonly kind: 'nonsense'; readonly why: string };

/** Reads the rows of an answer about a job. They count only if they are exactly one, with the id asked for. */
export function jobRows(
  { json: rows, text }: Pick<Reply, 'json' | 'text'>,
  jobId: Uuid,
  fields = ALL_FIELDS,
): JobRows {
  if (rows === undefined) return nonsense(notJson(text));
  if (!Array.isArray(rows)) return nonsense('with a body that is not a list of rows');
  if (rows.length === 0) return { kind: 'none' };
  if (rows.length > 1) return nonsense(`with ${rows.length} rows where one was asked for`);
  const row: unknown = rows[0];
  if (!isJsonObject(row)) return nonsense('with a row that is not an object');
  if (asUuid(row['id']) !== jobId) return nonsense('with the row of another run');
  const status = row['job_status'];
  if (typeof status !== 'string') return nonsense('with a row that has no job_status');
  const message = fields === SHORT_FIELDS ? MESSAGE_TOO_LONG : shownMessage(row['status_message']);
  return { kind: 'job', job: { id: jobId, status: brief(status, LONGEST_STATUS), statusMessage: message } };
}

/** On one line already, because only then it is known how much of it is shown. */
function shownMessage(message: unknown): string | null {
  return typeof message === 'string' ? brief(flat(message), LONGEST_TEXT) : null;
}

function nonsense(why: string): JobRows {
  return { kind: 'nonsense', why };
}
