// The timeline in the job summary: the bars of each run, and text that Mermaid cannot misinterpret.
import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../../../src/action/report/summary/timeline.ts';
import type { Stop } from '../../../../../src/run/state/facts.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { aRun, finished, settings } from '../../../../support/action.ts';
import { PIPELINE } from '../../../../support/service.ts';

const WALL = Date.UTC(2026, 0, 5, 12);
const { plan } = settings();

function timeline(runs: readonly RunState[], now = 100_000): string {
  return timelineOf(runs, plan, { now, wall: WALL + now });
}

/** Returns the bars of a chart with their times in seconds since the start of the chart. */
function bars(...runs: readonly Partial<RunState>[]): readonly string[] {
  const chart = timeline(runs.map((fields) => aRun(fields)));
  const seconds = (time = ''): number => (Date.parse(`${time}Z`) - WALL) / 1_000;
  return [...chart.matchAll(/^(.*) :(.*?)(\d{4}-\S+), (\S+)$/gm)].map(
    ([, label, tag, from, to]) => `${label} :${tag}${seconds(from)} to ${seconds(to)}`,
  );
}

const historyAt = (...times: readonly number[]) =>
  times.map((at, nth) => ({ status: ['queued', 'picked', 'running'][nth] ?? '', at }));
const HISTORY = historyAt(1_000, 30_000, 33_000);
const COMPLETED = { ...finished('completed', 90_000), history: [...HISTORY, { status: 'completed', at: 90_000 }] };
const stop: Stop = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel', at: 80_000 };

describe('the timeline of a run', () => {
  it('has a bar for each phase from the trigger to the final status', () => {
    expect(bars(COMPLETED)).toEqual([
      'triggering 1s :done, 0 to 1',
      'queued 29s :done, 1 to 30',
      'picked 3s :active, 30 to 33',
      'running 57s :33 to 90',
    ]);
  });

  const left: Partial<RunState> = { phase: { at: 'left' }, stop: { ...stop, policy: 'leave' } };
  const unknown: Partial<RunState> = { phase: { at: 'unknown' }, jobId: undefined, history: [] };
  const failed = { ...COMPLETED, ...finished('failed', 90_000) };
  const cancelled = { ...COMPLETED, ...finished('cancelled', 90_000), stop };

  it.each<[string, Partial<RunState>, string]>([
    ['if the run fails', failed, 'running 57s :crit, 33 to 90'],
    ['at the last read of a lost run', { phase: { at: 'lost' }, lastReadAt: 70_000 }, 'running 37s :crit, 33 to 70'],
    ['when the step leaves the run running', left, 'running 47s :crit, 33 to 80'],
    ['now if the run is in progress', { phase: { at: 'in_progress' } }, 'running 1m 7s :crit, 33 to 100'],
    ['after a cancellation', cancelled, 'cancelling 10s :crit, 80 to 90'],
    ['now during a cancellation', { phase: { at: 'in_progress' }, stop }, 'cancelling 20s :crit, 80 to 100'],
    ['now if it is unknown how the run ended', unknown, 'unknown 1m 40s :crit, 0 to 100'],
  ])('ends in red %s', (_, fields, last) => {
    expect(bars({ history: HISTORY, ...fields }).at(-1)).toBe(last);
  });

  it.each<[string, Partial<RunState>]>([
    ['was not triggered', { startedAt: undefined, phase: { at: 'waiting' } }],
    ['was rejected', { phase: { at: 'not_queued' } }],
    ['took no time', { ...COMPLETED, history: [], endedAt: 0 }],
  ])('does not appear if the run %s', (_, fields) => {
    expect(timeline([aRun(fields)])).toBe('');
  });

  it.each<[string, Partial<RunState>, string]>([
    ['queued if the trigger is brief', { startedAt: 900, stop: { ...stop, at: 20_000 } }, 'queued 19s :done, 1 to 20'],
    ['unknown if no run id is known', { ...unknown, stop }, 'unknown 1m 30s :crit, 0 to 90'],
    ['the first read if the run already existed', { attached: true }, 'first read 1s :done, 0 to 1'],
  ])('begins with %s', (_, fields, first) => {
    expect(bars({ ...COMPLETED, ...fields })[0]).toBe(first);
  });

  it.each([
    ['has a bar for each of six statuses', 6, '#51; 9s :27 to 36'],
    ['merges its middle bars if there are seven statuses', 7, '#50; more changes 18s :27 to 45'],
  ])('%s', (_, length, fourth) => {
    const history = Array.from({ length }, (_each, index) => ({ status: `${index}`, at: index * 9_000 }));
    expect(bars({ ...COMPLETED, history })[3]).toBe(fourth);
  });

  const axes = [
    { 1999: '%S.%L s', 2000: '%H:%M:%S, 1second', 8000: '%H:%M:%S, 1second', 8001: '%H:%M:%S, 2second' },
    { 240001: '%H:%M, 1minute', 86400001: '%d %b %H:%M, 6hour', 691200000: '%d %b, 1day', 691200001: '%d %b, 1week' },
  ].flatMap((each) => Object.entries(each));

  it.each(axes)('of %s ms has at most eight labels of the form "%s" on its axis', (ms, form) => {
    const chart = timeline([aRun({ ...COMPLETED, history: [], endedAt: Number(ms) })]);
    expect(chart.match(/(?<=axisFormat |tickInterval ).*/g)?.join(', ')).toBe(form);
  });

  it('is not cut short by text from the service', () => {
    const pipeline = { id: PIPELINE, name: '```\n# big\n<script>' };
    const statuses = Object.entries({ '```\n:;#"': 0, 'running:crit, a;b': 45_000 });
    const run = { ...COMPLETED, pipeline, history: statuses.map(([status, at]) => ({ status, at })) };
    const lines = timeline([aRun(run)]).split('\n');
    expect(lines.filter((line) => line.startsWith('```'))).toEqual(['```mermaid', '```']);
    expect(lines).toContain('section #96;#96;#96; #35; big #60;script#62;');
    const labels = ['#96;#96;#96; #58;#59;#35;#34; 45s :0 to 45', '#114;unning#58;crit#44; a#59;b 45s :45 to 90'];
    expect(bars(run)).toEqual(labels);
  });

  it('does not need a valid wall clock', () => {
    expect(timelineOf([aRun(COMPLETED)], plan, { now: 0, wall: 9e15 })).toContain('begins at an unknown time');
  });
});

describe('the timeline of several runs', () => {
  it('shows how long each run waits for its turn', () => {
    const later = { ...COMPLETED, startedAt: 20_000, history: [{ status: 'running', at: 20_000 }] };
    expect(bars(later, COMPLETED).slice(0, 2)).toEqual(['waiting 20s :done, 0 to 20', 'running 1m 10s :20 to 90']);
  });

  it('has a separate section for each run, even if names repeat or look numbered', () => {
    const names = ['a', 'a', 'a (2)', 'a', 'b'.repeat(28), 'b'.repeat(28)];
    const runs = names.map((name) => aRun({ ...COMPLETED, pipeline: { id: PIPELINE, name } }));
    const [, ...sections] = timeline(runs).match(/(?<=^section ).*/gm) ?? [];
    expect(sections.slice(0, 3).join()).toBe('#97; #40;2#41;,#97; #40;2#41; #40;2#41;,#97; #40;3#41;');
    expect(sections.slice(3).join()).toBe(`#98;${'b'.repeat(27)},#98;${'b'.repeat(21)}#8230; #40;2#41;`);
  });

  it('is compact and shows as much of each label as fits if there are more than twelve bars', () => {
    const earlier = [aRun({ endedAt: 39_500 })];
    const runs = [
      { startedAt: 10_000, history: historyAt(20_000, 28_000, 35_000), endedAt: 48_000 },
      { startedAt: 11_100, history: historyAt(12_200, 13_000, 14_000) },
      { startedAt: 40_000, history: historyAt(60_000, 80_000, 90_000), attempt: 2, earlier },
      { startedAt: undefined, phase: { at: 'waiting' } as const },
    ].map((fields) => aRun({ ...COMPLETED, endedAt: 120_000, ...fields }));
    const labels = bars(...runs).map((bar) => bar.replace(/ :.*/, ''));
    expect(labels.join(' ').replaceAll('#8203;', '-')).toBe(
      '- queued - running 13s - - - - running 1m 46s triggering 20s queued 20s picked running 30s',
    );
    const lines = timeline(runs)
      .replace(/^(?:acc|date).*\n/gm, '')
      .split('\n');
    expect(lines.slice(1, 12).join(' / ')).toBe(
      '--- / config: /   gantt: /     displayMode: compact /     numberSectionStyles: 2 /     leftPadding: 127 / --- / ' +
        'gantt / axisFormat %H:%M:%S / tickInterval 15second / todayMarker off',
    );
    expect(timeline(runs)).toMatch(/ begins at 2026-01-05 12:00:10\.$/);
  });

  it('is not compact if there are twelve bars', () => {
    expect(timeline(Array(3).fill(aRun(COMPLETED)))).toContain('gantt:\n    numberSectionStyles');
  });

  it.each(['!"§$%&/()=?', '\u0301'])('stays short enough for Mermaid with names and statuses full of %s', (mark) => {
    const long = mark.repeat(450);
    const history = Array.from({ length: 6 }, (_, index) => ({ status: `${long}${index}`, at: index * 15_000 }));
    const runs = Array.from({ length: 500 }, (_, index) =>
      aRun({ ...COMPLETED, history, pipeline: { id: PIPELINE, name: `${long}${index}` } }),
    );
    const chart = /```mermaid\n([\s\S]*?)\n```/.exec(timeline(runs))?.[1] ?? '';
    expect(chart.length).toBeGreaterThan(5_000);
    expect(chart.length).toBeLessThan(50_000);
    expect(timeline(runs)).toMatch(/ shows \d+ of 500 runs, /);
  });
});
