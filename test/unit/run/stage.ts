import type { Uuid } from '../../../src/base/uuid.ts';
import type { StepEvent } from '../../../src/run/events.ts';
import type { LedgerRecord } from '../../../src/run/ledger.ts';
import type { StepParts } from '../../../src/run/parts.ts';
import type { Plan, Target } from '../../../src/run/plan.ts';
import type { RunState } from '../../../src/run/run-state.ts';
import { plannedRuns, runStep } from '../../../src/run/step.ts';
import type { Failure, Problem, Service } from '../../../src/service/api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { type Call, type FakeService, fakeService, type Script } from './fake-service.ts';

export interface StageOptions {
  /** What is to be run: pipelines, `job:<id>`, or `<pipeline> after <id>` to resume. */
  readonly targets?: readonly Target[];
  readonly plan?: Partial<Plan>;
  readonly script?: Script;
  /** Called with each record before it is kept; what it throws is a full disk. */
  readonly onRecord?: (record: LedgerRecord) => void;
  readonly onEvent?: (event: StepEvent) => void;
  readonly random?: () => number;
  /** Puts something in front of the service. */
  readonly around?: (service: Service, clock: VirtualClock) => Service;
}

export interface Stage extends Pick<FakeService, 'calls' | 'statusOf'> {
  readonly clock: VirtualClock;
  readonly parts: StepParts;
  readonly runs: readonly RunState[];
  /** The only run; throws when there are others. */
  readonly run: RunState;
  readonly events: readonly StepEvent[];
  readonly records: readonly LedgerRecord[];
  readonly interrupt: (by?: string) => void;
  /** Plays the whole step to its end, and returns what kept it from triggering anything. */
  readonly play: (longestMs?: number) => Promise<readonly Problem[]>;
  readonly of: (call: Call['call'], jobId?: Uuid) => readonly Call[];
  readonly told: (type: StepEvent['type']) => readonly StepEvent[];
}

const PLAN: Omit<Plan, 'targets'> = {
  fullResync: false,
  resetTarget: false,
  wait: true,
  dryRun: false,
  maxParallel: Infinity,
  failFast: false,
  pollIntervalMs: 30_000,
  timeoutMs: undefined,
  queueTimeoutMs: undefined,
  onTimeout: 'cancel',
  onCancel: 'cancel',
  succeedOn: new Set(['completed', 'completed_with_warning', 'skipped']),
  retryTrigger: 'safe',
  maxOutageMs: 900_000,
};

/** `pipeline-1`, `pipeline-2` and so on, each to be triggered. */
export function pipelines(count: number): readonly Target[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'pipeline',
    pipeline: `pipeline-${index + 1}`,
  }));
}

/** A step in virtual time, before its first moment. */
export function stage(options: StageOptions = {}): Stage {
  const clock = new VirtualClock();
  const { targets = pipelines(1), random = () => 0.5 } = options;
  const { service, calls, statusOf } = fakeService(clock, options.script);
  const events: StepEvent[] = [];
  const records: LedgerRecord[] = [];
  const { interruption, interrupt } = interruptible(clock);
  const parts: StepParts = {
    plan: { ...PLAN, ...options.plan, targets },
    service: options.around?.(service, clock) ?? service,
    clock,
    random,
    ledger: {
      write(record) {
        options.onRecord?.(record);
        records.push(record);
      },
    },
    observe(event) {
      events.push(event);
      options.onEvent?.(event);
    },
    interruption,
  };
  const runs = plannedRuns(parts);
  return {
    clock,
    parts,
    runs,
    get run() {
      const [run, another] = runs;
      if (run === undefined || another !== undefined) throw new Error(`There are ${runs.length} runs.`);
      return run;
    },
    calls,
    statusOf,
    events,
    records,
    interrupt,
    play: (longestMs) => clock.until(runStep(parts, runs), longestMs),
    of: (call, jobId) =>
      calls.filter((one) => one.call === call && (jobId === undefined || one.jobId === jobId)),
    told: (type) => events.filter((event) => event.type === type),
  };
}

function interruptible(clock: VirtualClock): Pick<StepParts, 'interruption'> & Pick<Stage, 'interrupt'> {
  const controller = new AbortController();
  let first: { readonly by: string; readonly at: number } | undefined;
  const interruption = {
    signal: controller.signal,
    get first() {
      return first;
    },
  };
  return {
    interruption,
    interrupt(by = 'SIGINT') {
      first ??= { by, at: clock.now() };
      controller.abort();
    },
  };
}

/** How a call can fail, by kind. */
export const FAILED = {
  perhaps: { kind: 'perhaps', problem: { attempted: 'ask', came: 'HTTP 503' } },
  notProcessed: {
    kind: 'not_processed',
    problem: { attempted: 'ask', came: 'connection refused' },
    hopeless: false,
  },
  hopeless: {
    kind: 'not_processed',
    problem: { attempted: 'ask', came: 'the certificate is not trusted' },
    hopeless: true,
  },
  busy: {
    kind: 'not_processed',
    problem: { attempted: 'ask', came: 'HTTP 429' },
    hopeless: false,
    retryAfterMs: 45_000,
  },
  unauthorized: { kind: 'unauthorized', problem: { attempted: 'ask', came: 'HTTP 401' } },
  rejected: { kind: 'rejected', problem: { attempted: 'ask', came: 'HTTP 403' } },
  keyRefused: { kind: 'key_refused', problem: { attempted: 'exchange the key', came: 'HTTP 401' } },
} as const satisfies Record<string, Failure>;
