import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealedWindow, startChromium } from './chromium.ts';
import { HOSTILE, shownInChart, shownInTable } from './hostile.ts';
import { openSummary, type Seen } from './page.ts';
import { idOf, stretches, summaryFor, type Told, told } from './scenes.ts';

const PICTURES = join(import.meta.dirname, '../../build/pictures');

/** Everything that a summary is made of; whatever else is on the page came out of somebody's text. */
const OWN_TAGS = ['a', 'code', 'h3', 'li', 'p', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'];
const OWN_CHART_TAGS = ['g', 'line', 'path', 'rect', 'style', 'text', 'title', 'tspan'];

let browser: Browser;
let context: BrowserContext;
let requests: readonly string[];

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await startChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  ({ context, requests } = await sealedWindow(browser));
});
afterEach(async () => {
  await context.close();
  expect(requests).toEqual([]);
});

/** Shows a summary, keeps a picture of it under that name, and says what is to be seen. */
async function show(name: string, markdown: string): Promise<Seen> {
  const { page, seen } = await openSummary(context, markdown);
  await page.locator('article').screenshot({ path: join(PICTURES, `${name}.png`) });
  expect(OWN_TAGS).toEqual(expect.arrayContaining([...seen.tags]));
  expect(OWN_CHART_TAGS).toEqual(expect.arrayContaining([...seen.chartTags]));
  return seen;
}

type Place = readonly [from: number, to: number];

/** Where the bars of these runs belong: from 0 to 1 of the chart's time. */
function places(runs: readonly Told[]): readonly Place[] {
  const all = runs.flatMap(stretches);
  const end = Math.max(...all.map(([, to]) => to));
  return all.map(([from, to]) => [from / end, to / end]);
}

/** Where the bars are: from the left end of the leftmost one, as a part of the way to the right end of the last. */
function barPlaces({ bars }: Seen): readonly Place[] {
  const left = Math.min(...bars.map(({ x }) => x));
  const width = Math.max(...bars.map((bar) => bar.x + bar.width)) - left;
  return bars.map((bar) => [(bar.x - left) / width, (bar.x + bar.width - left) / width]);
}

/** Less than a pixel beside the bars' own ends. */
const EXACT = 0.002;

/** Each place has a bar of its own, and no bar is anywhere else. */
function expectBarsAt(seen: Seen, expected: readonly Place[]): void {
  const left = [...barPlaces(seen)];
  const missing = expected.filter(([from, to]) => {
    const at = left.findIndex(([a, b]) => Math.abs(a - from) < EXACT && Math.abs(b - to) < EXACT);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  expect({ missing, left }).toEqual({ missing: [], left: [] });
}

/** Nothing that is drawn stands outside of its chart. */
function expectAllInside({ charts, bars, labels, names, ticks }: Seen): void {
  const [chart] = charts;
  for (const { x, y, width, height } of [...bars, ...labels, ...names, ...ticks]) {
    expect(x).toBeGreaterThanOrEqual((chart?.x ?? Number.NaN) - 1);
    expect(x + width).toBeLessThanOrEqual((chart?.x ?? Number.NaN) + (chart?.width ?? Number.NaN) + 1);
    expect(y).toBeGreaterThanOrEqual((chart?.y ?? Number.NaN) - 1);
    expect(y + height).toBeLessThanOrEqual((chart?.y ?? Number.NaN) + (chart?.height ?? Number.NaN) + 1);
  }
}

/** Names end before the bars begin, and the labels of the axis do not touch each other. */
function expectReadable({ bars, names, ticks }: Seen): void {
  const left = Math.min(...bars.map(({ x }) => x));
  for (const name of names) expect(name.x + name.width).toBeLessThan(left);
  const inOrder = ticks.toSorted((a, b) => a.x - b.x);
  for (const [index, tick] of inOrder.entries()) {
    const next = inOrder[index + 1];
    if (next !== undefined) expect(tick.x + tick.width).toBeLessThan(next.x);
  }
}

const isRed = (fill: string): boolean => fill === 'rgb(255, 0, 0)';

describe('the summary of one run', () => {
  it('is a row with a link, what to do, and a bar for each phase, the last in red', async () => {
    const run = told('orders', 0, 42, 700, 'failed', 'column "amount" is not a number');
    const seen = await show(
      'one',
      summaryFor([run], { 'run-url': 'https://app.example.test/runs/{job-id}?tab=log&x=|' }),
    );
    expect(seen.rows).toEqual([['orders', '❌ failed', 'failed', '12m 22s', idOf(0, 'run')]]);
    expect(seen.links).toEqual([`https://app.example.test/runs/${idOf(0, 'run')}?tab=log&x=%7C`]);
    expect(seen.text).toContain('column "amount" is not a number. Open the run');
    expect(seen.text).toContain('begins at 2026-01-05 09:00:00 UTC');
    expect(seen.names.map(({ text }) => text)).toEqual(['orders']);
    expect(seen.labels.map(({ text }) => text)).toEqual(['queued 42s', 'picked 3s', 'running 11m 37s']);
    expect(seen.bars.map(({ fill }) => isRed(fill))).toEqual([false, false, true]);
    // 09:00 UTC where the reader is: half past two in the afternoon.
    expect(seen.ticks[0]?.text).toBe('14:30');
    expectBarsAt(seen, places([run]));
    expectAllInside(seen);
    expectReadable(seen);
  });

  it.each([
    ['no longer than a moment', 'moment', 0.1, 0.3],
    ['of two seconds', 'two-seconds', 0.4, 1.6],
    ['of a minute', 'one-minute', 5, 55],
    ['of two hours', 'two-hours', 600, 6_600],
    ['of nine hours', 'nine-hours', 1_200, 9 * 3_600],
    ['of three days', 'three-days', 7_200, 70 * 3_600],
    ['of five weeks', 'five-weeks', 7_200, 35 * 86_400],
  ])('%s has its bars where they belong, and an axis that can be read', async (_, name, queued, running) => {
    const run = told('orders', 0, queued, running);
    const seen = await show(name, summaryFor([run]));
    expectBarsAt(seen, places([run]));
    expectAllInside(seen);
    expectReadable(seen);
    expect(seen.bars.some(({ fill }) => isRed(fill))).toBe(false);
    expect(seen.ticks.length).toBeGreaterThanOrEqual(2);
    expect(seen.ticks.length).toBeLessThanOrEqual(10);
    expect(new Set(seen.ticks.map(({ text }) => text)).size).toBe(seen.ticks.length);
  });
});

describe('the summary of several runs', () => {
  it('shows what needs attention first, in the table and in the chart', async () => {
    const bad = told('customers', 1, 60, 300, 'failed', 'Load failed: permission denied for schema "analytics"');
    const worse = told('web', 120, 300, 100, 'timed_out');
    const warned = told('stock', 90, 5, 800, 'completed_with_warning', '3 rows were skipped: see the error table');
    const good = told('orders', 0, 30, 600);
    const quick = told('mail', 2, 3, 4);
    const runs = [good, bad, warned, worse, quick];
    const seen = await show('several', summaryFor(runs, { 'run-url': 'https://app.example.test/{job-id}' }));
    expect(seen.rows.map(([name, outcome]) => [name, outcome])).toEqual([
      ['customers', '❌ failed'],
      ['web', '❌ failed'],
      ['stock', '⚠️ succeeded'],
      ['orders', '✅ succeeded'],
      ['mail', '✅ succeeded'],
    ]);
    const byHeight = seen.names.toSorted((a, b) => a.y - b.y);
    expect(byHeight.map(({ text }) => text)).toEqual(['customers', 'web', 'stock', 'orders', 'mail']);
    expect(seen.bars.filter(({ fill }) => isRed(fill))).toHaveLength(2);
    expectBarsAt(seen, places([bad, worse, warned, good, quick]));
    expectAllInside(seen);
    expectReadable(seen);
    // One row for each run: the heights of its bars are those of its name.
    expect(new Set(seen.bars.map(({ y }) => Math.round(y))).size).toBe(5);
  });

  it('shows a run of two seconds beside one of nine hours', async () => {
    const runs = [told('quick', 0, 0.5, 1.5), told('slow', 0, 600, 9 * 3_600)];
    const seen = await show('quick-and-slow', summaryFor(runs));
    expectBarsAt(seen, places(runs));
    expectAllInside(seen);
    expectReadable(seen);
    expect(seen.labels.map(({ text }) => text)).toEqual(expect.arrayContaining(['running 1.3s', 'queued 10m']));
  });

  it('shows every name as the text that it is, in its own row and beside its own bars', async () => {
    const runs = HOSTILE.map((name, index) =>
      told(name, index * 7, 20 + index, 300 + index * 20, index % 7 === 3 ? 'failed' : 'completed', name),
    );
    const seen = await show('names', summaryFor(runs));
    const sorted = [...HOSTILE.filter((_, i) => i % 7 === 3), ...HOSTILE.filter((_, i) => i % 7 !== 3)];
    expect(seen.rows.map((cells) => cells.length)).toEqual(sorted.map(() => 5));
    expect(seen.rows.map(([name]) => name?.replaceAll('\u200B', ''))).toEqual(sorted.map(shownInTable));
    expect(seen.links).toEqual([]);
    const byHeight = seen.names.toSorted((a, b) => a.y - b.y).map(({ text }) => text);
    expect(byHeight).toEqual(shownInChart(sorted));
    expectBarsAt(seen, places(runs));
    expectAllInside(seen);
    expectReadable(seen);
  });

  it('cuts the chart where it would be no picture any more, and says so', async () => {
    const runs = Array.from({ length: 200 }, (_, index) =>
      told(`pipeline-${index}`, index, 20 + index, 300 + index * 5, index % 17 === 3 ? 'failed' : 'completed'),
    );
    const seen = await show('two-hundred', summaryFor(runs));
    expect(seen.rows).toHaveLength(200);
    expect(seen.names).toHaveLength(30);
    expect(seen.text).toContain('The chart shows 30 of 200 runs, what needs attention first.');
    expect(seen.bars.filter(({ fill }) => isRed(fill))).toHaveLength(12);
    expectAllInside(seen);
    expectReadable(seen);
  });

  it('draws statuses that nobody knows yet, and runs that change them all the time', async () => {
    const restless: Told = {
      name: 'restless',
      triggered: 0,
      statuses: Array.from(
        { length: 40 },
        (_, index) => [index * 10, index === 39 ? 'completed' : `: ${HOSTILE[index % HOSTILE.length]}`] as const,
      ),
    };
    const seen = await show('statuses', summaryFor([restless]));
    expect(seen.bars).toHaveLength(6);
    expect(seen.labels.map(({ text }) => text)).toContainEqual(expect.stringContaining('34 more changes'));
    expectAllInside(seen);
    expectReadable(seen);
  });
});
