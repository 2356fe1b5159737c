// Compares action.yml, cancel/action.yml, their action-types.yml and the tables in README.md with the code.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { entries } from '../../scripts/entries.ts';
import { CANCEL_INPUTS, INPUTS } from '../../src/action/inputs/input-table.ts';
import { OUTPUTS } from '../../src/action/report/outputs.ts';
import { CANCEL_OUTPUTS } from '../../src/action/steps/cancel-step.ts';
import { VERSION } from '../../src/base/version.ts';
import { OUTCOMES } from '../../src/run/state/outcome.ts';
import { TERMINAL_STATUSES } from '../../src/service/statuses.ts';
import { mistakes } from '../support/action.ts';

interface Input {
  readonly description: string;
  readonly required?: boolean;
  readonly default?: unknown;
}

interface Action {
  readonly inputs: Readonly<Record<string, Input>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: Readonly<Record<string, string>>;
}

interface Typing {
  readonly type: string;
  readonly 'allowed-values'?: readonly string[];
  readonly 'list-item'?: Typing;
}

type Typings = Readonly<Record<'inputs' | 'outputs', Readonly<Record<string, Typing>>>>;

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');
const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Readonly<Record<string, string>> };
const main = parse(read('action.yml')) as Action;

/** The types that github-actions-typing supports, and the keys that each type may have. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  string: ['type'],
  boolean: ['type'],
  integer: ['type'],
  enum: ['type', 'name', 'allowed-values'],
  list: ['type', 'separator', 'list-item'],
};

/** Returns the cells in each row of the first table under a heading in README.md, without backticks. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const [, table = ''] = /\n\|.*\n\|.*\n((?:\|.*\n)+)/.exec(section) ?? [];
  const rows = table.trimEnd().split('\n');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
  );
}

describe.each([
  ['', Object.entries(INPUTS), OUTPUTS],
  ['cancel/', CANCEL_INPUTS.map((name) => [name, INPUTS[name]] as const), CANCEL_OUTPUTS],
] as const)('%saction.yml', (folder, inputs, outputs) => {
  const action = parse(read(`${folder}action.yml`)) as Action;
  const types = parse(read(`${folder}action-types.yml`)) as Typings;

  it('declares the same inputs as the code, in the same order, with the same defaults, all of them strings', () => {
    const declared = Object.entries(action.inputs).map(([name, { description: _, ...input }]) => [name, input]);
    expect(declared).toEqual(inputs);
    // YAML reads a bare false as a boolean.
    for (const input of Object.values(action.inputs)) expect(typeof (input.default ?? '')).toBe('string');
  });

  it('declares the same outputs as the code, in the same order', () => {
    expect(Object.keys(action.outputs)).toEqual([...outputs]);
  });

  it('runs bundles of files in src on Node 24', () => {
    const { using, ...files } = action.runs;
    expect(using).toBe('node24');
    const bundles = Object.values(files).map((file) => join(folder, file).replaceAll('\\', '/'));
    const names = folder === '' ? ['main', 'post'] : ['cancel'];
    expect(bundles).toEqual(names.map((name) => `dist/${name}/index.js`));
    expect(entries).toEqual(expect.arrayContaining(names));
    for (const name of names) expect(existsSync(join(root, 'src', `${name}.ts`))).toBe(true);
  });

  it('matches action-types.yml, which has the same order and only types that generators support', () => {
    expect(Object.keys(types)).toEqual(['inputs', 'outputs']);
    expect(Object.keys(types.inputs)).toEqual(Object.keys(action.inputs));
    expect(Object.keys(types.outputs)).toEqual(Object.keys(action.outputs));
    const all = [types.inputs, types.outputs].flatMap((each) => Object.values(each));
    for (const typing of all.flatMap((each) => [each, each['list-item'] ?? each])) {
      expect(KEYS[typing.type] ?? []).toEqual(expect.arrayContaining(Object.keys(typing)));
    }
  });

  it('uses the type boolean for exactly those inputs that default to true or false', () => {
    const namesOf = <T>(table: Readonly<Record<string, T>>, isWanted: (value: T) => boolean) =>
      Object.entries(table).flatMap(([name, value]) => (isWanted(value) ? [name] : []));
    const booleans = namesOf(action.inputs, (input) => input.default === 'true' || input.default === 'false');
    expect(namesOf(types.inputs, ({ type }) => type === 'boolean')).toEqual(booleans);
  });
});

describe('the choices in action-types.yml', () => {
  const types = parse(read('action-types.yml')) as Typings;
  const choices = Object.fromEntries(
    Object.entries(types.inputs).flatMap(([name, typing]) => {
      const values = typing['allowed-values'] ?? typing['list-item']?.['allowed-values'];
      return values === undefined ? [] : [[name, values] as const];
    }),
  );

  it('match the choices of each input in the code', () => {
    expect(Object.keys(choices)).toEqual(['on-timeout', 'on-cancel', 'succeed-on', 'retry-on', 'on-lost-response']);
    for (const [name, values] of Object.entries(choices)) {
      for (const value of values) {
        expect(mistakes({ [name]: value })).toEqual([]);
        expect(mistakes({ [name]: 'else' }).join()).toContain(value);
      }
    }
  });

  it('include all final statuses and all outcomes', () => {
    expect(choices['succeed-on']).toEqual(TERMINAL_STATUSES);
    expect(types.outputs['outcome']?.['allowed-values']).toEqual(OUTCOMES);
  });
});

describe('README.md', () => {
  it('lists the same inputs as the code, in the same order, with the same defaults', () => {
    const shown = tableUnder('Inputs').map(([name, value]) => [
      name,
      value === 'required' ? { required: true } : value === '' ? {} : { default: value },
    ]);
    expect(shown).toEqual(Object.entries(INPUTS));
  });

  it('lists the same outputs as the code, in the same order', () => {
    expect(tableUnder('Outputs').map(([name]) => name)).toEqual([...OUTPUTS]);
  });

  it('names all final statuses and outcomes, just like action.yml', () => {
    for (const status of TERMINAL_STATUSES) {
      for (const text of [main.inputs['succeed-on']?.description, readme]) expect(text).toContain(status);
    }
    for (const outcome of OUTCOMES) {
      expect(main.outputs['outcome']?.description).toContain(outcome);
      expect(readme).toContain(`| \`${outcome}\` |`);
    }
  });

  it('shows a workflow that needs no permissions and has one step, which uses inputs of the action', () => {
    const [, snippet = ''] = /```yaml\n(name: [\s\S]*?)```/.exec(readme) ?? [];
    const workflow = parse(snippet) as {
      readonly permissions: unknown;
      readonly jobs: Readonly<Record<string, { readonly steps: readonly { uses?: string; with?: object }[] }>>;
    };
    const uses = Object.values(workflow.jobs).flatMap(({ steps }) => steps.filter((step) => step.uses !== undefined));
    expect(workflow.permissions).toEqual({});
    expect(uses).toHaveLength(1);
    const given = uses.flatMap((step) => Object.keys(step.with ?? {}));
    expect(Object.keys(INPUTS)).toEqual(expect.arrayContaining(given));
    expect(given).toEqual(expect.arrayContaining(['api-key', 'base-url', 'pipeline']));
  });

  it('names only scripts that exist, starting with the two commands for contributors', () => {
    for (const [, name = ''] of readme.matchAll(/npm run ([\w:-]+)/g)) expect(manifest.scripts).toHaveProperty([name]);
    const [, section = ''] = readme.split('\n## For contributors\n');
    const [, commands] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
    expect(commands).toBe('npm ci && npm run demo\nnpm ci && npm test\n');
    expect(section.indexOf('```sh')).toBeLessThan(200);
  });
});

describe('package.json', () => {
  it('has the same version as the code', () => {
    expect(manifest.version).toBe(VERSION);
  });
});
