// Makes every call meet every fault. fault-texts.txt shows the outcome, the cause and the remedy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CALLS, type Call } from '../support/fault-scripts.ts';
import { ALL_FAULTS, canHappen, type FaultName } from '../support/faults.ts';
import { serviceCell } from './service-cell.ts';

/** Replaces the host, the deadline and long quotations, so that texts of different calls can be equal. */
function normalised(text: string, call: Call): string {
  return text
    .replaceAll(call === 'exchange' ? 'app.example.test' : 'api.example.test', 'HOST')
    .replace(/(?<=HOST) within \d+\w/, ' within TIME')
    .replace(/"[^"]{30,}"/g, '"…"');
}

function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): [string, Value[]][] {
  const groups = new Map<string, Value[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return [...groups];
}

/** Lists the outcomes of a fault with one line per group of calls, and its causes in the same format. */
async function rowsOf(fault: FaultName): Promise<{ readonly outcomes: string; readonly causes: string }> {
  const calls = CALLS.filter((call) => canHappen(fault, call));
  const cells = await Promise.all(calls.map(async (call) => ({ call, ...(await serviceCell(fault, call)) })));
  expect(cells.filter(({ timersLeft }) => timersLeft > 0)).toEqual([]);
  const named = (some: readonly { readonly call: Call }[]): string =>
    some.length === CALLS.length ? 'every call' : some.map(({ call }) => call).join(', ');
  const outcomes = grouped(cells, ({ call, text, problem }) =>
    [text, normalised(problem?.remedy ?? '', call)].filter((part) => part !== '').join(' | '),
  );
  const failed = cells.filter(({ problem }) => problem !== undefined);
  const causes = grouped(failed, ({ call, problem }) => normalised(problem?.cause ?? '', call));
  return {
    outcomes: outcomes.map(([outcome, some]) => `${named(some)} | ${outcome}`).join('\n'),
    causes: causes
      .map(([cause, some]) => `  ${fault}${causes.length > 1 ? ` (${named(some)})` : ''} | ${cause}`)
      .join('\n')
      .concat(causes.length === 0 ? `  ${fault}` : ''),
  };
}

const sections = readFileSync(join(import.meta.dirname, 'fault-texts.txt'), 'utf8').split(/(?<=\n {2}.*\n)(?! )/);

/** Returns the lines about a fault in the table: the outcomes of its section, and its causes. */
function listed(fault: FaultName): string {
  const isOwn = (line: string): boolean => line === `  ${fault}` || line.startsWith(`  ${fault} `);
  const section = sections.map((text) => text.split('\n')).find((lines) => lines.some(isOwn));
  return (section ?? []).filter((line) => (line.startsWith('  ') ? isOwn(line) : line !== '')).join('\n');
}

const rows: Awaited<ReturnType<typeof rowsOf>>[] = [];

describe('the service client', () => {
  it.each(ALL_FAULTS)(
    'classifies and explains the fault "%s" in every call as fault-texts.txt shows',
    async (fault) => {
      const row = await rowsOf(fault);
      rows.push(row);
      expect(`${row.outcomes}\n${row.causes}`).toBe(listed(fault));
    },
  );

  it('groups the faults by their outcomes as fault-texts.txt does', async () => {
    const classes = grouped(rows, ({ outcomes }) => outcomes);
    const text = classes.map(([outcomes, some]) => [outcomes, ...some.map(({ causes }) => causes)].join('\n'));
    await expect(`${text.join('\n')}\n`).toMatchFileSnapshot('fault-texts.txt');
  });
});
