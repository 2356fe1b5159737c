import { type Environment, inputOf } from '../inputs/input-table.ts';
import type { Files } from '../runner/files.ts';
import { readJobJournals, readJournals } from './journals.ts';
import { lastNumber, type MainRecord, mainOf, type NumberedRecords, recordsInEnv } from './records.ts';

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

/** `closed` counts only as the last of all records: main may have gone on, or somebody else has written. */
export function isSettled(records: NumberedRecords, jobStatus: string): boolean {
  const main = mainOf(records);
  const number = lastNumber(records.main);
  const last = records.main.get(number);
  const isWhole = number === records.main.size;
  if (main === undefined || !isWhole || last === undefined || !('left' in last) || !last.isPrinted)
    return false;
  return last.left === 'nothing' || (last.left === 'detached' && !mayCancelDetached(main, jobStatus));
}

/** A run that nobody waits for is cancelled with the job only if the job was cancelled after it was triggered. */
export function mayCancelDetached(
  main: Pick<MainRecord, 'onCancel' | 'jobStatus'>,
  jobStatus: string,
): boolean {
  const isCancelled = (status: string): boolean => status.toLowerCase() === 'cancelled';
  return main.onCancel === 'cancel' && isCancelled(jobStatus) && !isCancelled(main.jobStatus);
}
