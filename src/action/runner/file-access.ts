import { fileRemedy, sentences, UnsuitableFile } from '../../base/file-errors.ts';
import { messageOf, oneLine, quoted } from '../../base/safe-text.ts';
import { type Check, FILE_KINDS, type FileKind, type Files } from './files.ts';

/** The records of 1,000 runs take less than 2 MB. Reading more than this would block the process for too long. */
const MAX_READ_BYTES = 16 * 1_048_576;
/** Ends a value with several lines. None of the action's values contains this line. */
const DELIMITER = 'end_of_run_pipeline_value';

/** Appends lines to a regular file, or creates it. Never blocks. Throws UnsuitableFile, or the system's error. */
export function appendToFile(files: Files, path: string, text: string): void {
  withCheck(files, path, ['file'], (check) => files.append(path, text, check));
}

/** As appendToFile, but also writes to a character device, such as a terminal, unless it is this step's stdout. */
export function appendToSummary(files: Files, path: string, text: string): void {
  withCheck(files, path, ['file', 'character_device'], (check) => files.append(path, text, check));
}

/** Replaces the content of a regular file. Creates and throws as appendToFile does. */
export function replaceFile(files: Files, path: string, text: string): void {
  withCheck(files, path, ['file'], (check) => files.write(path, text, check));
}

/** The text of a regular file of at most 16 MiB. Undefined for anything else and after an error. Never blocks. */
export function readFile(files: Files, path: string): string | undefined {
  return files.read(path, ({ kind, bytes }) => {
    accept(path, kind, ['file']);
    if (bytes > MAX_READ_BYTES) throw new UnsuitableFile(`${quoted(path)} is too large`);
  });
}

/** What is wrong with the path in GITHUB_OUTPUT, and what to do about it. Undefined if it is usable or not set. */
export function mistakeInOutputFile(files: Files, path = ''): string | undefined {
  if (path === '') return undefined;
  try {
    // Creates the file if it is missing, because nothing else shows whether it can be written.
    withCheck(files, path, ['file'], (check) => files.openToAppend(path, check));
    return undefined;
  } catch (error) {
    const what = `GITHUB_OUTPUT is ${quoted(path)}, which`;
    if (error instanceof UnsuitableFile) {
      return `${what} is ${FILE_KINDS[files.kindOf(path)]}. Outputs can only be written to a regular file. Set GITHUB_OUTPUT to the path of one, or leave it unset.`;
    }
    const why = oneLine(messageOf(error));
    return sentences(`${what} cannot be written (${why}).`, fileRemedy(error), 'Or leave it unset.');
  }
}

/** Checks the file after opening it, because the path might lead to another file by then. */
function withCheck(files: Files, path: string, accepted: readonly FileKind[], use: (check: Check) => void): void {
  try {
    use(({ kind }) => accept(path, kind, accepted));
  } catch (error) {
    // For a FIFO without a reader, the system's own error is ENXIO, which does not say what is wrong.
    const kind = files.kindOf(path);
    if (kind !== 'missing') accept(path, kind, accepted);
    throw error;
  }
}

function accept(path: string, kind: FileKind, accepted: readonly FileKind[]): void {
  if (!accepted.includes(kind)) throw new UnsuitableFile(`${quoted(path)} is ${FILE_KINDS[kind]}`);
}

/** A record in a runner's file. Write values with several lines last: the runner ignores what follows a torn one. */
export function fileRecord(key: string, value: string): string {
  // No empty line between records: act ignores what follows one.
  if (!/[\r\n]/.test(value)) return `${key}=${value}\n`;
  if (value.split(/[\r\n]/).includes(DELIMITER)) throw new Error(`the output ${key} contains a line that ends it`);
  return `${key}<<${DELIMITER}\n${value}\n${DELIMITER}\n`;
}
