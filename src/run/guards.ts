import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, Failure, Service, TriggerOutcome } from '../service/api.ts';

/** A first-in, first-out queue with `width` slots. */
export class Gate {
  #free: number;
  readonly #queue: (() => void)[] = [];
  readonly #before: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  /** Waits for a slot. Call the returned function once to release it. `isNext` skips the regular queue. */
  async enter(isNext = false): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((next) => (isNext ? this.#before : this.#queue).push(next));
    return () => {
      const next = this.#before.shift() ?? this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}

/** Maximum number of reads and cancels in flight. Runners and gateways accept 50, and 500 cancels take two seconds. */
const WIDTH = 50;

/** Limits the number of reads and cancels in flight. Triggers never wait. */
export function bounded(service: Service): Service {
  const gate = new Gate(WIDTH);
  const inTurn = async <Outcome>(
    options: CallOptions = {},
    call: () => Promise<Outcome>,
  ): Promise<Outcome | Extract<Failure, { kind: 'aborted' }>> => {
    const leave = await gate.enter();
    try {
      // While this call waited, the caller may have aborted it or its time may have run out.
      const isTooLate = options.signal?.aborted === true || (options.withinMs?.() ?? Infinity) <= 0;
      return isTooLate ? { kind: 'aborted' } : await call();
    } finally {
      leave();
    }
  };
  return {
    ...service,
    read: (jobId, options) => inTurn(options, () => service.read(jobId, options)),
    cancel: (jobId, options) => inTurn(options, () => service.cancel(jobId, options)),
  };
}

/**
 * Rejects a trigger response whose run id this step already knows. If a gateway replayed an old response, two runs
 * would look like one run, and one success would count twice. `given` contains the ids of existing runs.
 */
export function rejectKnownJobIds(service: Service, given: readonly Uuid[]): Service {
  const known = new Set(given);
  return {
    ...service,
    async trigger(order, options): Promise<TriggerOutcome> {
      const outcome = await service.trigger(order, options);
      if (outcome.kind !== 'queued') return outcome;
      const { jobId } = outcome;
      if (!known.has(jobId)) {
        known.add(jobId);
        return outcome;
      }
      const cause = `the service returned the id of a run that this step already knows (${jobId})`;
      return { kind: 'maybe_processed', problem: { attempted: 'trigger the run', cause } };
    },
  };
}
