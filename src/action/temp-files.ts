import { join } from 'node:path';
import type { Environment } from '../base/environment.ts';
import { messageOf } from '../base/text.ts';
import type { World } from '../world.ts';
import { KEY_OF_STEP } from './record.ts';

/*
 * The files in RUNNER_TEMP: a journal for each main step, the mark that its post step puts beside it, and one file that
 * records when the first post step of the job began.
 */

const OF_JOB = ['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB', 'RUNNER_NAME', 'RUNNER_TRACKING_ID'];
const OF_STEP = [...OF_JOB, 'GITHUB_ACTION'];

/** Returns the beginning of a file name that is unique to this machine and these variables' values. */
function prefixOf(names: readonly string[], env: Environment, hostname: string): string {
  const identity = [hostname, ...names.map((name) => env[name] ?? '')];
  return `run-pipeline-${fnv1a(JSON.stringify(identity))}-`;
}

/** Returns the 64-bit FNV-1a hash of a text. Node's crypto module would take a twentieth of the start-up time. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16);
}

/** Returns the path of a new journal, whose name identifies the step, or '' if RUNNER_TEMP is not set. */
export function newJournal({ env, host, random }: Pick<World, 'env' | 'host' | 'random'>): string {
  const folder = env['RUNNER_TEMP'] ?? '';
  const unique = `${host.pid}-${Math.floor(random() * 2 ** 48).toString(36)}`;
  return folder === '' ? '' : join(folder, `${prefixOf(OF_STEP, env, host.hostname)}${unique}`);
}

/** Returns the paths of the journals of this step, and of their marks. */
export function journalsOf({ env, files, host }: World): string[] {
  const folder = env['RUNNER_TEMP'] ?? '';
  const prefix = prefixOf(OF_STEP, env, host.hostname);
  const names = files.list(folder).filter((name) => name.startsWith(prefix));
  return names.map((name) => join(folder, name));
}

/** The end of the mark's name. */
const MARK = '.mark';
/** The mark if no file can be created, for example because the folder has become read-only. */
const MARK_IN_JOURNAL = `\n${KEY_OF_STEP}_mark={}\n`;

/** Returns whether a post step has told this main step to stop. */
export function isMarked({ files }: Pick<World, 'files'>, journal: string): boolean {
  if (journal === '') return false;
  return files.read(`${journal}${MARK}`) !== undefined || files.read(journal)?.includes(MARK_IN_JOURNAL) === true;
}

/**
 * Tells a main step that may be alive to stop. The main step then sends no further trigger, because it looks for the
 * mark between saving an intent and sending the POST. Returns the reason if the mark cannot be written.
 */
export function mark(world: Pick<World, 'files'>, journal: string): string | undefined {
  if (journal === '') return 'RUNNER_TEMP is not set';
  if (isMarked(world, journal)) return undefined;
  try {
    world.files.create(`${journal}${MARK}`, '');
    return undefined;
  } catch (error) {
    return markInJournal(world, journal) ? undefined : messageOf(error);
  }
}

function markInJournal({ files }: Pick<World, 'files'>, journal: string): boolean {
  try {
    files.append(journal, MARK_IN_JOURNAL);
    return true;
  } catch {
    return false;
  }
}

/** Returns the wall-clock time at which this job's first post step of this action started, or NaN if it is unknown. */
export function firstPostAt({ clock, env, files, host }: World): number {
  const folder = env['RUNNER_TEMP'] ?? '';
  if (folder === '') return NaN;
  const path = join(folder, `${prefixOf(OF_JOB, env, host.hostname)}post`);
  try {
    files.create(path, String(clock.wall()));
  } catch {
    // The file exists already, or no file can be created.
  }
  return Number(files.read(path));
}
