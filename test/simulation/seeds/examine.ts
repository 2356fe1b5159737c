import { type Finding, judge } from '../judge/judge.ts';
import type { Facts } from '../life/facts.ts';
import { live } from '../life/life.ts';
import { reportRejection } from '../life/rejections.ts';
import type { LifeSpec } from '../life/spec.ts';

export interface Examined {
  readonly spec: LifeSpec;
  readonly facts: Facts;
  readonly findings: readonly Finding[];
}

/** Has rejections that nobody handles counted for the life in which they come up. */
export function watchRejections(): void {
  process.on('unhandledRejection', (error) => {
    if (!reportRejection(error)) throw error;
  });
}

/** Lives a life and judges it. */
export async function examine(spec: LifeSpec): Promise<Examined> {
  const facts = await live(spec);
  return { spec, facts, findings: judge(facts) };
}
