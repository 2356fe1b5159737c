// Compares action.yml, cancel/action.yml, their action-types.yml and the tables in README.md with the code.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { entries } from '../../scripts/entries.ts';
import { INPUTS, type InputName } from '../../src/action/input-reader.ts';
import { OUTPUTS } from '../../src/report/outputs.ts';
import { OUTCOMES } from '../../src/run/outcome.ts';
import { FINAL_STATUSES } from '../../src/service/statuses.ts';
import { codeIn, documentAt, read, section, tableIn } from './documents.ts';

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

describe.each(['', 'cancel/'])('%saction.yml', (folder) => {
  const action = parse(read(`${folder}action.yml`)) as Action;
  const types = parse(read(`${folder}action-types.yml`)) as Typings;

  it('declares the defaults of the code, written as strings', () => {
    const names = Object.keys(action.inputs) as InputName[];
    // The post step's status of the job is an expression, and required inputs have no default.
    const defaults = names.map((name) => (name === 'internal-job-status' ? '' : (action.inputs[name]?.default ?? '')));
    expect(defaults).toEqual(names.map((name) => INPUTS[name]));
  });

  it('runs files that the build makes on Node.js 24', () => {
    const { using, 'post-if': _, ...files } = action.runs;
    expect(using).toBe('node24');
    const names = folder === '' ? ['main', 'post'] : ['cancel'];
    const paths = Object.values(files).map((file) => join(folder, file).replaceAll('\\', '/'));
    expect(paths).toEqual(names.map((name) => `dist/${name}.js`));
    expect(entries).toEqual(expect.arrayContaining(names));
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

  it.each([
    ['the input succeed-on are all final statuses', choices['succeed-on'], FINAL_STATUSES],
    ['the output outcome are all outcomes', types.outputs['outcome']?.['allowed-values'], OUTCOMES],
  ])('for %s', (_what, values, expected) => {
    expect(values).toEqual(expected);
  });
});

describe('README.md', () => {
  it('lists the inputs of the code in the same order, with the same defaults, as does action.yml', () => {
    const shown = tableIn(section(readme, 'Inputs')).map(([name, value = '']) => [
      codeIn(name),
      value === 'required' || value === '' ? '' : codeIn(value),
    ]);
    const inputs = Object.entries(INPUTS);
    expect(Object.keys(main.inputs)).toEqual(inputs.map(([name]) => name));
    expect(shown.map(([name, value]) => [name, name === 'internal-job-status' ? '' : value])).toEqual(inputs);
  });

  it('lists the outputs of the code in the same order, as does action.yml', () => {
    expect(tableIn(section(readme, 'Outputs')).map(([name]) => codeIn(name))).toEqual([...OUTPUTS]);
    expect(Object.keys(main.outputs)).toEqual([...OUTPUTS]);
  });

  it.each(FINAL_STATUSES)('names the final status %s, as does action.yml', (status) => {
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
