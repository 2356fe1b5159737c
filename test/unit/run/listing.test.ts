// Lists that the service caps, which prove nothing until they have been read page by page.
import { describe, expect, it } from 'vitest';
import { inTurn, json, type RequestFault, type What } from '../../../sandbox/faults.ts';
import { createWorld, PIPELINE_IDS, type PipelineOptions } from '../../../sandbox/model/index.ts';
import type { SentRequest } from '../../support/network.ts';
import { callsOf, type Events, playMain, resultOf, sentBy, shownBy } from '../../support/steps.ts';

const idOf = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
/** Pipelines whose ids sort before all others. */
const fillers = (count: number): PipelineOptions[] =>
  Array.from({ length: count }, (_, nth) => ({ id: idOf(nth), name: `Filler ${nth}` }));
const LAST = { id: 'ffffffff-0000-4000-8000-000000000000', name: 'Last' };
const row = (id: string, name = 'x'): object => ({ pipeline_id: id, pipeline_name: name, pipeline_api_name: null });

const cap = (rows: number, status: 200 | 206 = 200): RequestFault => ({
  call: 'list',
  what: { service: [{ do: 'cap', rows, status }] },
});

interface Scene {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly pipelines?: readonly PipelineOptions[];
  readonly capped?: RequestFault;
  /** What happens to the pages, one after the other. */
  readonly pages?: readonly What[];
}

/** Plays a main step in a workspace with the sandbox's 12 pipelines, then `pipelines`, and the last one. */
async function play(pipeline: string, scene: Scene = {}, events?: Events) {
  const { inputs, pipelines = fillers(150), capped = cap(100), pages = [] } = scene;
  const service = createWorld({ pipelines: [...pipelines, LAST] });
  const faults = [...inTurn('list', [capped.what, ...pages]), capped];
  const main = await playMain({ service, inputs: { pipeline, wait: 'false', ...inputs }, faults }, events);
  const triggered = service.jobs.map(({ pipelineId }) => service.pipelines.find(({ id }) => id === pipelineId)?.name);
  return { main, triggered };
}

const parametersOf = ({ url }: SentRequest): string => url.search.replace(/^\?select=[^&]*/, '');

describe('a list that the service has capped', () => {
  /** The ids of all pipelines, in their order. */
  const ids = [...Object.values(PIPELINE_IDS), ...[...fillers(150), LAST].map(({ id }) => id)].sort();

  it.each([200, 206] as const)('with the status %i is read again in pages until an empty one', async (status) => {
    const { main, triggered } = await play('Last', { capped: cap(100, status) });
    expect(triggered).toEqual(['Last']);
    const page = '&order=pipeline_id&limit=1000';
    const rest = [99, 162].map((last) => `${page}&pipeline_id=gt.${ids[last]}`);
    expect(sentBy(main, 'list').map(parametersOf)).toEqual(['', page, ...rest]);
    expect(main.service.violations).toEqual([]);
  });

  it('does not hide that the API name of a pipeline beyond the cap equals a name', async () => {
    const first = { id: idOf(0), name: 'both', apiName: 'first' };
    const pipelines = [first, ...fillers(150).slice(1), { name: 'x', apiName: 'both' }];
    const { main, triggered } = await play('both', { pipelines });
    expect(shownBy(main)).toMatch(/2 pipelines have that name/);
    expect(triggered).toEqual([]);
  });

  it.each([
    ['is read once if it has fewer than 100 rows', 86, cap(1_000), 'list'],
    ['is read in pages from 100 rows on', 87, cap(1_000), 'list×3'],
    ['is read in pages if it has fewer rows, but says that it is partial', 87, cap(50, 206), 'list×4'],
  ])('%s', async (_, count, capped, calls) => {
    const { main, triggered } = await play('orders', { pipelines: fillers(count), capped });
    expect(callsOf(main)).toBe(`exchange ${calls} trigger`);
    expect(triggered).toEqual(['Orders']);
  });

  it('may have several rows for each pipeline, even across pages', async () => {
    const pipelines = fillers(40).map((pipeline) => ({ ...pipeline, rows: 3 }));
    expect((await play('Last', { pipelines })).triggered).toEqual(['Last']);
  });

  it('may have rows without an id', async () => {
    const first = json(Array.from({ length: 100 }, () => row(idOf(0))));
    const page = json([row(idOf(0)), { pipeline_id: null }, row(LAST.id, 'Last'), 7]);
    const { main } = await play('Last', { capped: { call: 'list', what: first }, pages: [page, json([])] });
    expect(callsOf(main)).toBe('exchange list×3 trigger');
  });

  it('is not read in pages if it only adds names', async () => {
    const { main, triggered } = await play(LAST.id);
    expect(sentBy(main, 'list').map(parametersOf)).toEqual(['']);
    expect(triggered).toEqual(['Last']);
  });

  it('is repeated like any other request', async () => {
    expect((await play('Last', { pages: ['none', 'http_503'] })).triggered).toEqual(['Last']);
  });
});

describe('no name is accepted', () => {
  it.each<[string, readonly What[], RegExp]>([
    ['fails', [json({ message: 'no' }, 400)], /page 1 could not be read: HTTP 400 "no"/],
    ['is out of order', [json([row(idOf(2)), row(idOf(1))])], /page 1 is not in the requested order/],
    ['repeats an earlier one', Array(2).fill(json([row(idOf(1))])), /page 2 begins with a pipeline of an earlier page/],
    ['has no ids', [json([{ id: 1 }])], /page 1 could not be read: HTTP 200 with rows without pipeline_id/],
    ['is empty, unlike the list', [json([])], /the pages do not contain pipeline 9a50bc2a-/],
    ['follows the hundredth', Array.from({ length: 101 }, (_, nth) => json([row(idOf(nth))])), /more than 100 pages/],
  ])('if a page %s', async (_, pages, why) => {
    const { main, triggered } = await play('orders', { pages });
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(shownBy(main)).toMatch(why);
    expect(shownBy(main)).toMatch(/identify the pipeline "orders".*Use UUIDs instead of names/s);
    expect(shownBy(main)).not.toMatch(/spelling|Did you mean/);
    expect(triggered).toEqual([]);
  });

  it('after a signal between two pages', async () => {
    const { main } = await play('orders', { pages: ['none', 'silent'] }, (it) => it.at(500, () => it.signal('SIGINT')));
    expect(await resultOf(main)).toBe('exit 1: cancelled (not_queued)');
  });
});

describe('a dry run', () => {
  const DRY = { 'dry-run': 'true' };
  const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';

  it.each([
    ['finds a UUID within the first response', PIPELINE_IDS.orders, 'exit 0: dry_run (not_queued)', 'list'],
    ['finds a UUID beyond the cap in the pages', LAST.id, 'exit 0: dry_run (not_queued)', 'list×4'],
    ['rejects a UUID that no page contains', UNKNOWN_ID, 'exit 1: not_triggered (not_queued)', 'list×4'],
  ])('%s', async (_, pipeline, result, calls) => {
    const { main } = await play(pipeline, { inputs: DRY });
    expect([await resultOf(main), callsOf(main)]).toEqual([result, `exchange ${calls}`]);
  });

  it('accepts a UUID that is missing from an incomplete list, and says that it was not checked', async () => {
    const { main } = await play(UNKNOWN_ID, { inputs: DRY, pages: [json({ message: 'no' }, 400)] });
    expect(await resultOf(main)).toBe('exit 0: dry_run (not_queued)');
    expect(shownBy(main)).toMatch(/Could not check 1 of the UUIDs.*page 1 could not be read/);
  });
});
