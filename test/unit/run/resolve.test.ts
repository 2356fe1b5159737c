// Tests how the step resolves names and UUIDs of pipelines, and which names it suggests for an unknown name.
import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/run/resolve.ts';
import type { ListOutcome, Pipeline } from '../../../src/service/api.ts';
import { FAILED, pipelineNumber as id, listing, type ServiceScript } from '../../support/fake-service.ts';
import { matching, rows, type Scenario, scenarios } from '../../support/scenarios.ts';
import { JOB } from '../../support/service.ts';
import { playStep } from '../../support/step.ts';

function pipeline(nth: number, apiName: string | null, name: string | null): Pipeline {
  return { id: id(nth), apiName, name };
}

const WORKSPACE: readonly Pipeline[] = [
  pipeline(1, 'orders', 'Orders, daily'),
  pipeline(2, 'customers', 'Customers'),
  pipeline(3, 'returns_eu', 'Returns'),
  pipeline(4, 'returns_us', 'Returns'),
  pipeline(5, null, 'Nameless'),
  pipeline(6, 'silent', null),
];
const list = (pipelines: readonly Pipeline[], mayBeTruncated = false): ListOutcome => ({
  kind: 'pipelines',
  pipelines,
  mayBeTruncated,
});
const finishes: ServiceScript = { life: () => [[0, 'completed']] };
const workspace: ServiceScript = { ...finishes, list: () => list(WORKSPACE) };
const cut: ServiceScript = { ...finishes, list: () => list(WORKSPACE, true) };
const DRY = { 'dry-run': 'true' };
const DROPS = { 'reset-target': 'true', 'full-resync': 'true' };
const saying = (...texts: readonly string[]): unknown =>
  expect.stringMatching(texts.map((text) => text.replace(/[?.()]/g, '\\$&')).join('.*'));
const REJECTED = { exitCode: 1, calls: 'connect list', triggered: '' };

describe('a pipeline', () => {
  scenarios(
    {
      ...rows(
        (
          [
            ['its API name', 'orders', 1, 'Orders, daily'],
            ['its name, which may contain commas', 'Orders, daily', 1, 'Orders, daily'],
            ['its name if it has no API name', 'Nameless', 5, 'Nameless'],
            ['its API name if it has no name', 'silent', 6, 'silent'],
            ['its API name if two pipelines share a name', 'returns_us', 4, 'Returns'],
          ] as const
        ).map(
          ([how, given, nth, name]): Scenario => [
            `is found by ${how}`,
            { inputs: { pipeline: given } },
            { triggered: String(nth), results: [{ 'pipeline-id': id(nth), 'pipeline-name': name }] },
          ],
        ),
      ),
      'is found by its UUID without a list': [
        { inputs: { pipeline: id(9).toUpperCase() } },
        { triggered: '9', calls: 'connect list trigger read' },
      ],
      'is found with a single list for all pipelines, in the order of the input': [
        { inputs: { pipeline: `customers\n${id(9)}\norders` } },
        { triggered: '2 9 1', calls: matching(/^connect list×2 trigger×3 /) },
      ],
      'is found by name if job-id names a run to be resumed': [
        { inputs: { pipeline: 'orders', 'job-id': JOB } },
        { results: [{ 'pipeline-id': id(1) }] },
      ],
      'is found in a list that may be incomplete': [
        { inputs: { pipeline: 'orders' }, service: cut },
        { triggered: '1' },
      ],
      'is found by its UUID in a dry run': [
        { inputs: { pipeline: id(1), ...DRY } },
        { exitCode: 0, results: [{ 'pipeline-name': 'Orders, daily' }] },
      ],
      'is found once a failing list recovers': [
        { inputs: { pipeline: 'orders' }, service: { list: (nth) => (nth < 3 ? FAILED.perhaps : list(WORKSPACE)) } },
        { triggered: '1', calls: 'connect list×3 trigger read' },
      ],
      'is triggered by its UUID with reset-target even if the list may be truncated': [
        { inputs: { pipeline: id(1), ...DROPS }, service: cut },
        { triggered: '1' },
      ],
    },
    { service: workspace },
  );
});

describe('nothing is triggered', () => {
  const twice = (first: string, then: string, uuid = then): Scenario => [
    `if ${first} and ${then} name the same pipeline`,
    { inputs: { pipeline: `${first}\n${then}` } },
    { exitCode: 1, triggered: '', annotations: [{ message: saying(`"${first}" and "${then}"`, `(${uuid})`) }] },
  ];
  scenarios(
    {
      'if any pipeline is wrong, and each wrong pipeline is reported': [
        { inputs: { pipeline: 'orders\nordres\ncustomers\nReturns' } },
        {
          ...REJECTED,
          annotations: [
            { message: saying('find the pipeline "ordres"') },
            { message: saying('find the pipeline "Returns"') },
          ],
        },
      ],
      'if two pipelines share the name, and both are described': [
        { inputs: { pipeline: 'Returns' } },
        {
          ...REJECTED,
          results: [{ error: saying('2 pipelines', `"returns_eu", UUID ${id(3)}`, `"returns_us", UUID ${id(4)}`) }],
        },
      ],
      ...rows([twice('orders', 'Orders, daily', id(1))]),
      ...rows([twice('customers', id(2))]),
      ...rows([twice('ABCDEF00-0000-4000-8000-000000000001', 'abcdef00-0000-4000-8000-000000000001')]),
      'by name with reset-target if the list may be truncated': [
        { inputs: { pipeline: 'orders', ...DROPS }, service: cut },
        { ...REJECTED, results: [{ error: saying('UUID') }] },
      ],
      'for a UUID that is missing from the list of a dry run': [
        { inputs: { pipeline: id(9), ...DRY } },
        { ...REJECTED, results: [{ error: saying(id(9)) }] },
      ],
      ...rows(
        [FAILED.rejected, FAILED.keyRefused, FAILED.notRetryable].map(
          (failure): Scenario => [
            `if the list fails: ${failure.kind}`,
            { inputs: { pipeline: 'orders' }, service: { list: () => failure } },
            { ...REJECTED, annotations: [{ message: saying(failure.problem.cause) }] },
          ],
        ),
      ),
      'if the list fails eight times': [
        { inputs: { pipeline: 'orders' }, service: { list: () => FAILED.perhaps } },
        { exitCode: 1, calls: 'connect list×8', triggered: '' },
      ],
    },
    { service: workspace },
  );
});

describe('the advice about an unknown pipeline name', () => {
  async function adviceOn(given: string, pipelines = WORKSPACE, mayBeTruncated = false): Promise<string> {
    const service: ServiceScript = { list: () => list(pipelines, mayBeTruncated) };
    const { results } = await playStep({ inputs: { pipeline: given }, service });
    return results[0]?.['error'] ?? '';
  }

  it.each([
    ['ordres', 'Did you mean "orders"?'],
    ['Order', 'Did you mean "orders"?'],
    ['ORDERS', 'Did you mean "orders"?'],
    ['returns', 'Did you mean "Returns" or "Returns"?'],
    ['returns-eu', 'Did you mean "returns_eu" or "Returns"?'],
    ['custmers', 'Did you mean "customers"?'],
    ['orders, customers', 'on separate lines'],
  ])('for "%s" is: %s', async (given, advice) => {
    expect(await adviceOn(given)).toContain(advice);
  });

  it('depends on the list and on commas in the name', async () => {
    const plain = await adviceOn('something else entirely');
    expect(plain).not.toMatch(/Did you mean|separate lines|may be incomplete|right workspace/);
    expect(await adviceOn('nothing', WORKSPACE, true)).toContain('may be incomplete');
    expect(await adviceOn('orders', [])).toContain('right workspace');
    expect((await adviceOn('pipeline-', listing(50).pipelines)).match(/"/g)).toHaveLength(8);
  });

  it.each([
    ['orders\u200B', 'orders', '"orders\\u200B"', '"orders"'],
    ['orders', 'orders\u200B', '"orders"', '"orders\\u200B"'],
    ['my orders', 'my\u00A0orders', '"my orders"', '"my\\u00A0orders"'],
  ])('shows how %j differs from %j', async (given, apiName, shown, suggested) => {
    const advice = await adviceOn(given, [pipeline(1, apiName, null)]);
    expect(advice).toContain(`find the pipeline ${shown}`);
    expect(advice).toContain(`mean ${suggested}?`);
  });
});

describe('a suggestion', () => {
  const among = (given: string, ...names: readonly string[]): string[] =>
    nearest(
      given,
      names.map((name) => [name]),
    );

  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      'lists at most three names, with the nearest first',
      'orders',
      ['ordersxx', 'ordres_', 'orders', 'ordrs', 'order'],
      ['orders', 'ordersxx', 'ordrs'],
    ],
    ['may differ in two letters', 'orders', ['odrers'], ['odrers']],
    ['may differ in two letters, however short the name is', 'eu', ['euro'], ['euro']],
    ['may differ in a third of the letters', 'customers_eu', ['kustomerz_uu'], ['kustomerz_uu']],
    ['does not differ in three letters', 'orders', ['adrars_'], []],
    ['does not differ in more than a third', 'customers_eu', ['kuztomarz_uu'], []],
    ['is never a very different name', 'qq', ['Customers daily'], []],
    ['is not made for a punctuation mark', '_', ['Customers daily'], []],
    ['may contain the requested name', 'dev', ['orders_dev_daily'], ['orders_dev_daily']],
    ['may be contained in the requested name', 'dev_orders_of_all_shops', ['dev'], ['dev']],
    ['does not merely contain two requested letters', 'eu', ['orders_of_all_shops_in_the_eu'], []],
    ['is not a name of two letters within the requested name', 'orders_of_all_shops_in_the_eu', ['eu'], []],
    [
      'ranks the name itself before a name that contains it',
      'orders',
      ['orders_eu', 'Orders'],
      ['Orders', 'orders_eu'],
    ],
    ['ignores case, spaces, hyphens and underscores', 'eu -- us', ['EU_US'], ['EU_US']],
    ['ignores punctuation at both ends', '_ab_', ['abc', 'ab'], ['ab', 'abc']],
    ['does not ignore a gap', 'a_bc', ['abc', 'a bc'], ['a bc', 'abc']],
    [
      'considers only the first 100 characters',
      'x'.repeat(100) + 'y'.repeat(200),
      ['x'.repeat(100) + 'z'.repeat(200)],
      ['x'.repeat(100) + 'z'.repeat(200)],
    ],
  ])('%s', (_what, given, names, expected) => {
    expect(among(given, ...names)).toEqual(expected);
  });

  it('names each pipeline once, by its closest spelling', () => {
    expect(nearest('orders', [['sales', 'ordrs'], ['Orders', 'orderss'], []])).toEqual(['Orders', 'ordrs']);
  });

  it('is no longer searched for once the comparisons have used up their budget', () => {
    const budget = { pairs: 200 };
    expect(nearest('orders', [['ordres']], budget)).toEqual(['ordres']);
    expect(nearest('orders', [['x'.repeat(100)], ['ordres']], budget)).toEqual([]);
    expect(nearest('orders', [['ordres']], budget)).toEqual([]);
    let visited = 0;
    const endless = new Proxy<string[][]>([], {
      get: () =>
        function* () {
          for (;;) {
            visited += 1;
            yield ['ordres'];
          }
        },
    });
    expect(nearest('orders', endless, { pairs: 200 })).toHaveLength(3);
    expect(visited).toBeLessThan(10);
  });
});
