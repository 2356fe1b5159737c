/** Simulates scenarios and checks them. */
import { inOrder, recordsInText, type StoredFact } from '../../../src/action/state/records.ts';
import { type Truth, truthAfter } from '../../support/fact-table.ts';
import { check, type Violation, violationsOf } from '../checker/check.ts';
import { excuse } from '../checker/exemptions.ts';
import type { Facts, ScenarioFacts } from '../model/facts.ts';
import { live } from '../model/simulate.ts';
import type { ScenarioSpec } from '../model/spec.ts';

export interface Examined {
  readonly spec: ScenarioSpec;
  readonly facts: ScenarioFacts;
  readonly violations: readonly Violation[];
}

/** Simulates a scenario and checks each of its executions. */
export async function examine(spec: ScenarioSpec): Promise<Examined> {
  const facts = await live(spec);
  return { spec, facts, violations: facts.executions.flatMap(violationsIn) };
}

export function violationsIn(facts: Facts): Violation[] {
  return [...check(facts), ...violationsOf({ facts: disallowedFacts }, facts)];
}

/**
 * Finds records of main in an order that test/support/fact-table.ts does not permit. Tests cover the reducer only with
 * sequences in that table, so main must not write any others.
 */
function disallowedFacts({ main, spec, writes }: Facts): string[] {
  if (excuse('lost timer', main.lostTimer)) return [];
  const keyOf = (text: string): string => /run_pipeline_\d+/.exec(text)?.[0] ?? '';
  const written = new Set(writes.flatMap(({ failed, text }) => (failed ? [] : [keyOf(text)])));
  const isRefused = (text: string): boolean => !written.has(keyOf(text));
  const isRefusedIntent = (text: string): boolean => isRefused(text) && text.includes('"kind":"intent"');
  const kept = writes
    .filter(({ process, path }) => process === 'main' && /state/.test(path))
    .filter(({ text }) => !isRefusedIntent(text));
  const start: Truth = spec.mode === 'attach' ? 'claimed' : spec.mode === 'resume' ? 'claimed earlier' : 'new';
  const truths = new Map<number, Truth>();
  const attempts = new Map<number, number>();
  const recorded = new Set<string>();
  const last = new Map<number, string>();
  const refused = factsIn(writes.filter(({ text }) => isRefused(text))).map(labelOf);
  const seen: string[] = [];
  for (const record of factsIn(kept)) {
    const { run, attempt, fact } = record;
    seen.push(`${run ?? 'all'} ${fact.kind}`);
    // The next attempt starts from the beginning once the preceding run has ended.
    if (run !== undefined && attempt > (attempts.get(run) ?? 1)) {
      if (truths.get(run) === 'finished') truths.set(run, 'new');
      attempts.set(run, attempt);
    }
    if (fact.kind === 'claimed') continue;
    for (const number of run === undefined ? [...truths.keys()] : [run]) {
      const text = labelOf({ run: number, fact });
      const isStored = refused.includes(labelOf(record)) && recorded.has(text) && last.get(number) !== text;
      const isRepeated = fact.kind !== 'intent' && (last.get(number) === text || excuse('disk: repetition', isStored));
      last.set(number, text);
      recorded.add(text);
      if (isRepeated) continue;
      const before = truths.get(number) ?? start;
      const after = truthAfter(before, fact);
      if (after === undefined) {
        return [`main recorded ${fact.kind} of a run that is ${before}: ${seen.join(', ')}`];
      }
      truths.set(number, after);
    }
  }
  return [];
}

/** The facts in these writes, in the order of their numbers. */
function factsIn(writes: Facts['writes']): StoredFact[] {
  const records = inOrder(recordsInText(writes.map(({ text }) => text).join('\n')));
  return records.filter((record) => 'fact' in record);
}

function labelOf({ run, fact }: Pick<StoredFact, 'run' | 'fact'>): string {
  return `${run ?? 'all'} ${JSON.stringify(fact)}`;
}
