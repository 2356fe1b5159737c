// Tests the table and the Mermaid chart of the job summary in Chromium.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oneLine } from '../../src/base/text.ts';
import { cutToColumns } from '../../src/report/markdown.ts';
import { MISSING, openSummary, type Seen, startChromium } from './browser.ts';
import { HOSTILE } from './hostile-texts.ts';
import { barTimes, idOf, type Played, played, summaryFor } from './scenes.ts';

/** The only elements that a summary may contain. Any other element would come from the service's texts. */
const OWN_TAGS = ['a', 'code', 'h3', 'li', 'p', 'pre', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'];
const OWN_CHART_TAGS = ['g', 'line', 'path', 'rect', 'style', 'text', 'title', 'tspan'];

let browser: Browser | undefined;
beforeAll(async () => {
  if (MISSING === undefined) browser = await startChromium();
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(MISSING !== undefined, MISSING));

/**
 * Shows a summary in a time zone other than UTC. Checks that the chart is complete, that the names of runs end
 * before the bars begin, and that the labels of the axis do not touch each other.
 */
async function show(picture: string, markdown: string, zone = 'Asia/Kolkata'): Promise<Seen> {
  if (browser === undefined) throw new Error('Chromium has not started.');
  const seen = await openSummary(browser, { markdown, picture, zone });
  expect(OWN_TAGS).toEqual(expect.arrayContaining([...seen.tags]));
  expect(OWN_CHART_TAGS).toEqual(expect.arrayContaining([...seen.chartTags]));
  const { charts, bars, labels, names, ticks } = seen;
  const [chart] = charts;
  if (chart === undefined) throw new Error('The page shows no chart.');
  const outside = [...bars, ...labels, ...names, ...ticks].filter(
    ({ x, y, width, height }) =>
      x < chart.x - 1 ||
      y < chart.y - 1 ||
      x + width > chart.x + chart.width + 1 ||
      y + height > chart.y + chart.height + 1,
  );
  expect(outside).toEqual([]);
  const left = Math.min(...bars.map(({ x }) => x));
  expect(names.filter(({ x, width }) => x + width >= left)).toEqual([]);
  const inOrder = ticks.toSorted((a, b) => a.x - b.x);
  expect(inOrder.filter(({ x, width }, index) => x + width >= (inOrder[index + 1]?.x ?? Infinity))).toEqual([]);
  return seen;
}

/** Checks that each bar begins and ends at its times, within 0.2 % of the chart's width. */
function expectBarsOf(runs: readonly Played[], { bars }: Seen): void {
  const left = Math.min(...bars.map(({ x }) => x));
  const width = Math.max(...bars.map((bar) => bar.x + bar.width)) - left;
  const found = bars.map((bar) => [(bar.x - left) / width, (bar.x + bar.width - left) / width] as const);
  const times = runs.flatMap(barTimes);
  const end = Math.max(...times.map(([, to]) => to));
  const missing = times.filter(([from, to]) => {
    const at = found.findIndex(([a, b]) => Math.abs(a - from / end) < 0.002 && Math.abs(b - to / end) < 0.002);
    if (at !== -1) found.splice(at, 1);
    return at === -1;
  });
  expect({ missing, found }).toEqual({ missing: [], found: [] });
}

const textsOf = (boxes: Seen['labels']): readonly string[] => boxes.map(({ text }) => text);
const namesFromTop = ({ names }: Seen): readonly string[] => textsOf(names.toSorted((a, b) => a.y - b.y));

describe('the summary of one run', () => {
  it('has a row with a link, advice, and a bar for each phase, of which the last is red', async () => {
    const run = played('orders', 0, 42, 700, 'failed', 'column "amount" is not a number');
    const runUrl = 'https://app.example.test/runs/{job-id}?tab=log&x=|';
    const seen = await show('one', summaryFor([run], runUrl));
    expect(seen.rows).toEqual([['orders', '❌ failed', 'failed', '12m 22s', idOf('run 0')]]);
    expect(seen.links).toEqual([`https://app.example.test/runs/${idOf('run 0')}?tab=log&x=%7C`]);
    expect(seen.text).toContain('column "amount" is not a number. Open the run');
    expect(textsOf(seen.names)).toEqual(['orders']);
    expect(textsOf(seen.labels)).toEqual(['queued 42s', 'picked 3s', 'running 11m 37s']);
    expect(seen.bars.map(({ isRed }) => isRed)).toEqual([false, false, true]);
    expectBarsOf([run], seen);
  });

  it.each([
    ['America/New_York', 'in winter', Date.UTC(2026, 0, 5, 9)],
    ['Europe/Berlin', 'on the night when the clocks change', Date.UTC(2026, 2, 29, 1)],
  ])('has an axis in UTC for a reader in %s %s', async (zone, _, begun) => {
    const seen = await show('zone', summaryFor([played('orders', 0, 600, 7_200)], '', begun), zone);
    const [, date = '', time = ''] = /^(.*)T(.*)\.000Z$/.exec(new Date(begun).toISOString()) ?? [];
    expect(seen.ticks[0]?.text).toBe(time.slice(0, 5));
    expect(seen.text).toContain(`begins at ${date} ${time}`);
  });

  it.each([
    ['0.4 seconds', 0.1, 0.3],
    ['a minute', 5, 55],
    ['nine hours', 1_200, 9 * 3_600],
    ['five weeks', 7_200, 35 * 86_400],
  ])('that takes %s has correct bars and a readable axis', async (duration, queued, running) => {
    const run = played('orders', 0, queued, running);
    const seen = await show(duration.replace(/\W/g, '-'), summaryFor([run]));
    expectBarsOf([run], seen);
    expect(seen.bars.some(({ isRed }) => isRed)).toBe(false);
    expect(seen.ticks.length).toBeGreaterThanOrEqual(2);
    expect(seen.ticks.length).toBeLessThanOrEqual(10);
    expect(new Set(textsOf(seen.ticks)).size).toBe(seen.ticks.length);
  });
});

/** Returns a name as the page shows it. The action cleans each name twice: for the report and for Markdown. */
const shownAs = (name: string, columns: number): string => cutToColumns(oneLine(oneLine(name)), columns);
const OTHERS = ['a:b', '#quot; &lt; #35;', '日本語のパイプライン名前です長い長い長い長い', '👩‍👩‍👧‍👦 مرحبا'];
/** Maps the visible part of each hostile text to the whole text. */
const shownTexts = new Map([...Object.values(HOSTILE), ...OTHERS].map((text) => [shownAs(text, 28), text]));
const texts = [...shownTexts].flatMap(([shown, text]) => (shown === '' ? [] : [text]));

describe('the summary of several runs', () => {
  // The README shows a screenshot of this summary.
  it('shows unsuccessful runs first in the table and in the chart', async () => {
    const bad = played('customers', 1, 60, 300, 'failed', 'Load failed: permission denied');
    const worse = played('web', 120, 300, 100, 'timed_out');
    const warned = played('stock', 90, 5, 800, 'completed_with_warning', '3 rows were skipped: see the error table');
    const good = played('orders', 0, 30, 600);
    const quick = played('mail', 2, 3, 4);
    const runUrl = 'https://app.example.test/{job-id}';
    const seen = await show('several', summaryFor([good, bad, warned, worse, quick], runUrl));
    expect(seen.rows.map(([name, outcome]) => [name, outcome])).toEqual([
      ['customers', '❌ failed'],
      ['web', '❌ failed'],
      ['stock', '⚠️ succeeded'],
      ['orders', '✅ succeeded'],
      ['mail', '✅ succeeded'],
    ]);
    expect(namesFromTop(seen)).toEqual(['1 customers', '2 web', '3 stock', '4 orders', '5 mail']);
    expect(seen.bars.filter(({ isRed }) => isRed)).toHaveLength(2);
    expectBarsOf([bad, worse, warned, good, quick], seen);
    expect(new Set(seen.bars.map(({ y }) => Math.round(y))).size).toBe(5);
  });

  it.each([
    ['first', texts.slice(0, 18)],
    ['second', texts.slice(18)],
  ])('shows the %s half of the hostile names as plain text, each beside its own bars', async (half, names) => {
    const runs = [...names, 'same', 'same'].map((name, index) =>
      played(name, index * 7, 20 + index, 300 + index * 20, 'completed', name),
    );
    const seen = await show(`names-${half}`, summaryFor(runs));
    expect(seen.rows.map((cells) => cells.length)).toEqual(runs.map(() => 5));
    expect(seen.rows.map(([name]) => name?.replaceAll('\u200B', ''))).toEqual(
      runs.map(({ name }) => shownAs(name, 40).replaceAll('\u200B', '')),
    );
    expect(seen.links).toEqual([]);
    expect(namesFromTop(seen)).toEqual(
      runs.map(({ name }, index) => cutToColumns(`${index + 1} ${oneLine(name)}`, 28)),
    );
    expectBarsOf(runs, seen);
  });

  it('draws a single bar for a run that had many hostile statuses', async () => {
    const statuses = texts.map((text, index) => [index * 10, `: ${text}`] as const);
    const run = { name: 'restless', triggered: 0, statuses: [...statuses, [500, 'completed'] as const] };
    const seen = await show('statuses', summaryFor([run]));
    expect(seen.bars).toHaveLength(1);
    expect(textsOf(seen.labels)).toEqual([expect.stringMatching(/^\d+ status changes/)]);
  });
});
