import type { AwakeTime, Clock } from '../base/clock.ts';
import type { Slots } from '../base/slots.ts';
import type { ApiHost, ListedPipeline, Service } from '../service/api.ts';
import type { Interruption } from './interruption.ts';
import type { Ledger, Observer, Run } from './ledger.ts';
import type { Patience } from './patience.ts';
import type { Plan } from './plan.ts';
import type { Stops } from './stops.ts';

/** The external parts that a step needs. */
export interface Outside {
  readonly clock: Clock;
  /** The time without the times when the machine slept. */
  readonly time: AwakeTime;
  readonly random: () => number;
  /** Calls a listener about once a second, without keeping the process alive. */
  readonly host: { readonly onTick: (listener: () => void) => void };
  readonly interruption: Interruption;
  readonly ledger: Ledger;
  readonly observer: Observer;
  readonly plan: Plan;
  readonly service: Service;
  /** Returns advice on each of the first few names that the list of pipelines does not contain. */
  readonly adviseOn: (
    unknown: readonly string[],
    pipelines: readonly ListedPipeline[],
    clock: Clock,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Called once the token has arrived and the pipelines are known. */
  readonly onReady: (host: ApiHost) => void;
}

/** What the runs of a step share, including the step's limits. */
export interface StepParts extends Outside {
  /** Limits how many runs are queued or running at the same time (`max-parallel`). */
  readonly slots: Slots;
  /** Allows one trigger at a time, so that the service never receives two POSTs at the same time. */
  readonly turns: Slots;
  readonly patience: Patience;
  readonly stops: Stops;
  /**
   * The runs that are no longer carried out. One may still be open, because it is about to be detached or because its
   * cancellation was not confirmed.
   */
  readonly ended: Set<Run>;
}
