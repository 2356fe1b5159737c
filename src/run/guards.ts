import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, Failure, Service, TriggerOutcome } from '../service/api.ts';

/** A queue with `most` slots, first in, first out. */
export class Gate {
  #free: number;
  readonly #queue: (() => void)[] = [];
  readonly #before: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  /** Resolves with a function that releases the slot, to be called once. `isNext`: before all who wait without it. */
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

/** The most reads and cancels in flight: runners and gateways accept this many, and 500 cancels take two seconds. */
const WIDTH = 50;

/** The service with a limited number of reads and cancels in flight. Triggers never wait. */
export function bounded(service: Service): Service {
  const gate = new Gate(WIDTH);
  const inTurn = async <Outcome>(
    options: CallOptions = {},
    call: () => Promise<Outcome>,
  ): Promise<Outcome | Extract<Failure, { kind: 'aborted' }>> => {
    const leave = await gate.enter();
    try {
      // The call may have been aborted, or have run out of time, while it waited.
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
 * The service, whose responses to triggers must contain ids that this step does not know yet. If a gateway repeated an old
 * response, two runs would look like one, and one success like two. `given`: the ids of existing runs.
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
      const cause = `the service answered with the id of another run, ${jobId}, which this step already knows`;
      return { kind: 'maybe_processed', problem: { attempted: 'trigger the run', cause } };
    },
  };
}
