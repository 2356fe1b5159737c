import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../src/report/timeline.ts';
import type { RunState } from '../../../src/run/state.ts';
import { aRun, EXISTING, finished, manyRuns, NO_RUN, PIPELINE, PLAN, PROBLEM, stopBy } from './scene.ts';

const WALL = Date.UTC(2026, 0, 5, 12);

function chart(runs: readonly RunState[], now = 100_000): string {
  return timelineOf(runs, PLAN, { now, wall: WALL + now });
}

function decoded(label: string): string {
  return label.replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

/** Returns the bars of a chart, with times in seconds. */
function bars(...runs: readonly Partial<RunState>[]): readonly string[] {
  const seconds = (time = ''): number => (Date.parse(`${time}Z`) - WALL) / 1_000;
  return [...chart(runs.map((fields) => aRun(fields))).matchAll(/^(.*) :(.*?)(\d{4}-\S+), (\S+)$/gm)].map(
    ([, label = '', tag, from, to]) => `${decoded(label)} :${tag}${seconds(from)} to ${seconds(to)}`,
  );
}

const historyAt = (...times: readonly number[]) =>
  times.map((at, nth) => ({ status: ['queued', 'picked', 'running'][nth] ?? '', at }));
const history = historyAt(1_000, 30_000, 33_000);
const RUN = { history } as const;

describe('the timeline of a run', () => {
  it('has a bar for each phase', () => {
    expect(bars({ ...RUN, ...finished('completed') })).toEqual([
      'triggering 1s :done, 0 to 1',
      'queued 29s :done, 1 to 30',
      'picked 3s :active, 30 to 33',
      'running 57s :33 to 90',
    ]);
  });

  it.each<[string, Partial<RunState>, string]>([
    ['in red if the run fails', finished('failed'), 'running 57s :crit, 33 to 90'],
    [
      'when the step leaves the run',
      { phase: { at: 'left' }, ...stopBy('interruption', 'leave') },
      'running 47s :crit, 33 to 80',
    ],
    [
      'now if the cancellation is not confirmed',
      { phase: { at: 'unsettled', problem: PROBLEM }, ...stopBy('interruption') },
      'cancelling 20s :crit, 80 to 100',
    ],
    ['now if the run is lost', { phase: { at: 'lost', problem: PROBLEM } }, 'running 1m 7s :crit, 33 to 100'],
    [
      'now if the trigger is in flight',
      { phase: { at: 'triggering' }, jobId: undefined, history: [], ...stopBy('interruption') },
      'triggering 1m 40s :crit, 0 to 100',
    ],
    [
      'now if the run is unknown',
      { phase: { at: 'unknown' }, jobId: undefined, history: [], ...stopBy('interruption') },
      'unknown 1m 40s :crit, 0 to 100',
    ],
  ])('ends %s', (_, fields, bar) => {
    expect(bars({ ...RUN, ...fields }).at(-1)).toBe(bar);
  });

  it('ends with the cancellation of the run, whose status may still change', () => {
    const late = historyAt(1_000, 30_000, 85_000);
    expect(bars({ ...finished('cancelled'), history: late, ...stopBy('interruption') }).slice(2)).toEqual([
      'picked 50s :active, 30 to 80',
      'cancelling 10s :crit, 80 to 90',
    ]);
  });

  it('shows the wait for an earlier run or attempt', () => {
    const first = { ...finished('failed', 50_000), history: historyAt(0) };
    const second = {
      ...finished('completed'),
      startedAt: 60_000,
      history: historyAt(60_000),
      attempt: 2,
      earlier: [aRun(first)],
    };
    expect(bars(first, second).slice(1)).toEqual(['waiting 10s :done, 50 to 60', 'queued 30s :done, 60 to 90']);
  });

  it('has a single bar for more than eight phases', () => {
    const many = Array.from({ length: 40 }, (_, nth) => ({ status: `s${nth}`, at: nth * 1_000 }));
    expect(bars({ ...finished('completed'), history: many })).toEqual(['40 status changes 1m 30s :0 to 90']);
    expect(bars({ ...finished('completed'), history: many.slice(0, 8) })).toHaveLength(8);
  });

  it('is empty if nothing was triggered', () => {
    expect(chart([aRun(NO_RUN), aRun({ ...NO_RUN, startedAt: 0 })])).toBe('');
  });

  it.each([
    [1_999, 'axisFormat %S.%L s\ntodayMarker'],
    [2_000, 'axisFormat %H:%M:%S\ntickInterval 1second'],
    [86_400_000, 'axisFormat %d %b %H:%M\ntickInterval 6hour'],
    [691_200_000, 'axisFormat %d %b\ntickInterval 1week'],
  ])('of %i ms has the axis %j', (ms, axis) => {
    expect(chart([aRun({ ...finished('completed', 500 + ms), startedAt: 500 })])).toContain(axis);
  });
});

describe('a chart of many runs', () => {
  it('shows the 20 most urgent runs, numbered because names can be equal', () => {
    const text = chart([...manyRuns(60, finished('completed')), aRun()]);
    expect(text.match(/^section /gm)).toHaveLength(20);
    expect(text).toContain('The chart shows 20 of 61 runs, starting with the most urgent ones.');
    expect(new Set(chart([aRun(), aRun()]).match(/^section .*/gm))).toEqual(
      new Set(['section #49; Orders', 'section #50; Orders']),
    );
  });

  it("never exceeds Mermaid's limits", () => {
    const statuses = Array.from({ length: 6 }, (_, nth) => ({ status: '\u{1F600}:'.repeat(40), at: nth * 15_000 }));
    const text = chart(manyRuns(30, { ...finished('completed'), history: statuses }));
    expect(text.length).toBeLessThan(46_000);
  });
});

/** A run that starts `offset` seconds after 12:15:00. Times are in seconds since its start. */
function at(offset: number, times: readonly number[], end: number, fields: Partial<RunState> = {}): RunState {
  const startedAt = (900 + offset) * 1_000;
  const history = historyAt(...times.map((time) => startedAt + time * 1_000));
  const endedAt = startedAt + end * 1_000;
  const last = { status: 'completed', at: endedAt };
  return aRun({ startedAt, ...finished('completed', endedAt), history: [...history, last], ...fields });
}

const CHARTS: readonly (readonly [name: string, runs: readonly RunState[]])[] = [
  ['a run', [at(0, [0.4, 30, 30.1], 100)]],
  [
    'two attempts, an existing run, and two that were never queued',
    [
      at(0, [2, 30, 30], 100, { status: 'failed' }),
      at(160, [0, 10], 100, { attempt: 2, earlier: [at(0, [], 100)] }),
      aRun(NO_RUN),
      aRun({ ...EXISTING, startedAt: 905_000, history: historyAt(910_000), phase: { at: 'lost', problem: PROBLEM } }),
      aRun({ ...NO_RUN, startedAt: 900_000 }),
    ],
  ],
  ['runs with twelve bars', [0, 0, 0, 0].map((offset) => at(offset, [0, 20, 30], 100))],
  ['runs with twenty-three bars', [at(4, [], 120), ...Array.from({ length: 7 }, () => at(0, [0, 20, 30], 100))]],
];

it('the timelines match timelines.txt', async () => {
  const texts = CHARTS.map(([name, runs]) => `# ${name}\n\n${decoded(chart(runs, 1_200_000))}\n`);
  await expect(texts.join('\n')).toMatchFileSnapshot('timelines.txt');
});

const HOSTILE = [
  'x :crit, 0, 1\nsection INJECTED\nclick a href "https://evil.test"',
  '%%{init: {"securityLevel": "loose"}}%% INJECTED;',
  '\n```\n# INJECTED\n```mermaid\n',
  'section INJECTED',
  '#quot; &lt; #35; <img src=x onerror=INJECTED>',
];

it.each(HOSTILE)('a name or a status cannot add anything to a chart: %j', (text) => {
  const run = aRun({
    ...finished('completed'),
    pipeline: { id: PIPELINE, name: text, apiName: '' },
    history: [{ status: text, at: 0 }],
  });
  const lines = chart([run]).split('\n');
  const own =
    /^(?:```(?:mermaid)?|---|config:|gantt| +\w+:.*|accTitle:.*|dateFormat .*|axisFormat .*|tickInterval .*|todayMarker off|section #\d+;[\p{L}\p{N} #;…]*|#\d+;[\p{L}\p{N} #;…]* :(?:crit, )?\d{4}-[\d:T.-]+, \d{4}-[\d:T.-]+||Gray: .*)$/u;
  expect(lines.filter((line) => !own.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('section'))).toHaveLength(1);
});
