import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { entries } from '../../scripts/entries.ts';
import { CANCEL_INPUTS, INPUTS } from '../../src/action/inputs/input-table.ts';
import { CANCEL_OUTPUTS } from '../../src/action/steps/cancel-step.ts';

const root = join(import.meta.dirname, '..', '..');

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly runs: Readonly<Record<string, string>>;
}

const action = parse(readFileSync(join(root, 'cancel', 'action.yml'), 'utf8')) as Action;

describe('cancel/action.yml', () => {
  it('has the inputs of the code, in one order', () => {
    const declared = Object.entries(action.inputs).map(([name, { required, default: value }]) => [
      name,
      { ...(required === undefined ? {} : { required }), ...(value === undefined ? {} : { default: value }) },
    ]);
    expect(declared).toEqual(CANCEL_INPUTS.map((name) => [name, INPUTS[name]]));
  });

  it('has the outputs of the code, in one order', () => {
    expect(Object.keys(action.outputs)).toEqual([...CANCEL_OUTPUTS]);
  });

  it('starts what is bundled, with Node 24', () => {
    expect(action.runs['using']).toBe('node24');
    const main = relative(root, join(root, 'cancel', action.runs['main'] ?? '')).replaceAll('\\', '/');
    expect(entries.map((name) => `dist/${name}/index.js`)).toContain(main);
    expect(existsSync(join(root, 'src', 'cancel.ts'))).toBe(true);
  });
});
