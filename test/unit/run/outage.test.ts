// Failed status checks: when the step continues, when it gives up, and which limit the log mentions.
import { describe, expect, it } from 'vitest';
import { fails, inTurn, json, text, type What } from '../../../sandbox/faults.ts';
import { createWorld, refuseTokens, revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { callsOf, existingRun, playMain, playPost, resultOf, runsOf, sentBy, shownBy } from '../../support/steps.ts';
import type { FakeOptions } from '../../support/world.ts';

describe('an outage', () => {
  it.each<[string, What]>([
    ['refused connections', 'refused'],
    ['gateway errors', 'http_503'],
    ['rate limits', 'http_429'],
    ['captive portal certificates', fails('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['non-JSON bodies', 'nonsense'],
    ['firewall web pages', 'page_403'],
    ['web pages with status 404', text('<html>', 404, { 'content-type': 'text/html' })],
    ['firewall texts', text('error code: 1020', 403, { 'content-type': 'text/plain' })],
    ['empty rejections', text('', 403, {})],
    ['rejected tokens', 'http_401'],
    ['proxies that demand a login', text('', 407, {})],
  ])('of %s for four minutes does not lose the run, and the log mentions max-outage once', async (_, what) => {
    const main = await playMain({
      inputs: { pipeline: 'slow' },
      faults: [{ call: 'read', fromMs: 5_000, forMs: 265_000, what }],
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
      faults: [{ call: 'read', from: 2, what: 'http_503' }],
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
    const four = Array<What>(4).fill('reset');
    const faults = inTurn('read', [...four, 'none', ...four]);
    const main = await playMain({ inputs: { pipeline: 'slow', 'max-outage': '3m' }, faults });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it('needs more than one failed check, even if max-outage is shorter than the poll interval', async () => {
    const main = await playMain({
      inputs: { 'max-outage': '1s' },
      faults: [{ call: 'read', from: 2, times: 1, what: 'reset' }],
    });
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
      expect.stringContaining('(1 of 3).'),
      expect.stringContaining('(2 of 3).'),
    ]);
    expect(shownBy(main)).not.toContain('max-outage)');
  });

  it('are not needed if max-outage passes first, and the log mentions both limits', async () => {
    const inputs = { pipeline: 'endless', 'max-outage': '45s' };
    const main = await playMain({ inputs, faults: [{ call: 'read', from: 2, what: 'http_403' }] });
    expect(await resultOf(main)).toBe('exit 1: lost (queued)');
    expect(sentBy(main, 'read')).toHaveLength(4);
    expect(shownBy(main)).toContain(
      'after 3 such responses in a row (1 of 3), or after 45s without a valid response (max-outage).',
    );
  });

  it.each<[string, readonly What[]]>([
    ['a good read', ['http_403', 'http_403', 'none', 'http_403', 'http_403']],
    ['a lost connection', ['http_403', 'http_403', 'reset', 'http_403', 'http_403']],
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

  it('about a run that was seen before is tolerated twice', async () => {
    const main = await playMain({ faults: [{ call: 'read', from: 2, times: 2, what: 'empty' }] });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
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
      expect(shownBy(main)).toMatch(/No contact with run 11111111\S+\. .*no run with this id.*Check that the id/s);
    },
  );

  it('about a job-id is tolerated twice', async () => {
    const { service, id } = existingRun('orders');
    const main = await playMain({
      service,
      inputs: { pipeline: '', 'job-id': id },
      faults: [{ call: 'read', times: 2, what: 'empty' }],
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
      faults: [
        { call: 'read', fromMs: 30_000, what: 'refused' },
        { call: 'exchange', fromMs: 60_000, what: 'key_rejected' },
      ],
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
      faults: [{ call: 'exchange', fromMs: 30_000, forMs: 50_000, what: 'key_rejected' }],
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
  });

  it('that is rejected only twice does not lose the run, however far apart', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 30 }),
      inputs: { pipeline: 'slow', 'poll-interval': '2m' },
      faults: [{ call: 'exchange', from: 3, times: 2, what: 'key_rejected' }],
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
    const main = await playMain({ inputs: { pipeline: 'slow' }, faults: [{ call: 'read', times: 5, what: error }] });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(shownBy(main)).toMatch(/code 42703\)\. The step keeps checking for up to 15m/);
  });

  it('can be rejected without effect while the token is valid', async () => {
    const main = await playMain({
      service: createWorld({ ttlSeconds: 640 }),
      inputs: { pipeline: 'slow' },
      faults: [{ call: 'exchange', from: 2, what: 'key_rejected' }],
    });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.annotations).toEqual([]);
  });
});

describe('a lost run', () => {
  const LOST: FakeOptions = {
    inputs: { pipeline: 'endless', 'max-outage': '1m' },
    faults: [{ call: 'read', fromMs: 0, forMs: 300_000, what: 'reset' }],
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

  it('is left in progress after a signal with on-cancel: leave', async () => {
    const main = await playMain(
      {
        inputs: { pipeline: 'endless\nslow', 'max-outage': '1m', 'on-cancel': 'leave' },
        faults: [{ call: 'read', about: 'endless', what: 'reset' }],
      },
      (it) => it.at(150_000, () => it.signal('SIGTERM')),
    );
    expect([callsOf(main).includes('cancel'), runsOf(main)]).toEqual([false, 'running running']);
  });

  it('that has since completed keeps its status when the post step tries to cancel it', async () => {
    const main = await playMain({ inputs: { 'max-outage': '2m' }, faults: [{ call: 'read', what: 'reset' }] });
    const post = await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } });
    expect([runsOf(post), callsOf(post)]).toEqual(['completed', 'exchange cancel read']);
  });
});
