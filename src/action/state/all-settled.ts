import { type Environment, inputOf } from '../inputs/input-table.ts';
import type { Files } from '../runner/files.ts';
import { readJournals } from './journals.ts';
import { lastNumber, type MainRecord, type NumberedRecords, recordsInEnv } from './records.ts';

/**
 * Whether post can see at once that it has nothing to do: main has ended by itself and left nothing. Most posts end
 * here, before anything else is loaded. If the runner kept no state, the same must be true of every journal of this job.
 */
export function isAllSettled(env: Environment, files: Files): boolean {
  const jobStatus = inputOf(env, 'internal-job-status');
  const kept = recordsInEnv(env);
  if (mainOf(kept) !== undefined) return isSettled(kept, jobStatus);
  // Records without main's own are looked at more closely.
  if (kept.main.size > 0) return false;
  return readJournals(env, files).every(({ records }) => isSettled(records, jobStatus));
}

/** `closed` counts only as the last of all records: main may have gone on, or somebody else has written. */
function isSettled(records: NumberedRecords, jobStatus: string): boolean {
  const main = mainOf(records);
  const number = lastNumber(records.main);
  const last = records.main.get(number);
  const isWhole = number === records.main.size;
  if (main === undefined || records.isShared || !isWhole || last === undefined || !('left' in last))
    return false;
  return last.left === 'nothing' || (last.left === 'detached' && !mayCancelDetached(main, jobStatus));
}

/** The record of main itself. */
export function mainOf({ main }: NumberedRecords): MainRecord | undefined {
  for (const record of main.values()) if ('pid' in record) return record;
  return undefined;
}

/** A run that nobody waits for is cancelled with the job only if the job was cancelled after it was triggered. */
export function mayCancelDetached(main: MainRecord, jobStatus: string): boolean {
  const isCancelled = (status: string): boolean => status.toLowerCase() === 'cancelled';
  return main.onCancel === 'cancel' && isCancelled(jobStatus) && !isCancelled(main.jobStatus);
}
