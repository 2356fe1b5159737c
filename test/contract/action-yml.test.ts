import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { entries } from '../../scripts/entries.ts';
import { INPUTS } from '../../src/action/inputs/input-table.ts';
import { OUTPUTS } from '../../src/action/report/outputs.ts';
import { VERSION } from '../../src/base/version.ts';
import { OUTCOMES } from '../../src/run/state/outcome.ts';
import { TERMINAL_STATUSES } from '../../src/service/statuses.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

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

const action = parse(read('action.yml')) as Action;
const readme = read('README.md');

/** The cells of the rows of the first table under a heading of README.md. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const lines = section.split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const rest = lines.slice(first);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  const rows = rest.slice(2, end).map((line) => line.split('|').slice(1, -1));
  return rows.map((cells) => cells.map((cell) => cell.trim()));
}

/** What a cell holds as code; nothing when it holds none. */
function codeIn(cell: string | undefined): string | undefined {
  return /^`(.*)`$/.exec(cell ?? '')?.[1];
}

describe('the inputs', () => {
  it('of action.yml are those of the code, in one order, with the same defaults', () => {
    const declared = Object.entries(action.inputs).map(([name, { required, default: value }]) => [
      name,
      { ...(required === undefined ? {} : { required }), ...(value === undefined ? {} : { default: value }) },
    ]);
    expect(declared).toEqual(Object.entries(INPUTS));
  });

  it('have defaults that are text: YAML would make a boolean of a bare false', () => {
    for (const input of Object.values(action.inputs)) expect(typeof (input.default ?? '')).toBe('string');
  });

  it('are those of the table in README.md, in one order, with the same defaults', () => {
    const shown = tableUnder('Inputs').map(([name, value]) => [
      codeIn(name),
      value === 'required' ? { required: true } : value === '' ? {} : { default: codeIn(value) },
    ]);
    expect(shown).toEqual(Object.entries(INPUTS));
  });

  it('that name statuses name all of them', () => {
    for (const text of [action.inputs['succeed-on']?.description, readme]) {
      for (const status of TERMINAL_STATUSES) expect(text).toContain(status);
    }
  });
});

describe('the outputs', () => {
  it('of action.yml are those of the code, in one order', () => {
    expect(Object.keys(action.outputs)).toEqual([...OUTPUTS]);
  });

  it('are those of the table in README.md, in one order', () => {
    expect(tableUnder('Outputs').map(([name]) => codeIn(name))).toEqual([...OUTPUTS]);
  });

  it('that name outcomes name all of them', () => {
    for (const outcome of OUTCOMES) {
      expect(action.outputs['outcome']?.description).toContain(outcome);
      expect(readme).toContain(`| \`${outcome}\` |`);
    }
  });
});

describe('every input and output', () => {
  it('is described', () => {
    for (const { description } of [...Object.values(action.inputs), ...Object.values(action.outputs)]) {
      expect(description.length).toBeGreaterThan(10);
    }
  });
});

describe('what the runner starts', () => {
  it('is Node 24', () => {
    expect(action.runs['using']).toBe('node24');
  });

  it('is what is bundled', () => {
    expect(action.runs).toEqual({ using: 'node24', main: 'dist/main/index.js', post: 'dist/post/index.js' });
    expect(entries).toEqual(expect.arrayContaining(['main', 'post']));
    for (const name of entries) expect(existsSync(join(root, 'src', `${name}.ts`))).toBe(true);
  });
});

describe('the version', () => {
  it('is the same in the code and in package.json', () => {
    expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION);
  });
});

describe('README.md', () => {
  it('shows a workflow with inputs that there are', () => {
    const [, snippet = ''] = /```yaml\n(name: [\s\S]*?)```/.exec(readme) ?? [];
    const workflow = parse(snippet) as {
      readonly permissions: unknown;
      readonly jobs: Readonly<Record<string, { readonly steps: readonly Readonly<Record<string, unknown>>[] }>>;
    };
    const steps = Object.values(workflow.jobs).flatMap(({ steps }) => steps);
    const uses = steps.filter((step) => typeof step['uses'] === 'string');
    expect(workflow.permissions).toEqual({});
    expect(uses).toHaveLength(1);
    for (const step of uses) {
      const given = Object.keys(step['with'] as object);
      expect(Object.keys(INPUTS)).toEqual(expect.arrayContaining(given));
      expect(given).toEqual(expect.arrayContaining(['api-key', 'base-url', 'pipeline']));
    }
  });

  it('names commands that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    for (const [, name = ''] of readme.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name);
  });

  it('tells contributors first the two commands that are all it takes', () => {
    const [, section = ''] = readme.split('\n## For contributors\n');
    const [, commands] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
    expect(commands).toBe('npm ci && npm run demo\nnpm ci && npm test\n');
    expect(section.indexOf('```sh')).toBeLessThan(200);
  });
});
