import { join } from 'node:path';
import type { Environment } from '../inputs/input-table.ts';
import { readFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { type NumberedRecords, recordsInText } from './records.ts';

/** The folder that the runner empties between two jobs; empty where there is none. */
export function journalFolder(env: Environment): string {
  return env['RUNNER_TEMP'] ?? '';
}

/** What the names of all journals of this job begin with. */
export function journalPrefix(env: Environment): string {
  const job = ['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB'].map((name) => plain(env[name] ?? ''));
  return `run-pipeline-${job.join('-')}-`;
}

/** A journal that a step of this job has left: where it lies, and the records in it. */
export interface Journal {
  readonly path: string;
  readonly records: NumberedRecords;
}

/** Reads the journals that steps of this job have left. Ignores what has such a name but is not a regular file. */
export function readJournals(env: Environment, files: Files): Journal[] {
  const folder = journalFolder(env);
  const prefix = journalPrefix(env);
  if (folder === '') return [];
  return files
    .list(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.journal'))
    .map((name) => join(folder, name))
    .filter((path) => files.kindOf(path) === 'file')
    .map((path) => ({ path, records: recordsInText(readFile(files, path) ?? '') }));
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}
