import type { Clock } from '../../base/clock.ts';
import type { Environment } from '../inputs/input-table.ts';
import { readFile, replaceFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { isSameJob, isSameStep, markPath, ownerOf } from './journals.ts';
import { type MainRecord, ownerInText } from './records.ts';

/*
 * Post marks the step before it reads what main recorded, and main looks for the mark after it has recorded an intent. So a
 * main process that post cannot see or stop (another PID namespace, another user) sends no POST of which post has no record.
 */

type Places = Pick<MainRecord, 'journal' | 'stateFile'>;

/** Where the marks for this main process are: beside its records. */
export function marksOf({ journal, stateFile }: Places): string[] {
  return [journal, stateFile].flatMap((path) => (path === '' ? [] : [`${path}.stop`]));
}

interface Parts {
  readonly env: Environment;
  readonly host: string;
  readonly files: Files;
  readonly clock: Pick<Clock, 'wall'>;
}

/** Writes marks. A full disk takes none; then post has only what it can see. */
export function mark(paths: readonly string[], { env, host, files, clock }: Parts): void {
  const content = JSON.stringify({ ...ownerOf(env, host), at: String(clock.wall()) });
  for (const path of paths) {
    try {
      replaceFile(files, path, content);
    } catch {
      // A main that is alive and can be seen is stopped by a signal as well.
    }
  }
}

/** In a job container, post may write its mark just before main starts. Such a mark is at most this old, in milliseconds. */
const RECENT_MS = 60_000;
const UNREADABLE = 'not readable';

/** Returns a function that tells whether post has marked this main process, or its step. */
export function watchMark(main: Places, { env, host, files, clock }: Parts): () => boolean {
  const owner = ownerOf(env, host);
  const begun = clock.wall();
  const textOf = (path: string): string =>
    files.kindOf(path) === 'missing' ? '' : (readFile(files, path) ?? UNREADABLE);
  // A folder that is never emptied keeps the marks of earlier runs.
  const own = marksOf(main).map((path) => ({ path, before: textOf(path) }));
  const isNew = (text: string, before: string): boolean => text !== '' && text !== before;
  const ofStep = markPath(env) ?? '';
  const beforeOfStep = textOf(ofStep);
  const isForUs = (text: string): boolean => {
    // Another user's mark cannot be read, but its name says that it is for this step.
    if (text === UNREADABLE) return isNew(text, beforeOfStep);
    const other = ownerInText(text);
    if (other?.['at'] === undefined || !isSameStep(owner, other)) return false;
    return isNew(text, beforeOfStep) || isSameJob(owner, other) || Math.abs(begun - Number(other['at'])) < RECENT_MS;
  };
  return () => own.some(({ path, before }) => isNew(textOf(path), before)) || isForUs(textOf(ofStep));
}
