// Cancelling a run until a final status proves that it has ended: after a signal within seconds, otherwise in a minute.
import { describe, expect, it } from 'vitest';
import { inTurn, type RequestFault, statusIs, text, type What } from '../../../sandbox/faults.ts';
import { createWorld } from '../../../sandbox/model/index.ts';
import { callsOf, playMain, playPost, recordsOf, resultOf, runsOf, sentBy, shownBy } from '../../support/steps.ts';
import type { FakeOptions, FakeWorld } from '../../support/world.ts';

const SIGNAL_AT = 5_000;

/** A service that allows three early reads to confirm a cancel, even a cancel that it has not received. */
const patient = () => createWorld({ exemptReads: 3 });

/** Plays the main step with a signal after 5 s, when it has read the run once. */
function interrupted(options: FakeOptions = {}, also: (main: FakeWorld) => void = () => undefined) {
  return playMain({ ...options, inputs: { pipeline: 'endless', ...options.inputs } }, (main) => {
    main.at(SIGNAL_AT, () => main.signal('SIGINT'));
    also(main);
  });
}

const TOO_MANY_FOR_20_S: What = text('{}', 429, { 'retry-after': '20' });

describe('a signal', () => {
  it('cancels the run before anything else happens, and then ends the step', async () => {
    const effects: string[] = [];
    let isSignalled = false;
    const onEffect = (effect: string): void => {
      if (isSignalled) effects.push(effect);
    };
    const main = await interrupted({ onEffect }, (it) => it.at(SIGNAL_AT - 1, () => (isSignalled = true)));
    expect(effects[0]).toMatch(/^request cancel/);
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
    expect([runsOf(main), callsOf(main)]).toEqual(['cancelled', 'exchange list trigger read cancel']);
    expect(main.clock.now()).toBeLessThan(SIGNAL_AT + 500);
    expect(main.annotations.map(({ level, message }) => `${level} ${message}`)).toEqual([
      `notice Step interrupted (SIGINT): run ${main.outputs['job-id']} of Endless was cancelled.`,
    ]);
  });

  it('does not lead to a cancel in the last half second, which would hide why earlier cancels failed', async () => {
    const main = await interrupted({ faults: [{ call: 'cancel', what: 'refused' }] });
    const last = (sentBy(main, 'cancel').at(-1)?.at ?? 0) - SIGNAL_AT;
    expect(last).toBeGreaterThan(8_000);
    expect(last).toBeLessThanOrEqual(8_500);
    expect(shownBy(main)).toMatch(/Could not confirm its cancellation: \S+ refused the connection/);
  });

  it('leads to a cancel even if the id arrives in the last half second', async () => {
    const faults: RequestFault[] = [{ call: 'trigger', times: 1, what: 'slow', ms: 8_800 }];
    const main = await playMain({ inputs: { pipeline: 'endless' }, faults }, (it) =>
      it.at(70, () => it.signal('SIGINT')),
    );
    expect(main.service.jobs).toHaveLength(1);
    expect(callsOf(main)).toBe('exchange list trigger cancel');
  });

  it('does not lead to a read after the time for a cancel has passed', async () => {
    const faults: RequestFault[] = [
      { call: 'trigger', times: 1, what: 'slow', ms: 8_800 },
      { call: 'cancel', what: 'silent' },
    ];
    const main = await playMain({ inputs: { pipeline: 'endless' }, faults }, (it) =>
      it.at(70, () => it.signal('SIGINT')),
    );
    expect(callsOf(main)).toBe('exchange list trigger cancel');
  });

  it('leads to a message about the heartbeat only if an agent had picked up the run', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.at(40_000, () => it.signal('SIGINT')));
    expect(shownBy(main)).toContain('The agent stops working on the run at its next heartbeat.');
  });

  it.each<[string, readonly What[], readonly What[], calls: string]>([
    ['a read confirms if its response is lost', ['lost'], [], 'cancel read'],
    ['a read confirms if its response shows an unfinished run', [statusIs('running')], [], 'cancel read'],
    ['is sent again if it changes nothing and a replica shows an unfinished run', ['empty'], [], 'cancel read cancel'],
    ['is sent again after a gateway error', ['http_503', 'http_503'], [], 'cancel read cancel read cancel'],
    ['is sent again after a refused connection', ['refused', 'refused'], [], 'cancel×3'],
    ['is sent again after a rejection', ['http_403', 'http_403'], [], 'cancel exchange cancel×2'],
    ['is sent with a new token after a rejected token', ['http_401'], [], 'cancel exchange cancel'],
    ['is sent again even if the first try cannot connect', ['unreachable'], [], 'cancel read cancel'],
    ['a read confirms if no response arrives', ['silent'], [], 'cancel read'],
    [
      'is sent again until a read confirms it',
      ['lost'],
      ['none', 'empty', 'reset'],
      'cancel read cancel read cancel read',
    ],
  ])('leads to a cancel that %s', async (_, cancels, reads, calls) => {
    const faults = [...inTurn('cancel', cancels), ...inTurn('read', reads)];
    const main = await interrupted({ service: patient(), faults });
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
    expect(callsOf(main)).toBe(`exchange list trigger read ${calls}`);
    expect(main.clock.now()).toBeLessThan(SIGNAL_AT + 9_300);
    expect(main.service.violations).toEqual([]);
  });

  it('does not overwrite the status of a run that has just completed', async () => {
    const main = await playMain({}, (it) => it.at(91_000, () => it.signal('SIGINT')));
    expect(await resultOf(main)).toBe('exit 1: cancelled (completed)');
    expect(shownBy(main)).toMatch(/completed before the step could cancel it: 5 objects synced/);
  });

  it.each<[string, What, What, cause: RegExp]>([
    ['nothing responds', 'unreachable', 'unreachable', /no response arrived in time/],
    [
      'cancels and reads find no run',
      'empty',
      'empty',
      /the service reported no change, and no status check showed a final status/,
    ],
    [
      'the run keeps running',
      'unreachable',
      'none',
      /Could not confirm its cancellation\S+ its status is still \S+picked/,
    ],
  ])(
    'ends the step within 9.3 s if %s, reports the cause, and leaves the run to the post step',
    async (_, cancel, read, cause) => {
      const main = await interrupted(
        {
          service: patient(),
          faults: [
            { call: 'cancel', fromMs: SIGNAL_AT, what: cancel },
            { call: 'read', fromMs: SIGNAL_AT, what: read },
          ],
        },
        (it) => {
          it.at(SIGNAL_AT + 6_510, () => expect(it.outputs['outcome']).toBe('cancelled'));
          it.at(SIGNAL_AT + 6_510, () => expect(it.summary).toMatch(cause));
        },
      );
      expect(await resultOf(main)).toMatch(/^exit 1: cancelled \((queued|picked)\)/);
      expect(main.clock.now()).toBeLessThanOrEqual(SIGNAL_AT + 9_300);
      expect(main.annotations[0]?.message).toMatch(/may still be running\. Could not confirm its cancellation/);
      expect(main.annotations[0]?.message).toContain(
        'The post step will try to cancel the run again at the end of the job.',
      );
      expect(sentBy(main, 'cancel').length).toBeGreaterThanOrEqual(4);
      expect(main.service.violations).toEqual([]);
      const post = await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } });
      expect(runsOf(post)).toBe('cancelled');
    },
  );

  it.each<[string, boolean, What, What, cause: string]>([
    [
      'a new run that the reads do not find',
      false,
      'empty',
      'empty',
      'Could not confirm its cancellation: the service reported no change, and no status check showed a final status.',
    ],
    [
      'a job-id that the reads do not find',
      true,
      'empty',
      'empty',
      "Could not confirm its cancellation: this API key's workspace has no run with this id.",
    ],
    ['a job-id that the only read does not find', true, 'refused', 'empty', 'refused the connection'],
    // A finished run cannot be cancelled either.
    [
      'a job-id whose reads fail',
      true,
      'empty',
      'reset',
      'the service reported no change, and no status check showed a final',
    ],
  ])('says why cancels that change nothing are not confirmed for %s', async (_, isGiven, laterCancel, read, cause) => {
    const given = { pipeline: '', 'job-id': '11111111-2222-4333-8444-555555555555', 'on-cancel': 'cancel' };
    const main = await playMain(
      {
        inputs: isGiven ? given : {},
        faults: [...inTurn('cancel', ['empty'], laterCancel), { call: 'read', what: read }],
      },
      (it) => it.at(200, () => it.signal('SIGINT')),
    );
    expect(main.annotations[0]?.message).toContain(cause);
  });

  it('shortens the pause that the service requests, because the runner would kill the process first', async () => {
    const later = text('{}', 429, { 'retry-after': '30' });
    const main = await interrupted({ faults: [{ call: 'cancel', times: 1, what: later }] });
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
    expect(main.clock.now()).toBeLessThan(SIGNAL_AT + 3_000);
  });

  it('starts another cancel every 2 s while earlier ones hang', async () => {
    const main = await interrupted({ faults: [{ call: 'cancel', what: 'unreachable' }] });
    expect(sentBy(main, 'cancel').map(({ at }) => Math.round((at - SIGNAL_AT) / 2_000))).toEqual([0, 1, 2, 3, 4]);
  });

  it('ends the step at the first response with a final status, even the response to an earlier try', async () => {
    const main = await interrupted({
      faults: [
        { call: 'cancel', what: 'slow', ms: 5_000 },
        { call: 'read', fromMs: SIGNAL_AT, what: 'unreachable' },
      ],
    });
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
    expect(main.clock.now()).toBeLessThan(SIGNAL_AT + 5_100);
  });

  it('changes nothing after an earlier signal', async () => {
    const main = await interrupted({ faults: [{ call: 'cancel', what: 'refused' }] }, (it) => {
      it.at(SIGNAL_AT + 1_000, () => it.signal('SIGTERM'));
      it.at(SIGNAL_AT + 8_000, () => it.signal('SIGINT'));
    });
    expect(main.clock.now()).toBeLessThanOrEqual(SIGNAL_AT + 9_300);
    expect(shownBy(main)).toContain('Step interrupted (SIGINT)');
    expect(shownBy(main)).not.toContain('SIGTERM');
  });

  it('lets the run continue with on-cancel: leave', async () => {
    const main = await interrupted({ inputs: { 'on-cancel': 'leave' } });
    expect(await resultOf(main)).toBe('exit 1: cancelled (queued)');
    expect([runsOf(main), callsOf(main)]).toEqual(['queued', 'exchange list trigger read']);
    expect(shownBy(main)).toMatch(/was not cancelled \(on-cancel: leave\).*set job-id to/s);
    expect(callsOf(await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } }))).toBe('');
  });

  it('cancels sixty runs within 9.3 s', async () => {
    const pipelines = Array.from({ length: 60 }, (_, nth) => ({ name: `P ${nth}`, scenario: 'endless' }));
    const inputs = { pipeline: pipelines.map(({ name }) => name).join('\n') };
    // A request that hangs must not take the place of others until the runner kills the process.
    const faults: RequestFault[] = [{ call: 'cancel', times: 60, what: 'silent' }];
    const main = await interrupted({ service: createWorld({ pipelines }), inputs, faults });
    expect(new Set(runsOf(main).split(' '))).toEqual(new Set(['cancelled']));
    expect(main.clock.now()).toBeLessThanOrEqual(SIGNAL_AT + 9_300);
  });
});

it('a long poll-interval does not delay the confirmation that a run has finished', async () => {
  const timeline = [
    [0, 'queued', null],
    [10, 'Paused', null],
    [100_000, 'completed', null],
  ] as const;
  const service = createWorld({ exemptReads: 99, scenarios: { orders: { does: 'pauses', timeline } } });
  const main = await playMain({ service, inputs: { wait: 'false', 'poll-interval': '10m' } });
  const post = await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } });
  expect(shownBy(post)).toMatch(/completed before the step could cancel it/);
  expect(post.clock.now()).toBeLessThan(135_000);
});

describe('after a timeout, a cancel', () => {
  it('that nothing recorded is not left to a post step with on-cancel: leave', async () => {
    const inputs = { pipeline: 'endless', timeout: '40s', 'on-cancel': 'leave' };
    const faults: RequestFault[] = [{ call: 'cancel', what: 'http_503' }];
    const main = await playMain({ inputs, faults }, (it) =>
      it.at(20_000, () => {
        for (const path of recordsOf(it)) it.files.refuse(path);
      }),
    );
    expect(shownBy(main)).toContain(
      'the post step may let the run continue. Check the run in the application, and cancel',
    );
    expect(callsOf(await playPost(main))).toBe('');
  });

  const TIMEOUT = { pipeline: 'endless', timeout: '40s' };

  it('is repeated for a minute', async () => {
    const main = await playMain({
      service: createWorld({ exemptReads: 4 }),
      inputs: TIMEOUT,
      faults: [{ call: 'cancel', what: 'http_503' }],
    });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (running)');
    expect(main.clock.now()).toBeGreaterThan(95_000);
    expect(main.clock.now()).toBeLessThan(110_000);
    expect(sentBy(main, 'cancel').length).toBeLessThan(30);
    expect(main.service.violations).toEqual([]);
    expect(shownBy(main)).toContain('The post step will try to cancel the run again at the end of the job.');
    expect(runsOf(await playPost(main))).toBe('cancelled');
  });

  it('that always fails still reports how the run has finished', async () => {
    const main = await playMain({ inputs: { timeout: '60s' }, faults: [{ call: 'cancel', what: 'http_503' }] });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (completed)');
  });

  it.each([
    ['cancel', [TOO_MANY_FOR_20_S], []],
    ['read that should confirm it', ['empty'], ['none', 'none', 'none', TOO_MANY_FOR_20_S]],
  ] as const)(
    'is not repeated before the time that the service asks for in its response to a %s',
    async (_, cancels, reads) => {
      const faults = [...inTurn('cancel', cancels), ...inTurn('read', reads)];
      const main = await playMain({ service: patient(), inputs: TIMEOUT, faults });
      const [first, second] = sentBy(main, 'cancel');
      expect(Math.floor(((second?.at ?? 0) - (first?.at ?? 0)) / 1_000)).toBe(20);
    },
  );

  it('ends within a minute, even if the service asks for long pauses', async () => {
    const later = text('{}', 429, { 'retry-after': '45' });
    const main = await playMain({ inputs: TIMEOUT, faults: [{ call: 'cancel', what: later }] });
    expect(await resultOf(main)).toMatch(/^exit 1: wait_timed_out/);
    expect(main.clock.now()).toBeLessThan(101_000);
  });

  it('succeeds once the service has recovered', async () => {
    const main = await playMain({
      inputs: TIMEOUT,
      faults: [{ call: 'cancel', fromMs: 0, forMs: 85_000, what: 'refused' }],
    });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (cancelled)');
  });

  it('is repeated even after the third rejection of the key over a minute, because the time is short anyway', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless', timeout: '80s' },
      faults: [
        { call: 'exchange', fromMs: 1_000, forMs: 119_000, what: 'key_rejected' },
        { call: 'read', fromMs: 20_000, forMs: 70_000, what: 'http_401' },
      ],
    });
    const rejections = sentBy(main, 'exchange').filter(({ at }) => at > 20_000 && at < 120_000);
    expect((rejections.at(-1)?.at ?? 0) - (rejections[0]?.at ?? 0)).toBeGreaterThan(60_000);
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (cancelled)');
  });

  it('speeds up when a signal arrives, but keeps its reason and policy', async () => {
    // The service asks for a pause, so no read follows that could end the cancellation.
    const later = text('{}', 429, { 'retry-after': '60' });
    const main = await playMain({ inputs: TIMEOUT, faults: inTurn('cancel', [later], 'unreachable') }, (it) =>
      it.at(45_000, () => it.signal('SIGTERM')),
    );
    expect(sentBy(main, 'cancel')[1]?.at).toBeLessThan(47_100);
    expect(main.clock.now()).toBeLessThanOrEqual(54_300);
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (running)');
  });

  it('is not sent with on-timeout: leave, even if a signal arrives later', async () => {
    const inputs = { pipeline: 'endless\nunpicked', 'queue-timeout': '1m', 'on-timeout': 'leave' };
    const main = await playMain({ inputs }, (it) => it.at(150_000, () => it.signal('SIGINT')));
    expect(runsOf(main)).toBe('cancelled queued');
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (queued)');
  });
});
