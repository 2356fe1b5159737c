import { type Finding, judge } from '../judge/judge.ts';
import type { LoneFacts, ScenarioFacts } from '../life/facts.ts';
import { live } from '../life/life.ts';
import { reportRejection } from '../life/rejections.ts';
import { alone, type LifeSpec, type ScenarioSpec } from '../life/spec.ts';

export interface Examined {
  readonly spec: ScenarioSpec;
  readonly facts: ScenarioFacts;
  readonly findings: readonly Finding[];
}

/** Has rejections that nobody handles counted for the life in which they come up. */
export function watchRejections(): void {
  process.on('unhandledRejection', (error) => {
    if (!reportRejection(error)) throw error;
  });
}

/** Lives a scenario and judges each of its executions. */
export async function examine(spec: ScenarioSpec): Promise<Examined> {
  const facts = await live(spec);
  return { spec, facts, findings: facts.executions.flatMap(judge) };
}

/** Lives the scenario in which this execution is the only one, and judges it. */
export async function examineAlone(
  spec: LifeSpec,
): Promise<{ readonly facts: LoneFacts; readonly findings: readonly Finding[] }> {
  const { facts, findings } = await examine(alone(spec));
  const [first] = facts.executions;
  if (first === undefined) throw new Error('Main was never started.');
  return { facts: { ...first, log: facts.log, digest: facts.digest }, findings };
}
