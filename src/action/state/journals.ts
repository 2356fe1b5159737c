import { basename, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Environment } from '../inputs/input-table.ts';
import { readFile, replaceFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { type MainRecord, mainOf, type NumberedRecords, type Owner, ownerInText, recordsInText } from './records.ts';

/** Where a step looks for what main processes left. */
export interface Place {
  readonly env: Environment;
  /** The name of this machine or container. */
  readonly host: string;
  readonly files: Files;
}

/** Which step a process belongs to, by what main and post of one step have in common. */
export function ownerOf(env: Environment, host: string): Owner {
  const known = {
    host,
    runner: env['RUNNER_NAME'],
    // One per job. Absent in containers, in act, and where a workflow empties it.
    tracking: env['RUNNER_TRACKING_ID'],
    run: env['GITHUB_RUN_ID'],
    attempt: env['GITHUB_RUN_ATTEMPT'],
    job: env['GITHUB_JOB'],
    // All actions inside a composite action share this id of the outermost step.
    action: env['GITHUB_ACTION'],
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value = '']) => (value === '' ? [] : [[name, value]])),
  );
}

/** Whether two processes may belong to one step: nothing that both know differs. */
export function isSameStep(one: Owner, other: Owner): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === undefined || other[name] === value);
}

/** Whether two processes certainly belong to one job. */
export function isSameJob(one: Owner, other: Owner): boolean {
  return one['tracking'] !== undefined && one['tracking'] === other['tracking'];
}

/**
 * The path of main's journal, in the folder that the runner empties between two jobs; empty if there is no such folder.
 * `random`, uniform in [0, 1), distinguishes processes that share the folder and have equal ids, as in containers.
 */
export function journalPath(env: Environment, pid: number, random: number): string {
  return pathOf(env, `${pid}-${Math.floor(random * 2 ** 48).toString(36)}.journal`);
}

/** Where post marks this step if it knows of no journal; empty if there is no folder for it. */
export function markPath(env: Environment): string {
  return pathOf(env, `${plain(env['GITHUB_ACTION'])}.stop`);
}

function pathOf(env: Environment, name: string): string {
  const folder = env['RUNNER_TEMP'] ?? '';
  return folder === '' ? '' : join(folder, `${prefixOf(env)}${name}`);
}

/** How the names of all journals of this job begin. */
function prefixOf(env: Environment): string {
  const job = [env['GITHUB_RUN_ID'], env['GITHUB_RUN_ATTEMPT'], env['GITHUB_JOB']].map(plain);
  return `run-pipeline-${job.join('-')}-`;
}

function plain(text = ''): string {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}

/**
 * Reads the journals that main processes of this step, or of all steps of this job, have left. A journal whose first
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
      // A folder may have several spellings, but a journal has one name.
      return basename(main.journal) === basename(path) && isSameStep(of === 'step' ? owner : job, main.owner);
    });
}

/*
 * Post marks the step before it reads what main recorded, and main looks for the mark after it has recorded an intent. So a
 * main process that post cannot see or stop (another PID namespace, another user) sends no POST of which post has no record.
 */

type Records = Pick<MainRecord, 'journal' | 'stateFile'>;

/** Where post marks this main process: beside its records. */
export function marksOf({ journal, stateFile }: Records): string[] {
  return [journal, stateFile].flatMap((path) => (path === '' ? [] : [`${path}.stop`]));
}

/** What it takes to write marks, or to look for them. */
export interface MarkParts extends Place {
  readonly clock: Pick<Clock, 'wall'>;
}

/** Writes marks, unless the disk refuses them. */
export function mark(paths: readonly string[], { env, host, files, clock }: MarkParts): void {
  const content = JSON.stringify({ ...ownerOf(env, host), at: String(clock.wall()) });
  for (const path of paths) {
    try {
      replaceFile(files, path, content);
    } catch {
      // Post also stops a main that it can see by a signal.
    }
  }
}

/** In a job container, post may write its mark at most this long before main starts, in milliseconds. */
const RECENT_MS = 60_000;
const UNREADABLE = 'not readable';

/** Returns a function that looks whether post has marked this main process, or its step. */
export function watchMark(main: Records, { env, host, files, clock }: MarkParts): () => boolean {
  const owner = ownerOf(env, host);
  const begun = clock.wall();
  const textOf = (path: string): string =>
    files.kindOf(path) === 'missing' ? '' : (readFile(files, path) ?? UNREADABLE);
  // A folder that is never emptied keeps the marks of earlier runs.
  const own = marksOf(main).map((path) => ({ path, before: textOf(path) }));
  const ofStep = { path: markPath(env), before: textOf(markPath(env)) };
  const isNew = ({ path, before }: typeof ofStep): boolean => !['', before].includes(textOf(path));
  const isForUs = (): boolean => {
    const text = textOf(ofStep.path);
    // Another user's mark cannot be read, but its name says that it is for this step.
    if (text === UNREADABLE) return text !== ofStep.before;
    const { at, ...other } = ownerInText(text);
    if (at === undefined || !isSameStep(owner, other)) return false;
    return text !== ofStep.before || isSameJob(owner, other) || Math.abs(begun - Number(at)) < RECENT_MS;
  };
  return () => own.some(isNew) || isForUs();
}
