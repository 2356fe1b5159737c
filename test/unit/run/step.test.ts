// A whole step: the preparations, a signal at every stage, limits that concern all runs, and errors in our own code.
import { describe, expect, it } from 'vitest';
import { fails, inTurn, json, type RequestFault, type What } from '../../../sandbox/faults.ts';
import type { SentRequest } from '../../support/network.ts';
import {
  callsOf,
  existingRun,
  outcomesOf,
  playMain,
  playPost,
  resultOf,
  runsOf,
  shownBy,
} from '../../support/steps.ts';
import type { FakeWorld } from '../../support/world.ts';

const TOO_WEAK = fails('ERR_SSL_EE_KEY_TOO_SMALL');

describe('before the first trigger,', () => {
  it.each<[SentRequest['call'], string, What, count: number, RegExp]>([
    ['exchange', 'rejects the key', 'http_401', 1, /API key is wrong or was revoked/],
    ['exchange', 'is blocked by a firewall', 'page_403', 8, /web page.*Allow connections to app.example.test/s],
    ['exchange', 'cannot connect', 'refused', 8, /app.example.test/],
    [
      'exchange',
      'meets a weak certificate',
      TOO_WEAK,
      1,
      /rejected the certificate of \S+ \(key too weak\).*at least 2048 bits/s,
    ],
    ['list', 'fails', 'http_503', 36, /list the pipelines: HTTP 503/],
    ['list', 'is rejected', 'http_403', 2, /Use UUIDs instead of names/],
    ['list', 'returns the wrong shape', json({}), 1, /not a list of rows/],
  ])('the call "%s" ends the step without a trigger if it %s', async (call, _, what, count, words) => {
    const main = await playMain({ inputs: { pipeline: 'orders\nbroken' }, faults: [{ call, what }] });
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(main.requests.filter((request) => request.call === call)).toHaveLength(count);
    expect(main.service.jobs).toEqual([]);
    expect(main.annotations).toEqual([expect.objectContaining({ message: expect.stringMatching(words) as string })]);
    expect(main.annotations[0]?.message).toMatch(/^Nothing was triggered\./);
    expect(callsOf(await playPost(main))).toBe('');
  });

  it('the log says which service and pipelines the step uses', async () => {
    const main = await playMain({ inputs: { pipeline: 'orders\nbroken' } });
    const lines = main.log.slice(0, 5).join('\n');
    expect(lines).toMatch(/app\.example\.test/);
    expect(lines).toMatch(/Pipeline: Orders[\s\S]*Pipeline: Broken/);
  });

  it.each([
    // If the step cancelled the run, its second exchange would succeed.
    ['fails', () => undefined, 'lost (unknown)', 'running', /^error .*HTTP 401.*API key is wrong or was revoked/s],
    [
      'is interrupted',
      (main: FakeWorld) => main.at(100, () => main.signal('SIGINT')),
      'cancelled (cancelled)',
      'cancelled',
      /was cancelled/,
    ],
  ])('an existing run is reported even if the exchange %s', async (_, event, result, runs, words) => {
    const { service, id } = existingRun('endless');
    const inputs = { pipeline: '', 'job-id': id, 'on-cancel': 'cancel' };
    const what = event.length === 0 ? 'key_rejected' : 'silent';
    const main = await playMain({ service, inputs, faults: [{ call: 'exchange', times: 1, what }] }, event);
    expect([await resultOf(main), runsOf(main)]).toEqual([`exit 1: ${result}`, runs]);
    expect(shownBy(main)).toContain(id);
    expect(shownBy(main)).toMatch(words);
  });

  it('the output job-status is unknown, because a killed process may have triggered a run', async () => {
    const main = await playMain({}, (it) => it.at(15, () => it.kill()));
    expect(main.outputs).toEqual({ 'job-status': 'unknown' });
  });
});

describe('a signal', () => {
  it.each<[string, number, What | Omit<RequestFault, 'call'>, string, runs: string]>([
    ['before the first request', 0, 'none', 'cancelled (not_queued)', ''],
    ['during the exchange', 15, 'none', 'cancelled (not_queued)', ''],
    ['during the list', 35, 'none', 'cancelled (not_queued)', ''],
    ['while the trigger connects', 45, 'none', 'cancelled (not_queued)', ''],
    ['while the trigger cannot connect', 5_000, 'unreachable', 'cancelled (not_queued)', ''],
    ['during the pause after a failed trigger', 100, 'refused', 'cancelled (not_queued)', ''],
    ['while the trigger is in flight', 55, 'none', 'cancelled (cancelled)', 'cancelled'],
    ['6 s before the id arrives', 55, { what: 'slow', ms: 6_000 }, 'cancelled (cancelled)', 'cancelled'],
    ['7 s before the id arrives', 55, { what: 'slow', ms: 7_000 }, 'cancelled (cancelled)', 'cancelled'],
    ['8.5 s before the id arrives', 55, { what: 'slow', ms: 8_500 }, 'cancelled (cancelled)', 'cancelled'],
    ['during a trigger that never gets a response', 55, 'silent', 'unknown (unknown)', 'picked'],
    ['before the first status check', 1_000, 'none', 'cancelled (cancelled)', 'cancelled'],
  ])('%s (after %i ms, trigger: %j) ends the step as "%s"', async (_, at, what, result, runs) => {
    const main = await playMain({ faults: inTurn('trigger', Array(9).fill(what)) }, (it) =>
      it.at(at, () => it.signal('SIGTERM')),
    );
    expect(await resultOf(main)).toBe(`exit 1: ${result}`);
    expect(runsOf(main)).toBe(runs);
    expect(main.clock.now()).toBeLessThanOrEqual(at + 9_300);
  });

  it('that leaves a trigger in flight makes the step say that a run may exist', async () => {
    const main = await playMain({ faults: [{ call: 'trigger', what: 'silent' }] }, (it) =>
      it.at(55, () => it.signal('SIGINT')),
    );
    expect(shownBy(main)).toMatch(
      /^error .*may have triggered a run of Orders at \S+\. The step ended before the response/,
    );
    const post = await playPost(main);
    expect(callsOf(post)).toBe('');
    expect(main.outputs['job-status']).toBe('unknown');
  });

  it('lets the post step cancel a run whose id arrives while the main step prints its final report', async () => {
    const main = await playMain({ faults: [{ call: 'trigger', what: 'slow', ms: 9_100 }] }, (it) => {
      it.at(55, () => it.signal('SIGINT'));
      it.at(56, () => it.jamStdout());
    });
    expect(main.clock.now()).toBeLessThanOrEqual(9_355);
    expect(runsOf(await playPost(main))).toBe('cancelled');
  });

  it.each<[string, Partial<RequestFault>, (main: FakeWorld) => void]>([
    ['a signal', { forMs: 180_000, what: 'refused' }, (main) => main.signal('SIGTERM')],
    ['the death of the runner', { forMs: 180_000, what: 'refused' }, (main) => main.orphan()],
    ['a signal after an internal error', { times: 1, what: 'bug' }, (main) => main.signal('SIGTERM')],
  ])('%s makes the step cancel a run that it could not cancel at queue-timeout', async (_, fault, end) => {
    const inputs = { pipeline: 'unpicked\nendless', 'queue-timeout': '1m' };
    const faults = [{ call: 'cancel', about: 'unpicked', what: 'refused', ...fault }] as const;
    const main = await playMain({ inputs, faults }, (it) => it.at(600_000, () => end(it)));
    expect(runsOf(main)).toBe('cancelled cancelled');
  });

  it('cancels an existing run that the step had already given up', async () => {
    const { service, id } = existingRun('endless');
    const inputs = { pipeline: '', 'job-id': id, 'on-cancel': 'cancel' };
    const main = await playMain(
      { service, inputs, faults: [{ call: 'exchange', times: 1, what: 'key_rejected' }] },
      (it) => it.at(20, () => it.signal('SIGINT')),
    );
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: cancelled (cancelled)', 'cancelled']);
  });

  it('that comes just before the step gives up a cancellation gives the cancellation new time', async () => {
    const inputs = { pipeline: 'unpicked\nendless', 'queue-timeout': '1m' };
    const faults = [{ call: 'cancel', about: 'unpicked', fromMs: 0, forMs: 119_550, what: 'http_503' }] as const;
    const main = await playMain({ inputs, faults }, (it) => it.at(119_500, () => it.signal('SIGINT')));
    expect(runsOf(main)).toBe('cancelled cancelled');
  });

  it.each([
    [
      'a lost run',
      { pipeline: 'endless\nslow' },
      [{ call: 'read', about: 'endless', what: 'http_403' }],
      'cancelled completed',
    ],
    [
      'a run with wait: false',
      { pipeline: 'endless', wait: 'false' },
      [{ call: 'trigger', what: 'slow', ms: 900 }],
      'cancelled',
    ],
  ] as const)(
    'is noticed although the runner dies just before the step ends with %s',
    async (_, inputs, faults, runs) => {
      const undisturbed = await playMain({ inputs, faults: [...faults] });
      const at = undisturbed.clock.now() - 100;
      const main = await playMain({ inputs, faults: [...faults] }, (it) => it.at(at, () => it.orphan()));
      expect([(await resultOf(main)).slice(0, 6), runsOf(main)]).toEqual(['exit 1', runs]);
    },
  );

  it('in the pause before another attempt makes the message say that the run is not retried', async () => {
    const inputs = { pipeline: 'broken\nendless', 'max-attempts': '2', 'retry-delay': '5m' };
    const main = await playMain({ inputs }, (it) => it.at(120_000, () => it.signal('SIGINT')));
    expect(main.outputs['message']).toMatch(/1 not retried \(Broken\)/);
  });

  it('after the verdict changes nothing', async () => {
    const main = await playMain({}, (it) => it.at(92_150, () => it.signal('SIGINT')));
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });
});

describe('timeout', () => {
  it.each([
    ['cancel', 'cancelled'],
    ['leave', 'running'],
  ])('with on-timeout: %s applies to all runs, including those waiting for their turn', async (policy, runs) => {
    const inputs = { pipeline: 'endless\norders', 'max-parallel': '1', timeout: '40s', 'on-timeout': policy };
    const main = await playMain({ inputs });
    expect(await resultOf(main)).toBe(`exit 1: wait_timed_out (${runs})`);
    expect(runsOf(main)).toBe(runs);
    expect(shownBy(main)).toMatch(/Step timed out after 40s: no run of Orders was triggered/);
  });

  it('does not abort a trigger in flight, but cancels its run', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless', timeout: '30s' },
      faults: [{ call: 'trigger', what: 'slow', ms: 35_000 }],
    });
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: wait_timed_out (cancelled)', 'cancelled']);
  });
});

describe('an internal error', () => {
  it.each<[SentRequest['call'], string, runs: string, RegExp]>([
    ['exchange', 'not_triggered (not_queued)', '', /no run of orders was triggered/i],
    ['list', 'not_triggered (not_queued)', '', /no run of orders was triggered/i],
    ['trigger', 'unknown (unknown)', '', /may have triggered a run of Orders/],
    ['read', 'lost (queued)', 'queued', /not cancelled and may still be running.*set job-id/s],
  ])(
    'during the %s ends the step as "exit 1: %s", and leads to a request for a bug report',
    async (call, result, runs, words) => {
      const main = await playMain({ faults: [{ call, what: 'bug' }] });
      expect([await resultOf(main), runsOf(main)]).toEqual([`exit 1: ${result}`, runs]);
      expect(shownBy(main)).toMatch(words);
      expect(main.log.join()).not.toContain('nternal error');
      expect(shownBy(main)).toMatch(
        /(?:continue|confirm the trigger): internal error in this action \(bug: x is undefined\)\.[\s\S]*Please report this bug\./,
      );
    },
  );

  it('in one run does not end the others', async () => {
    const faults: RequestFault[] = [{ call: 'read', about: 'orders', what: 'bug' }];
    const main = await playMain({ inputs: { pipeline: 'orders\nidle' }, faults });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(outcomesOf(main)).toBe('lost succeeded');
  });

  it('during a cancel leaves the run to the post step', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' }, faults: [{ call: 'cancel', what: 'bug' }] }, (it) =>
      it.at(5_000, () => it.signal('SIGINT')),
    );
    expect(await resultOf(main)).toBe('exit 1: cancelled (queued)');
    expect(shownBy(main)).toMatch(/may still be running.*internal error in this action \(bug/s);
    expect(runsOf(await playPost(main))).toBe('cancelled');
  });

  it('during a cancel of a run that was lost before is reported', async () => {
    const faults: RequestFault[] = [
      { call: 'read', about: 'endless', what: 'http_403' },
      { call: 'cancel', about: 'endless', what: 'bug' },
    ];
    const main = await playMain({ inputs: { pipeline: 'endless\nslow' }, faults }, (it) =>
      it.at(150_000, () => it.signal('SIGINT')),
    );
    expect(shownBy(main)).toMatch(/of Endless may still be running.*internal error in this action \(bug/s);
  });
});
