import type { Uuid } from '../base/uuid.ts';
import type { TerminalStatus } from '../service/statuses.ts';

/**
 * What must outlive this process, in the order in which it happened. An intent is written before its POST, all
 * else right after the fact: whoever reads the records later knows what may be running, and what to do with it.
 */
export type LedgerRecord =
  | {
      readonly kind: 'intent';
      readonly run: number;
      readonly pipelineId: Uuid;
      readonly pipelineName: string | null;
      /** Wall-clock time in milliseconds, for people. */
      readonly at: number;
    }
  /** There is nothing to see to: the POST of the last intent made no run, or the earlier run is not taken. */
  | { readonly kind: 'refused'; readonly run: number }
  /** What the POST of the last intent made is not known, and the user was told. */
  | { readonly kind: 'unknown'; readonly run: number }
  | { readonly kind: 'queued'; readonly run: number; readonly jobId: Uuid }
  /** Existed before this step, which awaits it from now on. */
  | { readonly kind: 'attached'; readonly run: number; readonly jobId: Uuid }
  /** To be cancelled whatever `on-cancel` says: a time-out asked for it. */
  | { readonly kind: 'cancelling'; readonly run: number }
  /** Not to be cancelled any more, by policy or because contact was lost. */
  | { readonly kind: 'left'; readonly run: number }
  /** Not waited for. */
  | { readonly kind: 'detached'; readonly run: number }
  | { readonly kind: 'settled'; readonly run: number; readonly status: TerminalStatus };

export interface Ledger {
  /** Writes one record for good before it returns. Throws when it cannot. */
  write(record: LedgerRecord): void;
}

/** What the records say of one run, all told. */
export interface LedgerRun {
  readonly run: number;
  jobId: Uuid | undefined;
  standing: 'intent' | 'refused' | 'unknown' | 'open' | 'cancelling' | 'left' | 'detached' | 'settled';
  pipelineId: Uuid | undefined;
  pipelineName: string | null;
  intentAt: number | undefined;
}

/** Reads the records back into one line per run. What was settled stays so, and what was left stays left. */
export function replay(records: readonly LedgerRecord[]): LedgerRun[] {
  const runs = new Map<number, LedgerRun>();
  for (const record of records) {
    const run = runs.get(record.run) ?? blank(record.run);
    runs.set(record.run, run);
    if (run.standing === 'settled') continue;
    if (run.standing === 'left' && record.kind !== 'settled') continue;
    apply(run, record);
  }
  return [...runs.values()].sort((a, b) => a.run - b.run);
}

function blank(run: number): LedgerRun {
  return {
    run,
    jobId: undefined,
    standing: 'refused',
    pipelineId: undefined,
    pipelineName: null,
    intentAt: undefined,
  };
}

function apply(run: LedgerRun, record: LedgerRecord): void {
  switch (record.kind) {
    case 'intent':
      run.standing = 'intent';
      // The id of an earlier run, which was not taken, is not that of the one to come.
      run.jobId = undefined;
      run.pipelineId = record.pipelineId;
      run.pipelineName = record.pipelineName;
      run.intentAt = record.at;
      return;
    case 'queued':
    case 'attached':
      run.standing = 'open';
      run.jobId = record.jobId;
      return;
    case 'refused':
    case 'unknown':
    case 'cancelling':
    case 'left':
    case 'detached':
    case 'settled':
      run.standing = record.kind;
  }
}
