import type { Clock } from '../../base/clock.ts';
import { readFile, replaceFile } from '../runner/file-access.ts';
import { isSameJob, isSameStep, markPath, ownerOf, type Place } from './journals.ts';
import { type MainRecord, ownerInText } from './records.ts';

/*
 * Post marks the step before it reads main's records, and main checks for the mark after it has recorded an intent. A
 * main process that post cannot see or stop, such as another user's, therefore sends no POST that post misses.
 */

type Records = Pick<MainRecord, 'journal' | 'stateFile'>;

/** Returns the paths at which post marks this main process, beside its records. */
export function marksOf({ journal, stateFile }: Records): string[] {
  return [journal, stateFile].flatMap((path) => (path === '' ? [] : [`${path}.stop`]));
}

/** The dependencies for writing marks and checking for them. */
export interface MarkParts extends Place {
  readonly clock: Pick<Clock, 'wall'>;
}

/** Writes marks and ignores disk errors. */
export function mark(paths: readonly string[], { env, host, files, clock }: MarkParts): void {
  const content = JSON.stringify({ ...ownerOf(env, host), at: String(clock.wall()) });
  for (const path of paths) {
    try {
      replaceFile(files, path, content);
    } catch {
      // If post can see the main process, it also stops that process with a signal.
    }
  }
}

/** Maximum time between post's mark and the start of main in a job container, in milliseconds. */
const RECENT_MS = 60_000;
const UNREADABLE = 'not readable';

/** Returns a function that checks whether post has marked this main process or its step. */
export function watchMark(main: Records, { env, host, files, clock }: MarkParts): () => boolean {
  const owner = ownerOf(env, host);
  const begun = clock.wall();
  const textOf = (path: string): string =>
    files.kindOf(path) === 'missing' ? '' : (readFile(files, path) ?? UNREADABLE);
  // A folder that the runner never empties may still contain old marks.
  const own = marksOf(main).map((path) => ({ path, before: textOf(path) }));
  const ofStep = { path: markPath(env), before: textOf(markPath(env)) };
  const isNew = ({ path, before }: typeof ofStep): boolean => !['', before].includes(textOf(path));
  const isForUs = (): boolean => {
    const text = textOf(ofStep.path);
    // Main cannot read another user's mark, but the file name shows that the mark is for this step.
    if (text === UNREADABLE) return text !== ofStep.before;
    const { at, ...other } = ownerInText(text);
    if (at === undefined || !isSameStep(owner, other)) return false;
    return text !== ofStep.before || isSameJob(owner, other) || Math.abs(begun - Number(at)) < RECENT_MS;
  };
  return () => own.some(isNew) || isForUs();
}
