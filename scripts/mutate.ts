// Mutation tests in two stages: first the fast tests, then a sample of the simulation for the mutants that survived them.
// A static mutant changes a value that a module creates while it is being loaded.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

type Options = ConstructorParameters<typeof Stryker>[0];
type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** The scores below which the command fails, in percent. */
const LOWEST_SCORE = 92;
const LOWEST_SCORE_OF_A_FOLDER = 85;
const FOLDERS = ['src/action', 'src/base', 'src/run', 'src/service'];
/** No fast test loads the entry points, and Stryker needs a group with coverage. */
const GROUPS = FOLDERS.map((folder) => [`${folder}/**/*.ts`, ...(folder === 'src/base' ? ['src/*.ts'] : [])]);
const SURVIVORS = 'coverage/survivors.txt';

const given = process.argv.slice(2);
// Stryker instruments one group at a time, because every test loads the instrumented code.
const groups = given.length > 0 ? given.map((pattern) => [pattern]) : GROUPS;
const first: MutantResult[] = [];
for (const patterns of groups) {
  first.push(...(await mutate(patterns)));
}
if (first.length === 0) throw new Error(`There is no mutant in ${groups.join(', ')}.`);
// Each static mutant needs all tests, in a new worker, and therefore more time.
const statics = first.filter(({ status }) => status === 'Ignored');
const mutants = [
  ...first.filter(({ status }) => status !== 'Ignored'),
  ...(await again(statics, { ignoreStatic: false, timeoutMS: 60_000 })),
];
const undetected = mutants.filter(isAlive);
process.env['MUTATE_WITH'] = 'simulation';
const survivors = (await again(undetected)).filter(isAlive);
writeFileSync(SURVIVORS, survivors.map((mutant) => `${keyOf(mutant)}\n`).join(''));

const rows = ['src', ...FOLDERS].map(rowOf).filter(({ mutants }) => mutants > 0);
console.table(rows.map((row) => ({ ...row, score: Number(row.score.toFixed(1)) })));
console.log(`${SURVIVORS} lists the survivors.`);
const isLow = rows.some(({ folder, score }) => score < (folder === 'src' ? LOWEST_SCORE : LOWEST_SCORE_OF_A_FOLDER));
process.exitCode = isLow ? 1 : 0;

function mutate(patterns: readonly string[], options: Options = {}): Promise<MutantResult[]> {
  return new Stryker({ ...options, mutate: [...patterns] }).runMutationTest();
}

/** Runs the tests against these mutants again. */
async function again(some: readonly MutantResult[], options: Options = {}): Promise<MutantResult[]> {
  if (some.length === 0) return [];
  const keys = new Set(some.map(keyOf));
  const results = (await mutate([...new Set(some.map(rangeOf))], options)).filter((one) => keys.has(keyOf(one)));
  if (results.length !== keys.size) throw new Error(`Stryker found ${results.length} of ${keys.size} mutants again.`);
  return results;
}

function isAlive({ status }: MutantResult): boolean {
  return status !== 'Killed' && status !== 'Timeout';
}

/** Returns the position of a mutant in the form that Stryker accepts as a pattern. Stryker counts columns from 0. */
function rangeOf({ fileName, location: { start, end } }: MutantResult): string {
  return `${pathOf(fileName)}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

/** Returns a key that identifies a mutant in both stages. */
function keyOf({ fileName, location: { start, end }, mutatorName, replacement }: MutantResult): string {
  const place = `${pathOf(fileName)}:${start.line}:${start.column}-${end.line}:${end.column}`;
  return `${place} ${mutatorName} ${replacement.replace(/\s+/g, ' ')}`;
}

function pathOf(fileName: string): string {
  return relative('.', fileName);
}

function rowOf(folder: string) {
  const within = (of: readonly MutantResult[]): number =>
    of.filter(({ fileName }) => pathOf(fileName).startsWith(`${folder}/`)).length;
  const [all, survived] = [within(mutants), within(survivors)];
  const score = (100 * (all - survived)) / all;
  return { folder, mutants: all, 'found by fast tests': all - within(undetected), survived, score };
}
