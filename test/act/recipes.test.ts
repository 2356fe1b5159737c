// Tests every recipe in the documents: which jobs start, which commands they call, and which runs the service has.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read } from '../docs/documents.ts';
import { recipes } from '../docs/recipes.ts';
import type { Case } from './case.ts';
import { playRecipe } from './recipe.ts';

type Rows = Readonly<Record<string, readonly [scene: Case, did: string, says?: string]>>;

const { '.': _, '..': __, ...table } = parse(read('test/act/cases.yaml')) as Readonly<Record<string, Rows>>;

/** The first case of each recipe, or all cases. */
const cases = Object.entries(table).flatMap(([heading, rows]) =>
  Object.entries(rows)
    .slice(0, process.env['EVERY_CASE'] === undefined ? 1 : undefined)
    .map(([name, [scene, did, says = '']]) => [heading, name, scene, did, says] as const),
);

describe('the cases', () => {
  it('cover every recipe', () => {
    expect(Object.keys(table).sort()).toEqual(recipes.map(({ heading }) => heading).sort());
  });

  it.each(recipes)('include a success, each kind of failure and a cancellation: $heading', ({ heading, workflows }) => {
    const names = Object.keys(table[heading] ?? {}).join('\n');
    const awaits = !workflows.join().includes('.txt | sort --unique\n            echo');
    const calls = /\.\/\w+\.sh|dbt build|curl|gh run list/.test(workflows.join());
    expect(names).toMatch(/succeeds/);
    if (awaits) expect(names).toMatch(/(?:load|report)s? fails/);
    if (awaits) expect(names).toMatch(/is cancelled/);
    if (calls) expect(names).toMatch(/a command fails/);
  });
});

describe.concurrent('a recipe under act', () => {
  it.each(cases)('%s: %s', async (heading, _name, scene, did, says) => {
    const played = await playRecipe(heading, scene);
    expect(played.did, played.log).toBe(did);
    expect(played.log).toMatch(new RegExp(says, 'm'));
    // The tests add a poll interval to every step.
    expect(played.log).not.toMatch(/Input (?!poll-interval)\S+ has no effect/);
  });
});
