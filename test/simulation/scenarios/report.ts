/** Reports the smallest form of a scenario that violates an invariant, and the violations that the checker excused. */
import type { InputName } from '../../../src/action/inputs/input-table.ts';
import { type Counts, MOST_USES } from '../checker/exemptions.ts';
import { plainSingle } from '../model/plain.ts';
import { alone, executionsOf, type ScenarioSpec, type SingleSpec } from '../model/spec.ts';
import { coveredBy } from './cells.ts';
import { type Examined, examine } from './examine.ts';
import { asReplay } from './replay.ts';

export async function reportOf(failed: Examined): Promise<string> {
  const smallest = await shrink(failed);
  const violated = ({ violations }: Examined): string[] => violations.map((one) => `  ${one.invariant}: ${one.what}`);
  return [
    `Violated in the scenario of seed ${failed.spec.seed}:`,
    ...violated(failed),
    'The shrunk scenario violates:',
    ...violated(smallest),
    'To run it again:',
    `  npm run simulate -- --replay '${asReplay(smallest.spec).replaceAll("'", String.raw`'\''`)}'`,
    'Its log:',
    ...smallest.facts.log.map((line) => `  ${line.slice(0, 300).replaceAll('\n', ' ')}`),
  ].join('\n');
}

/**
 * Simulates scenarios. Returns the cells that each one covers.
 * @throws the report on the first scenario that violates an invariant
 */
export async function requireNoViolations(
  specs: Iterable<SingleSpec> | AsyncIterable<SingleSpec>,
): Promise<readonly string[][]> {
  const covered: string[][] = [];
  for await (const spec of specs) {
    const examined = await examine(alone(spec));
    covered.push(coveredBy(examined.facts));
    if (examined.violations.length > 0) throw new Error(await reportOf(examined));
  }
  return covered;
}

/** The smallest scenario with the same first violation that removing parts can produce. */
export async function shrink(failed: Examined): Promise<Examined> {
  const wanted = kindOf(failed);
  for (const spec of smaller(failed.spec)) {
    const tried = await examine(spec);
    if (kindOf(tried) === wanted) return shrink(tried);
  }
  return failed;
}

/** The first violation, without ids and times that differ between scenarios. */
function kindOf({ violations: [first] }: Pick<Examined, 'violations'>): string {
  return first === undefined ? '' : `${first.invariant} ${first.what.replace(/[0-9a-f-]*[0-9][0-9a-f-]*/g, '')}`;
}

/** Returns every copy of the list that lacks one member, starting with the copy without the last member. */
function fewer<T>(items: readonly T[], fewest = 0): T[][] {
  if (items.length <= fewest) return [];
  return items.map((_, at) => items.filter((__, index) => index !== at)).reverse();
}

/** Every scenario that is one step simpler: first with fewer executions, then with a simpler service or execution. */
function* smaller(spec: ScenarioSpec): Generator<ScenarioSpec> {
  const { executions, service } = spec;
  const plain = plainSingle();
  for (const some of fewer(executions, 1)) yield { ...spec, executions: some };
  for (const outages of fewer(service.outages)) yield { ...spec, service: { ...service, outages } };
  for (const key of ['latencyMs', 'ttlSeconds', 'keyRevokedAtMs', 'echo'] as const) {
    if (service[key] !== plain[key]) yield { ...spec, service: { ...service, [key]: plain[key] } };
  }
  for (const [at, single] of executionsOf(spec).entries()) {
    for (const less of smallerExecutions(single)) {
      yield { ...spec, executions: executions.toSpliced(at, 1, ...alone(less).executions) };
    }
  }
}

function* smallerExecutions(spec: SingleSpec): Generator<SingleSpec> {
  const plain = plainSingle();
  const { crashes, faults, disk, stalls, pipelines } = spec;
  for (const some of fewer(crashes)) yield { ...spec, crashes: some };
  // A crash that is anchored to a fault refers to the fault by its index.
  const isAnchored = crashes.some(({ at }) => 'fault' in at);
  for (const some of isAnchored ? [] : fewer(faults)) yield { ...spec, faults: some };
  for (const some of fewer(disk)) yield { ...spec, disk: some };
  for (const some of fewer(stalls)) yield { ...spec, stalls: some };
  for (const some of fewer(pipelines, 1)) yield { ...spec, pipelines: some };
  for (const key of ['runner', 'clocks', 'lostTimer', 'placement'] as const) {
    if (JSON.stringify(spec[key]) !== JSON.stringify(plain[key])) yield { ...spec, [key]: plain[key] };
  }
  for (const name of Object.keys(spec.inputs) as InputName[]) {
    const { [name]: _, ...inputs } = spec.inputs;
    yield { ...spec, inputs };
  }
  for (const [at, fault] of faults.entries()) {
    if (fault.to > fault.from) yield { ...spec, faults: faults.with(at, { ...fault, to: fault.from }) };
  }
  for (const [at, pipeline] of pipelines.entries()) {
    // Every run starts as queued.
    for (const timeline of fewer(pipeline.timeline).slice(0, -1)) {
      yield { ...spec, pipelines: pipelines.with(at, { ...pipeline, timeline }) };
    }
  }
}

/** Limits: shares of runs, orphans in 24,000 scenarios, and checks that a failed write relaxes. */
const LIMITS = { undecided: 0.05, ties: 0.02, orphans: 20, relaxed: 8 };

/** The counts of excused violations in this number of scenarios, and the limits that they exceed. */
export function excusedBy(all: readonly Counts[], scenarios: number) {
  const sum = (count: (one: Counts) => number): number => all.reduce((total, one) => total + count(one), 0);
  const runs = sum((one) => one.runs);
  const uses = new Map<string, number>();
  const excuses = new Map<string, number>();
  for (const [use, count] of all.flatMap(({ exemptions }) => [...exemptions])) {
    uses.set(use, (uses.get(use) ?? 0) + count);
    const excuse = use.replace(/^.*?: /, '');
    excuses.set(excuse, (excuses.get(excuse) ?? 0) + count);
  }
  const orphans = [...excuses].reduce((total, [excuse, count]) => total + (excuse.startsWith('orphan') ? count : 0), 0);
  const share = (count: number): number => count / Math.max(1, runs);
  const figures = {
    undecided: share(sum((one) => one.undecided)),
    ties: share(sum((one) => one.ties)),
    orphans: (orphans * 24_000) / scenarios,
    relaxed: [...uses.keys()].filter((use) => use.includes(': disk: ')).length,
  };
  const percent = (figure: number): string => `${(100 * figure).toFixed(1)} %`;
  const line =
    `${runs} runs: ${percent(figures.undecided)} with either fate, ${percent(figures.ties)} ties, ` +
    `${orphans} excused orphans, ${figures.relaxed} checks relaxed after failed writes\n` +
    `Excuses: ${[...uses].map(([use, count]) => `${use} ×${count}`).join(', ')}`;
  const names = ['undecided', 'ties', 'orphans', 'relaxed'] as const;
  const exceeded = [
    ...names.map((name) => ({ name, figure: figures[name], most: LIMITS[name] })),
    ...[...excuses].map(([name, count]) => ({
      name,
      figure: (count * 24_000) / scenarios,
      most: MOST_USES.get(name) ?? 0,
    })),
  ].filter(({ figure, most }) => figure > most);
  const tooMany = exceeded.map(
    ({ name, figure, most }) => `The checker excuses too much: ${name} ${figure}, limit ${most}`,
  );
  return { line, tooMany };
}
