// How the input `pipeline` finds pipelines.
import { describe, expect, it } from 'vitest';
import { json } from '../../../sandbox/faults.ts';
import { createWorld, FOREIGN_PIPELINE_ID, PIPELINE_IDS, type PipelineOptions } from '../../../sandbox/model/index.ts';
import { callsOf, outcomesOf, playMain, resultOf, resultsOf, shownBy } from '../../support/steps.ts';

const UUID = PIPELINE_IDS.orders;
const LONG_ID = '22222222-2222-4333-8444-555555555555';

/** Plays the main step with these pipelines in the workspace, in addition to those of the sandbox. */
async function play(pipeline: string, pipelines: readonly PipelineOptions[] = []) {
  const main = await playMain({ service: createWorld({ pipelines }), inputs: { pipeline, wait: 'false' } });
  const triggered = main.service.jobs.map(
    ({ pipelineId }) => main.service.pipelines.find(({ id }) => id === pipelineId)?.name,
  );
  return { main, triggered };
}

describe('a pipeline', () => {
  it.each<[string, string, PipelineOptions]>([
    ['its API name', 'daily_orders', { name: 'Daily Orders' }],
    ['its name', 'Daily Orders', { name: 'Daily Orders' }],
    ['its name with other white space', 'Daily \u00a0 Orders', { name: ' Daily  Orders ' }],
    ['its name in another form of Unicode', 'Cafe\u0301', { name: 'Caf\u00e9' }],
    ['its name in a longer form of Unicode', 'Caf\u00e9', { name: 'Cafe\u0301' }],
    ['its name with no-break spaces', 'Daily Orders', { name: 'Daily\u00a0Orders\u202f' }],
    ['its API name in another form of Unicode', 'cafe\u0301_1', { name: 'x', apiName: 'caf\u00e9_1' }],
    ['a name that is also an object property', 'constructor', { name: 'constructor' }],
    ['its name in another script', '日本語', { name: '日本語', apiName: null }],
    ['its name without an API name', 'No Api', { name: 'No Api', apiName: null }],
    ['a name that looks like both of its names', 'sales_\u200breport', { name: 'sales_report' }],
  ])('is found by %s', async (_, given, options) => {
    expect((await play(given, [options])).triggered).toEqual([options.name]);
  });

  it('is found by an exact name before a similar one', async () => {
    const names = ['Cafe\u0301', 'Caf\u00e9'];
    const { triggered } = await play(
      'Caf\u00e9',
      names.map((name, nth) => ({ name, apiName: `cafe_${nth}` })),
    );
    expect(triggered).toEqual(['Caf\u00e9']);
  });

  it.each(['Same Name', 'Same\u00a0Name', 'Same  Name'])('is found by the exact spelling of %j', async (given) => {
    const names = ['Same Name', 'Same\u00a0Name', 'Same  Name'];
    const { triggered } = await play(
      given,
      names.map((name, nth) => ({ name, apiName: `same_${nth}` })),
    );
    expect(triggered).toEqual([given]);
  });

  it.each([
    ['Sales\u200bEU', 'SalesEU'],
    ['SalesEU', 'Sales\u200bEU'],
    ['Sales\u00adEU\u200f', 'SalesEU'],
    ['Sales EU', 'Sales\tEU'],
    ['Sales EU', 'Sales\nEU'],
    ['Sales, EU', 'Sales, EU'],
    ['#1 "Sales"', '#1 "Sales"'],
  ])('is found by %j if its name is %j', async (given, name) => {
    expect((await play(given, [{ name, apiName: null }])).triggered).toEqual([name]);
  });

  it.each([
    ['of a thousand characters is found by it', 'x'.repeat(1_000), ['Long']],
    ['of more characters is not found by it', 'x'.repeat(1_001), []],
    ['with 240,000 combining marks is not found by it', `x${'\u0301\u0316'.repeat(120_000)}`, []],
  ])('with a name %s', async (_, name, found) => {
    const { triggered } = await play(name, [{ name, apiName: null }]);
    expect(triggered.map(() => 'Long')).toEqual(found);
  });

  it('with a name that is too long is found by its UUID', async () => {
    const name = `x${'\u0301\u0316'.repeat(120_000)}`;
    const main = await playMain({
      service: createWorld({ pipelines: [{ id: LONG_ID, name }] }),
      inputs: { pipeline: LONG_ID, 'dry-run': 'true' },
    });
    expect(await resultOf(main)).toBe('exit 0: dry_run (not_queued)');
  });

  it('is rejected as a duplicate if both lines look the same', async () => {
    const { main, triggered } = await play('Caf\u00e9\nCafe\u0301', [{ name: 'Caf\u00e9' }]);
    expect(shownBy(main)).toContain('are the same pipeline');
    expect(triggered).toEqual([]);
  });

  it('that is ambiguous is shown with whole UUIDs, even if its name is long', async () => {
    const long = `Twin ${'x'.repeat(190)}`;
    const { main } = await play(
      long,
      Array.from({ length: 5 }, (_, nth) => ({ name: long, apiName: `${nth}${'y'.repeat(190)}` })),
    );
    for (const text of [shownBy(main), main.outputs['message']])
      expect(text?.match(/UUID [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)).toHaveLength(5);
  });

  it('is one pipeline, even if the list has a row for each of its data sources', async () => {
    expect((await play('Many', [{ name: 'Many', rows: 3 }])).triggered).toEqual(['Many']);
  });

  it.each(['Orders', UUID, UUID.toUpperCase(), 'orders'])(
    'is rejected as a duplicate of orders if the second line is %s',
    async (second) => {
      const first = second === 'orders' ? 'Orders' : 'orders';
      const { main, triggered } = await play(`${first}\n${second}\nbroken`);
      expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
      expect(shownBy(main)).toMatch(/use the pipeline input: .* are the same pipeline.*List each pipeline only once/s);
      expect(triggered).toEqual([]);
    },
  );

  it('is rejected as a repetition without a request for the list if both lines are UUIDs', async () => {
    const { main } = await play(`${UUID}\n${UUID.toUpperCase()}`);
    expect(shownBy(main)).toMatch(/are the same pipeline/);
    expect(callsOf(main)).toBe('exchange');
  });

  it.each([
    ['unknown', 'nope', [], /identify the pipeline "nope": none of the workspace's 12 pipelines/],
    ['in another workspace', 'Foreign', [], /none of the workspace's 12 pipelines/],
    [
      'ambiguous because of white space',
      'Same  Name',
      [{ name: 'Same Name' }, { name: 'Same\u00a0Name' }],
      /2 pipelines have this/,
    ],
    [
      'the API name of one and the name of another',
      'both',
      [{ name: 'x', apiName: 'both' }, { name: 'both' }],
      /2 pip/,
    ],
    [
      'ambiguous',
      'Twin',
      Array.from({ length: 6 }, (_, nth) => ({ name: 'Twin', apiName: `t${nth}` })),
      /identify the pipeline "Twin": 6 pipelines have this name \("Twin", API name "t0", UUID [^;]*(; "Twin"[^;]*){4}\)\.\nUse the UUID instead/,
    ],
  ])('that is %s prevents every trigger', async (_, given, pipelines, words) => {
    const { main, triggered } = await play(`orders\n${given}`, pipelines);
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(shownBy(main)).toMatch(words);
    expect(triggered).toEqual([]);
  });

  it('that is unknown in a workspace with one pipeline causes an error without a plural', async () => {
    const only = { pipeline_id: UUID, pipeline_name: 'Orders', pipeline_api_name: 'orders' };
    const main = await playMain({ inputs: { pipeline: 'zebra' }, faults: [{ call: 'list', what: json([only]) }] });
    expect(shownBy(main)).toContain("the workspace's only pipeline does not have this name, API name or UUID.");
  });

  it("cannot be found in an empty workspace, so the error suggests checking the key's workspace", async () => {
    const main = await playMain({ faults: [{ call: 'list', what: json([]) }] });
    expect(shownBy(main)).toMatch(/has no pipelines.*API key belongs to the right workspace/s);
  });
});

describe('a UUID', () => {
  it('is triggered without waiting for the list, which only adds the name', async () => {
    const main = await playMain({ inputs: { pipeline: UUID.toUpperCase() } });
    expect(main.requests.find(({ call }) => call === 'trigger')?.at).toBe(20);
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.outputs).toMatchObject({ 'pipeline-id': UUID, 'pipeline-name': 'Orders' });
  });

  it.each(['silent', 'reset', json({}, 403)] as const)('does not need the list (%j)', async (what) => {
    const main = await playMain({ inputs: { pipeline: UUID }, faults: [{ call: 'list', what }] });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect([main.outputs['pipeline-name'], main.annotations]).toEqual([undefined, []]);
  });

  it.each([FOREIGN_PIPELINE_ID, '11111111-2222-4333-8444-555555555555'])(
    'that belongs to no pipeline in this workspace (%s) is rejected by the service',
    async (pipeline) => {
      const main = await playMain({ inputs: { pipeline } });
      expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
      expect(callsOf(main)).toMatch(/trigger$/);
      expect(shownBy(main)).toContain('Check that the pipeline exists');
    },
  );

  it('listed together with a name gets its name from the list and, if the list lacks it, is rejected by the service', async () => {
    const main = await playMain({ inputs: { pipeline: `broken\n${UUID}\n${FOREIGN_PIPELINE_ID}` } });
    expect(outcomesOf(main)).toBe('failed succeeded not_triggered');
    expect(resultsOf(main).map((each) => each['pipeline-name'])).toEqual(['Broken', 'Orders', '']);
  });
});
