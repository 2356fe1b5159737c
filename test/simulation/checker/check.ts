import type { Facts } from '../model/facts.ts';
import { attemptsIn } from './attempts.ts';
import { HARD_INVARIANTS } from './hard-invariants.ts';
import type { History } from './history.ts';
import { historyOf } from './history-of.ts';
import { bounds } from './invariants/bounds.ts';
import { drained } from './invariants/drained.ts';
import { dry } from './invariants/dry.ts';
import { exact } from './invariants/exact.ts';
import { once } from './invariants/once.ts';
import { pace } from './invariants/pace.ts';
import { refused } from './invariants/refused.ts';
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

/** Checks an execution: first what must always be true, then exactly what its inputs and disturbances imply. */
export function check(facts: Facts): Violation[] {
  const hard = Object.entries(HARD_INVARIANTS).flatMap(([invariant, holds]) =>
    holds(facts).map((what) => ({ invariant, what })),
  );
  const history = historyOf(facts);
  const exactly = Object.entries(invariantsFor(facts)).flatMap(([invariant, holds]) =>
    holds(history).map((what) => ({ invariant, what })),
  );
  return [...hard, ...exactly];
}

function invariantsFor({ spec }: Facts): Readonly<Record<string, Invariant>> {
  if (spec.mode === 'bad_input') return { refused, secrets, drained, bounds };
  if (attemptsIn(spec).most > 1) return { secrets, drained };
  if (spec.lostTimer !== null) return ALWAYS;
  return spec.mode === 'dry_run' ? { ...ALWAYS, dry, bounds, silence } : { ...ALWAYS, ...INVARIANTS };
}
