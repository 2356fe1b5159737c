import type { Uuid } from '../../base/uuid.ts';
import { type Environment, inputOf } from '../inputs/input-table.ts';
import { type Place, readJournals } from './journals.ts';
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

/** Returns whether post has nothing to do. Most post steps end after this check, before they load any other code. */
export function isAllSettled(env: Environment): boolean {
  return isSettled(recordsInEnv(env), inputOf(env, 'internal-job-status'));
}

/** Returns the recorded ids of runs that may still be in progress. */
export function openIds(place: Place): Uuid[] {
  const kept = recordsInEnv(place.env);
  const found = mainOf(kept) === undefined ? readJournals(place).map(({ records }) => records) : [];
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

/** Returns whether main ended on its own, left no work for post, and lost none of its records. */
export function isSettled(records: NumberedRecords, jobStatus: string): boolean {
  const main = mainOf(records);
  const closed = closedOf(records);
  const isWhole = lastNumber(records.main) === records.main.size && foreignIn(records).length === 0;
  if (main === undefined || closed === undefined || !isWhole || !closed.isPrinted) return false;
  return closed.left === 'nothing' || (closed.left === 'detached' && !mayCancelDetached(main, jobStatus));
}

/** Returns whether post cancels detached runs, which it does only if the job was cancelled after main had started. */
export function mayCancelDetached(main: Pick<MainRecord, 'onCancel' | 'jobStatus'>, jobStatus: string): boolean {
  const isCancelled = (status: string): boolean => status.toLowerCase() === 'cancelled';
  return main.onCancel === 'cancel' && isCancelled(jobStatus) && !isCancelled(main.jobStatus);
}
