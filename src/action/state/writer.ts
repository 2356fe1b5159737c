import { appendToFile, fileRecord } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { encode, stateKey, type Writer, type WrittenRecord } from './records.ts';

/**
 * The runner hands the state to post as environment variables. macOS starts no process with more than 1 MiB of those and
 * its arguments together (ARG_MAX), Linux with more than 2 MB; the rest of the environment needs room as well.
 */
const MOST_BYTES = 600_000;

/** What the environment needs for a variable besides its key and value: `STATE_`, the NUL at its end, and a pointer. */
const BYTES_BESIDE = 16;

export interface StateWriter {
  /** Writes a record durably before it returns. Throws if every place refused it. */
  write(record: WrittenRecord): void;
}

/**
 * Writes every record to each of `paths` that is not empty: the runner's state file, and a journal, because some runners
 * lose the state of a cancelled step. The first file takes no more than fits into an environment, and only the others the
 * rest. Without any file, nothing is written, because no post step could read it. Numbers go on from `last`.
 */
export function createStateWriter(files: Files, paths: readonly string[], writer: Writer, last = 0): StateWriter {
  const places = paths.filter((path) => path !== '');
  const [first, ...others] = places;
  let number = last;
  let bytes = 0;
  return {
    write(record) {
      number += 1;
      const line = fileRecord(stateKey(writer, number), encode(record));
      const size = Buffer.byteLength(line) + BYTES_BESIDE;
      // Other records are few, and without the record of main's end, post would repeat what main reported.
      const isFull = 'fact' in record && bytes + size > MOST_BYTES;
      if (!isFull) bytes += size;
      const open = isFull ? others : places;
      const errors: unknown[] = [];
      for (const place of open) {
        try {
          appendToFile(files, place, line);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length < open.length || places.length === 0) return;
      // The limit is exceeded rather than losing the record.
      if (isFull && first !== undefined) appendToFile(files, first, line);
      else throw errors[0];
    },
  };
}
