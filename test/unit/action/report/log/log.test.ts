// The log: lines about a run and about a stop, and the counts of many runs. test/matrix pins the texts of whole logs.
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../../src/action/report/log/log.ts';
import type { Fact, Stop } from '../../../../../src/run/state/facts.ts';
import type { News } from '../../../../../src/run/state/ledger.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { MESSAGE_TOO_LONG } from '../../../../../src/service/statuses.ts';
import { aRun, change, type Inputs, settings } from '../../../../support/action.ts';
import { JOB, PIPELINE, uuid } from '../../../../support/service.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const PROBLEM = { attempted: 'ask', cause: 'HTTP 503 "away"' };
const QUEUED: Fact = { kind: 'queued', jobId: JOB };
const TWO_HOURS = 7_200_000;
const TIMEOUT: Stop = { reason: { kind: 'timeout', afterMs: 2_700_000 }, policy: 'leave', at: 0 };

function bench(inputs: Inputs = {}, runs: readonly RunState[] = [aRun({}, inputs)], clock = new VirtualClock()) {
  const lines: string[] = [];
  const log = createLog(settings(inputs), clock, (line) => lines.push(line.replaceAll(JOB, 'ID')), runs);
  const [run = aRun()] = runs;
  /** Returns the lines that the log prints for a piece of news. */
  const observe = (news: News): readonly string[] => {
    const before = lines.length;
    log.observe(news);
    return lines.slice(before);
  };
  const apply = (fact: Fact, to = run): readonly string[] => observe(change(to, fact, clock.now()));
  return { clock, run, runs, observe, apply, log, lines };
}

function seen(status: string, statusMessage: string | null = null): Fact {
  return { kind: 'seen', job: { id: JOB, status, statusMessage } };
}

describe('the log of one run', () => {
  const ID = uuid('abcdef99-8888-4777-8666-555555555555');

  it.each([
    ['its input and UUID', 'orders', `orders (${ID})`],
    ['only its input if that is its UUID', ID.toUpperCase(), ID.toUpperCase()],
  ])('announces a nameless pipeline by %s, and omits an unknown region', (_, pipeline, named) => {
    const { observe, runs } = bench({ pipeline }, [aRun({ pipeline: { id: ID, name: null } }, { pipeline })]);
    const apiUrl = new URL('https://api.example.test');
    observe({ notice: 'connected', account: { region: null, apiUrl, expiresAt: null } });
    const announced = observe({ notice: 'ready', runs });
    expect(announced[0]).toBe(`Pipeline: ${named}`);
    expect(announced.join('\n')).toContain(' (API)');
  });

  it.each<[string, Inputs, number, RegExp]>([
    ['pipelines', { wait: 'false' }, 30, /^Runs: 30, all at once\n(?:P.*\n){30}O.*\nH.*\nW.* runs are queued/],
    ['existing runs', { pipeline: '', 'job-id': JOB }, 2, /^Runs: 2, all at once\n(?:Run: .*\n){2}H/],
  ])('announces several %s that max-parallel does not limit', (_, inputs, count, lines) => {
    const runs = Array.from({ length: count }, () => aRun({}, inputs));
    const { observe } = bench({ ...inputs, 'max-parallel': '1' });
    expect(observe({ notice: 'ready', runs }).join('\n')).toMatch(lines);
  });

  it('repeats an unchanged status less often the longer the run takes', async () => {
    const { apply, clock } = bench({}, [aRun({ startedAt: TWO_HOURS })]);
    await clock.advance(TWO_HOURS);
    expect([...apply(QUEUED), ...apply(seen('running'))]).toHaveLength(2);
    const minutes: number[] = [];
    for (let read = 0; read < 360; read += 1) {
      await clock.advance(30_000);
      if (apply(seen('running')).join().endsWith(': still running')) minutes.push(Math.round(clock.now() / 60_000));
      expect(apply(seen('running'))).toEqual([]);
    }
    expect(minutes.slice(0, 6)).toEqual([123, 126, 129, 132, 135, 139]);
    expect(Math.max(...minutes.map((at, index) => at - (minutes[index - 1] ?? at)))).toBe(15);
  });

  const failed = 'Could not ask: HTTP 503 "away".';
  const named = { kind: 'resolved', pipeline: { id: PIPELINE, name: 'customers' } } as const;

  it.each<[string, string, Fact]>([
    ['a failed cancel', `[0s] orders: ${failed} Retrying.`, { kind: 'cancel_failed', problem: PROBLEM }],
    ['the name of the pipeline', `${PIPELINE} is the pipeline customers.`, named],
    ['a message from the service', '[0s] orders: queued → running: disk full', seen('running', 'disk full')],
    ['a status without its overlong message', '[0s] orders: queued → running', seen('running', MESSAGE_TOO_LONG)],
  ])('shows %s', (_, line, fact) => {
    expect(bench().apply(fact)).toEqual([line]);
  });

  it('shows the pause before a retry', () => {
    const retry: News = { notice: 'retry', problem: PROBLEM, inMs: 1_234 };
    expect(bench().observe(retry)).toEqual([`${failed} Retrying in 1.2s.`]);
  });

  it('shows the pause before a read is repeated, and the beginning and end of each outage', () => {
    const { apply } = bench();
    const away: Fact = { kind: 'read_failed', problem: PROBLEM, sinceMs: 30_000 };
    const facts = [{ ...away, retryInMs: 1_000 }, away, away, seen('queued'), away];
    expect(facts.map((fact) => apply(fact).length)).toEqual([1, 1, 0, 1, 1]);
  });

  const job = { id: JOB, status: 'cancelled', statusMessage: null };

  it.each<[string, (run: RunState) => News]>([
    ['the notice that a run is done', (run) => ({ notice: 'run_done', run })],
    ['the notice that a report is due', () => ({ notice: 'report_due' })],
    ['a read that confirms a cancellation', (run) => change(run, { kind: 'finished', job, confirming: true })],
  ])('does not show %s', (_, news) => {
    const { observe, run } = bench();
    expect(observe(news(run))).toEqual([]);
  });

  const cancel: Stop = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel', at: 0 };
  const spare: Stop = { ...cancel, policy: 'leave' };
  const five = Array.from({ length: 5 }, () => ({}));
  const left = (stop: Stop): Partial<RunState> => ({ phase: { at: 'left' }, stop });

  it.each<[string, RegExp, Stop, ...Partial<RunState>[]]>([
    ['has left one run', /45m: run ID \S+ \S+ is left running\.$/, TIMEOUT, left(TIMEOUT), left(spare)],
    ['precedes a trigger', /^Step interrupted \(SIGINT\)\.$/, spare, left(spare), { phase: { at: 'waiting' } }],
    ['cancels five of six', /: (?:run ID of orders, ){4}r.* Before /, cancel, ...five, { phase: { at: 'triggering' } }],
  ])('has one line about a stop that %s', (_, line, stop, ...fields) => {
    const lines = bench().observe({ notice: 'stopping', stop, runs: fields.map((each) => aRun(each)) });
    expect(lines).toEqual([expect.stringMatching(line)]);
  });
});

describe('the log of many runs', () => {
  /** Returns the news after a read of a run. The runs start one second apart and finish within about two hours. */
  function live(run: RunState, index: number, now: number): readonly News[] {
    const sinceMs = now - index * 1_000;
    if (run.phase.at === 'finished' || sinceMs < 0) return [];
    if (run.phase.at === 'waiting') {
      Object.assign(run, { startedAt: now });
      return [change(run, QUEUED, now)];
    }
    if (sinceMs < 60_000 + ((index * 7_919) % TWO_HOURS)) {
      return [change(run, seen(sinceMs < 60_000 ? 'queued' : 'running'), now)];
    }
    const job = { id: JOB, status: 'completed', statusMessage: null };
    return [change(run, { kind: 'finished', job }, now), { notice: 'run_done', run }];
  }

  /** Returns the log of a step that reads `count` runs every 30 s. */
  async function logOf(count: number): Promise<readonly string[]> {
    const waiting: Partial<RunState> = { phase: { at: 'waiting' }, startedAt: undefined, status: undefined };
    const planned = Array.from({ length: count }, () => aRun(waiting));
    const { clock, log, lines, runs } = bench({}, planned);
    for (let at = 0; at <= 1.5 * TWO_HOURS; at += 30_000) {
      for (const [index, run] of runs.entries()) for (const news of live(run, index, clock.now())) log.observe(news);
      await clock.advance(30_000);
    }
    return lines;
  }

  it('has one line for the id and one for the final status of each of 500 runs, and counts other changes', async () => {
    const lines = await logOf(500);
    expect(lines.length).toBeLessThan(1_100);
    expect(lines.filter((line) => line.includes(': run ID is queued'))).toHaveLength(500);
    expect(lines.filter((line) => / → completed \(\d+ of 500 finished\)$/.test(line))).toHaveLength(500);
    const counts = lines.filter((line) => line.startsWith('500 runs after '));
    expect(counts[0]).toBe('500 runs after 30s: 499 waiting, 1 queued');
    expect(counts.length).toBeGreaterThan(20);
    expect(counts.length).toBeLessThan(70);
    for (const line of counts) expect(line).toMatch(/^500 runs after .*: (\d+ [a-z]+(, |$))+/);
  });

  it.each<[string, RegExp, (nth: number) => Fact]>([
    ['failures to cancel', /: Could not .* Retrying\.$/, () => ({ kind: 'cancel_failed', problem: PROBLEM })],
    ['unknown statuses', /: queued → status-/, (nth) => seen(`status-${nth}`)],
  ])('has lines for only the first five of 30 %s', (_, line, factOf) => {
    const planned = Array.from({ length: 30 }, () => aRun());
    const { log, lines, runs } = bench({}, planned);
    for (const [nth, run] of runs.entries()) log.observe(change(run, factOf(nth)));
    expect(lines).toEqual(Array(5).fill(expect.stringMatching(line)));
  });

  it('names runs that are lost or stopped by their queue timeout, and counts the others by status', async () => {
    const planned = Array.from({ length: 21 }, (_, nth) => aRun({ status: '-abcd'[nth] }));
    const clock = new VirtualClock();
    await clock.advance(TWO_HOURS);
    const { apply, lines, observe, run, runs } = bench({}, planned, clock);
    apply({ kind: 'read_failed', problem: PROBLEM, sinceMs: 0 });
    apply({ kind: 'lost', problem: PROBLEM });
    await clock.advance(60_000);
    const queueTimeout: Stop = { ...TIMEOUT, reason: { kind: 'queue_timeout', afterMs: 1 } };
    for (const stop of [TIMEOUT, queueTimeout]) observe({ notice: 'run_done', run: aRun({ stop }) });
    observe({ notice: 'run_done', run });
    apply(seen('a'), runs[1]);
    apply({ kind: 'finished', job: { id: JOB, status: 'cancelled', statusMessage: null }, confirming: true }, runs[20]);
    await clock.advance(120_000);
    observe({ notice: 'report_due' });
    expect(lines[3]).toBe('21 runs after 3m: 1 a, 1 b, 1 c, 1 d, 15 not read yet, 1 in other statuses, 1 lost');
  });

  it('has a line for every change of 20 runs', async () => {
    const lines = await logOf(20);
    expect(lines.filter((line) => line.includes('queued → '))).toHaveLength(20);
    expect(lines.filter((line) => / → completed \(\d+ of 20 finished\)$/.test(line))).toHaveLength(20);
  });

  it('has no line for a change of one of 21 runs to the status running', async () => {
    expect((await logOf(21)).filter((line) => line.includes('queued → running'))).toEqual([]);
  });
});
