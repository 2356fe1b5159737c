import { basename, join } from 'node:path';
import type { Environment } from '../inputs/input-table.ts';
import { readFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { mainOf, type NumberedRecords, type Owner, recordsInText } from './records.ts';

/** The context in which a step searches for the journals of main processes. */
export interface Place {
  readonly env: Environment;
  /** The name of this machine or container. */
  readonly host: string;
  readonly files: Files;
}

/** Identifies the step of a process by the properties that main and post share. */
export function ownerOf(env: Environment, host: string): Owner {
  const known = {
    host,
    runner: env['RUNNER_NAME'],
    // This id is unique per job. It is absent in containers, in act, and if a workflow empties the variable.
    tracking: env['RUNNER_TRACKING_ID'],
    run: env['GITHUB_RUN_ID'],
    attempt: env['GITHUB_RUN_ATTEMPT'],
    job: env['GITHUB_JOB'],
    // All actions inside a composite action share this id, which belongs to the outermost step.
    action: env['GITHUB_ACTION'],
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value = '']) => (value === '' ? [] : [[name, value]])),
  );
}

/** Returns whether two processes may belong to the same step (all properties known to both are equal). */
export function isSameStep(one: Owner, other: Owner): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === undefined || other[name] === value);
}

/** Returns whether two processes certainly belong to the same job. */
export function isSameJob(one: Owner, other: Owner): boolean {
  return one['tracking'] !== undefined && one['tracking'] === other['tracking'];
}

/**
 * Returns the path of main's journal, in the folder that the runner empties between jobs, or '' without such a folder.
 * `random`, uniform in [0, 1), distinguishes processes with equal ids that share the folder, as in containers.
 */
export function journalPath(env: Environment, pid: number, random: number): string {
  return pathOf(env, `${pid}-${Math.floor(random * 2 ** 48).toString(36)}.journal`);
}

/** Returns the path of post's mark for a step without a known journal, or '' if RUNNER_TEMP is not set. */
export function markPath(env: Environment): string {
  return pathOf(env, `${plain(env['GITHUB_ACTION'])}.stop`);
}

function pathOf(env: Environment, name: string): string {
  const folder = env['RUNNER_TEMP'] ?? '';
  return folder === '' ? '' : join(folder, `${prefixOf(env)}${name}`);
}

/** Returns the prefix of all journal names of this job. */
function prefixOf(env: Environment): string {
  const job = [env['GITHUB_RUN_ID'], env['GITHUB_RUN_ATTEMPT'], env['GITHUB_JOB']].map(plain);
  return `run-pipeline-${job.join('-')}-`;
}

function plain(text = ''): string {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}

/**
 * Reads the journals that main processes of this step, or of all steps of this job, have written. A journal whose first
 * record is missing may belong to any step of the job. Ignores everything but regular files.
 */
export function readJournals(
  { env, host, files }: Place,
  of: 'step' | 'job' = 'step',
): { readonly path: string; readonly records: NumberedRecords }[] {
  const folder = env['RUNNER_TEMP'] ?? '';
  if (folder === '') return [];
  const owner = ownerOf(env, host);
  const { action, ...job } = owner;
  return files
    .list(folder)
    .filter((name) => name.startsWith(prefixOf(env)) && name.endsWith('.journal'))
    .map((name) => join(folder, name))
    .filter((path) => files.kindOf(path) === 'file')
    .map((path) => ({ path, records: recordsInText(readFile(files, path) ?? '') }))
    .filter(({ path, records }) => {
      const main = mainOf(records);
      if (main === undefined) return true;
      // The path of a folder may have several spellings, but the name of a journal has only one.
      return basename(main.journal) === basename(path) && isSameStep(of === 'step' ? owner : job, main.owner);
    });
}
