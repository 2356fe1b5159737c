import { fileRemedy, sentences, UnsuitableFile } from '../../base/file-errors.ts';
import { messageOf, oneLine, quoted } from '../../base/safe-text.ts';
import { type Check, FILE_KINDS, type FileKind, type Files } from './files.ts';

/** The records of 1,000 runs take less than 2 MB. Reading a file larger than 16 MiB would take too long. */
const MAX_READ_BYTES = 16 * 1_048_576;
/** The line that ends a multiline value. None of the action's values contains it. */
const DELIMITER = 'end_of_run_pipeline_value';

/**
 * Appends lines to a new or existing regular file. Never blocks.
 * @throws UnsuitableFile, PartialWrite or the system's error
 */
export function appendToFile(files: Files, path: string, text: string): void {
  withCheck(files, path, ['file'], (check) => files.append(path, text, check));
}

/** Like appendToFile, but also accepts a character device, such as a terminal, unless it is this step's stdout. */
export function appendToSummary(files: Files, path: string, text: string): void {
  withCheck(files, path, ['file', 'character_device'], (check) => files.append(path, text, check));
}

/**
 * Replaces the contents of a regular file, or creates a missing one. After a failure, the file may be incomplete.
 * @throws UnsuitableFile or the system's error
 */
export function replaceFile(files: Files, path: string, text: string): void {
  withCheck(files, path, ['file'], (check) => files.write(path, text, check));
}

/** Reads a regular file of at most 16 MiB. Returns undefined for anything else and after an error. Never blocks. */
export function readFile(files: Files, path: string): string | undefined {
  return files.read(path, ({ kind, bytes }) => {
    accept(path, kind, ['file']);
    if (bytes > MAX_READ_BYTES) throw new UnsuitableFile(`${quoted(path)} is too large`);
  });
}

/** Returns the problem with the path in GITHUB_OUTPUT and its remedy, or undefined if the path is usable or not set. */
export function mistakeInOutputFile(files: Files, path = ''): string | undefined {
  if (path === '') return undefined;
  try {
    // This creates a missing file, because only opening a file shows whether the action can write to it.
    withCheck(files, path, ['file'], (check) => files.openToAppend(path, check));
    return undefined;
  } catch (error) {
    const what = `GITHUB_OUTPUT is ${quoted(path)}, which`;
    if (error instanceof UnsuitableFile) {
      return `${what} is ${FILE_KINDS[files.kindOf(path)]}. Outputs can only be written to a regular file. Set GITHUB_OUTPUT to the path of one, or leave it unset.`;
    }
    const why = oneLine(messageOf(error));
    return sentences(`${what} cannot be written to (${why}).`, fileRemedy(error), 'Or leave GITHUB_OUTPUT unset.');
  }
}

/** Checks the file only after opening it, because by then the path may lead to a different file. */
function withCheck(files: Files, path: string, accepted: readonly FileKind[], use: (check: Check) => void): void {
  try {
    use(({ kind }) => accept(path, kind, accepted));
  } catch (error) {
    // For a FIFO without a reader, the system reports ENXIO, which does not explain the problem.
    const kind = files.kindOf(path);
    if (kind !== 'missing') accept(path, kind, accepted);
    throw error;
  }
}

function accept(path: string, kind: FileKind, accepted: readonly FileKind[]): void {
  if (!accepted.includes(kind)) throw new UnsuitableFile(`${quoted(path)} is ${FILE_KINDS[kind]}`);
}

/** Returns a record for a runner's file. Write multiline values last, as the runner rejects text after a torn one. */
export function fileRecord(key: string, value: string): string {
  // Do not put an empty line between records, because act ignores everything after an empty line.
  if (!/[\r\n]/.test(value)) return `${key}=${value}\n`;
  if (value.split(/[\r\n]/).includes(DELIMITER))
    throw new Error(`the output ${key} contains a line that equals the delimiter`);
  return `${key}<<${DELIMITER}\n${value}\n${DELIMITER}\n`;
}
