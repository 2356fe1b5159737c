import { UnsuitableFile } from '../base/file-errors.ts';
import { quoted } from '../base/safe-text.ts';
import type { Check, FileKind, Files } from './files.ts';

/** The records of 1,000 runs take less than 2 MB. Reading more would block the process for too long. */
const MOST_BYTES = 16 * 1_048_576;

const NAMES: Readonly<Record<FileKind, string>> = {
  missing: 'a path without a file',
  file: 'a regular file',
  directory: 'a directory',
  character_device: 'a character device',
  block_device: 'a block device',
  fifo: 'a FIFO (named pipe)',
  socket: 'a socket',
  stdout: "this step's standard output",
};

/**
 * Appends whole lines to a regular file, and creates the file if it is missing. Throws UnsuitableFile for anything
 * but a regular file, and the system's error if the write fails. Never blocks.
 */
export function appendToFile(files: Files, path: string, text: string): void {
  explained(files, path, REGULAR, (check) => files.append(path, text, check));
}

/** As appendToFile, but also writes to a character device, such as a terminal, unless it is this step's stdout. */
export function appendToSummary(files: Files, path: string, text: string): void {
  explained(files, path, REGULAR_OR_DEVICE, (check) => files.append(path, text, check));
}

/** Replaces the content of a regular file. Throws as appendToFile does. */
export function replaceFile(files: Files, path: string, text: string): void {
  explained(files, path, REGULAR, (check) => files.write(path, text, check));
}

/** The text of a regular file of at most 16 MiB. Undefined for anything else, and if it cannot be read. Never blocks. */
export function readFile(files: Files, path: string): string | undefined {
  return files.read(path, ({ kind, bytes }) => {
    accept(path, kind, REGULAR);
    if (bytes > MOST_BYTES) throw new UnsuitableFile(`${quoted(path)} is too large`);
  });
}

/** What is wrong with the path in GITHUB_OUTPUT, and what to do about it. Undefined if it is fine or not set. */
export function mistakeInOutputFile(files: Files, path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  const kind = files.kindOf(path);
  if (kind === 'missing' || REGULAR.has(kind)) return undefined;
  return `GITHUB_OUTPUT is ${quoted(path)}, which is ${NAMES[kind]}. Outputs can only be written to a regular file. Set GITHUB_OUTPUT to the path of one, or leave it unset.`;
}

const REGULAR: ReadonlySet<FileKind> = new Set(['file']);
const REGULAR_OR_DEVICE: ReadonlySet<FileKind> = new Set(['file', 'character_device']);

/** The check comes after opening, so that a path that changes in between is judged by what was opened. */
function explained(
  files: Files,
  path: string,
  accepted: ReadonlySet<FileKind>,
  use: (check: Check) => void,
): void {
  try {
    use(({ kind }) => accept(path, kind, accepted));
  } catch (error) {
    // The system's own error for a FIFO without a reader, ENXIO, does not say what is wrong.
    const kind = files.kindOf(path);
    if (kind !== 'missing') accept(path, kind, accepted);
    throw error;
  }
}

function accept(path: string, kind: FileKind, accepted: ReadonlySet<FileKind>): void {
  if (!accepted.has(kind)) throw new UnsuitableFile(`${quoted(path)} is ${NAMES[kind]}`);
}
