// Lists that the service caps, which prove nothing until they have been read page by page.
import { describe, expect, it } from 'vitest';
import { inTurn, json, type What } from '../../../sandbox/faults.ts';
import { type Cap, createWorld, PIPELINE_IDS, type PipelineOptions } from '../../../sandbox/model/index.ts';
import type { SentRequest } from '../../support/network.ts';
import { callsOf, playMain, resultOf, sentBy, shownBy } from '../../support/steps.ts';

/** Fillers, which sort before all other pipelines and precede them in the list. */
const fillers = (count: number): PipelineOptions[] =>
  Array.from({ length: count }, (_, nth) => ({ id: idOf(nth), name: `Filler ${nth}` }));
const idOf = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
const UNKNOWN_ID = '11111111-2222-4333-8444-555555555555';
const LAST: PipelineOptions = { id: 'ffffffff-0000-4000-8000-000000000000', name: 'Last' };

interface Scene {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly pipelines?: readonly PipelineOptions[];
  readonly cap?: Cap;
  /** What happens to each page, in order. */
  readonly pages?: readonly What[];
}

/** Plays a main step. The service has 12 pipelines of its own, then these, and it returns at most 100 rows at a time. */
async function play(
  pipeline: string,
  { inputs, pipelines = fillers(150), cap = cappedAt(100), pages = [] }: Scene = {},
) {
  const service = createWorld({ cap, pipelines: [...pipelines, LAST] });
  const faults = inTurn('list', ['none', ...pages]);
  const main = await playMain({ service, inputs: { pipeline, wait: 'false', ...inputs }, faults });
  const triggered = service.jobs.map(({ pipelineId }) => service.pipelines.find(({ id }) => id === pipelineId)?.name);
  return { main, triggered };
}

function cappedAt(rows: number, shownBy: Cap['shownBy'] = 'nothing'): Cap {
  return { rows, shownBy };
}

const searchOf = ({ url }: SentRequest): string => url.search.replace(/^\?select=[^&]*/, '');

const row = (id: string, name = 'x'): object => ({ pipeline_id: id, pipeline_name: name, pipeline_api_name: null });
const PAGE = Array.from({ length: 100 }, (_, nth) => row(idOf(nth)));

describe('a list that the service has capped', () => {
  /** The ids of all pipelines, in their order. */
  const ids = [...Object.values(PIPELINE_IDS), ...[...fillers(150), LAST].map(({ id }) => id)].sort();

  it.each([
    ['silently', 'nothing'],
    ['with the total', 'total'],
    ['with the status 206', 'status'],
  ] as const)('%s is read again in pages until an empty one', async (_, shownBy) => {
    const { main, triggered } = await play('Last', { cap: cappedAt(100, shownBy) });
    expect(triggered).toEqual(['Last']);
    const page = '&order=pipeline_id&limit=1000';
    const ends = [99, 162].map((last) => `${page}&pipeline_id=gt.${ids[last]}`);
    expect(sentBy(main, 'list').map(searchOf)).toEqual(['', page, ...ends]);
    expect(main.service.violations).toEqual([]);
  });

  it('does not hide that the API name of a pipeline beyond the cap equals a name', async () => {
    const pipelines = [
      { id: idOf(0), name: 'both', apiName: 'first' },
      ...fillers(150).slice(1),
      { name: 'x', apiName: 'both' },
    ];
    const { main, triggered } = await play('both', { pipelines });
    expect(shownBy(main)).toMatch(/2 pipelines have this name/);
    expect(triggered).toEqual([]);
  });

  it.each([
    ['is read once if it has fewer than 100 rows', 80, cappedAt(100), 'list'],
    ['is read in pages although it has fewer than 100 rows', 80, cappedAt(50, 'status'), 'list×4'],
  ])('%s', async (_, count, cap, calls) => {
    const { main, triggered } = await play('orders', { pipelines: fillers(count), cap });
    expect(callsOf(main)).toBe(`exchange ${calls} trigger`);
    expect(triggered).toEqual(['Orders']);
  });

  it('is read completely even if it has several rows for each pipeline across pages', async () => {
    const pipelines = fillers(40).map((pipeline) => ({ ...pipeline, rows: 3 }));
    expect((await play('Last', { pipelines })).triggered).toEqual(['Last']);
  });

  it('is read completely even if some rows have no id', async () => {
    const list = json(Array.from({ length: 100 }, () => row(idOf(0))));
    const page = json([row(idOf(0)), { pipeline_id: null }, row(idOf(1), 'Found'), 7]);
    const faults = inTurn('list', [list, page, json([])]);
    const main = await playMain({ inputs: { pipeline: 'Found', wait: 'false' }, faults });
    expect(callsOf(main)).toBe('exchange list×3 trigger');
  });

  it('is read completely even if it has a hundred pages', async () => {
    const pages = Array.from({ length: 100 }, (_, nth) => json([row(idOf(nth), nth === 99 ? 'Found' : undefined)]));
    const list = json(Array.from({ length: 100 }, () => row(idOf(0))));
    const main = await playMain({
      inputs: { pipeline: 'Found', wait: 'false' },
      faults: inTurn('list', [list, ...pages, json([])]),
    });
    expect(callsOf(main)).toBe('exchange list×102 trigger');
  });

  it('is not read in pages if it only adds names', async () => {
    const { main, triggered } = await play(String(LAST.id));
    expect(callsOf(main)).toMatch(/^exchange (?:list trigger|trigger list)$/);
    expect(triggered).toEqual(['Last']);
  });

  it('is repeated like any other request', async () => {
    const { triggered } = await play('Last', { pages: ['none', 'http_503'] });
    expect(triggered).toEqual(['Last']);
  });
});

describe('no name is accepted', () => {
  it.each<[string, readonly What[], RegExp]>([
    ['fails', [json({ message: 'no' }, 400)], /page 1 could not be read: HTTP 400 "no"/],
    ['is out of order', [json([row(idOf(2)), row(idOf(1))])], /page 1 is not in the requested order/],
    ['repeats an earlier one', [json(PAGE), json(PAGE)], /page 2 begins with a pipeline of an earlier page/],
    ['has no ids', [json([{ id: 1 }])], /page 1 could not be read: HTTP 200 with rows that lack pipeline_id/],
    ['is empty despite its total', ['none', json([], 200, { 'content-range': '*/7' })], /page 2 is empty, although/],
    ['is empty, unlike the list', [json([])], /the pages do not contain pipeline 9a50bc2a-/],
    [
      'is not the last after a hundred',
      Array.from({ length: 101 }, (_, nth) => json([row(idOf(nth))])),
      /the list of pipelines is incomplete.*more than 100 pages/,
    ],
  ])('if a page %s', async (_, pages, why) => {
    const { main, triggered } = await play(`orders\n${UNKNOWN_ID}`, { pages });
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(shownBy(main)).toMatch(why);
    expect(shownBy(main)).toMatch(/identify the pipeline "orders".*Use UUIDs instead of names/s);
    expect(shownBy(main)).not.toMatch(/spelling|Did you mean|Could not check/);
    expect(triggered).toEqual([]);
    expect(sentBy(main, 'list').length).toBeLessThanOrEqual(102);
  });

  it('if a signal ends the step between two pages', async () => {
    const service = createWorld({ cap: cappedAt(100), pipelines: fillers(150) });
    const faults = inTurn('list', ['none', 'none', 'silent']);
    const main = await playMain({ service, faults }, (it) => it.at(500, () => it.signal('SIGINT')));
    expect(await resultOf(main)).toBe('exit 1: cancelled (not_queued)');
  });
});

describe('a dry run', () => {
  const DRY = { 'dry-run': 'true' };

  it.each([
    ['finds a UUID within the first response', PIPELINE_IDS.orders, 'exit 0: dry_run (not_queued)', 'list'],
    ['finds a UUID beyond the cap in the pages', String(LAST.id), 'exit 0: dry_run (not_queued)', 'list×4'],
    [
      'looks beyond the cap for the second of two UUIDs',
      `${PIPELINE_IDS.orders}\n${LAST.id}`,
      'exit 0: dry_run (not_queued)',
      'list×4',
    ],
    ['rejects a UUID that no page contains', UNKNOWN_ID, 'exit 1: not_triggered (not_queued)', 'list×4'],
  ])('%s', async (_, pipeline, result, calls) => {
    const { main } = await play(pipeline, { inputs: DRY });
    expect([await resultOf(main), callsOf(main)]).toEqual([result, `exchange ${calls}`]);
    expect(shownBy(main)).not.toContain('Could not check');
  });

  it('accepts a UUID that is missing from a list without pages, and says that it was not checked', async () => {
    const { main } = await play(UNKNOWN_ID, { inputs: DRY, pages: [json({ message: 'no' }, 400)] });
    expect(await resultOf(main)).toBe('exit 0: dry_run (not_queued)');
    expect(shownBy(main)).toMatch(/Could not check 1 of the UUIDs.*page 1 could not be read/);
  });
});
