import type { LedgerRun } from '../run/ledger.ts';
import { type Environment, inputOf } from './environment.ts';
import { readFile } from './file-access.ts';
import type { Files } from './files.ts';
import { sealOf } from './journal.ts';
import { type Journal, readJournals } from './journals.ts';
import { type Leftovers, leftoversOf } from './leftovers.ts';
import {
  inOrder,
  type MainRecord,
  type NumberedRecords,
  recordsInEnv,
  recordsInText,
} from './state-records.ts';

/** A main step of this action, and what it left. */
export interface Found extends Leftovers {
  readonly main: MainRecord;
  /** The number of its last record. */
  readonly last: number;
  /** Reads everything again: main may have gone on writing. */
  again(): Found;
}

/**
 * Finds what main left: in the state that the runner kept, in main's own state file and in its journal, which may
 * both know more. When the runner kept nothing, every journal of this job that was sealed with this key counts.
 */
export function gather(env: Environment, files: Files): Found[] {
  const kept = recordsInEnv(env);
  const main = mainOf(kept);
  if (main !== undefined) return [foundIn(files, kept, main)];
  return readJournals(env, files).flatMap((journal) => fromJournal(journal, env, files));
}

/**
 * Runs of main steps whose own record is missing, as when a disk did not take it: nobody knows at which service they
 * are, and they can only be named. Not those that were found elsewhere.
 */
export function orphans(env: Environment, files: Files, found: readonly Found[]): readonly LedgerRun[] {
  const kept = recordsInEnv(env);
  const seen = new Set(found.flatMap(({ runs }) => runs.map(nameOf)));
  return (kept.size > 0 ? [kept] : readJournals(env, files).map(({ records }) => records))
    .filter((records) => mainOf(records) === undefined)
    .flatMap((records) => leftoversOf(inOrder(records)).runs)
    .filter((run) => !seen.has(nameOf(run)));
}

/** Tells one run from another, in whatever place it was written down. */
function nameOf({ jobId, pipelineId, intentAt }: LedgerRun): string {
  return jobId ?? `${pipelineId ?? ''} ${intentAt ?? ''}`;
}

function fromJournal({ path, records }: Journal, env: Environment, files: Files): Found[] {
  const main = mainOf(records);
  const key = inputOf(env, 'api-key');
  if (main === undefined || main.journal !== path) return [];
  // Without a key nothing is ever sent anywhere, and what is left can at least be named.
  if (key !== '' && main.seal !== sealOf(key, main.baseUrl, path)) return [];
  return [foundIn(files, records, main)];
}

function foundIn(files: Files, kept: NumberedRecords, main: MainRecord): Found {
  const texts = [main.stateFile, main.journal]
    .filter((path) => path !== '')
    .map((path) => readFile(files, path) ?? '');
  const all = [...texts.map(recordsInText), kept];
  return {
    ...leftoversOf(inOrder(...all)),
    main,
    last: Math.max(0, ...all.flatMap((records) => [...records.keys()])),
    again: () => foundIn(files, kept, main),
  };
}

function mainOf(records: NumberedRecords): MainRecord | undefined {
  return inOrder(records).find((record) => record.kind === 'main');
}
