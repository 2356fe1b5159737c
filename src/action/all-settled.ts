import { join } from 'node:path';
import { type Environment, inputOf } from './environment.ts';
import type { Files } from './files.ts';
import { journalFolder, journalNames } from './journal-names.ts';
import { choreFor, type Leftovers, leftoversInEnv, leftoversOf } from './leftovers.ts';
import { inOrder, recordsInText } from './state-records.ts';

/**
 * Whether post can see at a glance that there is nothing to do: main has ended by itself, and no run of it needs
 * anything. Most posts end here, before anything else is loaded. Where the runner kept no state at all, the same
 * must be true of every journal of this job.
 */
export function isAllSettled(env: Environment, files: Files): boolean {
  const jobStatus = inputOf(env, 'internal-job-status');
  const kept = leftoversInEnv(env);
  if (kept.main !== undefined) return isSettled(kept, jobStatus);
  return journalNames(env, files).every((name) => {
    const text = files.read(join(journalFolder(env), name)) ?? '';
    return isSettled(leftoversOf(inOrder(recordsInText(text))), jobStatus);
  });
}

function isSettled({ main, closed, runs }: Leftovers, jobStatus: string): boolean {
  if (main === undefined || !closed) return false;
  return runs.every((run) => choreFor(run, main, jobStatus) === 'none');
}
