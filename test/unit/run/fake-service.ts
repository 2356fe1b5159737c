import { pause } from '../../../src/base/clock.ts';
import type { Uuid } from '../../../src/base/uuid.ts';
import type {
  CallOptions,
  CancelOutcome,
  ConnectOutcome,
  Job,
  ListOutcome,
  Order,
  ReadOutcome,
  Service,
  TriggerOutcome,
} from '../../../src/service/api.ts';
import { isTerminal } from '../../../src/service/statuses.ts';
import { uuid } from '../../support/service.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';

/** An outcome at once, or after a while; `stalls` brings nothing until its caller has had enough. */
export type Scripted<Outcome> = Outcome | { readonly afterMs: number; readonly outcome: Outcome } | 'stalls';

/** What a run says of itself, from so many milliseconds after its trigger on. */
export type Life = readonly (readonly [afterMs: number, status: string])[];

/** What is not scripted goes as it should. Calls about a run are counted for each run, all others together, from 1. */
export interface Script {
  readonly connect?: (nth: number) => Scripted<ConnectOutcome> | undefined;
  readonly list?: (nth: number) => Scripted<ListOutcome> | undefined;
  readonly trigger?: (nth: number, order: Order) => Scripted<TriggerOutcome> | undefined;
  readonly read?: (nth: number, jobId: Uuid) => Scripted<ReadOutcome> | undefined;
  readonly cancel?: (nth: number, jobId: Uuid) => Scripted<CancelOutcome> | undefined;
  /** The life of the nth run that is triggered. Without it a run goes on until it is cancelled. */
  readonly life?: (nth: number) => Life;
  /** Runs that exist before the step begins. */
  readonly existing?: Readonly<Record<Uuid, Life>>;
  /** How long every call takes that has no script, in milliseconds. */
  readonly callMs?: number;
}

export interface Call {
  readonly call: keyof Service;
  readonly jobId?: Uuid;
  readonly pipelineId?: Uuid;
  readonly at: number;
  readonly withinMs: number | undefined;
  endedAt: number | undefined;
}

export interface FakeService {
  readonly service: Service;
  readonly calls: readonly Call[];
  /** The status of a run as it is right now. */
  readonly statusOf: (jobId: Uuid) => string;
}

/** The id of the nth run that is triggered, and of the nth pipeline. */
export function jobNumber(nth: number): Uuid {
  return uuid(`10000000-0000-4000-8000-${String(nth).padStart(12, '0')}`);
}

export function pipelineNumber(nth: number): Uuid {
  return uuid(`20000000-0000-4000-8000-${String(nth).padStart(12, '0')}`);
}

interface Known {
  readonly life: Life;
  readonly since: number;
  cancelled: boolean;
}

const ENDLESS: Life = [[0, 'running']];
const NO_ANSWER = { attempted: 'make the call', cause: 'no answer came in time' };

/** The five calls in virtual time, over runs with lives of their own. */
export function fakeService(clock: VirtualClock, script: Script = {}): FakeService {
  const calls: Call[] = [];
  const known = new Map<Uuid, Known>(
    Object.entries(script.existing ?? {}).map(([id, life]) => [uuid(id), { life, since: 0, cancelled: false }]),
  );
  let triggered = 0;

  const statusOf = (jobId: Uuid): string => {
    const run = known.get(jobId);
    if (run === undefined) throw new Error(`There is no run ${jobId}.`);
    if (run.cancelled) return 'cancelled';
    return run.life.findLast(([afterMs]) => clock.now() - run.since >= afterMs)?.[1] ?? 'queued';
  };
  const jobOf = (id: Uuid): Job => ({ id, status: statusOf(id), statusMessage: null });
  const note = (call: Omit<Call, 'at' | 'endedAt'>): { nth: number; entry: Call } => {
    const entry: Call = { ...call, at: clock.now(), endedAt: undefined };
    calls.push(entry);
    const alike = calls.filter((one) => one.call === call.call && one.jobId === call.jobId);
    return { nth: alike.length, entry };
  };
  const play = async <Outcome extends { readonly kind: string }>(
    entry: Call,
    scripted: Scripted<Outcome> | undefined,
    usual: () => Outcome,
    signal: AbortSignal | undefined,
  ): Promise<Outcome | { kind: 'aborted' } | { kind: 'maybe_processed'; problem: typeof NO_ANSWER }> => {
    const longestMs = entry.withinMs ?? 30_000;
    const afterMs = lasts(scripted, script.callMs ?? 0);
    await pause(clock, Math.min(afterMs, longestMs), signal);
    entry.endedAt = clock.now();
    if (signal?.aborted === true) return { kind: 'aborted' };
    if (scripted === 'stalls' || afterMs > longestMs) return { kind: 'maybe_processed', problem: NO_ANSWER };
    if (scripted === undefined) return usual();
    return 'outcome' in scripted ? scripted.outcome : scripted;
  };

  const service: Service = {
    connect: (options: CallOptions = {}) => {
      const { nth, entry } = note({ call: 'connect', withinMs: (options.requestWithinMs ?? options.withinMs)?.() });
      return play(entry, script.connect?.(nth), () => CONNECTED, options.signal);
    },
    list: (options: CallOptions = {}) => {
      const { nth, entry } = note({ call: 'list', withinMs: (options.requestWithinMs ?? options.withinMs)?.() });
      return play(entry, script.list?.(nth), () => listing(), options.signal);
    },
    trigger: async (order, { onSend }) => {
      onSend();
      const { nth, entry } = note({ call: 'trigger', pipelineId: order.pipelineId, withinMs: 120_000 });
      return play(entry, script.trigger?.(nth, order), () => queue(), undefined);
    },
    read: (jobId, options: CallOptions = {}) => {
      const { nth, entry } = note({ call: 'read', jobId, withinMs: (options.requestWithinMs ?? options.withinMs)?.() });
      const usual = (): ReadOutcome => (known.has(jobId) ? { kind: 'job', job: jobOf(jobId) } : { kind: 'missing' });
      return play(entry, script.read?.(nth, jobId), usual, options.signal);
    },
    cancel: (jobId, options: CallOptions = {}) => {
      const { nth, entry } = note({
        call: 'cancel',
        jobId,
        withinMs: (options.requestWithinMs ?? options.withinMs)?.(),
      });
      return play(entry, script.cancel?.(nth, jobId), () => cancel(jobId), options.signal);
    },
  };

  function queue(): TriggerOutcome {
    triggered += 1;
    const jobId = jobNumber(triggered);
    known.set(jobId, { life: script.life?.(triggered) ?? ENDLESS, since: clock.now(), cancelled: false });
    return { kind: 'queued', jobId };
  }

  function cancel(jobId: Uuid): CancelOutcome {
    const run = known.get(jobId);
    if (run === undefined || isTerminal(statusOf(jobId))) return { kind: 'unchanged' };
    run.cancelled = true;
    return { kind: 'job', job: jobOf(jobId) };
  }

  return { service, calls, statusOf };
}

function lasts(scripted: Scripted<object> | undefined, usualMs: number): number {
  if (scripted === 'stalls') return Infinity;
  if (scripted === undefined) return usualMs;
  return 'afterMs' in scripted && typeof scripted.afterMs === 'number' ? scripted.afterMs : usualMs;
}

const CONNECTED: ConnectOutcome = {
  kind: 'connected',
  account: { region: 'eu-1', apiUrl: new URL('https://api.example.test'), expiresAt: null },
};

/** A workspace with a hundred pipelines: `pipeline-1` is named `Pipeline 1`, and so on. */
export function listing(count = 100): Extract<ListOutcome, { kind: 'pipelines' }> {
  const pipelines = Array.from({ length: count }, (_, index) => ({
    id: pipelineNumber(index + 1),
    name: `Pipeline ${index + 1}`,
    apiName: `pipeline-${index + 1}`,
  }));
  return { kind: 'pipelines', pipelines, mayBeTruncated: false };
}
