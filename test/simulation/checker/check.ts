import type { Facts } from '../model/facts.ts';
import type { History } from './history.ts';
import { historyOf } from './history-of.ts';
import { bounds } from './invariants/bounds.ts';
import { drained } from './invariants/drained.ts';
import { dry } from './invariants/dry.ts';
import { exact } from './invariants/exact.ts';
import { once } from './invariants/once.ts';
import { pace } from './invariants/pace.ts';
import { secrets } from './invariants/secrets.ts';
import { settled } from './invariants/settled.ts';
import { silence } from './invariants/silence.ts';
import { verdict } from './invariants/verdict.ts';
import { written } from './invariants/written.ts';

/** Something that should not have come out. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

type Invariant = (history: History) => string[];

/** What holds whatever happens. */
const ALWAYS: Readonly<Record<string, Invariant>> = { once, written, secrets, drained };

/** What holds for a process whose timers come. */
const INVARIANTS: Readonly<Record<string, Invariant>> = { settled, verdict, pace, exact, silence, bounds };

/** Checks a scenario by what was asked, what was done to it, and what the service's own data say. */
export function check(facts: Facts): Violation[] {
  const history = historyOf(facts);
  const invariants = invariantsFor(facts);
  return Object.entries(invariants).flatMap(([invariant, holds]) =>
    holds(history).map((what) => ({ invariant, what })),
  );
}

function invariantsFor({ spec }: Facts): Readonly<Record<string, Invariant>> {
  if (spec.lostTimer !== null) return ALWAYS;
  return spec.mode === 'dry_run' ? { ...ALWAYS, dry, bounds, silence } : { ...ALWAYS, ...INVARIANTS };
}
