// Failed requests: how long the step repeats them, when it gives up, and what the log says meanwhile.
import { describe, expect, it } from 'vitest';
import { type CallKind, fails, inTurn, json, type RequestFault, type What } from '../../../sandbox/faults.ts';
import { createWorld, revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { AwakeTime } from '../../../src/base/clock.ts';
import { Patience, pauseAfter } from '../../../src/run/patience.ts';
import {
  callsOf,
  existingRun,
  outcomesOf,
  playMain,
  playPost,
  resultOf,
  runsOf,
  sentBy,
  shownBy,
} from '../../support/steps.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import type { FakeOptions } from '../../support/world.ts';
import { PLAN } from '../report/scene.ts';

it.each([
  [0, 0, {}, 250],
  [1, 0, {}, 1_250],
  [1, 3, {}, 8_250],
  [1, 9, {}, 30_000],
  [0, 0, { retryAfterMs: 40_000 }, 40_000],
  [1, 3, { retryAfterMs: 10 }, 8_250],
])(
  'with the random number %d, the retry count %i and the response %j, the pause is %i ms',
  (random, tried, outcome, ms) => {
    expect(pauseAfter(() => random, tried, outcome)).toBe(ms);
  },
);

/** Plays a step in which requests of these kinds meet a fault until a given time, in seconds. */
function playUntil(
  calls: readonly CallKind[],
  what: What,
  untilS: number,
  inputs: Readonly<Record<string, string>> = {},
) {
  const faults = [{ call: calls, fromMs: 0, forMs: untilS * 1_000, what }];
  return playMain({ inputs: { pipeline: 'idle', ...inputs }, faults });
}

const API = ['list', 'trigger', 'read'] as const;
const ALL = ['exchange', ...API] as const;
const BAD_CERTIFICATE = fails('ERR_TLS_CERT_ALTNAME_INVALID');
const SUCCESS = 'exit 0: succeeded (skipped)';
const NOTHING = 'exit 1: not_triggered (not_queued)';

describe('the step waits out', () => {
  it.each<[string, readonly CallKind[], What, seconds: number]>([
    ['a runner whose network is up after 40 s', ALL, 'refused', 40],
    ['a service that is away for 13 minutes at first', ALL, 'http_503', 780],
    ['an exchange that gets HTTP 408 for two minutes', ['exchange'], json({}, 408), 120],
    ['a list that fails for 13 minutes', ['list'], 'reset', 780],
    ['triggers without a connection for 13 minutes', ['trigger'], 'refused', 780],
    ['reads that fail for 13 minutes', ['read'], 'http_503', 780],
  ])('%s', async (_, calls, what, seconds) => {
    const main = await playUntil(calls, what, seconds);
    expect(await resultOf(main)).toBe(SUCCESS);
    expect(main.service.jobs).toHaveLength(1);
    expect(main.annotations.map(({ level }) => level)).toEqual(['notice']);
  });

  it.each([{}, { wait: 'false' }, { 'dry-run': 'true' }])(
    'a service that is away before a step with %j, but at most for max-outage',
    async (inputs) => {
      const short = await playUntil(ALL, 'http_503', 120, { ...inputs, 'max-outage': '3m' });
      expect(await resultOf(short)).toMatch(/^exit 0/);
      const long = await playUntil(ALL, 'http_503', 600, { ...inputs, 'max-outage': '3m' });
      expect(await resultOf(long)).toBe(NOTHING);
      expect(shownBy(long)).toMatch(/HTTP 503 .*; no valid response for 3m.* \(max-outage\)\./);
      expect(long.clock.now()).toBeGreaterThan(180_000);
      expect(long.clock.now()).toBeLessThan(215_000);
    },
  );

  it('an exchange that fails for longer than a minute once the step had a token', async () => {
    const service = createWorld({ ttlSeconds: 60 });
    const inputs = { pipeline: 'idle\norders', 'max-parallel': '1', 'poll-interval': '2m' };
    const faults: RequestFault[] = [{ call: 'exchange', fromMs: 30_000, forMs: 670_000, what: 'refused' }];
    const main = await playMain({ service, inputs, faults });
    expect(await resultOf(main)).toBe(SUCCESS);
  });
});

describe('the step', () => {
  it.each<[string, CallKind, What, afterS: number, beforeS: number]>([
    ['gives up the list immediately if a certificate is not accepted', 'list', BAD_CERTIFICATE, 0, 1],
    ['gives up a trigger after max-outage', 'trigger', 'refused', 900, 935],
    ['gives up a trigger immediately if a certificate is not accepted', 'trigger', BAD_CERTIFICATE, 0, 1],
  ])('%s', async (_, call, what, afterS, beforeS) => {
    const main = await playUntil([call], what, 7_200);
    expect(await resultOf(main)).toBe(NOTHING);
    expect(main.clock.now()).toBeGreaterThanOrEqual(afterS * 1_000);
    expect(main.clock.now()).toBeLessThan(beforeS * 1_000);
  });

  it('gives up a minute after the last response of a busy host, or at max-outage', async () => {
    const faults: RequestFault[] = [
      { call: 'exchange', fromMs: 0, forMs: 120_000, what: 'http_503' },
      { call: 'exchange', what: 'refused' },
    ];
    const main = await playMain({ faults });
    expect(main.clock.now()).toBeGreaterThan(180_000);
    expect(main.outputs['message']).toMatch(/; no valid response for 3m \d+s\. Check base-url/);
    const short = await playMain({ inputs: { 'max-outage': '30s' }, faults: [{ call: 'exchange', what: 'refused' }] });
    expect(short.clock.now()).toBeLessThan(65_000);
    expect(shownBy(short)).toContain('(max-outage)');
  });

  it('gives up 12 triggers in series after one max-outage, with two requests for each of the later ones', async () => {
    const pipelines = Array.from({ length: 12 }, (_, nth) => ({ name: `P ${nth}`, scenario: 'idle' }));
    const inputs = { pipeline: pipelines.map(({ name }) => name).join('\n'), 'max-parallel': '1', 'max-outage': '5m' };
    const faults: RequestFault[] = [{ call: 'trigger', what: 'http_429' }];
    const main = await playMain({ service: createWorld({ pipelines }), inputs, faults });
    expect(main.clock.now()).toBeLessThan(360_000);
    const posts = main.service.pipelines.map(
      ({ id }) => sentBy(main, 'trigger').filter(({ body }) => body?.includes(id)).length,
    );
    expect(posts.slice(-11)).toEqual(Array(11).fill(2));
  });

  it('does not give up a trigger because the service rejected an earlier one', async () => {
    const pipelines = [
      { name: 'Again', scenario: 'flaky' },
      { name: 'Bad', scenario: 'idle' },
    ];
    const inputs = { pipeline: 'Again\nBad', 'max-attempts': '2', 'retry-delay': '20s', 'max-outage': '1m' };
    const faults: RequestFault[] = [
      { call: 'trigger', about: 'again', from: 2, times: 5, what: 'http_429' },
      { call: 'trigger', about: 'bad', times: 1, what: 'http_429' },
      { call: 'trigger', about: 'bad', what: 'http_400' },
    ];
    const main = await playMain({ service: createWorld({ pipelines }), inputs, faults });
    expect(outcomesOf(main)).toBe('succeeded not_triggered');
  });

  it('does not give up a further attempt because the trigger of another run had an outage long before', async () => {
    const pipelines = [
      { name: 'Again', scenario: 'flaky' },
      { name: 'Gone', scenario: 'idle' },
    ];
    const inputs = { pipeline: 'Again\nGone', 'max-attempts': '2', 'retry-delay': '10m', 'max-outage': '1m' };
    const gone: RequestFault = { call: 'trigger', about: 'gone', what: 'http_429' };
    const play = (...faults: readonly RequestFault[]) =>
      playMain({ service: createWorld({ pipelines, ttlSeconds: 40 }), inputs, faults: [gone, ...faults] });
    const results = [
      await play(),
      await play({ call: 'trigger', about: 'again', from: 2, times: 4, what: 'http_429' }),
      await play({ call: 'exchange', fromMs: 600_000, forMs: 50_000, what: 'refused' }),
      // The second run is given up because of the exchange, and no request follows for minutes.
      await play({ call: 'exchange', fromMs: 33_000, forMs: 627_000, what: 'refused' }),
    ];
    expect(results.map(outcomesOf)).toEqual(Array(4).fill('succeeded not_triggered'));
    expect(results.some((main) => /responding again after \d+m/.test(shownBy(main)))).toBe(false);
  });

  it('gives up a run after max-outage, although a failed exchange follows the failed reads', async () => {
    const faults: RequestFault[] = [
      { call: 'read', fromMs: 20_000, what: 'http_503' },
      { call: 'exchange', fromMs: 200_000, what: 'http_503' },
    ];
    const inputs = { pipeline: 'endless', 'max-outage': '5m' };
    const main = await playMain({ service: createWorld({ ttlSeconds: 120 }), inputs, faults });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(main.clock.now()).toBeLessThan(370_000);
  });

  it('gives up at the limit of a kind of failure, which counts from the first such failure in a row', () => {
    const clock = new VirtualClock();
    const observer = { changed: () => undefined, note: () => undefined, tick: () => undefined };
    const time = new AwakeTime({ clock, host: { onTick: () => undefined } });
    const parts = { clock, time, observer, plan: PLAN, random: () => 0.5 };
    const request = new Patience(parts).begin('list');
    const problem = { attempted: 'list the pipelines', cause: 'HTTP 404' };
    const failsFor = (s: number, longestMs?: number): boolean => {
      let isOver = false;
      for (let passed = 0; passed < s && !isOver; passed += 10) {
        clock.sleep(10_000);
        const failure = { kind: 'not_processed', problem, call: 'list', ...(longestMs && { longestMs }) } as const;
        ({ givesUp: isOver } = request.failed(failure));
      }
      return isOver;
    };
    expect([
      failsFor(300),
      failsFor(120, 120_000),
      failsFor(10),
      failsFor(120, 120_000),
      failsFor(10, 120_000),
    ]).toEqual([false, false, false, false, true]);
  });

  it('a dead run after max-outage, although another run is healthy', async () => {
    const service = createWorld();
    const main = await playMain({
      service,
      inputs: { pipeline: 'endless\nslow', 'max-outage': '3m' },
      faults: [{ call: 'read', about: 'endless', what: 'http_503' }],
    });
    expect(outcomesOf(main)).toBe('lost succeeded');
    const reads = sentBy(main, 'read').filter(({ url }) => url.href.includes(service.jobs[0]?.id ?? '-'));
    expect(reads.at(-1)?.at).toBeLessThan(220_000);
  });
});

describe('the log while requests fail', () => {
  it('names the cause and the limit once, then each new cause, and repeats every three minutes that nothing has changed', async () => {
    const faults: RequestFault[] = [
      { call: 'exchange', fromMs: 300_000, forMs: 30_000, what: 'http_429' },
      { call: 'exchange', fromMs: 0, forMs: 600_000, what: 'http_503' },
    ];
    const main = await playMain({ inputs: { pipeline: 'orders\nbroken' }, faults });
    expect(main.log.slice(0, 5)).toEqual([
      'Could not exchange the API key for a token: HTTP 503 "try again later". The step will retry for up to 15m (max-outage).',
      expect.stringMatching(/^2 runs after 3m.*: 2 waiting; still no valid response to some requests$/),
      'Could not exchange the API key for a token: HTTP 429 "slow down".',
      expect.stringMatching(/^2 runs after 8m.*: 2 waiting; still no valid response to some requests$/),
      expect.stringMatching(/^The service is responding again after 10m/),
    ]);
  });

  it('names the cause again in the next outage, even if it follows immediately', async () => {
    const main = await playMain({
      inputs: { pipeline: 'slow' },
      faults: [{ call: 'read', every: 2, what: 'http_503' }],
    });
    const failed = expect.stringMatching(/Could not read the run's status: HTTP 503 .* \(max-outage\)\.$/) as string;
    const recovered = expect.stringMatching(/The service is responding again after 30s\.$/) as string;
    const lines = main.log.filter((line) => /Could not|responding/.test(line));
    expect(lines.slice(0, 4)).toEqual([failed, recovered, failed, recovered]);
  });

  it.each<[CallKind, string]>([
    ['exchange', 'Could not exchange the API key for a token: .* The step will retry for up to 1m\\.$'],
    ['list', 'Could not list the pipelines: .* The step will retry for up to 15m \\(max-outage\\)\\.$'],
    ['trigger', '\\[0s\\] Idle: Could not trigger the run: .* The step will retry for up to 15m \\(max-outage\\)\\.$'],
  ])('says for a failing %s how long the step will retry', async (call, words) => {
    const main = await playUntil([call], 'refused', 20);
    expect(await resultOf(main)).toBe(SUCCESS);
    expect(main.log.filter((line) => line.includes('Could not'))).toEqual([expect.stringMatching(new RegExp(words))]);
  });

  it('says that the step gives up at max-outage if that is sooner than its usual limit', async () => {
    const inputs = { 'max-outage': '30s' };
    const main = await playMain({ inputs, faults: [{ call: 'exchange', what: 'refused' }] });
    expect(main.log[0]).toMatch(/The step will retry for up to 30s \(max-outage\)\.$/);
  });

  it('mentions max-outage at a denial if earlier failures have used up most of it', async () => {
    const main = await playMain({
      inputs: { pipeline: 'slow', 'max-outage': '2m' },
      faults: inTurn('read', ['none', 'http_503', 'http_503', 'http_503', 'empty']),
    });
    expect(main.log.filter((line) => line.includes('such responses'))).toEqual([
      expect.stringMatching(/response 1 of 3\. It also stops waiting after 2m without a valid response/),
    ]);
  });

  it('names no run if the exchange fails, because that concerns all runs', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 60 }),
      inputs: { pipeline: 'slow' },
      faults: [{ call: 'exchange', fromMs: 50_000, forMs: 50_000, what: 'refused' }],
    });
    const lines = main.log.filter((line) => line.includes('Could not'));
    expect(lines).toEqual([expect.stringMatching(/^Could not exchange the API key/)]);
  });

  it.each<[CallKind, What]>([
    ['exchange', 'key_rejected'],
    ['list', 'http_403'],
  ])('does not call the rejection of a failing %s a recovery', async (call, rejection) => {
    const main = await playMain({ faults: inTurn(call, ['http_503'], rejection) });
    expect(await resultOf(main)).toBe(NOTHING);
    expect(main.log.join('\n')).not.toContain('responding again');
  });

  it('no longer mentions a trigger that failed before its response was lost', async () => {
    const main = await playMain({
      inputs: { pipeline: 'orders\nunpicked', timeout: '4m' },
      faults: inTurn('trigger', ['http_429', 'lost']),
    });
    expect(outcomesOf(main)).toBe('unknown wait_timed_out');
    expect(main.log.filter((line) => line.includes('2 runs after'))).toEqual([
      expect.stringMatching(/: 1 possibly triggered, 1 queued$/),
    ]);
  });
});

describe('an outage', () => {
  it.each<[string, What]>([
    ['refused connections', 'refused'],
    ['captive portal certificates', BAD_CERTIFICATE],
    ['rejected tokens', 'http_401'],
  ])('of %s for four minutes does not lose the run, and the log mentions max-outage once', async (_, what) => {
    const main = await playMain({
      inputs: { pipeline: 'slow' },
      faults: [{ call: 'read', fromMs: 5_000, forMs: 265_000, what }],
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.log.filter((line) => /Could not|still|responding/.test(line))).toEqual([
      expect.stringMatching(
        /Could not read the run's status: .*\. The step will keep checking the status for up to 15m \(max-outage\)\.$/,
      ),
      expect.stringMatching(/Slow: still no valid response$/),
      expect.stringMatching(/The service is responding again after 4m\.$/),
      expect.stringMatching(/Slow: still running$/),
    ]);
    expect(main.annotations).toEqual([]);
  });

  it('that lasts for max-outage loses the run, but does not cancel it, so it can be resumed', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless', 'max-outage': '5m' },
      faults: [{ call: 'read', from: 2, what: 'http_503' }],
    });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(callsOf(main)).not.toContain('cancel');
    expect(main.clock.now()).toBeGreaterThan(330_000);
    expect(main.clock.now()).toBeLessThan(335_000);
    expect(runsOf(main)).toBe('running');
    const [annotation] = main.annotations;
    expect(annotation?.message).toMatch(
      /^Lost contact with run \S+ of Endless.*HTTP 503.*no valid response for 5m.*\(max-outage\)/,
    );
    expect(annotation?.message).toContain(`set job-id to ${main.service.jobs[0]?.id}`);
  });

  it('that exceeds max-outage only when added to an earlier outage does not lose the run', async () => {
    const four = Array<What>(4).fill('reset');
    const faults = inTurn('read', [...four, 'none', ...four]);
    const main = await playMain({ inputs: { pipeline: 'slow', 'max-outage': '2m' }, faults });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it('of the exchange ends with the next token, even if the reads with this token fail', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 60 }),
      inputs: { pipeline: 'slow', 'max-outage': '4m' },
      faults: [
        { call: 'exchange', fromMs: 50_000, forMs: 150_000, what: 'refused' },
        { call: 'read', fromMs: 200_000, forMs: 200_000, what: 'http_503' },
        { call: 'exchange', fromMs: 290_000, forMs: 110_000, what: 'refused' },
      ],
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it.each<[string, readonly RequestFault[], string]>([
    ['a failed exchange', [], '1m 30s'],
    ['failed reads', [{ call: 'read', fromMs: 30_000, forMs: 20_000, what: 'http_503' }], '2m'],
  ])(
    'that begins with %s and ends with a token is reported once, with its whole duration',
    async (_, reads, lasted) => {
      const main = await playMain({
        service: createWorld({ ttlSeconds: 60 }),
        inputs: { pipeline: 'slow' },
        faults: [...reads, { call: 'exchange', fromMs: 50_000, forMs: 100_000, what: 'refused' }],
      });
      expect(main.log.filter((line) => line.includes('responding again'))).toEqual([
        expect.stringMatching(new RegExp(`after ${lasted}\\.$`)),
      ]);
    },
  );

  it('needs more than one failed check, even if max-outage is shorter than the poll interval', async () => {
    const main = await playMain({
      inputs: { 'max-outage': '1s' },
      faults: [{ call: 'read', from: 2, times: 1, what: 'reset' }],
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it.each(['orders', ''])('of the exchange does not lose an existing run (pipeline: "%s")', async (pipeline) => {
    const { service, id } = existingRun('orders');
    const faults: RequestFault[] = [{ call: 'exchange', fromMs: 0, forMs: 30_000, what: 'http_503' }];
    const main = await playMain({ service, inputs: { pipeline, 'job-id': id }, faults });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });
});

describe('three rejected reads in a row', () => {
  it('lose the run, and the log counts them', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless', 'max-outage': '2m' },
      faults: [{ call: 'read', from: 2, what: 'http_403' }],
    });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    // The first of them is repeated with another token.
    expect(sentBy(main, 'read')).toHaveLength(5);
    expect(main.log.filter((line) => /stops waiting after 3 such responses/.test(line))).toEqual([
      expect.stringMatching(/This was response 1 of 3\.$/),
      expect.stringMatching(/This was response 2 of 3\.$/),
    ]);
    expect(shownBy(main)).not.toContain('max-outage)');
  });

  it('are not needed if max-outage passes first, and the log mentions both limits', async () => {
    const inputs = { pipeline: 'endless', 'max-outage': '20s' };
    const main = await playMain({ inputs, faults: [{ call: 'read', from: 2, what: 'http_403' }] });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(sentBy(main, 'read')).toHaveLength(4);
    expect(shownBy(main)).toContain(
      'after 3 such responses in a row. This was response 1 of 3. It also stops waiting after 20s without',
    );
  });

  // An empty response about a run that was seen counts as a rejection, and unlike HTTP 403, it leads to no other token.
  it.each<[string, readonly What[]]>([
    ['a good read', ['none', 'empty', 'empty', 'none', 'empty', 'empty']],
    ['a lost connection', ['none', 'empty', 'empty', 'reset', 'empty', 'empty']],
  ])('are not reached if %s is between them', async (_, faults) => {
    const main = await playMain({ inputs: { pipeline: 'slow' }, faults: inTurn('read', faults) });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it('are not needed for max-outage to apply if rejections and empty responses alternate', async () => {
    const main = await playMain(
      {
        inputs: { pipeline: 'endless', 'max-outage': '5m' },
        faults: [
          { call: 'read', every: 2, what: 'http_403' },
          { call: 'read', from: 2, what: 'empty' },
        ],
      },
      (it) => it.at(3_600_000, () => it.kill()),
    );
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
  });
});

describe('an empty response to a read', () => {
  it('about a new run that was never seen is an outage, because a replica may lag', async () => {
    const main = await playMain({ faults: inTurn('read', Array(5).fill('empty')) });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(shownBy(main)).toMatch(/read the run's status: the service did not return the run\. .*max-outage/);
  });

  it('about a run that was seen before loses the run if it is the third in a row', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless' },
      faults: [{ call: 'read', from: 2, what: 'empty' }],
    });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(sentBy(main, 'read')).toHaveLength(4);
    expect(shownBy(main)).toMatch(/Lost contact with run.*the service did not return the run/);
  });

  it.each([{ pipeline: '' }, { pipeline: 'orders' }])(
    'about a job-id that was never seen is counted, and a web page is not (%j)',
    async (inputs) => {
      const main = await playMain({
        inputs: { ...inputs, 'job-id': '11111111-2222-4333-8444-555555555555' },
        faults: inTurn('read', ['page_403', 'none', 'none', 'page_403']),
      });
      expect(await resultOf(main)).toBe('exit 1: lost (unknown)');
      expect(callsOf(main)).toMatch(/read×7$/);
      const limits = main.log.flatMap((line) => /response \d of 3|max-outage/.exec(line)?.[0] ?? []);
      expect(limits).toEqual(['max-outage', 'response 1 of 3', 'response 2 of 3']);
    },
  );

  const NO_CONTACT = /Could not find run 1{8}\S+: .*no run with this id/;
  it.each([
    [{ pipeline: '' }, 'lost (unknown)', NO_CONTACT],
    [{ pipeline: 'orders' }, 'lost (unknown)', NO_CONTACT],
    [
      { pipeline: '', 'dry-run': 'true' },
      'not_triggered (unknown)',
      /could not read the status of run 1{8}.*no run with this id/,
    ],
  ])(
    'about a job-id that was never seen stops the step without a trigger if it is the third in a row (%j)',
    async (inputs, result, words) => {
      const id = '11111111-2222-4333-8444-555555555555';
      const main = await playMain({ inputs: { ...inputs, 'job-id': id } });
      expect(await resultOf(main)).toBe(`exit 1: ${result}`);
      expect(callsOf(main)).toMatch(/read×3$/);
      expect(main.outputs['message']).toMatch(words);
      expect(shownBy(main)).toContain('Check that the id');
    },
  );

  it('about a job-id that follows rejections does not make the message deny that the step read the status', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const faults = inTurn('read', ['none', 'none', 'http_503', 'http_403', 'http_403']);
    const main = await playMain({ inputs: { pipeline: '', 'job-id': id }, faults });
    expect(main.outputs['message']).toMatch(
      /^The step could not read the status of run .*: this API key's workspace has/,
    );
  });

  it('about a job-id that was never seen does not keep a later signal from cancelling the run', async () => {
    const { service, id } = existingRun('endless');
    const { id: lateId } = existingRun('slow', 0, service);
    const inputs = { pipeline: '', 'job-id': `${lateId}\n${id}`, 'on-cancel': 'cancel' };
    const faults = [{ call: 'read', about: 'slow', what: 'empty' }] as const;
    const main = await playMain({ service, inputs, faults }, (it) => it.at(90_000, () => it.signal('SIGINT')));
    expect(main.log.join('\n')).toContain(`Could not find run ${lateId}`);
    expect([outcomesOf(main), runsOf(main)]).toEqual(['cancelled cancelled', 'cancelled cancelled']);
  });

  it('about several job-ids that were never seen makes the message count these runs as not found', async () => {
    const ids = ['11111111-2222-4333-8444-555555555555', '22222222-2222-4333-8444-555555555555'];
    const main = await playMain({ inputs: { pipeline: '', 'job-id': ids.join('\n') } });
    expect(await resultOf(main)).toBe('exit 1: lost (unknown)');
    expect(main.outputs['message']).toBe(`0 of 2 runs succeeded; 2 not found (${ids.join(' and ')}).`);
    expect(shownBy(main)).not.toContain('still be running');
  });

  it('once about several job-ids after an outage does not make the message say that these runs do not exist', async () => {
    const { service, id } = existingRun('endless');
    const inputs = { pipeline: '', 'job-id': `${id}\n11111111-2222-4333-8444-555555555555`, 'max-outage': '5m' };
    const faults = [
      { call: 'read', fromMs: 0, forMs: 299_000, what: 'http_503' },
      { call: 'read', fromMs: 299_000, what: 'empty' },
    ] as const;
    const main = await playMain({ service, inputs, faults });
    expect(main.outputs['message']).toMatch(
      /^0 of 2 runs succeeded; 2 with an unknown result and possibly still running/,
    );
    expect(shownBy(main)).not.toContain('Could not find run');
    expect(shownBy(main)).toContain('Runs that may still be running');
  });
});

describe('an API key', () => {
  it('that is revoked loses the run after three rejections over a minute, and the error includes the cause', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) =>
      it.at(40_000, () => revokeKey(it.service, SANDBOX_KEY)),
    );
    expect(await resultOf(main)).toBe('exit 1: lost (running)');
    expect(sentBy(main, 'exchange')).toHaveLength(4);
    expect(shownBy(main)).toMatch(/revoked"\. .* gives up sooner if the service rejects the key 3 times/);
    expect(main.annotations[0]?.message).toMatch(
      /API key is wrong or was revoked.*may still be running|may still be running.*API key is wrong or was revoked/s,
    );
  });

  it('that is rejected during an outage has a limit of its own, which the log mentions', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 90 }),
      inputs: { pipeline: 'endless' },
      faults: [
        { call: 'read', fromMs: 30_000, what: 'refused' },
        { call: 'exchange', fromMs: 60_000, what: 'key_rejected' },
      ],
    });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(main.log.filter((line) => line.includes('keep checking'))).toEqual([
      expect.stringMatching(/for up to 15m \(max-outage\)\.$/),
      expect.stringMatching(/HTTP 401 .* gives up sooner if the service rejects the key 3 times over at least 1m\.$/),
    ]);
  });
});

describe('a lost run', () => {
  const LOST: FakeOptions = {
    inputs: { pipeline: 'endless', 'max-outage': '1m' },
    faults: [{ call: 'read', fromMs: 0, forMs: 300_000, what: 'reset' }],
  };

  it.each([
    ['success', 'running', ''],
    ['cancelled', 'cancelled', 'exchange cancel'],
  ])('in a job with the status %s is %s after the post step', async (status, runs, calls) => {
    const main = await playMain(LOST);
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    const post = await playPost(main, { inputs: { 'internal-job-status': status } });
    expect(runsOf(post)).toBe(runs);
    expect(callsOf(post)).toBe(calls);
  });

  it('is cancelled by a signal that arrives while the step waits for another run', async () => {
    const main = await playMain(
      {
        inputs: { pipeline: 'endless\nslow', 'max-outage': '1m' },
        faults: [
          { call: 'read', about: 'endless', what: 'reset' },
          // The step must not end when only the run that it was waiting for is cancelled.
          { call: 'cancel', about: 'endless', fromMs: 0, forMs: 152_000, what: 'reset' },
        ],
      },
      (it) => it.at(150_000, () => it.signal('SIGTERM')),
    );
    expect(runsOf(main)).toBe('cancelled cancelled');
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
  });
});
