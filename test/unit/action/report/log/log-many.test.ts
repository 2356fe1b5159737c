import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../../src/action/report/log/log.ts';
import type { News } from '../../../../../src/run/state/ledger.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { aRun, change, settings } from '../../../../support/action.ts';
import { JOB, PIPELINE } from '../../../../support/service.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const HOURS = 3_600_000;
const PROBLEM = { attempted: 'read the status of the run', cause: 'HTTP 503 "away"' };
const OUTAGE = { from: HOURS, to: HOURS + 600_000 };

/** When a run of many is picked, runs, and ends: one after the other, over two hours. */
function dueAt(number: number): readonly (readonly [string, number])[] {
  const queued = number * 1_000;
  return [
    ['picked', queued + 60_000],
    ['running', queued + 65_000],
    ['completed', queued + 60_000 + ((number * 7_919) % (2 * HOURS))],
  ];
}

/** A step with so many runs, each read every 30 s, and an outage of ten minutes in the middle. */
async function logOf(count: number, runUrl = ''): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const runs = Array.from({ length: count }, (_, index) =>
    aRun({
      number: index + 1,
      pipeline: { id: PIPELINE, name: `p${index}` },
      phase: { at: 'waiting' },
      startedAt: undefined,
      status: undefined,
    }),
  );
  const log = createLog(settings({ 'run-url': runUrl }), clock, (line) => lines.push(line), runs);
  log.observe({ notice: 'ready', runs });
  for (let at = 0; at <= 3 * HOURS; at += 30_000) {
    for (const [index, run] of runs.entries()) for (const news of live(run, index, clock.now())) log.observe(news);
    await clock.advance(30_000);
  }
  return lines;
}

function live(run: RunState, index: number, now: number): readonly News[] {
  if (run.phase.at === 'finished' || now < index * 1_000) return [];
  if (run.phase.at === 'waiting') {
    Object.assign(run, { startedAt: now });
    return [change(run, { kind: 'queued', jobId: JOB }, now)];
  }
  if (now >= OUTAGE.from && now < OUTAGE.to) {
    return [change(run, { kind: 'read_failed', problem: PROBLEM, sinceMs: now - OUTAGE.from }, now)];
  }
  const status = dueAt(index).findLast(([, due]) => now >= due)?.[0] ?? 'queued';
  const job = { id: JOB, status, statusMessage: null };
  if (status !== 'completed') return [change(run, { kind: 'seen', job }, now)];
  return [change(run, { kind: 'finished', job }, now), { notice: 'run_done', run }];
}

describe('the log of 500 runs over hours', () => {
  it('has a line for the id and one for the end of each, and few besides', async () => {
    const lines = await logOf(500);
    expect(lines.filter((line) => line.includes(`run ${JOB} is queued`))).toHaveLength(500);
    expect(lines.filter((line) => line.includes(' → completed (') && line.endsWith(' of 500 ended)'))).toHaveLength(
      500,
    );
    expect(lines.length).toBeLessThan(1_120);
    expect(lines[0]).toBe('Runs: 500, all at once');
    expect(lines[31]).toBe('… and 470 more');
  });

  it('counts how many are in which status, often at first and seldom later', async () => {
    const lines = await logOf(500);
    const counts = lines.filter((line) => line.startsWith('500 runs after '));
    expect(counts[0]).toBe('500 runs after 30s: 499 waiting, 1 queued');
    expect(counts.length).toBeGreaterThan(20);
    expect(counts.length).toBeLessThan(70);
    for (const line of counts) expect(line).toMatch(/^500 runs after .*: (\d+ [a-z]+(, |$))+|no valid response/);
  });

  it('tells of an outage once, how many it concerns, and when it is over', async () => {
    const lines = await logOf(500);
    expect(lines.filter((line) => line.includes('HTTP 503'))).toEqual([
      expect.stringMatching(/^\[.*\] p\d+: Could not read the status of the run: HTTP 503 "away"\. No valid response/),
    ]);
    expect(lines.filter((line) => line.includes('; no valid response for')).length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.startsWith('Contact with all runs restored after 10m: '))).toHaveLength(1);
  });

  it('links every run', async () => {
    const lines = await logOf(21, 'https://app.example.test/{job-id}');
    expect(lines.filter((line) => line.endsWith(`is queued: https://app.example.test/${JOB}`))).toHaveLength(21);
  });
});

describe('the log of twenty runs', () => {
  it('still has a line for every change', async () => {
    const lines = await logOf(20);
    expect(lines.filter((line) => line.includes('queued → '))).toHaveLength(20);
    expect(lines.filter((line) => line.includes(' → completed'))).toHaveLength(20);
    expect(lines.filter((line) => line.includes('HTTP 503')).length).toBeLessThan(20 * 6);
    expect(lines.some((line) => line.startsWith('20 runs after'))).toBe(false);
  });
});
