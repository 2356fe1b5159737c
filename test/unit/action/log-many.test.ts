import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/action/log.ts';
import { warnBeforeSixHours } from '../../../src/action/log-six-hours.ts';
import type { StepEvent } from '../../../src/run/events.ts';
import { aRun, keptToolkit, settings } from '../../support/action.ts';
import { PIPELINE, uuid } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const PROBLEM = { attempted: 'read the status of the run', came: 'HTTP 503' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function bench(count: number) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const runs = Array.from({ length: count }, (_, index) =>
    aRun({
      jobId: uuid(`11111111-2222-4333-8444-${String(index).padStart(12, '0')}`),
      pipeline: { id: PIPELINE, name: `p${index}` },
    }),
  );
  const log = createLog(settings(), clock, (line) => lines.push(line), runs);
  const tell = (event: StepEvent): readonly string[] => {
    const before = lines.length;
    log.event(event);
    return lines.slice(before);
  };
  return { clock, lines, runs, tell };
}

describe('the log of hundreds of runs', () => {
  it('has a line for the id of each and one for its end, and counts what happens between', async () => {
    const { clock, runs, tell, lines } = bench(300);
    for (const run of runs) tell({ type: 'queued', run });
    expect(lines).toHaveLength(300);
    await clock.advance(40_000);
    for (const run of runs) {
      run.status = 'running';
      tell({ type: 'status', run, from: 'queued', known: true });
    }
    expect(lines.slice(300)).toEqual(['300 runs after 40s: 1 running, 299 queued']);
    await clock.advance(40_000);
    for (const run of runs) {
      Object.assign(run, { status: 'completed', standing: { at: 'ended', status: 'completed' } });
      tell({ type: 'status', run, from: 'running', known: true });
    }
    expect(lines.filter((line) => line.includes('running → completed'))).toHaveLength(300);
    expect(lines.at(-1)).toBe('[1m 20s] p299: running → completed (300 of 300 ended)');
    expect(lines.length).toBeLessThan(610);
  });

  it('tells of an outage once, and of its end once', async () => {
    const { clock, runs, tell, lines } = bench(100);
    await clock.advance(10_000);
    for (const run of runs) tell({ type: 'read_failed', run, problem: PROBLEM, sinceMs: 5_000 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('p0: Could not read the status of the run: HTTP 503.');
    await clock.advance(10_000);
    for (const run of runs) tell({ type: 'contact_again', run, afterMs: 15_000 });
    expect(lines.slice(1)).toEqual(['In contact with all runs again after 15s: 100 queued']);
  });
});

describe('the warning before the six hours of a job are over', () => {
  it.each([
    ['github-hosted', ['5h 30m']],
    ['self-hosted', []],
    [undefined, []],
  ])('on a runner that is %s: %j', async (environment, times) => {
    const clock = new VirtualClock();
    const toolkit = keptToolkit();
    const { plan } = settings();
    const env = { RUNNER_ENVIRONMENT: environment };
    const look = warnBeforeSixHours({ env, clock, toolkit }, plan, [aRun()]);
    const warned: string[] = [];
    for (let minutes = 0; minutes <= 360; minutes += 1) {
      const before = toolkit.annotations.length;
      look();
      if (toolkit.annotations.length > before)
        warned.push(`${Math.floor(clock.now() / HOUR)}h ${(clock.now() % HOUR) / MINUTE}m`);
      await clock.advance(MINUTE);
    }
    expect(warned).toEqual(times);
  });

  it('says what will happen then', async () => {
    const clock = new VirtualClock();
    const toolkit = keptToolkit();
    const { plan } = settings({ 'on-cancel': 'leave' });
    const look = warnBeforeSixHours({ env: { RUNNER_ENVIRONMENT: 'github-hosted' }, clock, toolkit }, plan, [
      aRun(),
    ]);
    await clock.advance(5.5 * HOUR);
    look();
    expect(toolkit.annotations[0]?.message).toMatch(
      /^GitHub ends this job in about 30m, or sooner if it began well before this step; then the run is left running, because on-cancel is leave\.\n/,
    );
  });
});
