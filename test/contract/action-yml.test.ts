// Compares action.yml, cancel/action.yml, their action-types.yml and the tables in README.md with the code.
import { existsSync } from 'node:fs';
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
import { codeIn, documentAt, read, root, section, tableIn } from '../docs/documents.ts';
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

const readme = documentAt('README.md');
const main = parse(read('action.yml')) as Action;

/** The types that github-actions-typing supports, and the keys that each type may have. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  string: ['type'],
  boolean: ['type'],
  integer: ['type'],
  enum: ['type', 'name', 'allowed-values'],
  list: ['type', 'separator', 'list-item'],
};

describe.each([
  ['', Object.entries(INPUTS), OUTPUTS],
  ['cancel/', CANCEL_INPUTS.map((name) => [name, INPUTS[name]] as const), CANCEL_OUTPUTS],
] as const)('%saction.yml', (folder, inputs, outputs) => {
  const action = parse(read(`${folder}action.yml`)) as Action;
  const types = parse(read(`${folder}action-types.yml`)) as Typings;

  it('declares the same inputs as the code in the same order, with the same defaults, written as strings', () => {
    const declared = Object.entries(action.inputs).map(([name, { description: _, ...input }]) => [name, input]);
    expect(declared).toEqual(inputs);
    // YAML reads a bare false as a boolean.
    for (const input of Object.values(action.inputs)) expect(typeof (input.default ?? '')).toBe('string');
  });

  it('declares the same outputs as the code in the same order', () => {
    expect(Object.keys(action.outputs)).toEqual([...outputs]);
  });

  it('runs the bundles built from files in src on Node.js 24', () => {
    const { using, ...files } = action.runs;
    expect(using).toBe('node24');
    const bundles = Object.values(files).map((file) => join(folder, file).replaceAll('\\', '/'));
    const names = folder === '' ? ['main', 'post'] : ['cancel'];
    expect(bundles).toEqual(names.map((name) => `dist/${name}/index.js`));
    expect(entries).toEqual(expect.arrayContaining(names));
    for (const name of names) expect(existsSync(join(root, 'src', `${name}.ts`))).toBe(true);
  });

  it('has an action-types.yml with the same names in the same order and only supported types', () => {
    expect(Object.keys(types)).toEqual(['inputs', 'outputs']);
    expect(Object.keys(types.inputs)).toEqual(Object.keys(action.inputs));
    expect(Object.keys(types.outputs)).toEqual(Object.keys(action.outputs));
    const all = [types.inputs, types.outputs].flatMap((each) => Object.values(each));
    for (const typing of all.flatMap((each) => [each, each['list-item'] ?? each])) {
      expect(KEYS[typing.type] ?? []).toEqual(expect.arrayContaining(Object.keys(typing)));
    }
  });

  it('has an action-types.yml that gives the type boolean to exactly the inputs that default to true or false', () => {
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

  it('exist for five inputs', () => {
    expect(Object.keys(choices)).toEqual(['on-timeout', 'on-cancel', 'succeed-on', 'retry-on', 'on-lost-response']);
  });

  it.each(Object.entries(choices))('for the input %s match the choices that the code accepts', (name, values) => {
    for (const value of values) expect(mistakes({ [name]: value })).toEqual([]);
    for (const value of values) expect(mistakes({ [name]: 'else' }).join()).toContain(value);
  });

  it.each([
    ['the input succeed-on are all final statuses', choices['succeed-on'], TERMINAL_STATUSES],
    ['the output outcome are all outcomes', types.outputs['outcome']?.['allowed-values'], OUTCOMES],
  ])('for %s', (_what, values, expected) => {
    expect(values).toEqual(expected);
  });
});

describe('README.md', () => {
  it('lists the same inputs as the code in the same order, with the same defaults', () => {
    const shown = tableIn(section(readme, 'Inputs')).map(([name, value]) => [
      codeIn(name),
      value === 'required' ? { required: true } : value === '' ? {} : { default: codeIn(value) },
    ]);
    expect(shown).toEqual(Object.entries(INPUTS));
  });

  it('lists the same outputs as the code in the same order', () => {
    expect(tableIn(section(readme, 'Outputs')).map(([name]) => codeIn(name))).toEqual([...OUTPUTS]);
  });

  it.each(TERMINAL_STATUSES)('names the final status %s, as does action.yml', (status) => {
    for (const text of [main.inputs['succeed-on']?.description, readme.text]) expect(text).toContain(status);
  });

  it.each(OUTCOMES)('names the outcome %s, as does action.yml', (outcome) => {
    expect(main.outputs['outcome']?.description).toContain(outcome);
    expect(readme.text).toContain(`| \`${outcome}\` |`);
  });

  it('shows contributors how to run the demo and the tests', () => {
    expect(section(readme, 'For contributors').slice(0, 300)).toContain('npm ci && npm run demo\nnpm ci && npm test\n');
  });
});

it('package.json has the same version as the code', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: VERSION });
});
