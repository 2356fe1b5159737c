import type { Clock } from '../base/clock.ts';
import type { Service } from '../service/api.ts';
import type { Interruption } from './interruption.ts';
import type { Plan } from './plan.ts';
import type { Ledger } from './state/ledger.ts';

/** Everything that a step needs from outside. */
export interface StepParts {
  readonly plan: Plan;
  readonly service: Service;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly ledger: Ledger;
  readonly interruption: Interruption;
}
