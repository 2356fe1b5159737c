import type { LedgerRecord } from './ledger.ts';
import type { StepParts } from './parts.ts';
import type { RunState } from './run-state.ts';

/** Writes down what has happened. A ledger that fails here is told, and the run goes on: it exists already. */
export function record(
  parts: Pick<StepParts, 'ledger' | 'observe'>,
  run: RunState,
  entry: LedgerRecord,
): void {
  try {
    parts.ledger.write(entry);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    parts.observe({ type: 'ledger_failed', run, reason });
  }
}
