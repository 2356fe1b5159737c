import { pause } from '../../src/base/clock.ts';
import type { Uuid } from '../../src/base/uuid.ts';
import type { CallOptions, CancelOutcome, Job, Problem, ReadOutcome, Service } from '../../src/service/api.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What a call brings, at once or after a while; `stalls` brings nothing until its caller has had enough. */
export type Scripted<Outcome> = Outcome | { readonly afterMs: number; readonly outcome: Outcome } | 'stalls';

export interface Called {
  readonly call: keyof Service;
  readonly jobId?: Uuid;
  readonly atMs: number;
  readonly withinMs?: number;
}

export interface ServiceScript {
  /** The nth cancel, from 1. By default the run is cancelled. */
  readonly cancel?: (nth: number, jobId: Uuid) => Scripted<CancelOutcome>;
  /** The nth read, from 1. By default the service knows no such run. */
  readonly read?: (nth: number, jobId: Uuid) => Scripted<ReadOutcome>;
}

/** A service in virtual time that answers by a script, and keeps what was asked of it. It never takes a trigger. */
export function scriptedService(
  clock: VirtualClock,
  script: ServiceScript = {},
): { readonly service: Service; readonly calls: readonly Called[] } {
  const calls: Called[] = [];
  const nth = (call: keyof Service): number => calls.filter((one) => one.call === call).length;
  const note = (call: keyof Service, jobId: Uuid, options: CallOptions = {}): number => {
    const withinMs = (options.requestWithinMs ?? options.withinMs)?.();
    calls.push({ call, jobId, atMs: clock.now(), ...(withinMs === undefined ? {} : { withinMs }) });
    return nth(call);
  };
  const play = async <Outcome extends { readonly kind: string }>(
    scripted: Scripted<Outcome>,
    options: CallOptions = {},
  ): Promise<Outcome | { kind: 'aborted' } | { kind: 'maybe_processed'; problem: Problem }> => {
    const { signal } = options;
    const withinMs = (options.requestWithinMs ?? options.withinMs)?.() ?? 30_000;
    const afterMs = scripted === 'stalls' ? Infinity : 'afterMs' in scripted ? scripted.afterMs : 0;
    await pause(clock, Math.min(afterMs, withinMs), signal);
    if (signal?.aborted === true) return { kind: 'aborted' };
    if (scripted === 'stalls' || afterMs > withinMs) return { kind: 'maybe_processed', problem: NO_ANSWER };
    return 'outcome' in scripted ? scripted.outcome : scripted;
  };
  const never = (call: keyof Service) => (): never => {
    throw new Error(`Nobody was to call ${call}.`);
  };
  const service: Service = {
    connect: never('connect'),
    list: never('list'),
    trigger: never('trigger'),
    read: (jobId, options) => {
      const count = note('read', jobId, options);
      return play(script.read?.(count, jobId) ?? { kind: 'missing' }, options);
    },
    cancel: (jobId, options) => {
      const count = note('cancel', jobId, options);
      return play(script.cancel?.(count, jobId) ?? rowOf(jobId, 'cancelled'), options);
    },
  };
  return { service, calls };
}

/** A row with a run's own id, as a read or a cancel brings it. */
export function rowOf(id: Uuid, status: string, statusMessage: string | null = null): { kind: 'job'; job: Job } {
  return { kind: 'job', job: { id, status, statusMessage } };
}

const NO_ANSWER: Problem = { attempted: 'cancel the run', cause: 'no answer came in time' };
