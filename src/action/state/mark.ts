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

/** Writes marks, each with a content of its own. A full disk takes none; then post has only what it can see. */
export function mark(
  paths: readonly string[],
  { env, host, files, random }: { env: Environment; host: string; files: Files; random: () => number },
): void {
  const content = JSON.stringify({ ...ownerOf(env, host), unique: String(random()) });
  for (const path of paths) {
    try {
      replaceFile(files, path, content);
    } catch {
      // A main that is alive and can be seen is stopped by a signal as well.
    }
  }
}

/** Returns a function that tells whether post has marked this main process, or its step. */
export function watchMark(
  main: Places,
  { env, host, files }: { env: Environment; host: string; files: Files },
): () => boolean {
  const owner = ownerOf(env, host);
  const textOf = (path: string): string =>
    files.kindOf(path) === 'missing' ? '' : (readFile(files, path) ?? 'not readable');
  // A folder that is never emptied keeps the marks of earlier runs.
  const own = marksOf(main).map((path) => ({ path, before: textOf(path) }));
  const ofStep = markPath(env) ?? '';
  const before = textOf(ofStep);
  const isForUs = (text: string): boolean => {
    const other = ownerInText(text);
    if (other?.['unique'] === undefined || !isSameStep(owner, other)) return false;
    // Post may have begun before this process came so far, as in a job container.
    return text !== before || isSameJob(owner, other);
  };
  return () => own.some(({ path, before }) => textOf(path) !== before) || isForUs(textOf(ofStep));
}
