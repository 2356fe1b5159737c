// The timeline in the job summary: the bars of each run, and text that Mermaid cannot misinterpret.
import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../../../src/action/report/summary/timeline.ts';
import type { Stop } from '../../../../../src/run/state/facts.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { aRun, settings } from '../../../../support/action.ts';
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

const HISTORY = [
  { status: 'queued', at: 1_000 },
  { status: 'picked', at: 30_000 },
  { status: 'running', at: 33_000 },
];
const COMPLETED: Partial<RunState> = {
  phase: { at: 'finished', status: 'completed' },
  status: 'completed',
  history: [...HISTORY, { status: 'completed', at: 90_000 }],
  endedAt: 90_000,
};
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
  const finished = (status: 'failed' | 'cancelled'): Partial<RunState> => ({
    ...COMPLETED,
    phase: { at: 'finished', status },
  });

  it.each<[string, Partial<RunState>, string]>([
    ['if the run fails', finished('failed'), 'running 57s :crit, 33 to 90'],
    ['at the last read of a lost run', { phase: { at: 'lost' }, lastReadAt: 70_000 }, 'running 37s :crit, 33 to 70'],
    ['when the step leaves the run running', left, 'running 47s :crit, 33 to 80'],
    [
      'at the current time if the run is in progress',
      { phase: { at: 'in_progress' } },
      'running 1m 7s :crit, 33 to 100',
    ],
    ['after a cancellation', { ...finished('cancelled'), stop }, 'cancelling 10s :crit, 80 to 90'],
    ['at the current time if it is unknown how the run ended', unknown, 'unknown 1m 40s :crit, 0 to 100'],
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

  const early = COMPLETED.history?.map(({ status, at }) => ({ status, at: Math.max(800, at - 200) })) ?? [];

  it.each<[string, Partial<RunState>, string]>([
    [
      'the status queued if the trigger is too short for a bar',
      { history: early, startedAt: 100 },
      'queued 29s :done, 0.8 to 29.8',
    ],
    ['the first read if the run already existed', { attached: true }, 'first read 1s :done, 0 to 1'],
  ])('begins with %s', (_, fields, first) => {
    expect(bars({ ...COMPLETED, ...fields })[0]).toBe(first);
  });

  it('merges its middle bars if there are many bars', () => {
    const history = Array.from({ length: 10 }, (_, index) => ({ status: `s${index}`, at: index * 9_000 }));
    expect(bars({ ...COMPLETED, history })[3]).toBe('#53; more changes 45s :27 to 72');
  });

  it('is not cut short by text from the service', () => {
    const pipeline = { id: PIPELINE, name: '```\n# big\n<script>' };
    const run: Partial<RunState> = { ...COMPLETED, pipeline, history: [{ status: '```\n:;#"', at: 0 }] };
    const lines = timeline([aRun(run)]).split('\n');
    expect(lines.filter((line) => line.startsWith('```'))).toEqual(['```mermaid', '```']);
    expect(lines).toContain('section #96;#96;#96; #35; big #60;script#62;');
    expect(bars(run)).toEqual(['#96;#96;#96; #58;#59;#35;#34; 1m 30s :0 to 90']);
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
    const runs = ['a', 'a', 'a (2)', 'a'].map((name) => aRun({ ...COMPLETED, pipeline: { id: PIPELINE, name } }));
    const sections = [...timeline(runs).matchAll(/^section (.*)$/gm)].map(([, name]) => name);
    expect(new Set(sections).size).toBe(4);
  });

  it('stays short enough for Mermaid with long names and statuses', () => {
    const long = '!"§$%&/()=?'.repeat(10);
    const history = Array.from({ length: 200 }, (_, index) => ({ status: `${long}${index}`, at: index * 100 }));
    const runs = Array.from({ length: 500 }, (_, index) =>
      aRun({ ...COMPLETED, history, pipeline: { id: PIPELINE, name: `${long}${index}` } }),
    );
    const chart = /```mermaid\n([\s\S]*?)\n```/.exec(timeline(runs))?.[1] ?? '';
    expect(chart.length).toBeGreaterThan(5_000);
    expect(chart.length).toBeLessThan(50_000);
    expect(timeline(runs)).toMatch(/ shows \d+ of 500 runs, /);
  });
});
