import { appendToFile, fileRecord } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { encode, stateKey, type Writer, type WrittenRecord } from './records.ts';

/**
 * The runner passes the state to post in environment variables. macOS limits these, together with process arguments,
 * to 1 MiB (ARG_MAX), and Linux limits them to 2 MB. This budget leaves room for the rest of the environment.
 */
const MOST_BYTES = 600_000;

/** Bytes that the environment needs per variable besides its key and value: `STATE_`, the final NUL, and a pointer. */
const BYTES_BESIDE = 16;

export interface StateWriter {
  /** Writes a record durably before returning. Throws if no file accepts the record. */
  write(record: WrittenRecord): void;
}

/**
 * Writes every record to each nonempty path: the runner's state file and a journal, because some runners lose the state
 * of a cancelled step. The first file only receives as much as fits into an environment, and the others receive all
 * records. Without any file, the writer does nothing, as post could read no record. Numbering continues after `last`.
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
      // Always write the few other records, because without main's final record, post would repeat main's report.
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
      // Exceeding the limit is better than losing the record.
      if (isFull && first !== undefined) appendToFile(files, first, line);
      else throw errors[0];
    },
  };
}
