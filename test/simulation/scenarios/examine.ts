/** Simulates scenarios and checks them. */
import { check, type Violation } from '../checker/check.ts';
import type { ScenarioFacts, SingleFacts } from '../model/facts.ts';
import { live } from '../model/simulate.ts';
import { alone, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { disallowedFacts } from './fact-sequence.ts';

export interface Examined {
  readonly spec: ScenarioSpec;
  readonly facts: ScenarioFacts;
  readonly violations: readonly Violation[];
}

/** Simulates a scenario and checks each of its executions. */
export async function examine(spec: ScenarioSpec): Promise<Examined> {
  const facts = await live(spec);
  const violations = facts.executions.flatMap((each) => [...check(each), ...disallowedFacts(each)]);
  return { spec, facts, violations };
}

/** Simulates the scenario in which this execution is the only one, and checks it. */
export async function examineAlone(
  spec: SingleSpec,
): Promise<{ readonly facts: SingleFacts; readonly violations: readonly Violation[] }> {
  const { facts, violations } = await examine(alone(spec));
  const [first] = facts.executions;
  if (first === undefined) throw new Error('Main was never started.');
  return { facts: { ...first, log: facts.log }, violations };
}
