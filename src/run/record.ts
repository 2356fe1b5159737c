import { fileRemedy } from '../base/file-errors.ts';
import type { Problem } from '../service/api.ts';
import type { LedgerRecord } from './ledger.ts';
import type { StepParts } from './parts.ts';
import type { RunState } from './run-state.ts';

/** Writes down that a run has ended, if it has. */
export function recordEnd(parts: Pick<StepParts, 'ledger' | 'observe'>, run: RunState): void {
  if (run.standing.at !== 'ended') return;
  record(parts, run, { kind: 'settled', run: run.number, status: run.standing.status });
}

/** No contact: the run is left, and later steps know that it was. */
export function loseRun(parts: Pick<StepParts, 'ledger' | 'observe'>, run: RunState, problem: Problem): void {
  run.standing = { at: 'lost', problem };
  record(parts, run, { kind: 'left', run: run.number });
}

/** Writes down what has happened. A ledger that fails here is told, and the run goes on: it exists already. */
export function record(
  parts: Pick<StepParts, 'ledger' | 'observe'>,
  run: RunState,
  entry: LedgerRecord,
): void {
  try {
    parts.ledger.write(entry);
    run.unrecorded = undefined;
  } catch (error) {
    run.unrecorded = { remedy: fileRemedy(error) };
    const reason = error instanceof Error ? error.message : String(error);
    parts.observe({ type: 'ledger_failed', run, reason });
  }
}
