import { messageOf, oneLine } from './safe-text.ts';

/** The error for a file whose kind is unsuitable for its purpose. */
export class UnsuitableFile extends Error {
  override readonly name = 'UnsuitableFile';
}

/** A sentence of advice for each error code of the operating system (see errno(3)). */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Let the user that runs this step write to this path.',
  EDQUOT: 'Free disk space or raise the disk quota of the user that runs this step.',
  EFBIG: 'Raise the limit on the size of files on the runner.',
  EIO: 'Check the disk of the runner for errors.',
  EISDIR: 'Use the path of a regular file instead.',
  ELOOP: 'Correct the path: its symbolic links form a loop.',
  ENOENT: 'Create the folder of this path, or correct the path.',
  ENOSPC: 'Free disk space on the runner.',
  ENOTDIR: 'Correct the path: one of its parents is not a folder.',
  ENXIO: 'Use the path of a regular file instead.',
  EPERM: 'Let the user that runs this step write to this path.',
  EROFS: 'Use a path on a writable file system, or mount this one as writable.',
};

/** A sentence of advice for a file system error or for an error with such a cause; empty for other errors. */
export function fileRemedy(error: unknown): string {
  if (error instanceof UnsuitableFile) return 'Use the path of a regular file instead.';
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') {
    return REMEDIES[error.code] ?? 'Check the file system of the runner.';
  }
  return fileRemedy(error.cause);
}

/** `Could not write <what>: <why>. <meaning> <remedy>` */
export function writeFailure(what: string, error: unknown, meaning: string): string {
  return sentences(`Could not write ${what}: ${oneLine(messageOf(error))}.`, meaning, fileRemedy(error));
}

/** Joins sentences and skips empty ones. */
export function sentences(...all: readonly string[]): string {
  return all.filter((sentence) => sentence !== '').join(' ');
}
