// The log: the announcement, a line for each change of a few runs, counts for many runs, and lines about a stop.
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../../src/action/report/log/log.ts';
import type { Fact, Stop } from '../../../../../src/run/state/facts.ts';
import type { News } from '../../../../../src/run/state/ledger.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { MESSAGE_TOO_LONG } from '../../../../../src/service/statuses.ts';
import { aRun, change, type Inputs, settings } from '../../../../support/action.ts';
import { JOB, PIPELINE } from '../../../../support/service.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const PROBLEM = { attempted: 'ask', cause: 'HTTP 503 "away"' };
const ACCOUNT = { region: 'eu-1', apiUrl: new URL('https://api.example.test'), expiresAt: null };
const QUEUED: Fact = { kind: 'queued', jobId: JOB };
const HOURS = 3_600_000;

function bench(inputs: Inputs = {}, runs: readonly RunState[] = [aRun({}, inputs)]) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog(settings(inputs), clock, (line) => lines.push(line.replaceAll(JOB, 'ID')), runs);
  const [run = aRun()] = runs;
  /** Returns the lines that the log prints for a piece of news. */
  const observe = (news: News): readonly string[] => {
    const before = lines.length;
    log.observe(news);
    return lines.slice(before);
  };
  const apply = (fact: Fact): readonly string[] => observe(change(run, fact, clock.now()));
  return { clock, run, runs, observe, apply, log, lines };
}

function seen(status: string, statusMessage: string | null = null): Fact {
  return { kind: 'seen', job: { id: JOB, status, statusMessage } };
}

/** Returns the announcement of a step with these inputs. */
function announcement(inputs: Inputs = {}, fields: Partial<RunState> = {}, region: string | null = 'eu-1') {
  const { observe, runs } = bench(inputs, [aRun(fields, inputs)]);
  observe({ notice: 'connected', account: { ...ACCOUNT, region } });
  return observe({ notice: 'ready', runs });
}

describe('the log of one run', () => {
  it('begins with the pipeline, the region, the maximum wait and the effect of a cancel', () => {
    expect(announcement()).toEqual([
      `Pipeline: orders (${PIPELINE})`,
      'Options: incremental sync',
      'Hosts: https://app.example.test/, and https://api.example.test/ for its API, region eu-1',
      'Waits: until the run has finished, read every 30s; no limit',
      'On cancel: the run is cancelled',
    ]);
  });

  it('announces every option', () => {
    const limits = { timeout: '45m', 'queue-timeout': '10m', 'on-timeout': 'leave', 'on-cancel': 'leave' };
    const options = { 'full-resync': 'true', 'reset-target': 'true', 'poll-interval': '1m', ...limits };
    const left = 'then the run is left running';
    expect(announcement(options, {}, null).slice(1)).toEqual([
      'Options: full resync, tables dropped and recreated',
      'Hosts: https://app.example.test/, and https://api.example.test/ for its API',
      `Waits: until the run has finished, read every 1m; at most 45m, ${left}; at most 10m in the queue, ${left}`,
      'On cancel: the run is left running',
    ]);
    const [named, , , waits] = announcement({ wait: 'false' }, { pipeline: { id: PIPELINE, name: null } });
    expect([named, waits]).toEqual([
      `Pipeline: orders (${PIPELINE})`,
      'Waits: no; the step ends when the run is queued',
    ]);
    expect(announcement({ pipeline: PIPELINE }, { pipeline: { id: PIPELINE, name: null } })[0]).toBe(
      `Pipeline: ${PIPELINE}`,
    );
  });

  it('has a line for each change, with the time since the trigger', async () => {
    const { apply, clock } = bench();
    expect(apply(QUEUED)).toEqual(['[0s] orders: run ID is queued']);
    await clock.advance(2_300);
    expect(apply(seen('running'))).toEqual(['[2s] orders: queued → running']);
    await clock.advance(90_000);
    expect(apply(seen('paused'))).toEqual([
      '[1m 32s] orders: running → paused (this version does not know the status and treats it as in progress)',
    ]);
    const job = { id: JOB, status: 'failed', statusMessage: 'disk full' };
    expect(apply({ kind: 'finished', job })).toEqual(['[1m 32s] orders: paused → failed: disk full']);
  });

  it('repeats the status less and less often while the run takes longer', async () => {
    const { apply, clock } = bench();
    apply(QUEUED);
    const minutes: number[] = [];
    for (let read = 0; read < 360; read += 1) {
      await clock.advance(30_000);
      const lines = apply(seen('queued'));
      if (minutes.length === 0 && lines.length > 0) {
        expect(lines).toEqual(['[3m] orders: still queued: no agent has picked it up yet']);
        expect(apply(seen('queued'))).toEqual([]);
      }
      if (lines.length > 0) minutes.push(Math.round(clock.now() / 60_000));
    }
    expect(minutes.slice(0, 6)).toEqual([3, 6, 9, 12, 15, 19]);
    expect(Math.max(...minutes.map((at, index) => at - (minutes[index - 1] ?? 0)))).toBe(15);
  });

  const failed = 'Could not ask: HTTP 503 "away".';
  const retry = { problem: PROBLEM, retryInMs: 400 };
  const cancelled = { id: JOB, status: 'cancelled', statusMessage: null };
  const named = { kind: 'resolved', pipeline: { id: PIPELINE, name: 'customers' } } as const;
  const unwritten = { reason: 'ENOSPC', remedy: 'Free some space.' };
  const outage = `${failed} No valid response for 1m 30s; the step gives up after 15m. The run continues.`;

  it.each<[string, Fact]>([
    [`[0s] orders: ${failed} Retrying in 400ms.`, { kind: 'refused', ...retry }],
    [`[0s] orders: ${failed} on-lost-response is retry. Retrying in 400ms.`, { kind: 'unknown', ...retry }],
    [`[0s] orders: ${failed} Retrying.`, { kind: 'cancel_failed', problem: PROBLEM }],
    [`[0s] orders: ${outage}`, { kind: 'read_failed', problem: PROBLEM, sinceMs: 90_000 }],
    [`${PIPELINE} is the pipeline customers.`, named],
    ['', { kind: 'finished', job: cancelled, confirming: true }],
    ['[0s] orders: queued → running', seen('running', MESSAGE_TOO_LONG)],
  ])('has the line %j for a fact', (line, fact) => {
    expect(bench().apply(fact).join('\n')).toBe(line);
  });

  it.each<[string, (run: RunState) => News]>([
    [`${failed} Retrying in 1.2s.`, () => ({ notice: 'retry', problem: PROBLEM, inMs: 1_234 })],
    [
      '[0s] orders: contact restored after 2m 30s',
      (run) => change(Object.assign(run, { outageSince: -150_000 }), seen('queued')),
    ],
    [
      'Could not record what happened to run ID of orders: ENOSPC. Free some space.',
      (run) => ({ ...change(run, { kind: 'detached' }), unwritten }),
    ],
    ['', (run) => ({ notice: 'run_done', run })],
    ['', () => ({ notice: 'report_due' })],
  ])('has the line %j for a piece of news', (line, news) => {
    const { observe, run } = bench();
    expect(observe(news(run)).join('\n')).toBe(line);
  });

  const cancel: Stop = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel', at: 0 };
  const leave: Stop = { reason: { kind: 'timeout', afterMs: 2_700_000 }, policy: 'leave', at: 0 };

  it.each<[string, Stop, Partial<RunState>]>([
    [': run ID of orders is being cancelled.', cancel, {}],
    [': run ID of orders is left running.', { ...cancel, policy: 'leave' }, {}],
    [': run ID of orders is left running.', leave, { phase: { at: 'left' }, stop: leave }],
    ['.', cancel, { phase: { at: 'waiting' } }],
    ['. If the step has sent a trigger, it awaits the response first.', cancel, { phase: { at: 'triggering' } }],
  ])('reports a stop and ends the line with "%s"', (means, stop, fields) => {
    const why = stop === leave ? 'Step timed out after 45m' : 'Step interrupted (SIGINT)';
    expect(bench().observe({ notice: 'stopping', stop, runs: [aRun(fields)] })).toEqual([`${why}${means}`]);
  });

  it('contains no workflow command from any text of the service', () => {
    const { apply, run, log, lines } = bench();
    Object.assign(run, { pipeline: { id: PIPELINE, name: '\u2028::error::a' }, status: '\n::x' });
    apply(seen('##[group]b', '\r\n::stop-commands::c\u001B[2J'));
    log.line('  ::add-mask::d');
    expect(lines).toEqual([
      expect.stringContaining(':\u200B:error::a: :\u200B:x → #\u200B#[group]b: :\u200B:stop-commands::c ('),
      '  :\u200B:add-mask::d',
    ]);
  });
});

describe('the log of many runs', () => {
  const OUTAGE = { from: HOURS, to: HOURS + 600_000 };

  /** Returns the news after a read of a run. The runs start one second apart and finish over two hours. */
  function live(run: RunState, index: number, now: number): readonly News[] {
    const queued = index * 1_000;
    if (run.phase.at === 'finished' || now < queued) return [];
    if (run.phase.at === 'waiting') {
      Object.assign(run, { startedAt: now });
      return [change(run, QUEUED, now)];
    }
    if (now >= OUTAGE.from && now < OUTAGE.to) {
      return [change(run, { kind: 'read_failed', problem: PROBLEM, sinceMs: now - OUTAGE.from }, now)];
    }
    const due = now - queued - 60_000;
    if (due < (index * 7_919) % (2 * HOURS)) {
      return [change(run, seen(due < 0 ? 'queued' : due < 5_000 ? 'picked' : 'running'), now)];
    }
    const job = { id: JOB, status: 'completed', statusMessage: null };
    return [change(run, { kind: 'finished', job }, now), { notice: 'run_done', run }];
  }

  /** Returns the log of a step that reads `count` runs every 30 s and has a ten-minute outage after an hour. */
  async function logOf(count: number, inputs: Inputs = {}): Promise<readonly string[]> {
    const waiting: Partial<RunState> = { phase: { at: 'waiting' }, startedAt: undefined, status: undefined };
    const planned = Array.from({ length: count }, (_, index) =>
      aRun({ ...waiting, number: index + 1, pipeline: { id: PIPELINE, name: `p${index}` } }),
    );
    const { clock, log, lines, runs } = bench(inputs, planned);
    log.observe({ notice: 'ready', runs });
    for (let at = 0; at <= 3 * HOURS; at += 30_000) {
      for (const [index, run] of runs.entries()) for (const news of live(run, index, clock.now())) log.observe(news);
      await clock.advance(30_000);
    }
    return lines;
  }

  it('has a line for the id and final status of each of 500 runs, and counts other changes', async () => {
    const lines = await logOf(500);
    expect(lines.length).toBeLessThan(1_120);
    expect([lines[0], lines[31]]).toEqual(['Runs: 500, all at once', '… and 470 more']);
    expect(lines.filter((line) => line.includes(': run ID is queued'))).toHaveLength(500);
    expect(lines.filter((line) => / → completed \(\d+ of 500 ended\)$/.test(line))).toHaveLength(500);
    const counts = lines.filter((line) => line.startsWith('500 runs after '));
    expect(counts[0]).toBe('500 runs after 30s: 499 waiting, 1 queued');
    expect(counts.length).toBeGreaterThan(20);
    expect(counts.length).toBeLessThan(70);
    for (const line of counts) expect(line).toMatch(/^500 runs after .*: (\d+ [a-z]+(, |;|$))+/);
    // The log reports the start and the end of an outage once each, with the number of runs.
    expect(lines.filter((line) => line.includes('HTTP 503'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('; no valid response for ')).length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.startsWith('Contact with all runs restored after 10m: '))).toHaveLength(1);
  });

  it.each<[string, (nth: number) => Fact]>([
    ['failures to cancel', () => ({ kind: 'cancel_failed', problem: PROBLEM })],
    ['unknown statuses', (nth) => seen(`status-${nth}`)],
  ])('has lines for only the first five of 30 %s', (_, factOf) => {
    const { log, lines, runs } = bench(
      {},
      Array.from({ length: 30 }, () => aRun()),
    );
    for (const [nth, run] of runs.entries()) log.observe(change(run, factOf(nth)));
    expect(lines).toHaveLength(5);
  });

  it('has a line for every change of up to 20 runs, and a link to each of 21 runs', async () => {
    const few = await logOf(20);
    expect(few.filter((line) => line.includes('queued → '))).toHaveLength(20);
    expect(few.filter((line) => line.includes(' → completed'))).toHaveLength(20);
    expect(few.filter((line) => line.includes('HTTP 503')).length).toBeLessThan(20 * 6);
    expect(few.filter((line) => line.startsWith('20 runs after'))).toEqual([]);
    const many = await logOf(21, { 'run-url': 'https://app.example.test/{job-id}' });
    expect(many.filter((line) => line.endsWith('is queued: https://app.example.test/ID'))).toHaveLength(21);
    expect(many.some((line) => line.startsWith('21 runs after'))).toBe(true);
  });
});
