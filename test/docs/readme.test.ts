// Tests that the README, other documents and the issue forms agree with the code and with each other.
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CANCEL_INPUTS, INPUTS } from '../../src/action/inputs/input-table.ts';
import { OUTPUTS } from '../../src/action/report/outputs.ts';
import { CANCEL_OUTPUTS } from '../../src/action/steps/cancel-step.ts';
import { OUTCOMES } from '../../src/run/state/outcome.ts';
import { ALL_LINES } from '../matrix/error-texts/table.ts';
import { answers } from '../support/scripted-wire.ts';
import { bootstrap, JOB, row } from '../support/service.ts';
import { playStep } from '../support/step.ts';
import { codeIn, documentAt, read, root, section, tableIn } from './documents.ts';

const readme = documentAt('README.md');

describe('README.md', () => {
  const [introduction = ''] = readme.text.split('\n## ');
  const [step] = readme.blocks;

  it.each([
    ['a step', step?.text],
    ['a picture of the job summary', '](docs/images/summary.png)'],
    ['a link to the limits', 'docs/limits.md'],
  ])('contains %s before its first section', (_, text) => {
    expect(introduction).toContain(text);
  });

  it('makes three promises before its first section', () => {
    expect(introduction.match(/^- \*\*Never .*\*\*/gm)).toHaveLength(3);
  });

  it('contains a first step of at most seven lines', () => {
    expect(step?.text.split('\n').length).toBeLessThan(9);
  });

  it('has fewer than 10,240 bytes', () => {
    expect(Buffer.byteLength(readme.text)).toBeLessThan(10_240);
  });
});

describe('the keys of an entry in the results output', () => {
  const keys = ['pipeline', ...OUTPUTS.filter((name) => name !== 'results'), 'error'];

  it.each(['action.yml', 'cancel/action.yml'])('appear in the description of the output in %s', (path) => {
    const { outputs } = parse(read(path)) as { readonly outputs: Record<'results', { readonly description: string }> };
    const [, listed = ''] = /keys are (.*)\.$/.exec(outputs.results.description) ?? [];
    const named = listed.match(/[a-z][a-z-]+/g) ?? [];
    const others = ['and', 'if', 'max-attempts', 'is', 'above', 'attempts'];
    expect(named.filter((word) => !others.includes(word)).sort()).toEqual([...keys].sort());
  });

  it('appear in docs/several-pipelines.md', () => {
    const text = section(documentAt('docs/several-pipelines.md'), 'Results');
    expect([...text.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)).toEqual(expect.arrayContaining(keys));
  });
});

describe('docs/existing-runs.md', () => {
  const text = section(documentAt('docs/existing-runs.md'), 'Cancel runs by id');

  it('lists the inputs of cancel/ in order, and those that are required', () => {
    const shown = tableIn(text).map(([name, value]) => [codeIn(name), value === 'required' ? { required: true } : {}]);
    expect(shown).toEqual(CANCEL_INPUTS.map((name) => [name, INPUTS[name]]));
  });

  it('lists the outputs of cancel/ in order', () => {
    const outputs = tableIn(text.slice(text.indexOf('| Output |')));
    expect(outputs.map(([name]) => codeIn(name))).toEqual([...CANCEL_OUTPUTS]);
  });
});

const troubleshooting = documentAt('docs/troubleshooting.md');
const headings = [...troubleshooting.prose.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);

describe('docs/troubleshooting.md', () => {
  it('shows the exact log that the action prints for a failure', async () => {
    const running = row({ job_status: 'running', status_message: 'Connecting to the source' });
    const failure = 'Load failed: permission denied for schema "analytics"';
    const failed = row({ job_status: 'failed', status_message: failure });
    const rows = [row({ job_status: 'queued' }), ...Array.from({ length: 10 }, () => running), failed];
    const { lines, annotations } = await playStep({
      inputs: { 'base-url': 'https://app.example.com', pipeline: 'orders', timeout: '45m' },
      scripts: {
        exchange: () => answers(200, bootstrap({ backend_url: 'https://api.example.com' })),
        read: (nth) => answers(200, rows.slice(nth - 1, nth)),
      },
    });
    const errors = annotations.map(({ message }) => `Error: ${message}`);
    const log = [...lines, ...errors].join('\n').replaceAll(JOB, '6f1c2b9e-3d84-4a57-9c1f-0e5b7a2d4c86');
    // The page shows the last six lines.
    const block = troubleshooting.blocks.find(({ language }) => language === 'text');
    expect(block?.text).toBe(`${log.split('\n').slice(-6).join('\n')}\n`);
  });

  it('explains more than 50 messages, each only once', () => {
    expect(headings.length).toBeGreaterThan(50);
    expect(new Set(headings).size).toBe(headings.length);
  });

  it.each(headings)('explains %s, which the action can print', (heading) => {
    const message = codeIn(heading) ?? 'The heading must be code.';
    // In a heading, `…` stands for any text within a line.
    const parts = message.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = new RegExp(parts.join('.+'));
    expect(ALL_LINES.filter((text) => pattern.test(text))).not.toEqual([]);
  });

  it('states for each outcome whether a run is in progress', () => {
    const rows = tableIn(section(troubleshooting, 'Troubleshooting'));
    const named = rows.flatMap(([cell = '']) => cell.split(', ').map(codeIn));
    expect([...named].sort()).toEqual([...OUTCOMES].sort());
  });

  it('begins with a list of its sections', () => {
    const parts = [...troubleshooting.prose.matchAll(/^## (.*)$/gm)].map(([, part = '']) => part);
    const listed = [...troubleshooting.prose.matchAll(/^- \[([^\]]*)\]\(#/gm)].map(([, part = '']) => part);
    expect(listed).toEqual(parts);
  });
});

const costs = ['One step for several pipelines', 'Tests and a run in one workflow', 'Waiting without a runner']
  .flatMap((heading) => tableIn(section(documentAt('docs/costs.md'), heading)))
  .map((cells) => {
    const at = cells.findIndex((cell) => /^\d+ [×+\d ]+$/.test(cell));
    return [cells[at] ?? '', cells[at + 1] ?? ''] as const;
  });

it.each(costs)('docs/costs.md states the correct number of billed minutes for %s', (reckoning, minutes) => {
  const products = reckoning.split('+').map((term) => term.split('×').reduce((all, each) => all * Number(each), 1));
  expect(minutes).toBe(String(products.reduce((a, b) => a + b, 0)));
});

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: Record<string, unknown>;
  }[];
}

/** The attribute that GitHub requires for each type of field. */
const REQUIRED = new Map(Object.entries({ markdown: 'value', input: 'label', textarea: 'label', dropdown: 'options' }));

const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter((path) => !path.endsWith('config.yml'));

it.each(forms)('the issue form %s has a name, a description, and valid fields with unique ids', (path) => {
  const { name, description, body } = parse(read(path)) as Form;
  for (const text of [name, description]) expect(text).toMatch(/^\w/);
  for (const { type, attributes } of body) expect(attributes).toHaveProperty(REQUIRED.get(type) ?? 'a known type');
  const ids = body.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
});

it("the issue form for bugs lists the README's promises word for word", () => {
  const { body } = parse(read('.github/ISSUE_TEMPLATE/bug.yml')) as Form;
  const options = body.find(({ id }) => id === 'promise')?.attributes['options'] as readonly string[];
  const promises = [...readme.text.matchAll(/^- \*\*Never (.*?)\.\*\*/gm)].map(([, promise = '']) => promise);
  expect(options.slice(1, 4).map((each) => each.toLowerCase())).toEqual(promises.map((each) => each.toLowerCase()));
});
