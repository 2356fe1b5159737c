// Makes every call meet every fault. fault-texts.txt shows the outcome, the cause and the remedy.
import { describe, expect, it } from 'vitest';
import { CALLS, type Call } from '../support/fault-scripts.ts';
import { ALL_FAULTS, canHappen, type FaultName } from '../support/faults.ts';
import { rewritten } from './error-texts/table.ts';
import { type ServiceCell, serviceCell } from './service-cell.ts';

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
function rowsOf(fault: FaultName, cells: readonly ServiceCell[]) {
  const named = (some: readonly ServiceCell[]) =>
    some.length === CALLS.length ? 'every call' : some.map(({ call }) => call).join(', ');
  const outcomes = grouped(cells, ({ call, text, problem }) =>
    [text, normalised(problem?.remedy ?? '', call)].filter((part) => part !== '').join(' | '),
  );
  const failed = cells.filter(({ problem }) => problem !== undefined);
  const causes = grouped(failed, ({ call, problem }) => normalised(problem?.cause ?? '', call));
  return {
    outcomes: outcomes.map(([outcome, some]) => `${named(some)} | ${outcome}`).join('\n'),
    causes: (causes.length === 0 ? grouped(cells, () => '') : causes).map(([cause, some]) => {
      return { cause, when: causes.length > 1 ? `${fault} (${named(some)})` : fault };
    }),
  };
}

/** The outcomes, the fault with its calls, and the cause of each entry of the table, with whole texts. */
const LISTED = [...rewritten('fault-texts.txt').matchAll(/^((?:\S.*\n)+)((?: {2}.*\n)+)/gm)].flatMap(
  ([, outcomes = '', causes = '']) =>
    [...causes.matchAll(/^ {2}(.*?)(?: \| (.*))?$/gm)].flatMap(([, faults = '', cause = '']) =>
      [...faults.matchAll(/\w+(?: \([^)]*\))?/g)].map(([when]) => [when, outcomes.trimEnd(), cause]),
    ),
);
const played = new Map<FaultName, ReturnType<typeof rowsOf>>();

describe('the service client', () => {
  it.each(ALL_FAULTS)('classifies and explains the fault "%s" as in the table, and leaves no timer', async (fault) => {
    const calls = CALLS.filter((call) => canHappen(fault, call));
    const cells = await Promise.all(calls.map((call) => serviceCell(fault, call)));
    const { outcomes, causes } = rowsOf(fault, cells);
    played.set(fault, { outcomes, causes });
    expect(cells.filter(({ timersLeft }) => timersLeft > 0)).toEqual([]);
    // Mutation testing repeats only the tests that run the mutated code, and not the last one.
    const listed = LISTED.filter(([when = '']) => when.split(' ')[0] === fault);
    expect(causes.map(({ when, cause }) => [when, outcomes, cause]).sort()).toEqual(listed.sort());
  });

  it('meets the faults of fault-texts.txt in this order', async () => {
    expect(played.size, 'the number of faults (run the whole file)').toBe(ALL_FAULTS.length);
    const rows = [...played.values()];
    const classes = grouped(rows, ({ outcomes }) => outcomes);
    const lines = classes.flatMap(([outcomes, some]) => {
      const causes = grouped(
        some.flatMap((row) => row.causes),
        ({ cause }) => cause,
      );
      const named = causes.map(
        ([cause, all]) => `  ${all.map(({ when }) => when).join(', ')}${cause === '' ? '' : ` | ${cause}`}`,
      );
      return [outcomes, ...named];
    });
    await expect(rewritten('fault-texts.txt', `${lines.join('\n')}\n`)).toMatchFileSnapshot('fault-texts.txt');
  });
});
