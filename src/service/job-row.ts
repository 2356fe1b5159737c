import { asUuid, type Uuid } from '../base/uuid.ts';
import type { Job } from './api.ts';
import { isJsonObject, parseJson, stringOrNull } from './json.ts';
import { notJson } from './problem.ts';

/** The fields that reads and cancels ask for. */
export const JOB_FIELDS = 'id,job_status,status_message';

/** What an answer about one job holds: its row, no row, or, in words, what else. */
export type JobRows =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'none' }
  | { readonly kind: 'nonsense'; readonly why: string };

/** Reads the rows of an answer about a job. They count only if they are exactly one, with the id asked for. */
export function jobRows(text: string, jobId: Uuid): JobRows {
  const rows = parseJson(text);
  if (rows === undefined) return nonsense(notJson(text));
  if (!Array.isArray(rows)) return nonsense('with a body that is not a list of rows');
  if (rows.length === 0) return { kind: 'none' };
  if (rows.length > 1) return nonsense(`with ${rows.length} rows where one was asked for`);
  const row: unknown = rows[0];
  if (!isJsonObject(row)) return nonsense('with a row that is not an object');
  if (asUuid(row['id']) !== jobId) return nonsense('with the row of another run');
  const status = row['job_status'];
  if (typeof status !== 'string') return nonsense('with a row that has no job_status');
  return { kind: 'job', job: { id: jobId, status, statusMessage: stringOrNull(row['status_message']) } };
}

function nonsense(why: string): JobRows {
  return { kind: 'nonsense', why };
}
