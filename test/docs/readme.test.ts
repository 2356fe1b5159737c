// Tests that the README and other documents agree with the code.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CANCEL_INPUTS, INPUTS } from '../../src/action/inputs/input-table.ts';
import { OUTPUTS } from '../../src/action/report/outputs.ts';
import { CANCEL_OUTPUTS } from '../../src/action/steps/cancel-step.ts';
import { answers } from '../support/scripted-wire.ts';
import { bootstrap, JOB } from '../support/service.ts';
import { playStep } from '../support/step.ts';
import { codeIn, documentAt, read, section, tableIn } from './documents.ts';

const readme = documentAt('README.md');
const first = (rows: readonly (readonly string[])[]): readonly (string | undefined)[] =>
  rows.map(([cell]) => codeIn(cell));

describe('README.md', () => {
  it('shows a step, an image of the summary, and the promises before the first heading', () => {
    const [head = ''] = readme.text.split('\n## ');
    expect(readme.blocks[0]?.text.split('\n').length).toBeLessThan(9);
    expect(head).toContain(readme.blocks[0]?.text);
    expect(head).toContain('](docs/images/summary.png)');
    expect(head.match(/^- \*\*Never .*\*\*/gm)).toHaveLength(3);
    expect(head).toContain('docs/limits.md');
  });

  it('is short', () => {
    expect(Buffer.byteLength(readme.text)).toBeLessThan(10_240);
  });
});

describe('the keys of an entry of results', () => {
  const keys = ['pipeline', ...OUTPUTS.filter((name) => name !== 'results'), 'error'];

  it.each(['action.yml', 'cancel/action.yml'])('match the list in %s', (path) => {
    const { outputs } = parse(read(path)) as { readonly outputs: Record<'results', { readonly description: string }> };
    const [, listed = ''] = /keys are (.*)\.$/.exec(outputs.results.description) ?? [];
    const named = listed.match(/[a-z][a-z-]+/g) ?? [];
    expect(
      named.filter((word) => !['and', 'if', 'max-attempts', 'is', 'above', 'attempts'].includes(word)).sort(),
    ).toEqual([...keys].sort());
  });

  it('match the list in the documentation of several pipelines', () => {
    const text = section(documentAt('docs/several-pipelines.md'), 'Results');
    expect([...text.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)).toEqual(expect.arrayContaining(keys));
  });
});

describe('docs/existing-runs.md', () => {
  it('lists the inputs and outputs of cancel/ in order, with their defaults', () => {
    const text = section(documentAt('docs/existing-runs.md'), 'Cancel runs by id');
    const shown = tableIn(text).map(([name, value]) => [codeIn(name), value === 'required' ? { required: true } : {}]);
    expect(shown).toEqual(CANCEL_INPUTS.map((name) => [name, INPUTS[name]]));
    expect(first(tableIn(text.slice(text.indexOf('| Output |'))))).toEqual([...CANCEL_OUTPUTS]);
  });
});

const MESSAGES: Readonly<Record<string, string>> = {
  running: 'Connecting to the source',
  failed: 'Load failed: permission denied for schema "analytics"',
};

/** The last six lines of the log of a run that fails after a few minutes, as GitHub displays them. */
async function failureLog(): Promise<string> {
  const statuses = ['queued', ...Array.from({ length: 10 }, () => 'running'), 'failed'];
  const { lines, annotations } = await playStep({
    inputs: { 'base-url': 'https://app.example.com', pipeline: 'orders', timeout: '45m' },
    scripts: {
      exchange: () => answers(200, bootstrap({ backend_url: 'https://api.example.com' })),
      read: (nth) => {
        const status = statuses[nth - 1] ?? 'failed';
        return answers(200, [{ id: JOB, job_status: status, status_message: MESSAGES[status] ?? null }]);
      },
    },
  });
  const errors = annotations.map(({ message }) => `Error: ${message}`);
  const shown = [...lines, ...errors].join('\n').split('\n').slice(-6);
  return `${shown.join('\n').replaceAll(JOB, '6f1c2b9e-3d84-4a57-9c1f-0e5b7a2d4c86')}\n`;
}

describe('docs/troubleshooting.md', () => {
  it('shows the exact log that the action prints for a failure', async () => {
    const block = documentAt('docs/troubleshooting.md').blocks.find(({ language }) => language === 'text');
    expect(block?.text).toBe(await failureLog());
  });
});

describe('docs/costs.md', () => {
  const costs = documentAt('docs/costs.md');
  const rows = [
    'One step for several pipelines',
    'Tests and a run in one workflow',
    'Waiting without a runner',
  ].flatMap((heading) =>
    tableIn(section(costs, heading)).map((cells) => {
      const at = cells.findIndex((cell) => /^\d+ [×+\d ]+$/.test(cell));
      return [cells[at] ?? '', cells[at + 1] ?? ''] as const;
    }),
  );

  it.each(rows)('calculates the billed minutes for %s', (reckoning, minutes) => {
    const sum = reckoning
      .split('+')
      .map((term) => term.split('×').reduce((product, factor) => product * Number(factor), 1))
      .reduce((a, b) => a + b, 0);
    expect(minutes).toBe(String(sum));
  });
});
