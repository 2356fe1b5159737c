import { type Environment, inputOf } from '../inputs/input-table.ts';
import type { Files } from '../runner/files.ts';
import { readJobJournals, readJournals } from './journals.ts';
import {
  closedOf,
  lastNumber,
  type MainRecord,
  mainOf,
  type NumberedRecords,
  recordsInEnv,
} from './records.ts';

/**
 * Whether post can see at once that it has nothing to do: main has ended by itself and left nothing. Most posts end
 * here, before anything else is loaded. If the runner kept no state, there must be journals of this step, all settled.
 */
export function isAllSettled(env: Environment, host: string, files: Files): boolean {
  const jobStatus = inputOf(env, 'internal-job-status');
  const kept = recordsInEnv(env);
  if (mainOf(kept) !== undefined) return isSettled(kept, jobStatus);
  // Records without main's own are looked at more closely.
  if (kept.main.size > 0) return false;
  const journals = readJournals(env, host, files);
  return journals.length > 0 && journals.every(({ records }) => isSettled(records, jobStatus));
}

/**
 * How many steps of the job had something left for post when main was over, whether it has been settled since or not; at
 * least 1.
 */
export function countUnsettled({
  env,
  host,
  files,
}: {
  env: Environment;
  host: string;
  files: Files;
}): number {
  const jobStatus = inputOf(env, 'internal-job-status');
  const open = readJobJournals(env, host, files).filter(
    ({ records }) => mainOf(records) !== undefined && !isSettled(records, jobStatus),
  );
  return Math.max(1, open.length);
}

/** Whether main has ended by itself, has left nothing, and no record of it is missing. */
export function isSettled(records: NumberedRecords, jobStatus: string): boolean {
  const main = mainOf(records);
  const closed = closedOf(records);
  const isWhole = lastNumber(records.main) === records.main.size;
  if (main === undefined || closed === undefined || !isWhole || !closed.isPrinted) return false;
  return closed.left === 'nothing' || (closed.left === 'detached' && !mayCancelDetached(main, jobStatus));
}

/** A run that nobody waits for is cancelled with the job only if the job was cancelled after it was triggered. */
export function mayCancelDetached(
  main: Pick<MainRecord, 'onCancel' | 'jobStatus'>,
  jobStatus: string,
): boolean {
  const isCancelled = (status: string): boolean => status.toLowerCase() === 'cancelled';
  return main.onCancel === 'cancel' && isCancelled(jobStatus) && !isCancelled(main.jobStatus);
}
