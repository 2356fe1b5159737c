import { describe, expect, it } from 'vitest';
import { CANCEL_INPUTS, INPUTS } from '../../src/action/inputs/input-table.ts';
import { OUTPUTS } from '../../src/action/report/outputs.ts';
import { CANCEL_OUTPUTS } from '../../src/action/steps/cancel-step.ts';
import { codeIn, documentAt, section, tableIn } from './documents.ts';
import { failureLog } from './failure-log.ts';

const readme = documentAt('README.md');
const first = (rows: readonly (readonly string[])[]): readonly (string | undefined)[] =>
  rows.map(([cell]) => codeIn(cell));

describe('README.md', () => {
  it('shows a failure as the action tells of it', async () => {
    const text = section(readme, 'What a failure looks like');
    const block = readme.blocks.find(({ language }) => language === 'text');
    expect(block?.text).toBe(await failureLog());
    expect(text).toContain(block?.text);
  });

  it('has the release gate, the promises and their exceptions before the first heading', () => {
    const [head = ''] = readme.text.split('\n## ');
    expect(head.match(/^- \*\*Never .*\*\*/gm)).toHaveLength(3);
    expect(head.match(/\*Except\* /g)).toHaveLength(3);
    expect(readme.blocks[0]?.language).toBe('yaml');
    expect(head).toContain(readme.blocks[0]?.text);
    expect(readme.blocks[0]?.text.split('\n').length).toBeLessThan(18);
  });

  it('names the keys of an entry of results', () => {
    const named = [...section(readme, 'Several pipelines').matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(['pipeline', 'error']));
    expect(named).toEqual(expect.arrayContaining(OUTPUTS.filter((name) => name !== 'results')));
  });

  it('has the inputs and the outputs of cancel/, in one order, with their defaults', () => {
    const text = section(readme, 'Cancel runs by their ids');
    const inputs = tableIn(text);
    const shown = inputs.map(([name, value]) => [codeIn(name), value === 'required' ? { required: true } : {}]);
    expect(shown).toEqual(CANCEL_INPUTS.map((name) => [name, INPUTS[name]]));
    expect(first(tableIn(text.slice(text.indexOf('| Output |'))))).toEqual([...CANCEL_OUTPUTS]);
  });
});

describe('docs/costs.md', () => {
  const costs = documentAt('docs/costs.md');
  const rows = ['One step or many runners', 'Before, beside or after', 'Waiting without a runner'].flatMap((heading) =>
    tableIn(section(costs, heading)).map((cells) => {
      const at = cells.findIndex((cell) => /^\d+ [×+\d ]+$/.test(cell));
      return [cells[at] ?? '', cells[at + 1] ?? ''] as const;
    }),
  );

  it.each(rows)('reckons right: %s', (reckoning, minutes) => {
    const sum = reckoning
      .split('+')
      .map((term) => term.split('×').reduce((product, factor) => product * Number(factor), 1))
      .reduce((a, b) => a + b, 0);
    expect(minutes).toBe(String(sum));
  });

  it('says what README.md says', () => {
    const told = tableIn(section(readme, 'What it costs')).map(([, minutes]) => minutes);
    expect(rows.map(([, minutes]) => minutes)).toEqual(expect.arrayContaining(told.slice(0, 2)));
  });
});
