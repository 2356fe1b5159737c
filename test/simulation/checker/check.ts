// Checks an execution: first the invariants that always hold, then the exact results that its inputs and faults imply.
import type { Facts } from '../model/facts.ts';
import { COUNTS, excuse, isAttemptedAgain } from './exemptions.ts';
import { HARD_INVARIANTS } from './hard-invariants.ts';
import { type History, historyOf } from './history.ts';
import { drained, dry, prompt, refused } from './invariants/modes.ts';
import { once, written } from './invariants/once.ts';
import { pace } from './invariants/pace.ts';
import { pursued, settled, silence } from './invariants/settled.ts';
import { verdict } from './invariants/verdict.ts';

export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** The names of all invariants, including the one in scenarios/examine.ts. */
export const INVARIANTS: readonly string[] = [
  ...Object.keys(HARD_INVARIANTS),
  ...[
    'refused',
    'drained',
    'pursued',
    'once',
    'written',
    'dry',
    'prompt',
    'silence',
    'settled',
    'verdict',
    'pace',
    'facts',
  ],
];

type Invariants<Subject> = Readonly<Record<string, (subject: Subject) => string[]>>;

export function check(facts: Facts): Violation[] {
  const hard = violationsOf(HARD_INVARIANTS, facts);
  COUNTS.checking = 'expectations';
  const history = historyOf(facts);
  return [...hard, ...violationsOf(invariantsFor(history), history)];
}

/** The violations of each invariant. Excuses are counted under the name of the invariant. */
export function violationsOf<Subject>(invariants: Invariants<Subject>, subject: Subject): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, holds]) => {
    COUNTS.checking = invariant;
    return holds(subject).map((what) => ({ invariant, what }));
  });
}

function invariantsFor(history: History): Invariants<History> {
  const { main, spec } = history.facts;
  if (spec.mode === 'bad_input') return { refused, drained };
  if (isAttemptedAgain(history)) return { drained, pursued };
  const always = { once, written, drained };
  if (excuse('lost timer', main.lostTimer)) return always;
  return spec.mode === 'dry_run'
    ? { ...always, dry, prompt, silence }
    : { ...always, settled, verdict, pace, prompt, silence };
}
