import type { Uuid } from '../../../src/base/uuid.ts';
import type { StepParts } from '../../../src/run/parts.ts';
import type { Plan, Target } from '../../../src/run/plan.ts';
import type { DurableFact, Entry, Stop } from '../../../src/run/state/facts.ts';
import { Ledger, type News, plannedRuns, type Run } from '../../../src/run/state/ledger.ts';
import type { RunState } from '../../../src/run/state/run-state.ts';
import { runStep } from '../../../src/run/step.ts';
import type { Problem, Service } from '../../../src/service/api.ts';
import { isKnownStatus } from '../../../src/service/statuses.ts';
import {
  FAILED,
  type FakeService,
  fakeService,
  type Call as Made,
  type ServiceScript as Script,
} from '../../support/fake-service.ts';
import { interruptible } from '../../support/interruption.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export { FAILED };
export type Call = Made & { readonly at: number; readonly endedAt: number | undefined };

/** A durable fact as tests compare it. */
export type Recorded = Readonly<Record<string, unknown>> & { readonly kind: DurableFact['kind'] };

/** News as tests look for it: a notice by its name, a fact by its kind, or by what an observer makes of it. */
export interface Told {
  readonly type: string;
  readonly run?: RunState;
  readonly from?: string | undefined;
  readonly inMs?: number;
  readonly reason?: string;
  readonly [more: string]: unknown;
}

function recorded({ run, fact }: Entry<DurableFact>): Recorded {
  const common = { kind: fact.kind, ...(run !== undefined && { run }) };
  switch (fact.kind) {
    case 'claimed':
    case 'queued':
      return { ...common, jobId: fact.jobId };
    case 'intent':
      return { ...common, pipelineId: fact.pipeline.id, pipelineName: fact.pipeline.name, at: fact.wall };
    case 'finished':
      return { ...common, status: fact.job.status };
    case 'stopped':
      return { ...common, why: fact.stop.reason.kind, policy: fact.stop.policy };
    default:
      return common;
  }
}

function told(news: News): Told[] {
  if ('notice' in news) return [{ ...news, type: news.notice }];
  const { fact, before, run, unwritten } = news;
  const failed = unwritten ? [{ type: 'ledger_failed', run, reason: unwritten.reason }] : [];
  const from = before.status;
  const retryInMs = 'retryInMs' in fact ? fact.retryInMs : undefined;
  if (retryInMs !== undefined) return [...failed, { ...fact, type: 'retry', inMs: retryInMs, run }];
  const isRow = (fact.kind === 'seen' || fact.kind === 'finished') && !fact.confirming;
  const type = isRow ? (from === run.status ? 'still' : 'status') : fact.kind;
  const again =
    isRow && before.outageSince !== undefined
      ? [{ type: 'contact_again', run, afterMs: (run.lastReadAt ?? 0) - before.outageSince }]
      : [];
  return [...failed, ...again, { ...fact, type, run, from, known: isKnownStatus(run.status ?? '') }];
}

export interface StageOptions {
  /** What is to be run: pipelines, `job:<id>`, or `<pipeline> after <id>` to resume. */
  readonly targets?: readonly Target[];
  readonly plan?: Partial<Plan>;
  readonly script?: Script;
  /** Called with each record before it is kept; what it throws is a full disk. */
  readonly onRecord?: (record: Recorded) => void;
  readonly onEvent?: (event: Told) => void;
  readonly random?: () => number;
  /** Puts something in front of the service. */
  readonly around?: (service: Service, clock: VirtualClock) => Service;
}

export interface Stage extends Pick<FakeService, 'statusOf'> {
  readonly calls: readonly Call[];
  readonly clock: VirtualClock;
  readonly parts: StepParts;
  readonly runs: readonly Run[];
  /** The only run; throws when there are others. */
  readonly run: Run;
  readonly events: readonly Told[];
  readonly records: readonly Recorded[];
  readonly interrupt: (by?: string) => void;
  /** Stops all runs, as the step does on a signal or a timeout. */
  readonly stopAll: (stop: Pick<Stop, 'reason' | 'policy'>) => void;
  /** Plays the whole step to its end, and returns what kept it from triggering anything. */
  readonly play: (longestMs?: number) => Promise<readonly Problem[]>;
  readonly of: (call: Call['call'], jobId?: Uuid) => readonly Call[];
  readonly told: (type: string) => readonly Told[];
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
  onLostResponse: 'fail',
  maxOutageMs: 900_000,
  maxAttempts: 1,
  retryOn: new Set(['failed', 'timed_out']),
  retryDelayMs: 60_000,
};

/** `pipeline-1`, `pipeline-2` and so on, each to be triggered. */
export function pipelines(count: number): readonly Target[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'pipeline', pipeline: `pipeline-${index + 1}` }));
}

/** A step in virtual time, before its first moment. */
export function stage(options: StageOptions = {}): Stage {
  const clock = new VirtualClock();
  const { targets = pipelines(1), random = () => 0.5 } = options;
  const { service, calls: made, statusOf } = fakeService(clock, options.script);
  const old = (): readonly Call[] => made.map((call) => ({ ...call, at: call.atMs, endedAt: call.endedAtMs }));
  const events: Told[] = [];
  const records: Recorded[] = [];
  const { interruption, interrupt } = interruptible(clock);
  const plan = { ...PLAN, ...options.plan, targets };
  const runs = plannedRuns(plan);
  const ledger = new Ledger({
    runs,
    clock,
    write(entry) {
      const record = recorded(entry);
      options.onRecord?.(record);
      records.push(record);
    },
    observe(news) {
      for (const event of told(news)) {
        events.push(event);
        options.onEvent?.(event);
      }
    },
  });
  const parts: StepParts = {
    plan,
    service: options.around?.(service, clock) ?? service,
    clock,
    random,
    ledger,
    interruption,
  };
  return {
    clock,
    parts,
    runs,
    get run() {
      const [run, another] = runs;
      if (run === undefined || another !== undefined) throw new Error(`There are ${runs.length} runs.`);
      return run;
    },
    get calls() {
      return old();
    },
    statusOf,
    events,
    records,
    interrupt,
    stopAll: (stop) => ledger.stop({ ...stop, at: clock.now() }),
    play: (longestMs) => clock.until(runStep(parts), longestMs),
    of: (call, jobId) => old().filter((one) => one.call === call && (jobId === undefined || one.jobId === jobId)),
    told: (type) => events.filter((event) => event.type === type),
  };
}
