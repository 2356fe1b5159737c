// A fake of the service's five calls, whose runs change status in virtual time.
import { pause } from '../../src/base/clock.ts';
import type { Uuid } from '../../src/base/uuid.ts';
import type {
  CallOptions,
  CancelOutcome,
  ConnectOutcome,
  Failure,
  Job,
  ListOutcome,
  Order,
  ReadOutcome,
  Service,
  TriggerOutcome,
} from '../../src/service/api.ts';
import { isTerminal } from '../../src/service/statuses.ts';
import { API, uuid } from './service.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** An outcome, either immediate or delayed. With `stalls`, no response arrives before the caller gives up. */
export type Scripted<Outcome> = Outcome | { readonly afterMs: number; readonly outcome: Outcome } | 'stalls';

/** The statuses of a run, each with its delay after the trigger in milliseconds, or its only status. */
export type Life = string | readonly (readonly [afterMs: number, status: string])[];

/** Unscripted calls succeed. `nth` counts calls of the same kind from 1, with a separate count for each run. */
export interface ServiceScript {
  readonly connect?: (nth: number) => Scripted<ConnectOutcome> | undefined;
  readonly list?: (nth: number) => Scripted<ListOutcome> | undefined;
  readonly trigger?: (nth: number, order: Order) => Scripted<TriggerOutcome> | undefined;
  readonly read?: (nth: number, jobId: Uuid) => Scripted<ReadOutcome> | undefined;
  readonly cancel?: (nth: number, jobId: Uuid) => Scripted<CancelOutcome> | undefined;
  /** The timeline of the nth triggered run. By default, a run is in progress until it is cancelled. */
  readonly life?: (nth: number) => Life;
  /** Runs that exist before the step starts. A function returns the current status of a run that is not cancelled. */
  readonly existing?: Readonly<Record<Uuid, Life | (() => string)>>;
  /** The duration of an unscripted call, in milliseconds. */
  readonly callMs?: number;
}

export interface Call {
  readonly call: keyof Service;
  readonly jobId?: Uuid;
  readonly pipelineId?: Uuid;
  readonly atMs: number;
  readonly withinMs?: number;
  endedAtMs?: number;
}

/** The id of the nth triggered run. */
export function jobNumber(nth: number): Uuid {
  return uuid(`10000000-0000-4000-8000-${String(nth).padStart(12, '0')}`);
}

/** The id of the nth pipeline. */
export function pipelineNumber(nth: number): Uuid {
  return uuid(`20000000-0000-4000-8000-${String(nth).padStart(12, '0')}`);
}

/** The names of the first pipelines in `listing`, in the format of the input `pipeline`. */
export function pipelines(count: number): string {
  return Array.from({ length: count }, (_, index) => `pipeline-${index + 1}`).join('\n');
}

/** The statuses of a run that has a single status until it finishes. */
export function ends(afterMs: number, status = 'completed', before = 'running'): Life {
  return [
    [0, before],
    [afterMs, status],
  ];
}

/** A trigger that queues a run after this many milliseconds. The run must be an existing one. */
export function queuedLate(afterMs: number, jobId = jobNumber(9)) {
  return { afterMs, outcome: { kind: 'queued', jobId } } as const;
}

/** A row with the id of a run, as a read or a cancel returns it. */
export function rowOf(id: Uuid, status: string, statusMessage: string | null = null): { kind: 'job'; job: Job } {
  return { kind: 'job', job: { id, status, statusMessage } };
}

/** A workspace with `count` pipelines: `pipeline-1` has the name `Pipeline 1`, and so on. */
export function listing(count = 100): Extract<ListOutcome, { kind: 'pipelines' }> {
  const pipelines = Array.from({ length: count }, (_, index) => ({
    id: pipelineNumber(index + 1),
    name: `Pipeline ${index + 1}`,
    apiName: `pipeline-${index + 1}`,
  }));
  return { kind: 'pipelines', pipelines, mayBeTruncated: false };
}

const problem = (cause: string, attempted = 'ask') => ({ attempted, cause });

/** Typical failures of a call, and a read that does not find the run. */
export const FAILED = {
  perhaps: { kind: 'maybe_processed', problem: problem('HTTP 503') },
  notProcessed: { kind: 'not_processed', problem: problem('connection refused'), retryable: true },
  notRetryable: { kind: 'not_processed', problem: problem('the certificate is not trusted'), retryable: false },
  busy: { kind: 'not_processed', problem: problem('HTTP 429'), retryable: true, retryAfterMs: 45_000 },
  unauthorized: { kind: 'unauthorized', problem: problem('HTTP 401') },
  rejected: { kind: 'rejected', problem: problem('HTTP 403') },
  keyRefused: { kind: 'key_refused', problem: problem('HTTP 401', 'exchange the key') },
  missing: { kind: 'missing' },
} as const satisfies Record<string, Failure | ReadOutcome>;

const NO_ANSWER = problem('no answer came in time', 'make the call');
const CONNECTED: ConnectOutcome = {
  kind: 'connected',
  account: { region: 'eu-1', apiUrl: new URL(`https://${API}`), expiresAt: null },
};

/** The time after which the real client gives up on a trigger, in milliseconds. */
const TRIGGER_MS = 120_000;

export function fakeService(clock: VirtualClock, script: ServiceScript = {}) {
  const calls: Call[] = [];
  const counts = new Map<string, number>();
  const known = new Map<Uuid, { readonly life: Life | (() => string); readonly since: number; cancelled: boolean }>();
  for (const [id, life] of Object.entries(script.existing ?? {})) {
    known.set(uuid(id), { life, since: 0, cancelled: false });
  }
  let triggered = 0;

  const statusOf = (jobId: Uuid): string => {
    const run = known.get(jobId);
    if (run === undefined) throw new Error(`There is no run ${jobId}.`);
    if (run.cancelled) return 'cancelled';
    if (typeof run.life === 'function') return run.life();
    if (typeof run.life === 'string') return run.life;
    return run.life.findLast(([afterMs]) => clock.now() - run.since >= afterMs)?.[1] ?? 'queued';
  };

  async function make<Outcome extends { readonly kind: string }>(
    asked: Pick<Call, 'call' | 'jobId' | 'pipelineId'>,
    options: CallOptions,
    scripted: ((nth: number) => Scripted<Outcome> | undefined) | undefined,
    usual: () => Outcome,
  ): Promise<Outcome | Failure> {
    const withinMs = (options.requestWithinMs ?? options.withinMs)?.();
    const call: Call = { ...asked, atMs: clock.now(), ...(withinMs !== undefined && { withinMs }) };
    calls.push(call);
    const about = `${call.call} ${call.jobId ?? ''}`;
    const nth = (counts.get(about) ?? 0) + 1;
    counts.set(about, nth);
    const answer = scripted?.(nth);
    const afterMs = lasts(answer, script.callMs ?? 0);
    const longestMs = withinMs ?? 30_000;
    await pause(clock, Math.min(afterMs, longestMs), options.signal);
    call.endedAtMs = clock.now();
    if (options.signal?.aborted === true) return { kind: 'aborted' };
    if (answer === 'stalls' || afterMs > longestMs) return { kind: 'maybe_processed', problem: NO_ANSWER };
    if (answer === undefined) return usual();
    return 'outcome' in answer ? answer.outcome : answer;
  }

  const queue = (): TriggerOutcome => {
    triggered += 1;
    const jobId = jobNumber(triggered);
    known.set(jobId, { life: script.life?.(triggered) ?? 'running', since: clock.now(), cancelled: false });
    return { kind: 'queued', jobId };
  };
  const read = (jobId: Uuid): ReadOutcome => (known.has(jobId) ? rowOf(jobId, statusOf(jobId)) : FAILED.missing);
  const cancel = (jobId: Uuid): CancelOutcome => {
    const run = known.get(jobId);
    if (run === undefined || isTerminal(statusOf(jobId))) return { kind: 'unchanged' };
    run.cancelled = true;
    return rowOf(jobId, 'cancelled');
  };

  const service: Service = {
    connect: (options = {}) => make({ call: 'connect' }, options, script.connect, () => CONNECTED),
    list: (options = {}) => make({ call: 'list' }, options, script.list, () => listing()),
    trigger: async (order, { onSend }) => {
      onSend();
      const asked = { call: 'trigger', pipelineId: order.pipelineId } as const;
      return make(asked, { withinMs: () => TRIGGER_MS }, (nth) => script.trigger?.(nth, order), queue);
    },
    read: (jobId, options = {}) => {
      const scripted = (nth: number) => script.read?.(nth, jobId);
      return make({ call: 'read', jobId }, options, scripted, () => read(jobId));
    },
    cancel: (jobId, options = {}) => {
      const scripted = (nth: number) => script.cancel?.(nth, jobId);
      return make({ call: 'cancel', jobId }, options, scripted, () => cancel(jobId));
    },
  };
  return { service, calls, statusOf, cancel };
}

function lasts(scripted: Scripted<object> | undefined, usualMs: number): number {
  if (scripted === 'stalls') return Infinity;
  if (scripted === undefined) return usualMs;
  return 'afterMs' in scripted && typeof scripted.afterMs === 'number' ? scripted.afterMs : usualMs;
}
