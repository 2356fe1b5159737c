/* The invariants. Each returns a sentence for each violation in one step of a scenario. */
import type { History } from '../history.ts';
import { factsOf, type StepFacts } from './facts.ts';
import { found, identified, pages } from './names.ts';
import { foreign, named, repeated, silence, warned } from './reports.ts';
import { safety, summary } from './safety.ts';
import { cancels, orphans, pursued } from './settled.ts';
import { durable, ends, pace, urgency } from './time.ts';
import { parallel, triggers } from './triggers.ts';
import { outputs, patience, success } from './verdict.ts';

/** In descending order of severity. */
const INVARIANTS: Readonly<Record<string, (facts: StepFacts) => readonly string[]>> = {
  'at most one run per trigger': triggers,
  'the right pipeline': identified,
  'no orphaned run': orphans,
  'no false success': success,
  'no cancel without a reason': cancels,
  'runs in progress are reported': named,
  'no secret leaks': safety,
  'everything ends in time': ends,
  'outputs tell the truth': outputs,
  'durable before visible': durable,
  'post reports only its own runs': foreign,
  'post warns': warned,
  'post repeats an unread report': repeated,
  'cancels do not wait for each other': urgency,
  'post does not give up early': pursued,
  'main does not give up early': patience,
  'pipelines are found': found,
  'pages are read only if necessary': pages,
  'max-parallel': parallel,
  'requests keep their pace': pace,
  'an idle post is silent': silence,
  'the summary is safe': summary,
};

export interface Violation {
  readonly invariant: string;
  readonly step: number;
  readonly what: string;
}

/** Returns everything that a scenario violates, the worst first. */
export function violationsIn(history: History): Violation[] {
  const steps = factsOf(history);
  return Object.entries(INVARIANTS).flatMap(([invariant, check]) =>
    steps.flatMap((facts) => check(facts).map((what) => ({ invariant, step: facts.index, what }))),
  );
}
