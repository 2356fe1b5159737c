import type { Uuid } from '../../base/uuid.ts';
import { type Environment, inputOf } from '../inputs/input-table.ts';
import type { Files } from '../runner/files.ts';
import { readJournals } from './journals.ts';
import {
  closedOf,
  foreignIn,
  inOrder,
  lastNumber,
  type MainRecord,
  mainOf,
  type NumberedRecords,
  recordsInEnv,
} from './records.ts';

/**
 * Whether post can see at once that it has nothing to do: main has ended by itself and left nothing. Most posts end
 * here, before anything else is loaded.
 */
export function isAllSettled(env: Environment): boolean {
  return isSettled(recordsInEnv(env), inputOf(env, 'internal-job-status'));
}

/** The ids of runs that may be in progress, as far as they are recorded. */
export function openIds(env: Environment, host: string, files: Files): Uuid[] {
  const kept = recordsInEnv(env);
  const found = mainOf(kept) === undefined ? readJournals(env, host, files).map(({ records }) => records) : [];
  const all = [kept, ...found].flatMap(inOrder);
  const ids = all.flatMap((record) => {
    if ('given' in record) return Object.values(record.given);
    return 'jobId' in record && record.jobId !== undefined ? [record.jobId] : [];
  });
  const ended = new Set(
    all.flatMap((record) => ('fact' in record && record.fact.kind === 'finished' ? [record.jobId] : [])),
  );
  return [...new Set(ids)].filter((id) => !ended.has(id));
}

/** Whether main has ended by itself, has left nothing, and no record of it is missing. */
export function isSettled(records: NumberedRecords, jobStatus: string): boolean {
  const main = mainOf(records);
  const closed = closedOf(records);
  const isWhole = lastNumber(records.main) === records.main.size && foreignIn(records).length === 0;
  if (main === undefined || closed === undefined || !isWhole || !closed.isPrinted) return false;
  return closed.left === 'nothing' || (closed.left === 'detached' && !mayCancelDetached(main, jobStatus));
}

/** A run that nobody waits for is cancelled with the job only if the job was cancelled after it was triggered. */
export function mayCancelDetached(main: Pick<MainRecord, 'onCancel' | 'jobStatus'>, jobStatus: string): boolean {
  const isCancelled = (status: string): boolean => status.toLowerCase() === 'cancelled';
  return main.onCancel === 'cancel' && isCancelled(jobStatus) && !isCancelled(main.jobStatus);
}
