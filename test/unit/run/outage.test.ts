// Failed status checks: when the step continues, when it gives up, and which limit the log mentions.
import { describe, expect, it } from 'vitest';
import { createWorld, refuseTokens, revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import {
  FORBIDDEN,
  fatesOf,
  json,
  NO_ROWS,
  NOT_JSON,
  PAGE,
  TOO_MANY,
  UNAUTHORIZED,
  UNAVAILABLE,
} from '../../support/answers.ts';
import type { Fate, SentRequest } from '../../support/network.ts';
import { callsOf, existingRun, playMain, playPost, resultOf, runsOf, sentBy, shownBy } from '../../support/steps.ts';
import type { FakeOptions } from '../../support/world.ts';

describe('an outage', () => {
  it.each<[string, Fate]>([
    ['refused connections', 'refused'],
    ['gateway errors', UNAVAILABLE],
    ['rate limits', TOO_MANY],
    ['captive portal certificates', { fails: 'ERR_TLS_CERT_ALTNAME_INVALID', isConnected: false }],
    ['non-JSON bodies', NOT_JSON],
    ['firewall web pages', PAGE],
    ['web pages with status 404', { ...(PAGE as object), status: 404 }],
    ['firewall texts', { status: 403, headers: { 'content-type': 'text/plain' }, text: 'error code: 1020' }],
    ['empty rejections', { status: 403, headers: {}, text: '' }],
    ['rejected tokens', UNAUTHORIZED],
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
      expect.stringMatching(/The service is responding again after 4m 30s\.$/),
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
    expect(main.clock.now()).toBeGreaterThan(300_000);
    expect(main.clock.now()).toBeLessThan(335_000);
    expect(runsOf(main)).toBe('running');
    const [annotation] = main.annotations;
    expect(annotation?.message).toMatch(
      /^Lost contact with run \S+ of Endless.*HTTP 503.*no valid response for 5m.*\(max-outage\)/,
    );
    expect(annotation?.message).toContain(`set the job-id input to ${main.service.jobs[0]?.id}`);
  });

  it('that exceeds max-outage only when added to an earlier outage does not lose the run', async () => {
    const four = Array<Fate>(4).fill('reset');
    const network = fatesOf('read', [...four, 'service', ...four]);
    const main = await playMain({ inputs: { pipeline: 'slow', 'max-outage': '3m' }, network });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it('needs more than one failed check, even if max-outage is shorter than the poll interval', async () => {
    const main = await playMain({ inputs: { 'max-outage': '1s' }, network: fatesOf('read', ['service', 'reset']) });
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
    // The first of them is repeated with another token.
    expect(sentBy(main, 'read')).toHaveLength(5);
    expect(main.log.filter((line) => /stops waiting after 3 such responses/.test(line))).toEqual([
      expect.stringContaining('(1 of 3).'),
      expect.stringContaining('(2 of 3).'),
    ]);
    expect(shownBy(main)).not.toContain('max-outage)');
  });

  it('are not needed if max-outage passes first, and the log mentions both limits', async () => {
    const inputs = { pipeline: 'endless', 'max-outage': '45s' };
    const main = await playMain({ inputs, network: fatesOf('read', ['service'], FORBIDDEN) });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(sentBy(main, 'read')).toHaveLength(4);
    expect(shownBy(main)).toContain(
      'after 3 such responses in a row (1 of 3), or after 45s without a valid response (max-outage).',
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

  it('about a run that was seen before is tolerated twice', async () => {
    const main = await playMain({ network: fatesOf('read', ['service', NO_ROWS, NO_ROWS]) });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
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

  it('about a job-id is tolerated twice', async () => {
    const { service, id } = existingRun('orders');
    const main = await playMain({
      service,
      inputs: { pipeline: '', 'job-id': id },
      network: fatesOf('read', [NO_ROWS, NO_ROWS]),
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });
});

describe('the API key', () => {
  it('loses the run after three rejections over a minute if it is revoked, and the error includes the cause', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) =>
      it.at(40_000, () => revokeKey(it.service, SANDBOX_KEY)),
    );
    expect(await resultOf(main)).toBe('exit 1: lost (running)');
    expect(sentBy(main, 'exchange')).toHaveLength(4);
    expect(shownBy(main)).toMatch(/revoked" \(three rejections over at least a minute are final\)/);
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
      expect.stringMatching(/HTTP 401 .*\(three rejections over at least a minute are final\)/),
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

  it('is exchanged again before each token expires, and every token is masked', async () => {
    const main = await playMain({ service: createWorld({ ttlSeconds: 100 }), inputs: { pipeline: 'slow' } });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(sentBy(main, 'exchange').length).toBeGreaterThanOrEqual(5);
    for (const { value } of main.service.tokens) expect(main.masked).toContain(value);
    expect(shownBy(main)).not.toMatch(/HTTP 401/);
  });

  it.each(['unauthorized', 'forbidden', 'code', 'message'] as const)(
    'is exchanged once if the service refuses the token of all runs (%s), and no status check waits',
    async (refusal) => {
      const main = await playMain(
        { service: createWorld({ exemptReads: 1 }), inputs: { pipeline: 'slow\norders' } },
        (it) => it.at(20_000, () => refuseTokens(it.service, refusal)),
      );
      expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
      expect(sentBy(main, 'exchange')).toHaveLength(2);
      expect(main.service.violations).toEqual([]);
      expect(main.log.filter((line) => line.includes('Could not'))).toEqual([]);
    },
  );

  it('loses no run to an error that speaks of the schema', async () => {
    const error = json({ code: '42703', message: 'column does not exist' }, 400);
    const main = await playMain({ inputs: { pipeline: 'slow' }, network: fatesOf('read', Array<Fate>(5).fill(error)) });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(shownBy(main)).toMatch(/code 42703\)\. The step keeps checking for up to 15m/);
  });

  it('can be rejected without effect while the token is valid', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 640 }),
      inputs: { pipeline: 'slow' },
      network: ({ call, nth }) => (call === 'exchange' && nth > 1 ? UNAUTHORIZED : 'service'),
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.annotations).toEqual([]);
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

  it('that has since completed keeps its status when the post step tries to cancel it', async () => {
    const main = await playMain({ inputs: { 'max-outage': '2m' }, network: fatesOf('read', [], 'reset') });
    const post = await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } });
    expect([runsOf(post), callsOf(post)]).toEqual(['completed', 'exchange cancel read']);
  });
});
