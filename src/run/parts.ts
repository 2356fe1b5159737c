import type { Clock } from '../base/clock.ts';
import type { Service } from '../service/api.ts';
import type { Observe } from './events.ts';
import type { Ledger } from './ledger.ts';
import type { Plan } from './plan.ts';
import type { Interruption } from './stop.ts';

/** All that a step needs from outside, handed in. */
export interface StepParts {
  readonly plan: Plan;
  readonly service: Service;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly ledger: Ledger;
  /** Must not throw. */
  readonly observe: Observe;
  readonly interruption: Interruption;
}
