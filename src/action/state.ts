import type { Ledger, LedgerRecord } from '../run/ledger.ts';
import { type Files, fileRecord } from './files.ts';
import { type StateRecord, stateKey } from './state-records.ts';

export interface StateWriter extends Ledger {
  /** Writes a record for good before it returns. Throws when no place took it. */
  write(record: StateRecord | LedgerRecord): void;
}

/**
 * Writes every record to each of the places that outlive this process: the runner's state file, and a journal of
 * our own, since some runners lose the state of a step that is cancelled. With no place at all there is no post
 * step either that could read it, and nothing is written. Numbers go on from `last`.
 */
export function createStateWriter(files: Files, places: readonly string[], last = 0): StateWriter {
  let number = last;
  return {
    write(record) {
      number += 1;
      const line = fileRecord(stateKey(number), JSON.stringify(record));
      const errors: unknown[] = [];
      for (const place of places) {
        try {
          files.append(place, line);
        } catch (error) {
          errors.push(error);
        }
      }
      if (places.length > 0 && errors.length === places.length) throw errors[0];
    },
  };
}
