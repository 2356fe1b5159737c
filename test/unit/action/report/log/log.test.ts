import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../../src/action/report/log/log.ts';
import type { Fact, Stop } from '../../../../../src/run/state/facts.ts';
import type { News } from '../../../../../src/run/state/ledger.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import { aRun, change, type Inputs, settings } from '../../../../support/action.ts';
import { JOB, PIPELINE } from '../../../../support/service.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const PROBLEM = { attempted: 'read the status of the run', cause: 'HTTP 503 "away"' };
const TRIGGER = { attempted: 'trigger the run', cause: 'reset' };
const ACCOUNT = { region: 'eu-1', apiUrl: new URL('https://api.example.test'), expiresAt: null };

function bench(inputs: Inputs = {}, runs: readonly RunState[] = [aRun({}, inputs)]) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog(settings(inputs), clock, (line) => lines.push(line.replaceAll(JOB, 'ID')), runs);
  const [run] = runs;
  if (run === undefined) throw new Error('A log is about a run.');
  /** The lines that these news make. */
  const tell = (news: News): readonly string[] => {
    const before = lines.length;
    log.observe(news);
    return lines.slice(before);
  };
  const apply = (fact: Fact): readonly string[] => tell(change(run, fact, clock.now()));
  return { clock, run, tell, apply, log, lines };
}

const QUEUED: Fact = { kind: 'queued', jobId: JOB };

function seen(status: string, statusMessage: string | null = null): Fact {
  return { kind: 'seen', job: { id: JOB, status, statusMessage } };
}

describe('what the log says before anything is triggered', () => {
  it('names what will run, where, how long it is awaited, and what a cancel does', () => {
    const { tell, run } = bench();
    expect(tell({ notice: 'connected', account: ACCOUNT })).toEqual([]);
    expect(tell({ notice: 'ready', runs: [run] })).toEqual([
      `Pipeline: orders (${PIPELINE})`,
      'Options: incremental sync',
      'Hosts: https://app.example.test/, and https://api.example.test/ for its API, region eu-1',
      'Waits: until the run has finished, read every 30s; no limit',
      'On cancel: the run is cancelled',
    ]);
  });

  it('names every option', () => {
    const { tell, run } = bench({
      'full-resync': 'true',
      'reset-target': 'true',
      'poll-interval': '1m',
      timeout: '45m',
      'queue-timeout': '10m',
      'on-timeout': 'leave',
      'on-cancel': 'leave',
    });
    tell({ notice: 'connected', account: { ...ACCOUNT, region: null } });
    expect(tell({ notice: 'ready', runs: [run] })).toEqual([
      `Pipeline: orders (${PIPELINE})`,
      'Options: full resync, tables dropped and recreated',
      'Hosts: https://app.example.test/, and https://api.example.test/ for its API',
      'Waits: until the run has finished, read every 1m; at most 45m, then the run is left running; at most 10m in the queue, then the run is left running',
      'On cancel: the run is left running',
    ]);
  });

  it('says a UUID once, and that nobody waits', () => {
    const inputs = { pipeline: PIPELINE.toUpperCase(), wait: 'false' };
    const run = aRun({ pipeline: { id: PIPELINE, name: null } }, inputs);
    const lines = bench(inputs, [run]).tell({ notice: 'ready', runs: [run] });
    expect(lines[0]).toBe(`Pipeline: ${PIPELINE.toUpperCase()}`);
    expect(lines[3]).toBe('Waits: no; the step ends when the run is queued');
  });
});

describe('what the log says as it happens', () => {
  it('is a line per change, with the time since the trigger', async () => {
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

  it('gives a sign of life now and then, more seldom the longer it takes', async () => {
    const { apply, clock } = bench();
    apply(QUEUED);
    const signs: number[] = [];
    for (let minutes = 0; minutes < 180; minutes += 0.5) {
      await clock.advance(30_000);
      if (apply(seen('queued')).length > 0) signs.push(Math.round(clock.now() / 60_000));
    }
    expect(signs.slice(0, 6)).toEqual([3, 6, 9, 12, 15, 19]);
    const apart = signs.map((at, index) => at - (signs[index - 1] ?? 0));
    expect(Math.max(...apart)).toBe(15);
    expect(signs.length).toBeLessThan(25);
  });

  it('says in what words it is still going on', async () => {
    const { apply, clock } = bench();
    apply(QUEUED);
    await clock.advance(180_000);
    expect(apply(seen('queued'))).toEqual(['[3m] orders: still queued: no agent has picked it up yet']);
    expect(apply(seen('queued'))).toEqual([]);
  });

  it.each<[string, (run: RunState) => News, readonly string[]]>([
    [
      'a call that is tried again',
      () => ({ notice: 'retry', problem: { attempted: 'list the pipelines', cause: 'HTTP 502' }, inMs: 1_234 }),
      ['Could not list the pipelines: HTTP 502. Retrying in 1.2s.'],
    ],
    [
      'a trigger that was refused and is tried again',
      (run) => change(run, { kind: 'refused', problem: TRIGGER, retryInMs: 400 }),
      ['[0s] orders: Could not trigger the run: reset. Retrying in 400ms.'],
    ],
    [
      'a trigger that may have worked and is tried again',
      (run) => change(run, { kind: 'unknown', problem: TRIGGER, retryInMs: 400 }),
      ['[0s] orders: Could not trigger the run: reset. on-lost-response is retry. Retrying in 400ms.'],
    ],
    [
      'a name that came in',
      (run) => change(run, { kind: 'resolved', pipeline: { id: PIPELINE, name: 'customers' } }),
      [`${PIPELINE} is the pipeline customers.`],
    ],
    [
      'a read that brought nothing',
      (run) => change(run, { kind: 'read_failed', problem: PROBLEM, sinceMs: 90_000 }),
      [
        '[0s] orders: Could not read the status of the run: HTTP 503 "away". No valid response for 1m 30s, the step gives up after 15m. The run continues.',
      ],
    ],
    [
      'contact',
      (run) => change(Object.assign(run, { outageSince: -150_000 }), seen('queued')),
      ['[0s] orders: contact restored after 2m 30s'],
    ],
    [
      'a cancel that brought nothing',
      (run) => change(run, { kind: 'cancel_failed', problem: { attempted: 'cancel the run', cause: 'HTTP 500' } }),
      ['[0s] orders: Could not cancel the run: HTTP 500. Retrying.'],
    ],
    [
      'a record that could not be written',
      (run) => ({
        ...change(run, { kind: 'detached' }),
        unwritten: { reason: 'ENOSPC', remedy: 'Free disk space on the runner.' },
      }),
      ['Could not record what happened to run ID of orders: ENOSPC. Free disk space on the runner.'],
    ],
    [
      'a row that confirms a cancel',
      (run) =>
        change(run, { kind: 'finished', job: { id: JOB, status: 'cancelled', statusMessage: null }, confirming: true }),
      [],
    ],
    ['that a run is over', (run) => ({ notice: 'run_done', run }), []],
    ['that time is short', () => ({ notice: 'report_due' }), []],
  ])('tells of %s', (_, news, lines) => {
    const { tell, run } = bench();
    expect(tell(news(run))).toEqual(lines);
  });
});

describe('what the log says when the wait is stopped', () => {
  const interrupted: Stop = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel', at: 0 };
  const leaving: Stop = { reason: { kind: 'timeout', afterMs: 2_700_000 }, policy: 'leave', at: 0 };

  it.each<[string, Partial<RunState>, Stop, string]>([
    ['a run is cancelled', {}, interrupted, 'Step interrupted (SIGINT): run ID of orders is being cancelled.'],
    [
      'a run is left',
      {},
      { ...interrupted, policy: 'leave' },
      'Step interrupted (SIGINT): run ID of orders is left running.',
    ],
    [
      'its time is up',
      {},
      { ...interrupted, reason: { kind: 'timeout', afterMs: 2_700_000 } },
      'Step timed out after 45m: run ID of orders is being cancelled.',
    ],
    [
      'nobody takes it',
      {},
      { ...interrupted, reason: { kind: 'queue_timeout', afterMs: 600_000 } },
      'No agent picked up the run within 10m (queue-timeout): run ID of orders is being cancelled.',
    ],
    [
      'its time is up, and it is left',
      { phase: { at: 'left' }, stop: leaving },
      leaving,
      'Step timed out after 45m: run ID of orders is left running.',
    ],
    ['nothing is running yet', { phase: { at: 'waiting' } }, interrupted, 'Step interrupted (SIGINT).'],
    [
      'a trigger may be in flight',
      { phase: { at: 'triggering' } },
      interrupted,
      'Step interrupted (SIGINT). If a trigger was sent already, the step waits for its response first.',
    ],
  ])('%s', (_, fields, stop, line) => {
    const { tell } = bench();
    expect(tell({ notice: 'stopping', stop, runs: [aRun(fields)] })).toEqual([line]);
  });
});

describe('a line of the log', () => {
  it('is never a command, whatever the service says', () => {
    const { apply, run, log, lines } = bench();
    Object.assign(run, { pipeline: { id: PIPELINE, name: '\u2028::error::a' }, status: '\n::x' });
    apply(seen('##[group]b', '\r\n::stop-commands::c\u001B[2J'));
    log.line('  ::add-mask::d');
    expect(lines).toEqual([
      '[0s] :\u200B:error::a: :\u200B:x → #\u200B#[group]b: :\u200B:stop-commands::c (this version does not know the status and treats it as in progress)',
      '  :\u200B:add-mask::d',
    ]);
  });
});
