// Tests which jobs of each recipe start, which commands they call, and which runs they leave in the service.
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read } from '../docs/documents.ts';
import { recipes } from '../docs/recipes.ts';
import { MISSING } from './act.ts';
import { playRecipe } from './recipe.ts';
import type { Case } from './stage.ts';

type Rows = Readonly<Record<string, readonly [scene: Case, did: string, says?: string]>>;

const { '.': _, '..': __, ...table } = parse(read('test/act/cases.yaml')) as Readonly<Record<string, Rows>>;

/** The first case of each recipe, in which everything succeeds, or all cases. */
const cases = Object.entries(table).flatMap(([heading, rows]) =>
  Object.entries(rows)
    .slice(0, process.env['EVERY_CASE'] === undefined ? 1 : undefined)
    .map(([name, [scene, did, says = '']]) => [heading, name, scene, did, says] as const),
);

describe('the test cases', () => {
  it('cover every recipe', () => {
    expect(Object.keys(table).sort()).toEqual(recipes.map(({ heading }) => heading).sort());
  });

  it.each(recipes)(
    'for "$heading" begin with a success, and include failures and a cancellation',
    ({ heading, workflows }) => {
      const [first, ...others] = Object.keys(table[heading] ?? {});
      expect(first).toBe('everything succeeds');
      expect(others.join('\n')).toMatch(/loads? fails/);
      expect(others.join('\n')).toMatch(/is cancelled/);
      if (/\.\/[\w-]+\.sh|dbt build|curl/.test(workflows.join())) expect(others.join('\n')).toMatch(/a command fails/);
    },
  );
});

describe.concurrent('under act, the recipe', () => {
  beforeEach(({ skip }) => skip(MISSING !== undefined, MISSING));

  it.each(cases)('"%s" starts the expected jobs, commands and runs if %s', async (heading, _name, scene, did, says) => {
    const played = await playRecipe(heading, scene);
    expect(played.did, played.log).toBe(did);
    expect(played.log).toMatch(new RegExp(says, 'm'));
    // playJobs adds a poll interval to every step.
    expect(played.log).not.toMatch(/Input (?!poll-interval)\S+ has no effect/);
  });
});
