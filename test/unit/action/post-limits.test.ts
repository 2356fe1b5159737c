// How long the post step tries to cancel runs, and when it gives up because of its key.
import { describe, expect, it } from 'vitest';
import { json, type RequestFault } from '../../../sandbox/faults.ts';
import { revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import {
  callsOf,
  ENDLESS,
  journalsOf,
  killedAt,
  playMain,
  playPost,
  revive,
  runsOf,
  sentBy,
  shownBy,
} from '../../support/steps.ts';
import type { FakeOptions } from '../../support/world.ts';

describe("the post step's key", () => {
  it('is masked before anything else', async () => {
    const main = await killedAt(5_000);
    const effects: string[] = [];
    const post = await playPost(main, { onEffect: (effect) => effects.push(effect) });
    expect([effects.find((effect) => effect !== 'exit code'), post.masked[0]]).toEqual(['mask', SANDBOX_KEY]);
  });

  it.each<[string, string, RegExp]>([
    ['is empty', '', /Could not confirm its cancellation: the api-key input is empty.*Composite action/s],
    [
      'does not begin with ak_',
      'password',
      /Could not confirm its cancellation: the api-key input does not begin with ak_.*Composite action/s,
    ],
  ])("causes a warning with the run's id if it %s", async (_, key, words) => {
    const main = await killedAt(5_000);
    const post = await playPost(main, { inputs: { 'api-key': key } });
    expect([callsOf(post), runsOf(post), await post.ended()]).toEqual(['', 'queued', 0]);
    expect(post.masked).toEqual(key === '' ? [] : [key]);
    expect(shownBy(post)).toMatch(new RegExp(`^warning .*${main.service.jobs[0]?.id}`));
    expect(shownBy(post)).toMatch(words);
  });

  it("stops the tries after a minute and causes a warning with the run's id if it was revoked", async () => {
    const main = await killedAt(5_000);
    revokeKey(main.service, SANDBOX_KEY);
    const post = await playPost(main);
    expect(post.clock.now()).toBeGreaterThan(65_000);
    expect(post.clock.now()).toBeLessThan(90_000);
    expect(shownBy(post)).toMatch(
      new RegExp(`^warning .*${main.service.jobs[0]?.id}.*Could not confirm.*API key`, 's'),
    );
    expect(shownBy(post)).toContain('cancel it there');
    expect(shownBy(post)).toMatch(/Composite action.*input named api-key at every level/);
  });

  it.each([400, 403, 404])('may belong to another composite action if it is rejected with HTTP %d', async (status) => {
    const main = await killedAt(5_000);
    const rejected = json({ message: 'Invalid key' }, status);
    const post = await playPost(main, { faults: [{ call: 'exchange', what: rejected }] });
    expect(shownBy(post)).toMatch(/Invalid key.*Check that the API key is valid.*Composite action/s);
  });

  it.each<[string, RequestFault]>([
    ['the service is unavailable', { call: 'exchange', what: 'http_503' }],
    ['the exchange is redirected', { call: 'exchange', what: 'redirect' }],
    ['the service accepts the key, but rejects the cancel', { call: 'cancel', what: 'http_403' }],
  ])('is not blamed on a composite action if %s', async (_, fault) => {
    const post = await playPost(await killedAt(5_000), { faults: [fault] });
    expect(shownBy(post)).toMatch(/^warning .*Could not confirm its cancellation/);
    expect(shownBy(post)).not.toContain('Composite action');
  });

  it('can be rejected for half a minute without preventing the cancel', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, {
      faults: [{ call: 'exchange', fromMs: 0, forMs: 40_000, what: 'key_rejected' }],
    });
    expect(runsOf(post)).toBe('cancelled');
  });
});

it('the post step looks for a run in its own service until a replica shows it', async () => {
  const main = await killedAt(5_000);
  const faults: RequestFault[] = [{ fromMs: 0, forMs: 150_000, what: 'empty' }];
  const post = await playPost(main, { faults });
  expect(runsOf(post)).toBe('cancelled');
  // The first read and three early ones, and then one per poll interval.
  const [first = 0, ...others] = sentBy(post, 'read').map(({ at }) => at);
  expect(others.filter((at) => at < first + 30_000)).toHaveLength(3);
});

describe("the post step's time limit", () => {
  const DOWN: FakeOptions = { faults: [{ call: ['cancel', 'read'], what: 'http_503' }] };

  it('is three minutes, followed by a warning with the run and the cause', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, DOWN);
    expect(post.clock.now()).toBeGreaterThan(175_000);
    expect(post.clock.now()).toBeLessThan(187_000);
    expect(await post.ended()).toBe(0);
    expect(shownBy(post)).toMatch(
      /^warning .*may still be running.*HTTP 503.*Check the run in the application, and cancel it there/s,
    );
    expect(shownBy(post)).not.toContain('Composite action');
    expect(post.service.violations).toEqual([]);
  });

  it.each<[string, number, at: number]>([
    ['is shared by the post steps of a job, which have 4:45 together', 0, 286_000],
    ['is ten seconds if only five seconds of the shared time are left', 90_000, 201_000],
    ['is not shortened by a wall clock that was set back', -86_400_000, 372_000],
    ['is not shortened by a wall clock that was set forward', 86_400_000, 372_000],
  ])('%s', async (_, shiftMs, endsBy) => {
    const first = await killedAt(5_000);
    const second = await playMain({ ...ENDLESS, beside: first, env: { GITHUB_ACTION: 'b' } }, (it) =>
      it.at(10_000, () => it.kill()),
    );
    await playPost(first, DOWN);
    first.clock.shiftWall(shiftMs);
    const post = await playPost(second, { ...DOWN, env: { ...second.state, GITHUB_ACTION: 'b' } });
    expect(post.clock.now()).toBeGreaterThan(endsBy - 5_000);
    expect(post.clock.now()).toBeLessThan(endsBy);
  });

  it('is a few seconds after a signal', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, DOWN, (it) => it.at(30_000, () => it.signal('SIGTERM')));
    expect(post.clock.now()).toBeLessThanOrEqual(39_500);
    expect(shownBy(post)).toMatch(/may still be running/);
  });

  it('is a few seconds after a signal, even if the main step is alive and cannot be stopped', async () => {
    const main = await killedAt(5_000);
    revive(main);
    main.files.refuse(`${journalsOf(main)[0]}.mark`);
    const post = await playPost(main, {}, (it) => it.at(30_000, () => it.signal('SIGTERM')));
    expect([runsOf(post), post.clock.now() < 39_500]).toEqual(['cancelled', true]);
  });
});
