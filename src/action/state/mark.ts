import type { Environment } from '../inputs/input-table.ts';
import { readFile, replaceFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { isSameStep, markPath, ownerOf } from './journals.ts';
import { type MainRecord, ownerInText } from './records.ts';

/*
 * Post marks the step before it reads what main recorded, and main looks for the mark after it has recorded an intent. So a
 * main process that post cannot see or stop (another PID namespace, another user) triggers nothing that post knows nothing of.
 */

/** Where the mark for this main process is; undefined if it has recorded nothing. */
export function markOf({ journal, stateFile }: Pick<MainRecord, 'journal' | 'stateFile'>): string | undefined {
  const record = journal === '' ? stateFile : journal;
  return record === '' ? undefined : `${record}.stop`;
}

/** Writes marks. A full disk takes none; then post has only what it can see. */
export function mark(
  paths: readonly (string | undefined)[],
  { env, host, files, random }: { env: Environment; host: string; files: Files; random: () => number },
): void {
  const content = JSON.stringify({ ...ownerOf(env, host), unique: String(random()) });
  for (const path of new Set(paths)) {
    try {
      if (path !== undefined) replaceFile(files, path, content);
    } catch {
      // A main that is alive and can be seen is stopped by a signal as well.
    }
  }
}

/** Returns a function that tells whether post has marked this main process. A mark of its step counts if it is new. */
export function watchMark(
  main: Pick<MainRecord, 'journal' | 'stateFile'>,
  { env, host, files }: { env: Environment; host: string; files: Files },
): () => boolean {
  const own = markOf(main);
  const ofStep = markPath(env);
  const textOf = (path: string | undefined): string | undefined =>
    path === undefined || files.kindOf(path) === 'missing' ? undefined : readFile(files, path);
  // A folder that is never emptied keeps the marks of earlier runs.
  const before = textOf(ofStep);
  return () => {
    if (own !== undefined && files.kindOf(own) !== 'missing') return true;
    const now = textOf(ofStep);
    const owner = now === before ? undefined : ownerInText(now ?? '');
    return owner !== undefined && isSameStep(ownerOf(env, host), owner);
  };
}
