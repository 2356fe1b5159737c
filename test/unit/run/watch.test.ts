// Waiting for a run: final statuses, the pace of the status checks, `timeout` and `queue-timeout`.
import { describe, expect, it } from 'vitest';
import { type CallKind, inTurn, json, type RequestFault, statusIs, text, type What } from '../../../sandbox/faults.ts';
import { createWorld } from '../../../sandbox/model/index.ts';
import {
  callsOf,
  existingRun,
  outcomesOf,
  playMain,
  playPost,
  resultOf,
  resultsOf,
  runsOf,
  sentBy,
  shownBy,
  withoutState,
} from '../../support/steps.ts';
import type { FakeWorld } from '../../support/world.ts';

/** The service reports these statuses in order, and then its own. */
const reporting = (...statuses: readonly string[]) =>
  inTurn(
    'read',
    statuses.map((each) => statusIs(each)),
  );

describe('a run', () => {
  it.each([
    ['orders', {}, 'exit 0: succeeded (completed)', undefined],
    ['customers', {}, 'exit 0: succeeded (completed_with_warning)', 'warning'],
    ['idle', {}, 'exit 0: succeeded (skipped)', 'notice'],
    ['broken', {}, 'exit 1: failed (failed)', 'error'],
    ['overrun', {}, 'exit 1: failed (timed_out)', 'error'],
    ['customers', { 'succeed-on': 'completed' }, 'exit 1: failed (completed_with_warning)', 'error'],
    ['broken', { 'succeed-on': 'completed, failed' }, 'exit 0: succeeded (failed)', undefined],
  ])('of %s with the inputs %j ends as "%s"', async (pipeline, inputs, result, level) => {
    const main = await playMain({ inputs: { pipeline, ...inputs } });
    expect(await resultOf(main)).toBe(result);
    expect(main.annotations.map((each) => each.level)).toEqual(level === undefined ? [] : [level]);
    expect(main.service.violations).toEqual([]);
  });

  it('that is cancelled in the application fails the step without another cancel', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' }, faults: reporting('running', 'cancelled') });
    expect(await resultOf(main)).toBe('exit 1: failed (cancelled)');
    expect(callsOf(main)).toBe('exchange list trigger read×2');
  });

  it('with an unknown status counts as unfinished, and a warning and the final report show the status', async () => {
    const timeout = await playMain({
      inputs: { timeout: '50s', 'on-timeout': 'leave' },
      faults: [{ call: 'read', what: statusIs('completed\u200b') }],
    });
    expect(await resultOf(timeout)).toMatch(/^exit 1: wait_timed_out/);
    const [warning] = timeout.annotations;
    expect(warning?.level).toBe('warning');
    expect(warning?.message).toMatch(/does not recognize the status "completed" .*the step treats it as unfinished/);
    const advice = 'This version of the action does not recognize the status "completed". Update the action.';
    expect(timeout.annotations.at(-1)?.message).toContain(advice);
    expect(timeout.outputs['message']).toContain(advice);
    // The runner may not have read the report of a step that it abandoned earlier.
    const post = await playPost(timeout, withoutState(timeout));
    expect(shownBy(post)).toContain(advice);
    expect(`${shownBy(timeout)}${shownBy(post)}`).not.toContain('set a longer timeout');
  });

  it.each([
    ['wait for a job-id', { timeout: '50s' }],
    ['resume a run', { pipeline: 'endless', timeout: '50s', 'on-timeout': 'leave' }],
    ['check a job-id in a dry run', { 'dry-run': 'true' }],
  ])('with an unknown status is named by the messages of a step that should %s', async (_, inputs) => {
    const { service, id } = existingRun('endless');
    const faults: RequestFault[] = [{ call: 'read', what: statusIs('finished') }];
    const main = await playMain({ service, inputs: { pipeline: '', 'job-id': id, ...inputs }, faults });
    expect(main.annotations[0]?.message).toMatch(/does not recognize the status "finished" of run/);
    expect(main.outputs['message']).toMatch(
      /does not recognize (?:the status "finished"|this status)\. Update the action\.$/,
    );
    expect(shownBy(main)).not.toContain('set a longer timeout');
  });

  it('with an unknown status among several runs is named by the message', async () => {
    const main = await playMain({
      inputs: { pipeline: 'orders\nidle', timeout: '50s', 'on-timeout': 'leave', 'poll-interval': '30s' },
      faults: [{ call: 'read', every: 2, what: statusIs('Done!') }],
    });
    expect(main.outputs['message']).toMatch(/does not recognize the status "Done!"; update the action\.$/);
  });
});

describe('a timeout during an outage', () => {
  const REVOKED = json({ message: 'revoked' }, 401);
  it.each<[string, What, cause: string]>([
    ['gateway errors', json({ message: 'maintenance' }, 503), 'read the run\'s status: HTTP 503 "maintenance".'],
    ['a rejected key', REVOKED, 'exchange the API key for a token: HTTP 401 "revoked".'],
  ])('of %s names the cause instead of suggesting a longer timeout', async (_, what, cause) => {
    for (const policy of ['leave', 'cancel']) {
      const main = await playMain({
        inputs: { pipeline: 'endless', timeout: '50s', 'on-timeout': policy },
        faults: [{ call: 'read', what }, ...(what === REVOKED ? [{ call: 'exchange', from: 2, what } as const] : [])],
      });
      expect(await resultOf(main)).toMatch(/^exit 1: wait_timed_out/);
      expect(main.outputs['message']).toContain(`ould not ${cause}`);
      expect(main.annotations.at(-1)?.message).toContain(`ould not ${cause}`);
      expect(shownBy(main)).not.toContain('set a longer timeout');
      const post = await playPost(main, withoutState(main));
      expect(shownBy(post)).toContain(`ould not ${cause}`);
    }
  });
});

it('a timeout does not blame failed status checks of one run if another run was not triggered', async () => {
  const main = await playMain({
    inputs: { pipeline: 'endless\norders', 'max-parallel': '1', timeout: '50s' },
    faults: [{ call: 'read', what: 'http_503' }],
  });
  const [read, waiting] = resultsOf(main).map(({ message }) => message);
  expect(read).toContain('When the timeout expired, the step could not read');
  expect(waiting).toBe('Step timed out after 50s: no run of Orders was triggered.');
});

it('a timeout after the end of an outage suggests a longer timeout', async () => {
  const main = await playMain({
    inputs: { pipeline: 'slow', timeout: '50s' },
    faults: [{ call: 'read', from: 2, times: 1, what: 'reset' }],
  });
  expect(main.annotations.at(-1)?.message).toMatch(/was cancelled[^.]*\.\n.*\n.*set a longer timeout\.$/);
});

describe('the status checks', () => {
  it('begin 2 s after the trigger and then keep to the poll interval', async () => {
    const main = await playMain();
    const [trigger, ...reads] = main.requests.filter(({ call }) => call === 'trigger' || call === 'read');
    expect(reads.map(({ at }) => Math.round((at - (trigger?.at ?? 0)) / 100) / 10)).toEqual([2, 32, 62.1, 92.1]);
    expect(shownBy(main)).not.toContain('responding again');
  });

  it('of a resumed run keep to the poll interval from the first one on', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain({
      service,
      inputs: { pipeline: 'endless', 'job-id': id, timeout: '1m' },
      faults: [{ call: 'exchange', what: 'slow', ms: 15_000 }],
    });
    expect(sentBy(main, 'read').map(({ at }) => Math.floor(at / 1_000))).toEqual([15, 45, 60]);
  });

  it('of a resumed run are the poll interval apart even if the first one takes long', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain({
      service,
      inputs: { pipeline: 'endless', 'job-id': id, timeout: '1m' },
      faults: [{ call: 'read', times: 1, what: 'slow', ms: 20_000 }],
    });
    expect(sentBy(main, 'read').map(({ at }) => Math.floor(at / 1_000))).toEqual([0, 50, 60]);
  });

  it('of 60 runs are spread evenly over the poll interval', async () => {
    const pipelines = Array.from({ length: 60 }, (_, nth) => ({ name: `P ${nth}`, scenario: 'slow' }));
    const service = createWorld({ pipelines });
    const inputs = { pipeline: pipelines.map(({ name }) => name).join('\n') };
    const main = await playMain({ service, inputs }, (it) => it.at(120_000, () => it.kill()));
    const perSecond = new Map<number, number>();
    for (const { at } of sentBy(main, 'read'))
      perSecond.set(Math.floor(at / 1_000), (perSecond.get(Math.floor(at / 1_000)) ?? 0) + 1);
    expect(sentBy(main, 'read').length).toBeGreaterThan(180);
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(2);
    expect(service.violations).toEqual([]);
  });

  it('wait as long as a rate limit requests', async () => {
    const main = await playMain({
      faults: [{ call: 'read', times: 1, what: text('{}', 429, { 'retry-after': '55' }) }],
    });
    const times = sentBy(main, 'read').map(({ at }) => Math.round(at / 1_000));
    expect(times.slice(0, 3)).toEqual([2, 57, 87]);
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });
});

describe('timeout', () => {
  it('leads to one final check and cancels a run that has not finished', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless', timeout: '40s' } });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (cancelled)');
    expect(callsOf(main)).toBe('exchange list trigger read×3 cancel');
    expect(shownBy(main)).toMatch(/^error .*Step timed out after 40s: run \S+ of Endless was cancelled/);
    expect(main.service.violations).toEqual([]);
  });

  it('accepts a success that the final check shows', async () => {
    const main = await playMain({ inputs: { timeout: '91s' } });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.clock.now()).toBeLessThan(92_000);
  });

  it('waits at most 10 s for the final check', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless', timeout: '40s' },
      faults: [{ call: 'read', from: 3, times: 1, what: 'silent' }],
    });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (cancelled)');
    expect(main.clock.now()).toBeLessThan(51_000);
  });

  it.each(['timeout', 'queue-timeout'])('ends a status check without a response when %s is reached', async (name) => {
    // The second check gets no response. The third one, at the limit, does.
    const main = await playMain({
      inputs: { pipeline: 'unpicked', 'poll-interval': '45s', [name]: '1m' },
      faults: [{ call: 'read', from: 2, times: 1, what: 'silent' }],
    });
    expect(await resultOf(main)).toMatch(/^exit 1: wait_timed_out/);
    const last = sentBy(main, 'read')[2]?.at ?? Infinity;
    expect(last).toBeGreaterThanOrEqual(60_000);
    expect(last).toBeLessThan(60_500);
    expect(main.log.join()).not.toContain('Could not');
  });

  it.each<[CallKind, What]>([
    ['exchange', 'silent'],
    ['exchange', 'http_503'],
    ['list', 'silent'],
    ['trigger', 'http_429'],
  ])(
    'counts from the first request, so it may end a failing %s, whose failure (%j) the message names',
    async (call, what) => {
      for (const inputs of [{}, { wait: 'false' }, ...(call === 'trigger' ? [] : [{ 'dry-run': 'true' }])]) {
        const main = await playMain({ inputs: { timeout: '20s', ...inputs }, faults: [{ call, what }] });
        expect(await resultOf(main)).toBe('exit 1: wait_timed_out (not_queued)');
        expect(main.clock.now()).toBeGreaterThanOrEqual(20_000);
        expect(main.clock.now()).toBeLessThan(20_100);
        const name = call === 'trigger' ? 'Orders' : 'orders';
        const ending = 'dry-run' in inputs ? `the dry run did not check ${name}` : `no run of ${name} was triggered`;
        expect(shownBy(main)).toContain(`Step timed out after 20s: ${ending}.`);
        expect(shownBy(main)).not.toContain('responding again');
        if (what !== 'silent')
          expect(main.outputs['message']).toMatch(/When the timeout expired, the step could not .*HTTP (?:503|429)/);
      }
    },
  );

  it('counts from the first request and includes a status check of an existing run', async () => {
    const { service, id } = existingRun('orders', 600_000);
    const inputs = { pipeline: '', 'job-id': id, timeout: '20s' };
    const late = await playMain({ service, inputs, faults: [{ call: 'exchange', times: 1, what: 'silent' }] });
    expect(await resultOf(late)).toBe('exit 0: succeeded (completed)');
    const never = await playMain({ service, inputs, faults: [{ call: 'exchange', what: 'silent' }] });
    expect(await resultOf(never)).toBe('exit 1: wait_timed_out (unknown)');
    expect(never.clock.now()).toBeLessThan(30_100);
  });

  it.each([
    [
      'if the final check shows a failed run',
      { pipeline: 'broken', timeout: '61s', 'max-attempts': '3', 'retry-delay': '1s' },
      1,
    ],
    [
      'if retry-delay is longer than the remaining time',
      { pipeline: 'flaky', timeout: '1h', 'max-attempts': '3', 'retry-delay': '2h' },
      1,
    ],
    [
      'if retry-delay is slightly longer than the remaining time',
      { pipeline: 'flaky', timeout: '64s', 'max-attempts': '3', 'retry-delay': '40s' },
      1,
    ],
  ])('does not allow a new attempt %s', async (_, inputs, runs) => {
    const main = await playMain({ inputs });
    expect(main.service.jobs).toHaveLength(runs);
    expect(await resultOf(main)).toBe('exit 1: failed (failed)');
    expect(shownBy(main)).toMatch(
      /The step did not retry this run, because the timeout \(.*\) would have expired before another attempt could start/,
    );
    expect(shownBy(main)).not.toContain('Attempt 2');
    expect(main.clock.now()).toBeLessThan(65_000);
  });

  it('does not allow a new run in place of an existing run that the final check shows as failed', async () => {
    const { service, id } = existingRun('broken', 600_000);
    const main = await playMain({
      service,
      inputs: { pipeline: 'broken', 'job-id': id, timeout: '10s' },
      faults: [{ call: 'read', times: 1, what: 'silent' }],
    });
    expect(callsOf(main)).toBe('exchange list read×2');
    expect(await resultOf(main)).toBe('exit 1: failed (failed)');
    expect(main.outputs['job-id']).toBe(id);
    expect(shownBy(main)).not.toContain('triggers a new run');
  });

  it('with wait: false triggers nothing more, but lets queued runs continue', async () => {
    const inputs = { pipeline: 'endless\nslow\norders', timeout: '4s', wait: 'false', 'fail-fast': 'true' };
    const faults: RequestFault[] = [{ call: 'trigger', from: 2, times: 1, what: 'slow', ms: 5_000 }];
    const main = await playMain({ inputs, faults });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (queued)');
    expect(outcomesOf(main)).toBe('triggered triggered wait_timed_out');
    expect([runsOf(main), callsOf(main)]).toEqual(['queued queued', 'exchange list trigger×2']);
    // A job that is cancelled later still cancels them.
    const post = await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } });
    expect(runsOf(post)).toBe('cancelled cancelled');
  });

  it.each<[string, What, onLostResponse: string, result: string]>([
    ['is rejected', 'http_403', 'fail', 'exit 1: not_triggered (not_queued)'],
    ['loses its response', 'lost', 'fail', 'exit 1: unknown (unknown)'],
    ['loses its response', 'lost', 'retry', 'exit 1: unknown (unknown)'],
  ])(
    'with wait: false does not count as the result of an earlier trigger that %s later (%s, on-lost-response: %s)',
    async (_, what, onLostResponse, result) => {
      const main = await playMain({
        inputs: { timeout: '4s', wait: 'false', 'on-lost-response': onLostResponse },
        faults: [{ call: 'trigger', what }],
        network: { legMs: (leg, { call }) => (call === 'trigger' && leg === 'arrive' ? 5_000 : 10) },
      });
      expect(await resultOf(main)).toBe(result);
      expect(shownBy(main)).not.toContain('timed out');
    },
  );

  it.each<[string, RequestFault, result: string]>([
    [
      'lets a resumed run continue that the final check shows as unfinished',
      { call: 'read', times: 1, what: 'silent' },
      'exit 0: triggered (running)',
    ],
    [
      'fails the step if the final check of a resumed run fails',
      { call: 'read', what: 'http_503' },
      'exit 1: lost (unknown)',
    ],
  ])('with wait: false %s', async (_, fault, result) => {
    const { service, id } = existingRun('endless');
    const inputs = { pipeline: 'endless', 'job-id': id, timeout: '10s', wait: 'false' };
    const main = await playMain({ service, inputs, faults: [fault] });
    expect(await resultOf(main)).toBe(result);
    expect(callsOf(main)).toBe('exchange list read×2');
    expect(runsOf(main)).toBe('running');
    const post = await playPost(main, { inputs: { ...inputs, 'internal-job-status': 'cancelled' } });
    expect(runsOf(post)).toBe('cancelled');
  });

  it('aborts a trigger that has no connection yet if wait is false', async () => {
    const inputs = { timeout: '4s', wait: 'false' };
    const main = await playMain({ inputs, faults: [{ call: 'trigger', times: 1, what: 'unreachable' }] });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (not_queued)');
    expect(main.clock.now()).toBeLessThan(4_100);
  });

  it('ends the status checks of an existing run in a dry run', async () => {
    const { service, id } = existingRun('orders');
    const inputs = { 'job-id': id, timeout: '40s', 'dry-run': 'true' };
    const main = await playMain({ service, inputs, faults: [{ call: 'read', what: 'http_503' }] });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (not_queued)');
    expect([callsOf(main), main.clock.now() < 41_000]).toEqual(['exchange list read×2', true]);
    expect(main.outputs['message']).toMatch(/^Step timed out after 40s: /);
  });
});

describe('queue-timeout', () => {
  const play = (limit: string, faults: readonly RequestFault[] = [], inputs = {}): Promise<FakeWorld> =>
    playMain({ inputs: { pipeline: 'unpicked', 'queue-timeout': limit, timeout: '20m', ...inputs }, faults });

  it.each([
    [{}, 'exit 1: wait_timed_out (cancelled)', 'cancelled'],
    [{ 'on-timeout': 'leave' }, 'exit 1: wait_timed_out (queued)', 'queued'],
  ])('with %j applies to a run that no agent picks up', async (inputs, result, runs) => {
    const main = await play('5m', undefined, inputs);
    expect(await resultOf(main)).toBe(result);
    expect(runsOf(main)).toBe(runs);
    expect(main.clock.now()).toBeGreaterThan(300_000);
    expect(main.clock.now()).toBeLessThan(300_200);
    expect(shownBy(main)).toMatch(/The queue timeout expired after 5m: .*Check that an agent is running/s);
  });

  it('is checked when it is reached, even if the poll interval is longer', async () => {
    const main = await play('1m', [], { 'poll-interval': '10m' });
    const trigger = sentBy(main, 'trigger')[0]?.at ?? Infinity;
    expect(sentBy(main, 'read').map(({ at }) => Math.round((at - trigger) / 1_000))).toEqual([2, 60]);
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (cancelled)');
    expect(main.service.violations).toEqual([]);
  });

  it('is checked when it is reached, although the service has asked for a longer pause', async () => {
    const main = await play('1m', [{ call: 'read', from: 2, times: 1, what: text('', 429, { 'retry-after': '50' }) }]);
    const trigger = sentBy(main, 'trigger')[0]?.at ?? Infinity;
    expect(sentBy(main, 'read').map(({ at }) => Math.round((at - trigger) / 1_000))).toEqual([2, 32, 60]);
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (cancelled)');
  });

  it('does not apply during an outage, and the log says when the run was last seen in the queue', async () => {
    const main = await play('1m', [{ call: 'read', from: 3, times: 3, what: 'reset' }]);
    const trigger = sentBy(main, 'trigger')[0]?.at ?? Infinity;
    expect(sentBy(main, 'read').map(({ at }) => Math.round((at - trigger) / 1_000))).toEqual([2, 32, 60, 90, 120, 150]);
    expect(main.log.filter((line) => /queue.timeout/i.test(line))).toEqual([
      expect.stringMatching(
        /The queue timeout expired after 1m, and the step last saw the run in the queue 27s ago\. If the next valid response shows that the run is still queued, the step cancels it\.$/,
      ),
      expect.stringMatching(/The queue timeout expired after 1m: /),
    ]);
  });

  it('does not stop a run that an outage hides, which is lost after max-outage', async () => {
    const main = await play('1m', [{ call: 'read', from: 3, what: 'reset' }], { 'max-outage': '5m' });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(main.outputs['message']).toMatch(/\(max-outage\); the step last saw the run in the queue \d+m.* ago\.$/);
  });

  it('of an existing run counts from its first queued row', async () => {
    const { service, id } = existingRun('unpicked');
    const inputs = { pipeline: '', 'job-id': id, 'queue-timeout': '1m', 'poll-interval': '10m' };
    const main = await playMain({ service, inputs, faults: [{ call: 'read', times: 1, what: 'reset' }] });
    expect(sentBy(main, 'read').map(({ at }) => Math.round(at / 1_000))).toEqual([0, 600, 660]);
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (queued)');
    expect(main.outputs['message']).toMatch(/^The queue timeout expired after 1m: /);
  });

  it('is checked when it is reached again, even if the check of an earlier stretch in the queue failed', async () => {
    const faults = inTurn('read', [statusIs('queued'), statusIs('queued'), 'reset', statusIs('running')]);
    const main = await play('1m', faults, { 'poll-interval': '45s' });
    const trigger = sentBy(main, 'trigger')[0]?.at ?? Infinity;
    const secondsOf = sentBy(main, 'read').map(({ at }) => Math.round((at - trigger) / 1_000));
    expect(secondsOf).toEqual([2, 47, 60, 105, 150, 195, 210]);
  });

  const Q = 'queued';
  const R = 'running';
  it.each([
    ['counts from the trigger', '1m', [], 60],
    ['does not apply to a running run', '1m', [R, R, R, R, R, R, 'completed'], 182],
    ['starts again when a queued row follows a later status', '1m', [Q, R, Q, Q, Q, Q], 122],
    ['does not count a single stale row', '1m', [R, R, R, Q, R, Q, R, 'completed'], 212],
    ['counts two short queued periods separately', '1m', [Q, Q, R, Q, Q, R, 'completed'], 180],
  ])('%s', async (_, limit, statuses, endsAtS) => {
    const main = await play(limit, reporting(...statuses));
    expect(Math.floor(main.clock.now() / 1_000)).toBe(endsAtS);
  });
});

describe('a machine that goes to sleep', () => {
  it('during a status check does not lose the run', async () => {
    const main = await playMain({ faults: [{ call: 'read', from: 2, times: 2, what: 'silent' }] }, (it) =>
      it.at(40_000, () => it.clock.sleep(7_200_000)),
    );
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it.each([
    ['for more than 30 s counts the sleep as one failed check', 40_000, 'exit 0: succeeded (completed)'],
    ['for less than 30 s counts the sleep as part of the outage', 25_000, 'exit 1: lost (queued)'],
  ])('%s', async (_, sleptMs, result) => {
    // Without the sleep, the checks fail for 60 s.
    const main = await playMain(
      {
        inputs: { pipeline: 'slow', 'max-outage': '70s' },
        faults: [{ call: 'read', from: 2, times: 3, what: 'refused' }],
      },
      (it) => it.at(50_000, () => it.clock.sleep(sleptMs)),
    );
    expect(await resultOf(main)).toBe(result);
  });

  it.each([
    ['main', 0],
    ['post', 5_000],
  ])('while the %s step cancels a run does not prevent the cancellation', async (which, killedMs) => {
    const inputs = { pipeline: 'endless', timeout: '50s' };
    const faults: RequestFault[] = [
      { call: 'cancel', fromMs: 0, forMs: 3_600_000, what: 'reset' },
      { call: 'read', fromMs: 49_000, forMs: 3_551_000, what: 'reset' },
    ];
    const main = await playMain({ inputs, faults }, (it) => {
      if (killedMs > 0) it.at(killedMs, () => it.kill());
      else it.at(52_000, () => it.clock.sleep(7_200_000));
    });
    if (which === 'post') await playPost(main, { faults }, (it) => it.at(7_000, () => it.clock.sleep(7_200_000)));
    expect(runsOf(main)).toBe('cancelled');
    if (which === 'main') expect(await resultOf(main)).toBe('exit 1: wait_timed_out (cancelled)');
  });

  it('does not reset the outage time from before the sleep', async () => {
    const main = await playMain(
      { inputs: { 'max-outage': '10m' }, faults: [{ call: 'read', what: json({}, 503) }] },
      (it) => it.at(400_000, () => it.clock.sleep(7_200_000)),
    );
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(main.clock.now() - 7_200_000).toBeLessThan(660_000);
  });
});
