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

/** The bars of a chart, their times counted from its begin, in seconds. */
function bars(chart: string): readonly string[] {
  return [...chart.matchAll(/^(.*) :(.*?)(\d+), (\d+)$/gm)].map(
    ([, label, tag, from, to]) => `${label} :${tag}${(Number(from) - WALL) / 1_000} to ${(Number(to) - WALL) / 1_000}`,
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
  it('has a bar for each phase, from the trigger to the end that was seen', () => {
    expect(bars(timeline([aRun(COMPLETED)]))).toEqual([
      'triggering 1s :done, 0 to 1',
      'queued 29s :done, 1 to 30',
      'picked 3s :active, 30 to 33',
      'running 57s :33 to 90',
    ]);
  });

  it.each<[string, Partial<RunState>, string]>([
    ['failed', { ...COMPLETED, phase: { at: 'finished', status: 'failed' } }, 'running 57s :crit, 33 to 90'],
    [
      'is out of reach: up to the last read of it',
      { phase: { at: 'lost', problem: { attempted: '', cause: '' } }, history: HISTORY, lastReadAt: 70_000 },
      'running 37s :crit, 33 to 70',
    ],
    [
      'was left: up to when that was decided',
      { phase: { at: 'left' }, history: HISTORY, stop: { ...stop, policy: 'leave' } },
      'running 47s :crit, 33 to 80',
    ],
    [
      'is going on when the summary is written',
      { phase: { at: 'in_progress' }, history: HISTORY },
      'running 1m 7s :crit, 33 to 100',
    ],
    [
      'was cancelled: from when that began',
      { ...COMPLETED, phase: { at: 'finished', status: 'cancelled' }, stop },
      'cancelling 10s :crit, 80 to 90',
    ],
    [
      'may be going on: since its trigger',
      { phase: { at: 'unknown', problem: { attempted: '', cause: '' } }, jobId: undefined, history: [] },
      'unknown 1m 40s :crit, 0 to 100',
    ],
  ])('ends in red when it %s', (_, fields, last) => {
    expect(bars(timeline([aRun(fields)])).at(-1)).toBe(last);
  });

  it.each<[string, Partial<RunState>]>([
    ['was not triggered', { startedAt: undefined, phase: { at: 'waiting' } }],
    ['was refused', { phase: { at: 'not_queued' } }],
    ['took no time', { ...COMPLETED, history: [], endedAt: 0 }],
  ])('is not there when the run %s', (_, fields) => {
    expect(timeline([aRun(fields)])).toBe('');
  });

  it('has no bar for a trigger that took no time to speak of', () => {
    const history = HISTORY.map(({ status, at }) => ({ status, at: at - 200 }));
    const run = aRun({ ...COMPLETED, history: [...history, { status: 'completed', at: 90_000 }] });
    expect(bars(timeline([{ ...run, startedAt: 100 }]))[0]).toBe('queued 29s :done, 0.8 to 29.8');
  });

  it('knows a run that was there before by its first read', () => {
    const run = aRun({ ...COMPLETED, attached: true });
    expect(bars(timeline([run]))[0]).toBe('first read 1s :done, 0 to 1');
  });

  it('is closed by nothing that a service says', () => {
    const name = '```\n# big\n<script>';
    const run = aRun({ ...COMPLETED, pipeline: { id: PIPELINE, name }, history: [{ status: '```\n:;#"', at: 0 }] });
    const lines = timeline([run]).split('\n');
    expect(lines.filter((line) => line.startsWith('```'))).toEqual(['```mermaid', '```']);
    expect(lines).toContain('section #96;#96;#96; #35; big #60;script#62;');
    expect(bars(timeline([run]))).toEqual(['#96;#96;#96; #58;#59;#35;#34; 1m 30s :0 to 90']);
  });

  it('does without the time of a clock that is off the calendar', () => {
    expect(timelineOf([aRun(COMPLETED)], plan, { now: 0, wall: 9e15 })).toContain('begins at an unknown time');
  });
});

describe('the timeline of several runs', () => {
  it('shows how long each waited for its turn', () => {
    const later = aRun({
      ...COMPLETED,
      startedAt: 20_000,
      history: [{ status: 'running', at: 20_000 }],
      pipeline: { id: PIPELINE, name: 'later' },
    });
    expect(bars(timeline([later, aRun(COMPLETED)])).slice(0, 2)).toEqual([
      'waiting 20s :done, 0 to 20',
      'running 1m 10s :20 to 90',
    ]);
  });

  it('keeps runs apart whose names look alike, whatever numbers they have themselves', () => {
    const names = ['a', 'a', 'a (2)', 'a'];
    const runs = names.map((name) => aRun({ ...COMPLETED, pipeline: { id: PIPELINE, name } }));
    const sections = [...timeline(runs).matchAll(/^section (.*)$/gm)].map(([, name]) => name);
    expect(new Set(sections).size).toBe(4);
  });

  it('stays short enough for Mermaid, whatever the names and statuses', () => {
    const history = Array.from({ length: 200 }, (_, index) => ({
      status: `${'!"§$%&/()=?'.repeat(10)}${index}`,
      at: index * 100,
    }));
    const runs = Array.from({ length: 500 }, (_, index) =>
      aRun({ ...COMPLETED, history, pipeline: { id: PIPELINE, name: `${'"<|>"'.repeat(20)}${index}` } }),
    );
    const chart = /```mermaid\n([\s\S]*?)\n```/.exec(timeline(runs))?.[1] ?? '';
    expect(chart.length).toBeGreaterThan(5_000);
    expect(chart.length).toBeLessThan(50_000);
    expect(timeline(runs)).toMatch(/The chart shows \d+ of 500 runs, what needs attention first\./);
  });
});
