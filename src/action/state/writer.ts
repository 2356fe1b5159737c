import { appendToFile, fileRecord } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { encode, stateKey, type Writer, type WrittenRecord } from './records.ts';

/**
 * The runner hands the state to post as environment variables. macOS starts no process with more than 1 MiB of those and
 * its arguments together (ARG_MAX), Linux with more than 2 MB; the rest of the environment needs room as well.
 */
const MOST_BYTES = 600_000;

/** Of the variable's name before the key, its end, and the pointer to it. */
const BYTES_BESIDE = 16;

export interface StateWriter {
  /** Writes a record for good before it returns. Throws if no place took it. */
  write(record: WrittenRecord): void;
}

/**
 * Writes every record to each of the places that outlive this process: the runner's state file, and a journal of
 * our own, since some runners lose the state of a step that is cancelled. With no place at all there is no post
 * step either that could read it, and nothing is written. The first place takes no more than a runner can hand on in
 * an environment; what comes later is in the others alone. Numbers go on from `last`.
 */
export function createStateWriter(
  files: Files,
  places: readonly string[],
  { writer = 'main', last = 0 }: { readonly writer?: Writer; readonly last?: number } = {},
): StateWriter {
  const [first, ...others] = places;
  let number = last;
  let bytes = 0;
  return {
    write(record) {
      number += 1;
      const line = fileRecord(stateKey(writer, number), encode(record));
      const size = Buffer.byteLength(line) + BYTES_BESIDE;
      // Without the record of main's end, post would take what main printed for unread.
      const isFull = 'fact' in record && bytes + size > MOST_BYTES;
      if (!isFull) bytes += size;
      const open = isFull ? others : places;
      const errors = open.flatMap((place) => failureOf(() => appendToFile(files, place, line)));
      if (errors.length < open.length || places.length === 0) return;
      // Too much for an environment is better than nothing at all.
      if (isFull && first !== undefined) appendToFile(files, first, line);
      else throw errors[0];
    },
  };
}

function failureOf(task: () => void): unknown[] {
  try {
    task();
    return [];
  } catch (error) {
    return [error];
  }
}
