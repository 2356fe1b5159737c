import { type Environment, inputOf } from './environment.ts';
import type { Files } from './files.ts';
import { readJournals } from './journals.ts';
import { choreFor, leftoversOf } from './leftovers.ts';
import { inOrder, type NumberedRecords, recordsInEnv } from './state-records.ts';

/**
 * Whether post can see at a glance that there is nothing to do: main has ended by itself, and no run of it needs
 * anything. Most posts end here, before anything else is loaded. Where the runner kept no state at all, the same
 * must be true of every journal of this job.
 */
export function isAllSettled(env: Environment, files: Files): boolean {
  const jobStatus = inputOf(env, 'internal-job-status');
  const kept = recordsInEnv(env);
  if (inOrder(kept).some(({ kind }) => kind === 'main')) return isSettled(kept, jobStatus);
  // Records without main's own: whoever looks closer tells of them.
  if (kept.size > 0) return false;
  return readJournals(env, files).every(({ records }) => isSettled(records, jobStatus));
}

function isSettled(records: NumberedRecords, jobStatus: string): boolean {
  const { main, closed, runs } = leftoversOf(inOrder(records));
  if (main === undefined || !closed || !isWhole(records)) return false;
  return runs.every((run) => choreFor(run, main, jobStatus) === 'none');
}

/** Whether no record is missing: what a disk did not take in one place may lie in the other. */
function isWhole(records: NumberedRecords): boolean {
  return Math.max(0, ...records.keys()) === records.size;
}
