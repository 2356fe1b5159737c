import { basename, join } from 'node:path';
import type { Environment } from '../inputs/input-table.ts';
import { readFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { mainOf, type NumberedRecords, type Owner, recordsInText } from './records.ts';

/** Which step a process belongs to, by what main and post of one step have in common. `host`: the name of the machine. */
export function ownerOf(env: Environment, host: string): Owner {
  const known: Readonly<Record<string, string | undefined>> = {
    host,
    runner: env['RUNNER_NAME'],
    // One per job. Absent in containers, in act, and where a workflow empties it.
    tracking: env['RUNNER_TRACKING_ID'],
    run: env['GITHUB_RUN_ID'],
    attempt: env['GITHUB_RUN_ATTEMPT'],
    job: env['GITHUB_JOB'],
    // The outermost step: all actions inside a composite action share it.
    action: env['GITHUB_ACTION'],
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value = '']) => (value === '' ? [] : [[name, value]])),
  );
}

/** Whether two processes may belong to one step: nothing that both of them know differs. */
export function isSameStep(one: Owner, other: Owner): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === undefined || other[name] === value);
}

/** Whether two processes surely belong to one job. */
export function isSameJob(one: Owner, other: Owner): boolean {
  return one['tracking'] !== undefined && one['tracking'] === other['tracking'];
}

/**
 * Where main keeps its journal, and post looks for it when the runner has lost the state: in the folder that the runner
 * empties between two jobs. Undefined if there is none. `random` is uniform in [0, 1): processes in different containers
 * may share the folder and have equal ids.
 */
export function journalPath(env: Environment, pid: number, random: number): string | undefined {
  const folder = env['RUNNER_TEMP'] ?? '';
  const unique = Math.floor(random * 2 ** 48).toString(36);
  return folder === '' ? undefined : join(folder, `${prefixOf(env)}${pid}-${unique}.journal`);
}

/** Where post marks this step if it knows of no journal; undefined if there is no such folder. */
export function markPath(env: Environment): string | undefined {
  const folder = env['RUNNER_TEMP'] ?? '';
  return folder === '' ? undefined : join(folder, `${prefixOf(env)}${plain(env['GITHUB_ACTION'])}.stop`);
}

/** What the names of all journals of this job begin with. */
function prefixOf(env: Environment): string {
  const job = [env['GITHUB_RUN_ID'], env['GITHUB_RUN_ATTEMPT'], env['GITHUB_JOB']].map(plain);
  return `run-pipeline-${job.join('-')}-`;
}

function plain(text = ''): string {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}

/** A journal: where it is, and the records in it. */
export interface Journal {
  readonly path: string;
  readonly records: NumberedRecords;
}

/**
 * Reads the journals that main processes of this step have left. A journal whose first record is missing may belong to
 * any step of the job.
 */
export function readJournals(env: Environment, host: string, files: Files): Journal[] {
  const owner = ownerOf(env, host);
  return readJobJournals(env, host, files).filter(({ records }) => {
    const main = mainOf(records);
    return main === undefined || isSameStep(owner, main.owner);
  });
}

/** Reads the journals of all steps of this job. Ignores what has such a name but is not a regular file. */
export function readJobJournals(env: Environment, host: string, files: Files): Journal[] {
  const folder = env['RUNNER_TEMP'] ?? '';
  if (folder === '') return [];
  const { action, ...job } = ownerOf(env, host);
  return files
    .list(folder)
    .filter((name) => name.startsWith(prefixOf(env)) && name.endsWith('.journal'))
    .map((name) => join(folder, name))
    .filter((path) => files.kindOf(path) === 'file')
    .map((path) => ({ path, records: recordsInText(readFile(files, path) ?? '') }))
    .filter(({ path, records }) => {
      const main = mainOf(records);
      // A folder may have several spellings, but a journal has one name.
      return main === undefined || (basename(main.journal) === basename(path) && isSameStep(job, main.owner));
    });
}
