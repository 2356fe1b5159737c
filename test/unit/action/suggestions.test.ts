// What an error says about a name that no pipeline has.
import { describe, expect, it } from 'vitest';
import { createWorld, FOREIGN_PIPELINE_ID, PIPELINE_IDS, type PipelineOptions } from '../../../sandbox/model/index.ts';
import { callsOf, playMain, shownBy } from '../../support/steps.ts';

async function play(pipeline: string, pipelines: readonly PipelineOptions[] = []) {
  return playMain({ service: createWorld({ pipelines }), inputs: { pipeline, wait: 'false' } });
}

/** The inputs that the error suggests. */
async function suggested(pipeline: string, pipelines: readonly PipelineOptions[] = []): Promise<string[]> {
  const shown = shownBy(await play(pipeline, pipelines));
  return [...(/Did you mean (.*)\?$/m.exec(shown)?.[1] ?? '').matchAll(/"([^"]*)"/g)].map(([, name = '']) => name);
}

const only = (name: string): PipelineOptions => ({ name, apiName: null });

describe('the suggestions', () => {
  it.each<[string, readonly PipelineOptions[], readonly string[]]>([
    ['ordres', [], ['orders']],
    ['custmers', [], ['customers']],
    ['slwo', [], ['slow']],
    ['ORDERS', [], ['orders']],
    ['Flakey', [], ['flaky', 'flakier']],
    ['daily invoices', [{ name: 'x', apiName: 'daily-invoices' }], ['daily-invoices']],
    ['DailyInvoices', [{ name: 'x', apiName: 'daily_invoices' }], ['daily_invoices']],
    ['Cafe', [only('Caf\u00e9')], ['Caf\u00e9']],
    ['Cafe\u0301s', [only('Caf\u00e9')], ['Caf\u00e9']],
    ['Sales', [only('Sales\u200bEU')], ['SalesEU']],
    ['sale 5', [1, 2, 3, 4].map((nth) => only(`sale ${nth}`)), ['sale 1', 'sale 2', 'sale 3']],
    ['sale 33', [only('sale 1'), only('sale 3')], ['sale 3', 'sale 1']],
    // A third of six is two, and a third of five is one.
    ['abcd12', [only('abcdef')], ['abcdef']],
    ['abcd123', [only('abcdef')], []],
    ['abc12', [only('abcde')], []],
    ['my-orders-eu', [], []],
    ['warehouse', [], []],
    ['-', [], []],
    // Only the first 100 characters count.
    [`${'x'.repeat(100)}${'y'.repeat(80)}`, [only(`${'x'.repeat(99)}z`)], [`${'x'.repeat(99)}z`]],
  ])('for %j are the names that are at most a third of their length away', async (given, pipelines, names) => {
    expect(await suggested(given, pipelines)).toEqual(names);
  });

  it.each<[string, readonly PipelineOptions[]]>([
    ['Sales EU', [only('Sales "EU"')]],
    ['Sales EU', [only('Sales\\EU')]],
    ['Sales ${{x}', [only('Sales ${{ x }}')]],
    ['11111111-2222-4333-8444-55555555555', [only('11111111-2222-4333-8444-555555555555')]],
    ['Sale', [only('Sales'), { name: 'Sales', apiName: 'x' }]],
    ['Daily Invoices 1', [{ name: 'Daily Invoices', apiName: 'di_7' }]],
    ['#1 Sale', [only('#1 Sales')]],
    [`Sales ${'x'.repeat(300)}`, [only(`Sales ${'x'.repeat(301)}`)]],
    [
      'Sales  EV',
      [
        { name: 'Sales  EU', apiName: null },
        { name: 'Sales EU', apiName: null },
      ],
    ],
  ])('for %j work as inputs', async (given, pipelines) => {
    const names = await suggested(given, pipelines);
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual([...new Set(names)]);
    for (const name of names) {
      const main = await play(name, pipelines);
      expect([name, callsOf(main)]).toEqual([name, expect.stringContaining('trigger')]);
      expect(main.service.jobs).toHaveLength(1);
    }
  });

  it.each([
    ['quotation marks', 'Sales EU', 'Sales "EU"', "Sales 'EU'"],
    ['a backslash', 'Sales EU', 'Sales\\EU', 'Sales\\EU'],
    ['an expression', 'Sales ${{x}', 'Sales ${{ x }}', 'Sales ${{ x }}'],
    ['300 characters', 'x'.repeat(299), 'x'.repeat(300), `${'x'.repeat(48)}…${'x'.repeat(31)}`],
  ])('give the UUID of a pipeline whose name has %s', async (_, given, name, shown) => {
    const suggestion = /Did you mean "[\da-f-]{36}" \((.*)\)\?/.exec(shownBy(await play(given, [only(name)])));
    expect(suggestion?.[1]).toBe(shown);
  });

  it('are joined by "or"', async () => {
    expect(shownBy(await play('Flakey'))).toContain('Did you mean "flaky" or "flakier"?');
  });

  it('are made for the first three unknown names, not counting UUIDs and known names', async () => {
    const shown = shownBy(await play(`${FOREIGN_PIPELINE_ID}\nbroken\nordres\ncustmers\nslwo\nidel`));
    expect(shown.match(/Did you mean "\w+"\?/g)).toEqual(
      ['orders', 'customers', 'slow'].map((name) => `Did you mean "${name}"?`),
    );
    expect(shown).toMatch(/"idel": none of .* name, API name or UUID\.\nCheck the spelling/);
  });
});

describe('the advice', () => {
  it.each([
    ['- orders', 'Remove the dash', '"orders"'],
    ["['orders']", 'Remove the brackets', '"orders"'],
    ['["orders", "customers"]', 'Remove the brackets', ''],
    ['"orders"', 'Remove the quotation marks', '"orders"'],
    ["'ordres'", 'Remove the quotation marks', '"orders"'],
    ['- "orders" # nightly', 'Remove the dash', '"orders"'],
    ["[ 'slwo' ]", 'Remove the brackets', '"slow"'],
    ['"orders", "customers"', 'Remove the quotation marks and commas. Enter one name per line.', ''],
    ['https://app.example.test/pipelines/9a50bc2a', 'Enter only the name or the UUID', ''],
    ['orders;customers', 'Enter one name per line.', ''],
    [`${PIPELINE_IDS.orders} ${PIPELINE_IDS.slow}`, 'Enter one name per line. To keep', ''],
    ['$PIPELINE', 'Runners do not expand shell variables', ''],
    ['${PIPELINE}', 'Runners do not expand shell variables', ''],
    ['$env:PIPELINE', 'Runners do not expand shell variables', ''],
    ['%PIPELINE%', 'Runners do not expand shell variables', ''],
    ['Array', 'GitHub converts a list to the text Array', ''],
    ['Object', 'GitHub converts an object to the text Object', ''],
    ['orders customers', 'Enter one name per line. To keep', ''],
    ['orders Customers ordres', 'Enter one name per line. To keep', ''],
    ['Daily Sales warehouse', 'Enter one name per line. To keep', ''],
    ['orders, customers', 'Enter one name per line.$', ''],
    ['orders,customers', 'Enter one name per line.$', ''],
    ['orders\\ncustomers', 'Enter one name per line.$', ''],
    ['orders # nightly', 'Remove the comment', '"orders"'],
    ['# nightly', 'Remove the comment', ''],
    ['warehouse', 'Check the spelling', ''],
    ['Sales #1', 'Check the spelling', ''],
    ['two words', 'Check the spelling', ''],
    ['two  words', 'Check the spelling', ''],
    ['- orders customers', 'Remove the dash', ''],
    // Only the first 20 words and the first 1,000 characters count.
    [`${'x '.repeat(20)}orders`, 'Check the spelling', ''],
    [`${'x'.repeat(1_000)} # nightly`, 'Check the spelling', ''],
  ])('for %j begins with %j', async (given, sentence, suggestion) => {
    const shown = shownBy(await play(given, [only('Daily Sales')]));
    expect(shown).toMatch(new RegExp(`name or UUID\\.\\n${sentence.replaceAll('.', '\\.')}`, 'm'));
    expect(/\. Did you mean (.*)\?/.exec(shown)?.[1] ?? '').toBe(suggestion);
    expect(shown.match(/Enter one name per line/g) ?? []).not.toHaveLength(2);
  });

  it.each(['"orders"', `'orders'`, '["orders"]'])('quotes %s as it was typed', async (given) => {
    const quotes = given.includes('"') ? `'${given}'` : `"${given}"`;
    expect(shownBy(await play(given))).toContain(`identify the pipeline ${quotes}:`);
  });

  it('does not concern a name that a pipeline has', async () => {
    const names = ['- dash', "['list']", '"quoted"', '$NAME', 'Array', 'a # b', 'x, y'];
    const main = await play(names.join('\n'), names.map(only));
    expect(main.service.jobs).toHaveLength(names.length);
  });
});
