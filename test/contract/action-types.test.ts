import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OUTCOMES } from '../../src/run/state/outcome.ts';
import { TERMINAL_STATUSES } from '../../src/service/statuses.ts';
import { mistakes } from '../support/action.ts';

interface Typing {
  readonly type: string;
  readonly 'allowed-values'?: readonly string[];
  readonly separator?: string;
  readonly 'list-item'?: Typing;
}

interface Typings {
  readonly inputs: Readonly<Record<string, Typing>>;
  readonly outputs: Readonly<Record<string, Typing>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): unknown => parse(readFileSync(join(root, file), 'utf8'));

/** What github-actions-typing knows, and the keys that each of them may have. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  string: ['type'],
  boolean: ['type'],
  integer: ['type'],
  enum: ['type', 'name', 'allowed-values'],
  list: ['type', 'separator', 'list-item'],
};

describe.each(['', 'cancel/'])('%saction-types.yml', (folder) => {
  const action = read(`${folder}action.yml`) as Action;
  const types = read(`${folder}action-types.yml`) as Typings;

  it('names the inputs and outputs of action.yml, in one order, and nothing else', () => {
    expect(Object.keys(types)).toEqual(['inputs', 'outputs']);
    expect(Object.keys(types.inputs)).toEqual(Object.keys(action.inputs));
    expect(Object.keys(types.outputs)).toEqual(Object.keys(action.outputs));
  });

  it('says of each what generators know', () => {
    const all = [...Object.values(types.inputs), ...Object.values(types.outputs)];
    for (const typing of all.flatMap((each) => [
      each,
      ...(each['list-item'] === undefined ? [] : [each['list-item']]),
    ])) {
      expect(KEYS[typing.type] ?? []).toEqual(expect.arrayContaining(Object.keys(typing)));
    }
  });

  it('has a boolean where the default is one, and nowhere else', () => {
    const isBoolean = (value: string | undefined): boolean => value === 'true' || value === 'false';
    const wanted = Object.entries(action.inputs).filter(([, input]) => isBoolean(input.default));
    const actual = Object.entries(types.inputs).filter(([, { type }]) => type === 'boolean');
    expect(actual.map(([name]) => name)).toEqual(wanted.map(([name]) => name));
  });
});

describe('the choices of action-types.yml', () => {
  const types = read('action-types.yml') as Typings;
  const choices = Object.entries(types.inputs).flatMap(([name, typing]) => {
    const values = typing['allowed-values'] ?? typing['list-item']?.['allowed-values'];
    return values === undefined ? [] : [{ name, values }];
  });

  it('are those of the inputs', () => {
    expect(choices.map(({ name }) => name)).toEqual([
      'on-timeout',
      'on-cancel',
      'succeed-on',
      'retry-on',
      'on-lost-response',
    ]);
    for (const { name, values } of choices) {
      for (const value of values) expect(mistakes({ [name]: value })).toEqual([]);
      for (const value of values) expect(mistakes({ [name]: 'else' }).join()).toContain(value);
    }
  });

  it('are all statuses in which a run ends, and all outcomes', () => {
    expect(choices.find(({ name }) => name === 'succeed-on')?.values).toEqual(TERMINAL_STATUSES);
    expect(types.outputs['outcome']?.['allowed-values']).toEqual(OUTCOMES);
  });
});
