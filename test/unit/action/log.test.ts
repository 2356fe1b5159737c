import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/action/log.ts';
import type { StepEvent } from '../../../src/run/events.ts';
import type { RunState } from '../../../src/run/run-state.ts';
import type { Stop } from '../../../src/run/stop.ts';
import { aRun, type Inputs, settings } from '../../support/action.ts';
import { JOB, PIPELINE } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const PROBLEM = { attempted: 'read the status of the run', came: 'HTTP 503 "away"' };
const ACCOUNT = { region: 'eu-1', apiUrl: new URL('https://api.example.test'), expiresAt: null };

function bench(inputs: Inputs = {}, runs: readonly RunState[] = [aRun({}, inputs)]) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog(settings(inputs), clock, (line) => lines.push(line.replaceAll(JOB, 'ID')), runs);
  const [run] = runs;
  if (run === undefined) throw new Error('A log is about a run.');
  /** The lines that an event makes. */
  const tell = (event: StepEvent): readonly string[] => {
    const before = lines.length;
    log.event(event);
    return lines.slice(before);
  };
  return { clock, run, tell, log, lines };
}

describe('what the log says before anything is triggered', () => {
  it('names what will run, where, how long it is awaited, and what a cancel does', () => {
    const { tell, run } = bench();
    expect(tell({ type: 'connected', account: ACCOUNT })).toEqual([]);
    expect(tell({ type: 'resolved', runs: [run] })).toEqual([
      `Pipeline: orders (${PIPELINE})`,
      'Options: incremental sync',
      'Hosts: https://app.example.test/, and https://api.example.test/ for its API, region eu-1',
      'Waits: until the run is over, read every 30s; no time limit',
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
    tell({ type: 'connected', account: { ...ACCOUNT, region: null } });
    expect(tell({ type: 'resolved', runs: [run] })).toEqual([
      `Pipeline: orders (${PIPELINE})`,
      'Options: full resync, tables dropped and made anew',
      'Hosts: https://app.example.test/, and https://api.example.test/ for its API',
      'Waits: until the run is over, read every 1m; at most 45m, then the run is left running; at most 10m in the queue, then the run is left running',
      'On cancel: the run is left running',
    ]);
  });

  it('says a UUID once, and that nobody waits', () => {
    const inputs = { pipeline: PIPELINE.toUpperCase(), wait: 'false' };
    const run = aRun({ pipeline: { id: PIPELINE, name: null } }, inputs);
    const lines = bench(inputs, [run]).tell({ type: 'resolved', runs: [run] });
    expect(lines[0]).toBe(`Pipeline: ${PIPELINE.toUpperCase()}`);
    expect(lines[3]).toBe('Waits: no; the step ends when the run is queued');
  });
});

describe('what the log says as it happens', () => {
  it('is a line per change, with the time since the trigger', async () => {
    const { tell, run, clock } = bench();
    expect(tell({ type: 'queued', run })).toEqual(['[0s] orders: run ID is queued']);
    await clock.advance(2_300);
    run.status = 'running';
    expect(tell({ type: 'status', run, from: 'queued', known: true })).toEqual([
      '[2s] orders: queued → running',
    ]);
    await clock.advance(90_000);
    run.status = 'paused';
    expect(tell({ type: 'status', run, from: 'running', known: false })).toEqual([
      '[1m 32s] orders: running → paused (a status unknown to this version: taken as still in progress)',
    ]);
    run.status = 'failed';
    run.statusMessage = 'disk full';
    expect(tell({ type: 'status', run, from: 'paused', known: true })).toEqual([
      '[1m 32s] orders: paused → failed: disk full',
    ]);
  });

  it('gives a sign of life now and then, more seldom the longer it takes', async () => {
    const { tell, run, clock } = bench();
    tell({ type: 'queued', run });
    const signs: number[] = [];
    for (let minutes = 0; minutes < 180; minutes += 0.5) {
      await clock.advance(30_000);
      if (tell({ type: 'still', run }).length > 0) signs.push(Math.round(clock.now() / 60_000));
    }
    expect(signs.slice(0, 6)).toEqual([3, 6, 9, 12, 15, 19]);
    const apart = signs.map((at, index) => at - (signs[index - 1] ?? 0));
    expect(Math.max(...apart)).toBe(15);
    expect(signs.length).toBeLessThan(25);
  });

  it('says in what words it is still going on', async () => {
    const { tell, run, clock } = bench();
    tell({ type: 'queued', run });
    await clock.advance(180_000);
    expect(tell({ type: 'still', run })).toEqual([
      '[3m] orders: still queued: no agent has picked it up yet',
    ]);
    expect(tell({ type: 'still', run })).toEqual([]);
  });

  it.each<[string, (run: RunState) => StepEvent, readonly string[]]>([
    [
      'a call that is tried again',
      () => ({ type: 'retry', problem: { attempted: 'list the pipelines', came: 'HTTP 502' }, inMs: 1_234 }),
      ['Could not list the pipelines: HTTP 502. It is tried again in 1.2s.'],
    ],
    [
      'a trigger that may have worked and is tried again',
      (run) => ({
        type: 'retry',
        problem: { attempted: 'trigger the run', came: 'reset' },
        inMs: 400,
        run,
        mayDouble: true,
      }),
      ['Could not trigger the run: reset. retry-trigger is always: it is tried again in 400ms.'],
    ],
    ['a name that came in', (run) => ({ type: 'named', run }), [`${PIPELINE} is the pipeline orders.`]],
    [
      'a read that brought nothing',
      (run) => ({ type: 'read_failed', run, problem: PROBLEM, sinceMs: 90_000 }),
      [
        '[0s] orders: Could not read the status of the run: HTTP 503 "away". No good answer for 1m 30s, given up after 15m; the run itself goes on.',
      ],
    ],
    [
      'contact',
      (run) => ({ type: 'contact_again', run, afterMs: 150_000 }),
      ['[0s] orders: in contact again after 2m 30s'],
    ],
    [
      'a cancel that brought nothing',
      (run) => ({ type: 'settle_failed', run, problem: { attempted: 'cancel the run', came: 'HTTP 500' } }),
      ['[0s] orders: Could not cancel the run: HTTP 500. It is tried again.'],
    ],
    [
      'a record that could not be written',
      (run) => ({ type: 'ledger_failed', run, reason: 'ENOSPC' }),
      ['Could not write down what happened to run ID of orders: ENOSPC.'],
    ],
    ['that a run is over', (run) => ({ type: 'over', run }), []],
    ['that time is short', (run) => ({ type: 'report_due', runs: [run] }), []],
  ])('tells of %s', (_, event, lines) => {
    const { tell, run } = bench();
    expect(tell(event(run))).toEqual(lines);
  });
});

describe('what the log says when the wait is stopped', () => {
  const interrupted: Stop = { reason: { kind: 'interrupted', by: 'SIGINT' }, policy: 'cancel', at: 0 };

  it.each<[string, Partial<RunState>, Stop, string]>([
    ['a run is cancelled', {}, interrupted, 'Interrupted by SIGINT: run ID of orders is being cancelled.'],
    [
      'a run is left',
      {},
      { ...interrupted, policy: 'leave' },
      'Interrupted by SIGINT: run ID of orders is left running.',
    ],
    [
      'its time is up',
      {},
      { ...interrupted, reason: { kind: 'timeout', afterMs: 2_700_000 } },
      'Not over within the timeout of 45m: run ID of orders is being cancelled.',
    ],
    [
      'nobody takes it',
      {},
      { ...interrupted, reason: { kind: 'queue_timeout', afterMs: 600_000 } },
      'Not picked up by any agent within the queue-timeout of 10m: run ID of orders is being cancelled.',
    ],
    ['nothing is running yet', { standing: { at: 'waiting' } }, interrupted, 'Interrupted by SIGINT.'],
    [
      'a trigger may be in flight',
      { standing: { at: 'triggering' } },
      interrupted,
      'Interrupted by SIGINT. If a trigger was sent already, the step waits for its response first.',
    ],
  ])('%s', (_, fields, stop, line) => {
    const { tell } = bench();
    expect(tell({ type: 'stopping', stop, runs: [aRun(fields)] })).toEqual([line]);
  });
});

describe('a line of the log', () => {
  it('is never a command, whatever the service says', () => {
    const { tell, run, log, lines } = bench();
    run.pipeline = { id: PIPELINE, name: '\u2028::error::a' };
    run.status = '##[group]b';
    run.statusMessage = '\r\n::stop-commands::c\u001B[2J';
    tell({ type: 'status', run, from: '\n::x', known: true });
    log.line('  ::add-mask::d');
    expect(lines).toEqual([
      '[0s] :\u200B:error::a: :\u200B:x → #\u200B#[group]b: :\u200B:stop-commands::c',
      '  :\u200B:add-mask::d',
    ]);
  });
});
