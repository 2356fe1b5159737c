import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, Problem, Service, TriggerOutcome } from '../service/api.ts';

/** Lets so many through at once; the others wait their turn, first come, first served. */
export class Gate {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  /** Resolves with what gives the place back, to be called once. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((next) => this.#queue.push(next));
    return () => {
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  /** Does `task` in a place of its own. */
  async through<Result>(task: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await task();
    } finally {
      leave();
    }
  }
}

/**
 * Requests about runs that are under way at once, at most. Hundreds of runs that are cancelled in one instant are
 * through in a second or two at this width, and no runner or gateway minds so many connections.
 */
const WIDTH = 50;

/** Whether nobody wants the answer any more, now that it is this call's turn. */
function isTooLate(options: CallOptions | undefined): boolean {
  return options?.signal?.aborted === true || (options?.withinMs?.() ?? Infinity) <= 0;
}

/** The service, with so many reads and cancels at once and no more. A trigger never waits: it goes alone. */
export function bounded(service: Service): Service {
  const gate = new Gate(WIDTH);
  const inTurn = <Outcome>(
    options: CallOptions | undefined,
    call: () => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: 'aborted' }> =>
    gate.through<Outcome | { readonly kind: 'aborted' }>(async () =>
      isTooLate(options) ? { kind: 'aborted' } : call(),
    );
  return {
    connect: (options) => service.connect(options),
    list: (options) => service.list(options),
    trigger: (order, options) => service.trigger(order, options),
    read: (jobId, options) => inTurn(options, () => service.read(jobId, options)),
    cancel: (jobId, options) => inTurn(options, () => service.cancel(jobId, options)),
  };
}

/**
 * The service, from which an id that this step knows already is no answer to a trigger: a gateway that repeats an old
 * answer would make two runs look like one, and its success look like theirs. `given` are the ids of runs that existed before.
 */
export function rejectKnownJobIds(service: Service, given: readonly Uuid[]): Service {
  const known = new Set(given);
  return {
    ...service,
    async trigger(order, options): Promise<TriggerOutcome> {
      const outcome = await service.trigger(order, options);
      if (outcome.kind !== 'queued') return outcome;
      if (known.has(outcome.jobId)) return { kind: 'maybe_processed', problem: knownAlready(outcome.jobId) };
      known.add(outcome.jobId);
      return outcome;
    },
  };
}

function knownAlready(jobId: Uuid): Problem {
  return {
    attempted: 'trigger the run',
    cause: `the service answered with the id of another run, ${jobId}, which this step knows already`,
  };
}
