// Mutation tests in two stages: first the fast tests, then a sample of the simulation for the mutants that survived them.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** The scores below which the command fails, in percent. */
const LOWEST_SCORE = 92;
const LOWEST_SCORE_OF_A_FOLDER = 85;
const FOLDERS = ['src/action', 'src/base', 'src/run', 'src/service'];
const SURVIVORS = 'coverage/survivors.txt';

const given = process.argv.slice(2);
const patterns = given.length > 0 ? given : FOLDERS.map((folder) => `${folder}/**/*.ts`);
const found: MutantResult[] = [];
// Stryker instruments one folder at a time, because every test loads the instrumented code.
for (const pattern of patterns) {
  found.push(...(await mutate([pattern])));
}
const valid = found.filter(({ status }) => status !== 'Ignored');
if (valid.length === 0) throw new Error(`There is no mutant in ${patterns.join(', ')}.`);
const undetected = valid.filter(isAlive);
process.env['MUTATE_WITH'] = 'simulation';
const again = undetected.length === 0 ? [] : await mutate(undetected.map(rangeOf));
const outcomes = new Map(again.map((mutant) => [keyOf(mutant), isAlive(mutant)]));
const survivors = undetected.filter((mutant) => {
  const isStillAlive = outcomes.get(keyOf(mutant));
  if (isStillAlive === undefined) throw new Error(`The second stage lacks ${keyOf(mutant)}.`);
  return isStillAlive;
});
writeFileSync(SURVIVORS, survivors.map((mutant) => `${keyOf(mutant)}\n`).join(''));

const rows = ['src', ...FOLDERS].map(rowOf).filter(({ mutants }) => mutants > 0);
console.table(rows.map((row) => ({ ...row, score: Number(row.score.toFixed(1)) })));
console.log(`${SURVIVORS} lists the survivors.`);
const isLow = rows.some(({ folder, score }) => score < (folder === 'src' ? LOWEST_SCORE : LOWEST_SCORE_OF_A_FOLDER));
process.exitCode = isLow ? 1 : 0;

function mutate(patterns: readonly string[]): Promise<MutantResult[]> {
  return new Stryker({ mutate: [...patterns] }).runMutationTest();
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
  const [mutants, survived] = [within(valid), within(survivors)];
  const score = (100 * (mutants - survived)) / mutants;
  return { folder, mutants, 'found by fast tests': mutants - within(undetected), survived, score };
}
