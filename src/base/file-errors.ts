import { messageOf, oneLine } from './safe-text.ts';

/** Thrown if the kind of a file is unsuitable for its purpose. */
export class UnsuitableFile extends Error {
  override readonly name = 'UnsuitableFile';
}

/** Thrown if part of a text may remain in a file after a failed write. */
export class PartialWrite extends Error {
  override readonly name = 'PartialWrite';
}

/** Advice for each error code of the operating system (see errno(3)), as a sentence. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Give the user that runs this step write access to this path.',
  EDQUOT: 'Free disk space or raise the disk quota of the user that runs this step.',
  EFBIG: 'Raise the file size limit on the runner.',
  EIO: "Check the runner's disk for errors.",
  EISDIR: 'Use the path of a regular file instead.',
  ELOOP: 'Correct the path, because its symbolic links form a loop.',
  ENOENT: 'Create the parent directory of this path, or correct the path.',
  ENOSPC: 'Free disk space on the runner.',
  ENOTDIR: 'Correct the path, because one of its parents is not a directory.',
  ENXIO: 'Use the path of a regular file instead.',
  EPERM: 'Give the user that runs this step write access to this path.',
  EROFS: 'Use a path on a writable file system, or mount this one as writable.',
};

/** Returns advice for a file system error or an error with such a cause, as a sentence, or '' for other errors. */
export function fileRemedy(error: unknown): string {
  if (error instanceof UnsuitableFile) return 'Use the path of a regular file instead.';
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') {
    return REMEDIES[error.code] ?? "Check the runner's file system.";
  }
  return fileRemedy(error.cause);
}

/** Returns `Could not write <what>: <why>. <meaning> <remedy>`. */
export function writeFailure(what: string, error: unknown, meaning: string): string {
  return sentences(`Could not write ${what}: ${oneLine(messageOf(error))}.`, meaning, fileRemedy(error));
}

/** Joins sentences and skips empty ones. */
export function sentences(...all: readonly string[]): string {
  return all.filter((sentence) => sentence !== '').join(' ');
}
