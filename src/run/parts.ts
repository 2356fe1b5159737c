import type { Clock } from '../base/clock.ts';
import type { Service } from '../service/api.ts';
import type { Interruption } from './interruption.ts';
import type { Plan } from './plan.ts';
import type { Ledger } from './state/ledger.ts';

/** The external dependencies of a step. */
export interface StepParts {
  readonly plan: Plan;
  readonly service: Service;
  readonly clock: Clock;
  /** Returns a uniformly distributed number in [0, 1). */
  readonly random: () => number;
  readonly ledger: Ledger;
  readonly interruption: Interruption;
}
