// Failed requests: how long the step repeats them, when it gives up, and what the log says meanwhile.
import { describe, expect, it } from 'vitest';
import { createWorld, revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { Patience, pauseAfter } from '../../../src/run/patience.ts';
import {
  FORBIDDEN,
  fatesOf,
  NO_ROWS,
  NOT_JSON,
  PAGE,
  TOO_MANY,
  UNAUTHORIZED,
  UNAVAILABLE,
} from '../../support/answers.ts';
import type { Fate, SentRequest } from '../../support/network.ts';
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

/** Plays a step whose requests of these kinds get this fate up to a time, in seconds. */
function playUntil(
  calls: readonly SentRequest['call'][],
  fate: Fate,
  untilS: number,
  inputs: Readonly<Record<string, string>> = {},
) {
  const network = ({ call, at }: SentRequest): Fate => (calls.includes(call) && at < untilS * 1_000 ? fate : 'service');
  return playMain({ inputs: { pipeline: 'idle', ...inputs }, network });
}

const API = ['list', 'trigger', 'read'] as const;
const ALL = ['exchange', ...API] as const;
const BAD_CERTIFICATE = { fails: 'ERR_TLS_CERT_ALTNAME_INVALID', isConnected: false };
const SUCCESS = 'exit 0: succeeded (skipped)';
const NOTHING = 'exit 1: not_triggered (not_queued)';

describe('the step waits out', () => {
  it.each<[string, readonly SentRequest['call'][], Fate, seconds: number]>([
    ['a runner whose network is up after 40 s', ALL, 'refused', 40],
    ['a service that is away for 13 minutes at first', ALL, UNAVAILABLE, 780],
    ['a list that fails for 13 minutes', ['list'], 'reset', 780],
    ['triggers that are rate-limited for 13 minutes', ['trigger'], TOO_MANY, 780],
    ['reads that fail for 13 minutes', ['read'], UNAVAILABLE, 780],
  ])('%s', async (_, calls, fate, seconds) => {
    const main = await playUntil(calls, fate, seconds);
    expect(await resultOf(main)).toBe(SUCCESS);
    expect(main.service.jobs).toHaveLength(1);
    expect(main.annotations.map(({ level }) => level)).toEqual(['notice']);
  });

  it.each([{}, { wait: 'false' }, { 'dry-run': 'true' }])(
    'a service that is away before a step with %j, but at most for max-outage',
    async (inputs) => {
      const short = await playUntil(ALL, UNAVAILABLE, 120, { ...inputs, 'max-outage': '3m' });
      expect(await resultOf(short)).toMatch(/^exit 0/);
      const long = await playUntil(ALL, UNAVAILABLE, 600, { ...inputs, 'max-outage': '3m' });
      expect(await resultOf(long)).toBe(NOTHING);
      expect(shownBy(long)).toMatch(/HTTP 503 .*; no valid response for 3m.* \(max-outage\)\./);
      expect(long.clock.now()).toBeGreaterThan(180_000);
      expect(long.clock.now()).toBeLessThan(215_000);
    },
  );

  it('an exchange that fails for longer than a minute once the step had a token', async () => {
    const service = createWorld({ ttlSeconds: 60 });
    const inputs = { pipeline: 'idle\norders', 'max-parallel': '1', 'poll-interval': '2m' };
    const network = ({ call, at }: SentRequest): Fate =>
      call === 'exchange' && at > 30_000 && at < 700_000 ? 'refused' : 'service';
    const main = await playMain({ service, inputs, network });
    expect(await resultOf(main)).toBe(SUCCESS);
  });
});

describe('the step gives up', () => {
  it.each<[string, SentRequest['call'], Fate, afterS: number, beforeS: number]>([
    ['the exchange after a minute if it cannot connect, because base-url may be wrong', 'exchange', 'refused', 60, 95],
    ['the exchange after a minute if a firewall blocks it', 'exchange', PAGE, 60, 95],
    ['the exchange at once if a certificate is not accepted', 'exchange', BAD_CERTIFICATE, 0, 1],
    ['the list after max-outage', 'list', UNAVAILABLE, 900, 935],
    ['the list at once if a certificate is not accepted', 'list', BAD_CERTIFICATE, 0, 1],
    ['a trigger after max-outage', 'trigger', 'refused', 900, 935],
    ['a trigger at once if a certificate is not accepted', 'trigger', BAD_CERTIFICATE, 0, 1],
  ])('%s', async (_, call, fate, afterS, beforeS) => {
    const main = await playUntil([call], fate, 7_200);
    expect(await resultOf(main)).toBe(NOTHING);
    expect(main.clock.now()).toBeGreaterThanOrEqual(afterS * 1_000);
    expect(main.clock.now()).toBeLessThan(beforeS * 1_000);
  });

  it('a minute after the last response of a busy host, or at max-outage', async () => {
    const busy = ({ call, at }: SentRequest): Fate =>
      call !== 'exchange' ? 'service' : at < 120_000 ? UNAVAILABLE : 'refused';
    const main = await playMain({ network: busy });
    expect(main.clock.now()).toBeGreaterThan(180_000);
    const short = await playMain({ inputs: { 'max-outage': '30s' }, network: fatesOf('exchange', [], 'refused') });
    expect(short.clock.now()).toBeLessThan(65_000);
    expect(shownBy(short)).toContain('(max-outage)');
  });

  it('12 triggers in series after one max-outage, with two requests for each of the later ones', async () => {
    const pipelines = Array.from({ length: 12 }, (_, nth) => ({ name: `P ${nth}`, scenario: 'idle' }));
    const inputs = { pipeline: pipelines.map(({ name }) => name).join('\n'), 'max-parallel': '1', 'max-outage': '5m' };
    const network = fatesOf('trigger', [], TOO_MANY);
    const main = await playMain({ service: createWorld({ pipelines }), inputs, network });
    expect(main.clock.now()).toBeLessThan(360_000);
    const posts = main.service.pipelines.map(
      ({ id }) => sentBy(main, 'trigger').filter(({ body }) => body?.includes(id)).length,
    );
    expect(posts.slice(-11)).toEqual(Array(11).fill(2));
  });

  it('a run after max-outage, although a failed exchange follows the failed reads', async () => {
    const network = ({ call, at }: SentRequest): Fate =>
      (call === 'read' && at > 20_000) || (call === 'exchange' && at > 200_000) ? UNAVAILABLE : 'service';
    const inputs = { pipeline: 'endless', 'max-outage': '5m' };
    const main = await playMain({ service: createWorld({ ttlSeconds: 120 }), inputs, network });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(main.clock.now()).toBeLessThan(370_000);
  });

  it('a failure with a limit of its own at that limit, which counts from the first such failure in a row', () => {
    const clock = new VirtualClock();
    const observer = { changed: () => undefined, note: () => undefined, waiting: () => undefined };
    const parts = { clock, host: { onTick: () => undefined }, observer, plan: PLAN, random: () => 0.5 };
    const request = new Patience(parts).begin('list');
    const problem = { attempted: 'list the pipelines', cause: 'HTTP 404' };
    const failsFor = (s: number, longestMs?: number): boolean => {
      let isOver = false;
      for (let passed = 0; passed < s && !isOver; passed += 10) {
        clock.sleep(10_000);
        const failure = { kind: 'not_processed', problem, call: 'list', ...(longestMs && { longestMs }) } as const;
        ({ isOver } = request.failed(failure));
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
      network: ({ call, url }) =>
        call === 'read' && url.href.includes(service.jobs[0]?.id ?? '-') ? UNAVAILABLE : 'service',
    });
    expect(outcomesOf(main)).toBe('lost succeeded');
    const reads = sentBy(main, 'read').filter(({ url }) => url.href.includes(service.jobs[0]?.id ?? '-'));
    expect(reads.at(-1)?.at).toBeLessThan(220_000);
  });
});

describe('the log while requests fail', () => {
  it('names the cause and the limit once, each new cause, and every three minutes that nothing has changed', async () => {
    const network = ({ call, at }: SentRequest): Fate =>
      call !== 'exchange' || at > 600_000 ? 'service' : at > 300_000 && at < 330_000 ? TOO_MANY : UNAVAILABLE;
    const main = await playMain({ inputs: { pipeline: 'orders\nbroken' }, network });
    expect(main.log.slice(0, 5)).toEqual([
      'Could not exchange the API key for a token: HTTP 503 "try again later". The step keeps trying for up to 15m (max-outage).',
      expect.stringMatching(/^2 runs after 3m.*: 2 waiting; still no valid response to some requests$/),
      'Could not exchange the API key for a token: HTTP 429 "slow down".',
      expect.stringMatching(/^2 runs after 8m.*: 2 waiting; still no valid response to some requests$/),
      expect.stringMatching(/^The service is responding again after 10m/),
    ]);
  });

  it.each<[SentRequest['call'], string]>([
    ['exchange', 'Could not exchange the API key for a token: .* The step keeps trying for up to 1m.'],
    ['list', 'Could not list the pipelines: .* The step keeps trying for up to 15m \\(max-outage\\).'],
    ['trigger', '\\[0s\\] Idle: Could not trigger the run: .* The step keeps trying for up to 15m \\(max-outage\\).'],
  ])('says for a failing %s how long the step goes on', async (call, words) => {
    const main = await playUntil([call], 'refused', 20);
    expect(await resultOf(main)).toBe(SUCCESS);
    expect(main.log.join('\n')).toMatch(new RegExp(words));
    expect(main.log.filter((line) => line.includes('Could not'))).toHaveLength(1);
  });
});

describe('an outage', () => {
  it.each<[string, Fate]>([
    ['captive portal certificates', BAD_CERTIFICATE],
    ['non-JSON bodies', NOT_JSON],
    ['web pages with status 404', { ...(PAGE as object), status: 404 }],
    ['firewall texts', { status: 403, headers: { 'content-type': 'text/plain' }, text: 'error code: 1020' }],
    ['proxies that demand a login', { status: 407, headers: {}, text: '' }],
  ])('of %s for four minutes does not lose the run, and the log mentions max-outage once', async (_, fate) => {
    const main = await playMain({
      inputs: { pipeline: 'slow' },
      network: ({ call, at }) => (call === 'read' && at > 5_000 && at < 270_000 ? fate : 'service'),
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.log.filter((line) => /Could not|still|responding/.test(line))).toEqual([
      expect.stringMatching(
        /Could not read the run's status: .*\. The step keeps checking for up to 15m \(max-outage\)\.$/,
      ),
      expect.stringMatching(/Slow: still no valid response$/),
      expect.stringMatching(/The service is responding again after 4m\.$/),
      expect.stringMatching(/Slow: still running$/),
    ]);
    expect(main.annotations).toEqual([]);
  });

  it('that lasts for max-outage loses the run, but leaves it in progress so that it can be resumed', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless', 'max-outage': '5m' },
      network: fatesOf('read', ['service'], UNAVAILABLE),
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
    expect(annotation?.message).toContain(`set the job-id input to ${main.service.jobs[0]?.id}`);
  });

  it('needs more than one failed check, even if max-outage is shorter than the poll interval', async () => {
    const main = await playMain({ inputs: { 'max-outage': '1s' }, network: fatesOf('read', ['service', 'reset']) });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it.each(['orders', ''])('of the exchange does not lose an existing run (pipeline: "%s")', async (pipeline) => {
    const { service, id } = existingRun('orders');
    const network = ({ call, at }: SentRequest): Fate => (call === 'exchange' && at < 30_000 ? UNAVAILABLE : 'service');
    const main = await playMain({ service, inputs: { pipeline, 'job-id': id }, network });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });
});

describe('three rejected reads in a row', () => {
  it('lose the run, and the log counts them', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless', 'max-outage': '2m' },
      network: fatesOf('read', ['service'], FORBIDDEN),
    });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(sentBy(main, 'read')).toHaveLength(4);
    expect(main.log.filter((line) => /stops waiting after 3 such responses/.test(line))).toEqual([
      expect.stringContaining('(1 of 3).'),
      expect.stringContaining('(2 of 3).'),
    ]);
    expect(shownBy(main)).not.toContain('max-outage)');
  });

  it('are not needed if max-outage passes first, and the log mentions both limits', async () => {
    const inputs = { pipeline: 'endless', 'max-outage': '20s' };
    const main = await playMain({ inputs, network: fatesOf('read', ['service'], FORBIDDEN) });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(sentBy(main, 'read')).toHaveLength(3);
    expect(shownBy(main)).toContain(
      'after 3 such responses in a row (1 of 3), or after 20s without a valid response (max-outage).',
    );
  });

  it.each<[string, readonly Fate[]]>([
    ['a good read', [FORBIDDEN, FORBIDDEN, 'service', FORBIDDEN, FORBIDDEN]],
    ['a lost connection', [FORBIDDEN, FORBIDDEN, 'reset', FORBIDDEN, FORBIDDEN]],
  ])('are not reached if %s is between them', async (_, fates) => {
    const main = await playMain({ inputs: { pipeline: 'slow' }, network: fatesOf('read', fates) });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it('are not needed for max-outage to apply if rejections and empty responses alternate', async () => {
    const main = await playMain(
      {
        inputs: { pipeline: 'endless', 'max-outage': '5m' },
        network: ({ call, nth }) => (call !== 'read' || nth === 1 ? 'service' : nth % 2 === 0 ? FORBIDDEN : NO_ROWS),
      },
      (it) => it.at(3_600_000, () => it.kill()),
    );
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
  });
});

describe('an empty response to a read', () => {
  it('about a new run that was never seen is an outage, because a replica may lag', async () => {
    const main = await playMain({ network: fatesOf('read', Array(5).fill(NO_ROWS)) });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(shownBy(main)).toMatch(/read the run's status: the service did not return the run\. .*max-outage/);
  });

  it('about a run that was seen before loses the run if it is the third in a row', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' }, network: fatesOf('read', ['service'], NO_ROWS) });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(sentBy(main, 'read')).toHaveLength(4);
    expect(shownBy(main)).toMatch(/Lost contact with run.*the service did not return the run/);
  });

  it.each([{ pipeline: '' }, { pipeline: 'orders' }])(
    'about a job-id that was never seen is counted, and a web page is not (%j)',
    async (inputs) => {
      const main = await playMain({
        inputs: { ...inputs, 'job-id': '11111111-2222-4333-8444-555555555555' },
        network: fatesOf('read', [PAGE, 'service', 'service', PAGE], 'service'),
      });
      expect(await resultOf(main)).toBe('exit 1: lost (unknown)');
      expect(callsOf(main)).toMatch(/read×7$/);
      const limits = main.log.flatMap((line) => /in a row \(\d of 3\)|max-outage/.exec(line)?.[0] ?? []);
      expect(limits).toEqual(['max-outage', 'in a row (1 of 3)', 'in a row (2 of 3)']);
    },
  );

  it.each([{ pipeline: '' }, { pipeline: 'orders' }])(
    'about a job-id that was never seen stops the step without a trigger if it is the third in a row (%j)',
    async (inputs) => {
      const id = '11111111-2222-4333-8444-555555555555';
      const main = await playMain({ inputs: { ...inputs, 'job-id': id } });
      expect(await resultOf(main)).toBe('exit 1: lost (unknown)');
      expect(callsOf(main)).toMatch(/read×3$/);
      expect(shownBy(main)).toMatch(/Could not read run 11111111\S+: .*no run with this id.*Check that the id/s);
    },
  );
});

describe('the API key', () => {
  it('loses the run after three rejections over a minute if it is revoked, and the error includes the cause', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) =>
      it.at(40_000, () => revokeKey(it.service, SANDBOX_KEY)),
    );
    expect(await resultOf(main)).toBe('exit 1: lost (running)');
    expect(sentBy(main, 'exchange')).toHaveLength(4);
    expect(shownBy(main)).toMatch(/or until the key has been rejected three times over at least a minute/);
    expect(main.annotations[0]?.message).toMatch(
      /API key is wrong or was revoked.*may still be in progress|may still be in progress.*API key is wrong or was revoked/s,
    );
  });

  it('that is rejected during an outage adds its own limit to the one in the log', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 90 }),
      inputs: { pipeline: 'endless' },
      network: ({ call, at }) =>
        call === 'read' && at > 30_000 ? 'refused' : call === 'exchange' && at > 60_000 ? UNAUTHORIZED : 'service',
    });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(main.log.filter((line) => line.includes('keeps checking'))).toEqual([
      expect.stringMatching(/for up to 15m \(max-outage\)\.$/),
      expect.stringMatching(/\(max-outage\), or until the key has been rejected three times over at least a minute\.$/),
    ]);
  });

  it('that is rejected repeatedly for less than a minute does not lose the run', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 30 }),
      inputs: { 'base-url': 'http://localhost:4000', 'poll-interval': '5s' },
      network: ({ call, at }) => (call === 'exchange' && at > 30_000 && at < 80_000 ? UNAUTHORIZED : 'service'),
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it('that is rejected only twice does not lose the run, however far apart', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 30 }),
      inputs: { pipeline: 'slow', 'poll-interval': '2m' },
      network: ({ call, nth }) => (call === 'exchange' && (nth === 3 || nth === 4) ? UNAUTHORIZED : 'service'),
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });
});

describe('a lost run', () => {
  const LOST: FakeOptions = {
    inputs: { pipeline: 'endless', 'max-outage': '1m' },
    network: ({ call, at }) => (call === 'read' && at < 300_000 ? 'reset' : 'service'),
  };

  it.each([
    ['success', 'running', ''],
    ['failure', 'running', ''],
    ['cancelled', 'cancelled', 'exchange cancel'],
  ])('in a job with the status %s is %s after the post step', async (status, runs, calls) => {
    const main = await playMain(LOST);
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    const post = await playPost(main, { inputs: { 'internal-job-status': status } });
    expect(runsOf(post)).toBe(runs);
    expect(callsOf(post)).toBe(calls);
  });

  it('is cancelled by a signal that arrives while the step waits for another run', async () => {
    const service = createWorld();
    const isFirst = (href: string): boolean => href.includes(service.jobs[0]?.id ?? '-');
    // The step must not end when only the run that it was waiting for is cancelled.
    const isRefused = ({ call, url, at }: SentRequest): boolean =>
      isFirst(url.href) && (call === 'read' || (call === 'cancel' && at < 152_000));
    const main = await playMain(
      {
        service,
        inputs: { pipeline: 'endless\nslow', 'max-outage': '1m' },
        network: (request) => (isRefused(request) ? 'reset' : 'service'),
      },
      (it) => it.at(150_000, () => it.signal('SIGTERM')),
    );
    expect(runsOf(main)).toBe('cancelled cancelled');
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
  });

  it('is left in progress after a signal with on-cancel: leave', async () => {
    const service = createWorld();
    const main = await playMain(
      {
        service,
        inputs: { pipeline: 'endless\nslow', 'max-outage': '1m', 'on-cancel': 'leave' },
        network: ({ call, url }) =>
          call === 'read' && url.href.includes(service.jobs[0]?.id ?? '-') ? 'reset' : 'service',
      },
      (it) => it.at(150_000, () => it.signal('SIGTERM')),
    );
    expect([callsOf(main).includes('cancel'), runsOf(main)]).toEqual([false, 'running running']);
  });
});
