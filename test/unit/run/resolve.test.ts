// Tests how the step resolves pipeline names and UUIDs, and which names it suggests for an unknown name.
import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/run/resolve.ts';
import type { Pipeline } from '../../../src/service/api.ts';
import { FAILED, pipelineNumber as id, listing, type ServiceScript } from '../../support/fake-service.ts';
import { each, matching, type Scenario, saying, scenarios } from '../../support/scenarios.ts';
import { playStep } from '../../support/step.ts';

const pipeline = (nth: number, apiName: string | null, name: string | null): Pipeline => ({
  id: id(nth),
  apiName,
  name,
});
const WORKSPACE: readonly Pipeline[] = [
  pipeline(1, 'orders', 'Orders, daily'),
  pipeline(2, 'customers', 'Customers'),
  pipeline(3, 'returns_eu', 'Returns'),
  pipeline(4, 'returns_us', 'Returns'),
  pipeline(5, null, 'Nameless'),
  pipeline(6, 'silent', null),
];
/** Four pipelines, of which the first has this API name and the others have this name. */
const SALES = [pipeline(1, 'sales', null), ...[2, 3, 4].map((nth) => pipeline(nth, null, 'sales'))];
const list = (pipelines: readonly Pipeline[], mayBeTruncated = false) => ({ ...listing(), pipelines, mayBeTruncated });
const finishes: ServiceScript = { life: () => 'completed' };
const workspace: ServiceScript = { ...finishes, list: () => list(WORKSPACE) };
const cut: ServiceScript = { ...finishes, list: () => list(WORKSPACE, true) };
const DROPS = { 'reset-target': 'true', 'full-resync': 'true' };
const REJECTED = { exitCode: 1, calls: 'connect list', triggered: '' };

describe('a pipeline', () => {
  scenarios(
    {
      ...each(
        [
          ['its API name', 'orders', 1, 'Orders, daily'],
          ['its name, which may contain commas', 'Orders, daily', 1, 'Orders, daily'],
          ['its name if it has no API name', 'Nameless', 5, 'Nameless'],
          ['its API name if it has no name', 'silent', 6, 'silent'],
          ['its API name if it shares its name with another pipeline', 'returns_us', 4, 'Returns'],
        ],
        ([how, given, nth, name]) => [
          `is found by ${how}`,
          { inputs: { pipeline: given } },
          { triggered: String(nth), results: [{ 'pipeline-id': id(nth), 'pipeline-name': name }] },
        ],
      ),
      'is found by its UUID even if the list does not contain it': [
        { inputs: { pipeline: id(9).toUpperCase() } },
        { triggered: '9', calls: 'connect list trigger read' },
      ],
      'is found with one list request for all given names, and is triggered in the order of the input': [
        { inputs: { pipeline: `customers\n${id(9)}\norders` } },
        { triggered: '2 9 1', calls: matching(/^connect list×2 trigger×3 /) },
      ],
      'is found in a list that may be truncated': [
        { inputs: { pipeline: 'orders' }, service: cut },
        { triggered: '1' },
      ],
    },
    { service: workspace },
  );
});

describe('the step triggers no run', () => {
  const twice = (first: string, then: string, uuid = then): Scenario => [
    `if "${first}" and "${then}" name the same pipeline`,
    { inputs: { pipeline: `${first}\n${then}` } },
    {
      exitCode: 1,
      triggered: '',
      annotations: [{ message: matching(new RegExp(`"${first}" and "${then}".*${uuid}`)) }],
    },
  ];
  scenarios(
    {
      'if a pipeline is unknown or ambiguous, and reports each such pipeline': [
        { inputs: { pipeline: 'orders\nordres\nOrders, daily\nReturns' } },
        {
          ...REJECTED,
          outputs: { outcome: 'not_triggered', 'job-status': 'not_queued', message: saying('"ordres"') },
          results: [{ error: matching(/^(?!.*Did you mean)/) }, { error: saying('Did you mean') }, {}, {}],
          annotations: [{ message: saying('pipeline "ordres"') }, { message: saying('pipeline "Returns"') }],
        },
      ],
      'if two pipelines share the given name, and describes both': [
        { inputs: { pipeline: 'Returns' } },
        {
          ...REJECTED,
          results: [{ error: matching(new RegExp(`"returns_eu", UUID ${id(3)}; .*_us", UUID ${id(4)}`)) }],
        },
      ],
      'if a name belongs to four pipelines, and describes three of them': [
        { inputs: { pipeline: 'sales' }, service: { list: () => list(SALES) } },
        { ...REJECTED, results: [{ error: matching(/"", API name "sales", UUID(?!.*0004)/) }] },
      ],
      ...each(
        [
          twice('orders', 'Orders, daily', id(1)),
          twice('customers', id(2)),
          twice('ABCDEF00-0000-4000-8000-000000000001', 'abcdef00-0000-4000-8000-000000000001'),
        ],
        (one) => one,
      ),
      'if a name is used with reset-target and the list may be truncated': [
        { inputs: { pipeline: 'orders', ...DROPS }, service: cut },
        { ...REJECTED, results: [{ error: saying('UUID') }] },
      ],
      ...each([FAILED.rejected, FAILED.keyRefused, FAILED.notRetryable], (failure) => [
        `if the list request fails permanently (${failure.problem.cause})`,
        { inputs: { pipeline: 'orders' }, service: { list: () => failure } },
        { ...REJECTED, annotations: [{ message: saying(failure.problem.cause) }] },
      ]),
      'if eight list requests fail': [
        { inputs: { pipeline: 'orders' }, service: { list: () => FAILED.perhaps } },
        { exitCode: 1, calls: 'connect list×8', triggered: '' },
      ],
    },
    { service: workspace },
  );
});

describe('the advice about an unknown pipeline', () => {
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
    ['orders, customers', 'with line breaks'],
  ])('for the name %j contains %j', async (given, advice) => {
    expect(await adviceOn(given)).toContain(advice);
  });

  it.each<[string, readonly Pipeline[], boolean, RegExp]>([
    ['suggests nothing without a similar name', WORKSPACE, false, /^(?!.*(?:Did you|Separate|may be inc|right work))/],
    ['mentions a possibly truncated list', WORKSPACE, true, /incomplete/],
    ['mentions the workspace if the list is empty', [], false, /right workspace/],
    ['suggests at most three similar names', listing(50).pipelines, false, /^(?:[^"]*"){8}[^"]*$/],
  ])('%s', async (_what, pipelines, mayBeTruncated, advice) => {
    expect(await adviceOn('pipeline-', pipelines, mayBeTruncated)).toMatch(advice);
  });

  it.each([
    ['orders\u200B', 'orders', '"orders\\u200B"', '"orders"'],
    ['orders', 'orders\u200B', '"orders"', '"orders\\u200B"'],
    ['my orders', 'my\u00A0orders', '"my orders"', '"my\\u00A0orders"'],
  ])('shows the invisible difference between %j and %j', async (given, apiName, shown, suggested) => {
    const advice = await adviceOn(given, [pipeline(1, apiName, null)]);
    expect(advice).toContain(`pipeline ${shown}`);
    expect(advice).toContain(`mean ${suggested}?`);
  });
});

describe('a suggestion', () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      'is one of at most three names, listed with the nearest first',
      'orders',
      ['ordersxx', 'ordres_', 'orders', 'ordrs', 'order'],
      ['orders', 'ordersxx', 'ordrs'],
    ],
    ['may differ in two letters even if the requested name is short', 'eu', ['euro'], ['euro']],
    ['may differ in a third of the letters', 'customers_eu', ['kustomerz_uu'], ['kustomerz_uu']],
    ['does not differ from a short name in three letters', 'orders', ['oxxxrs'], []],
    ['does not differ in more than a third of the letters', 'customers_eu', ['kuztomarz_uu'], []],
    ['may contain the requested name', 'dev', ['orders_dev_daily'], ['orders_dev_daily']],
    ['may be contained in the requested name', 'dev_orders_of_all_shops', ['dev'], ['dev']],
    ['may not merely contain a two-letter requested name', 'eu', ['orders_of_all_shops_in_the_eu'], []],
    ['of two letters may not merely be part of the requested name', 'orders_of_all_shops_in_the_eu', ['eu'], []],
    ['ignores case, spaces, hyphens and underscores', 'eu -- us', ['EU_US'], ['EU_US']],
    ['ignores hyphens and underscores at both ends', '_ab_', ['abc', 'ab'], ['ab', 'abc']],
    ['does not ignore a missing space', 'a_bc', ['abc', 'a bc'], ['a bc', 'abc']],
    [
      'depends only on the first 100 characters',
      'x'.repeat(100) + 'y'.repeat(200),
      ['x'.repeat(100) + 'z'.repeat(200)],
      ['x'.repeat(100) + 'z'.repeat(200)],
    ],
  ])('%s', (_what, given, names, expected) => {
    const candidates = names.map((name) => [name]);
    expect(nearest(given, candidates)).toEqual(expected);
  });

  it('uses only the closest name of each pipeline', () => {
    expect(nearest('orders', [['sales', 'ordrs'], ['Orders', 'orderss'], []])).toEqual(['Orders', 'ordrs']);
  });

  it.each([
    [48, []],
    [49, ['ordres']],
  ])('needs a budget for its comparisons (%i pairs lead to %j)', (pairs, expected) => {
    expect(nearest('orders', [['ordres']], { pairs })).toEqual(expected);
  });

  it('is no longer sought once the comparisons have used up their budget', () => {
    const budget = { pairs: 49 };
    expect(nearest('orders', [['x'.repeat(100)], ['ordres']], budget)).toEqual([]);
    const { pairs } = budget;
    expect(nearest('orders', [['ordres']], budget)).toEqual([]);
    expect(budget.pairs).toBe(pairs);
  });
});
