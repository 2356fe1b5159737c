import { type Call, effect } from './call.ts';
import { stateAt } from './job.ts';
import { FOREIGN_JOB_ID } from './known.ts';
import type { Columns, Row } from './query.ts';
import type { Job } from './types.ts';

export const JOB_COLUMNS: Columns = { table: 'jobs', names: ['id', 'job_status', 'status_message'], uuids: ['id'] };

/** Returns a job's row at a given time, or null before the job exists. */
export function rowOf(job: Job, atMs: number): Row | null {
  const state = stateAt(job, atMs);
  return state === null ? null : { id: job.id, job_status: state.status, status_message: state.message };
}

/** Applies the rules that change rows. */
export function distort(rows: readonly Row[], { effects }: Call): readonly Row[] {
  const status = effect(effects, 'status');
  const shown =
    status === undefined
      ? rows
      : rows.map((row) => ({ ...row, job_status: status.status, status_message: status.message ?? null }));
  const foreign = effect(effects, 'foreign-row');
  if (foreign === undefined) return shown;
  const stranger = { id: FOREIGN_JOB_ID, job_status: 'completed', status_message: null };
  return foreign.instead === true ? [stranger] : [stranger, ...shown];
}
