import type { Clock } from '../../base/clock.ts';
import { readFile, replaceFile } from '../runner/file-access.ts';
import { isSameJob, isSameStep, markPath, ownerOf, type Place } from './journals.ts';
import { type MainRecord, ownerInText } from './records.ts';

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
