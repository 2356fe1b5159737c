/** What the runs of a pipeline do over time. The default world has a pipeline for each scenario. */

/** The status and message that a run has from `afterMs` after its trigger (at speed 1). */
export type Stage = readonly [afterMs: number, status: string, message?: string | null];

export interface Scenario {
  /** A verb phrase about the runs of a pipeline with this scenario. */
  readonly does: string;
  readonly timeline: readonly Stage[];
  /** The timelines of the first runs, if they differ. */
  readonly first?: readonly (readonly Stage[])[];
  /** Whether the trigger returns `null` even if the workspace has credits. */
  readonly outOfCredits?: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const QUEUED: readonly Stage[] = [[0, 'queued']];
const STARTED: readonly Stage[] = [
  ...QUEUED,
  [6 * SECOND, 'picked', 'Picked up by agent eu-2'],
  [12 * SECOND, 'running', 'Connecting to the source'],
];
const ENDS_WELL: readonly Stage[] = [
  ...STARTED,
  [45 * SECOND, 'running', 'Loading: 3 of 5 objects'],
  [90 * SECOND, 'completed', '5 objects synced, 18204 rows'],
];
const LOCKED: readonly Stage[] = [...STARTED, [30 * SECOND, 'failed', 'Load failed: lock timeout on "orders"']];

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  orders: { does: 'completes', timeline: ENDS_WELL },
  customers: {
    does: 'completes with a warning',
    timeline: [
      ...STARTED,
      [75 * SECOND, 'completed_with_warning', '1 of 14 objects had issues: addresses (3 rows rejected)'],
    ],
  },
  broken: {
    does: 'fails with a reason',
    timeline: [
      ...STARTED,
      [60 * SECOND, 'failed', 'Load failed: permission denied for schema "analytics" (SQLSTATE 42501)'],
    ],
  },
  flaky: { does: 'fails once, then completes', timeline: ENDS_WELL, first: [LOCKED] },
  flakier: { does: 'fails twice, then completes', timeline: ENDS_WELL, first: [LOCKED, LOCKED] },
  idle: {
    does: 'is skipped because there is nothing to do',
    timeline: [...QUEUED, [6 * SECOND, 'picked'], [15 * SECOND, 'skipped', 'No changes since the last sync']],
  },
  overrun: {
    does: "exceeds the service's time limit",
    timeline: [...STARTED, [2 * MINUTE, 'timed_out', 'Run exceeded its time limit of 2 min']],
  },
  slow: {
    does: 'completes slowly',
    timeline: [
      ...STARTED,
      [2 * MINUTE, 'running', 'Loading: 1 of 3 objects'],
      [5 * MINUTE, 'running', 'Loading: 2 of 3 objects'],
      [10 * MINUTE, 'completed', '3 objects synced, 2741932 rows'],
    ],
  },
  endless: { does: 'runs until it is cancelled', timeline: STARTED },
  unpicked: { does: 'stays queued, because no agent picks it up', timeline: QUEUED },
  penniless: { does: 'is not queued, because the account is out of credits', timeline: QUEUED, outOfCredits: true },
  inactive: { does: 'is rejected, because the pipeline is not active', timeline: QUEUED },
};

const TERMINAL = new Set(['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped']);

/** Returns the time in ms from the trigger to the end of a run that is not cancelled, or null if the run never ends. */
export function naturalEnd(timeline: readonly Stage[]): number | null {
  return timeline.find(([, status]) => TERMINAL.has(status))?.[0] ?? null;
}
