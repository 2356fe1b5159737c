import { type LedgerRecord, type LedgerRun, replay } from '../run/ledger.ts';
import type { MainRecord, StateRecord } from './state-records.ts';

/** What the records of one main step say, for whoever comes after it. */
export interface Leftovers {
  /** Undefined when the runner lost the state, or main never got that far. */
  readonly main: MainRecord | undefined;
  /** Main ended by itself, and told its user how every run stands. */
  readonly closed: boolean;
  readonly runs: readonly LedgerRun[];
}

/** Reads records, in their order, as a whole. */
export function leftoversOf(records: readonly StateRecord[]): Leftovers {
  const ledger = records.filter((record): record is LedgerRecord => 'run' in record);
  return {
    main: records.find((record) => record.kind === 'main'),
    closed: records.some((record) => record.kind === 'closed'),
    runs: replay(ledger),
  };
}

/** What post is to do about a run. */
export type Chore =
  /** Cancel it, and see that it has ended. */
  | 'cancel'
  /** Say that it goes on. */
  | 'tell_left'
  /** Say that there may be a run that nobody knows of. */
  | 'tell_intent'
  | 'none';

/** Decides by what was written down, not by how the job stands: a step can be cancelled in a job that is not. */
export function choreFor(run: LedgerRun, main: MainRecord, jobStatus: string): Chore {
  switch (run.standing) {
    case 'refused':
    case 'unknown':
    case 'left':
    case 'settled':
      return 'none';
    case 'intent':
      return 'tell_intent';
    case 'cancelling':
      return 'cancel';
    case 'open':
      return main.onCancel === 'cancel' ? 'cancel' : 'tell_left';
    case 'detached':
      return main.onCancel === 'cancel' && hasBecomeCancelled(main, jobStatus) ? 'cancel' : 'none';
  }
}

/** A run that nobody waits for ends with the job only if the job was cancelled after it was triggered. */
function hasBecomeCancelled(main: MainRecord, jobStatus: string): boolean {
  return jobStatus.toLowerCase() === 'cancelled' && main.jobStatus.toLowerCase() !== 'cancelled';
}
