// What every step does before it connects to the service.
import { describe, expect, it } from 'vitest';
import { fails } from '../../../sandbox/faults.ts';
import { existingRun, playMain, playPost } from '../../support/steps.ts';
import { type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

async function playCancel(options: FakeOptions): Promise<FakeWorld> {
  const { service, id } = existingRun('endless');
  const fake = fakeWorld({ service, inputs: { 'job-id': id }, ...options });
  fake.start('cancel');
  await fake.ended();
  return fake;
}

async function playPostOfKilledMain(options: FakeOptions): Promise<FakeWorld> {
  const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.at(5_000, () => it.kill()));
  return playPost(main, options);
}

it.each([
  ["set NODE_EXTRA_CA_CERTS to the CA certificate's path", undefined],
  ["set NODE_EXTRA_CA_CERTS to the CA certificate's path", ''],
  ['the file in NODE_EXTRA_CA_CERTS, which is already set,', '/etc/ca.pem'],
])('the advice for an incomplete certificate chain has three causes and says: %s', async (advice, path) => {
  const faults = [{ what: fails('UNABLE_TO_VERIFY_LEAF_SIGNATURE') }];
  const { annotations } = await playMain({ env: { NODE_EXTRA_CA_CERTS: path }, faults });
  expect(annotations[0]?.message).toMatch(/proxy.*internal CA.*does not send its intermediate certificate/);
  expect(annotations[0]?.message).toContain(advice);
});

const PASSWORD = 'p%40ssword-1';

describe.each<[string, (options: FakeOptions) => Promise<FakeWorld>]>([
  ['main step', playMain],
  ['post step', playPostOfKilledMain],
  ['cancel action', playCancel],
])('the %s', (_step, play) => {
  it("masks a proxy's password before its first request", async () => {
    const effects: string[] = [];
    const { masked } = await play({
      env: { https_proxy: `http://user:${PASSWORD}@proxy.test` },
      onEffect: (effect) => effects.push(effect),
    });
    expect(effects).toContain('request exchange ');
    const count = effects.slice(0, effects.indexOf('request exchange ')).filter((effect) => effect === 'mask').length;
    expect(masked.slice(0, count)).toEqual(expect.arrayContaining([PASSWORD, decodeURIComponent(PASSWORD)]));
    expect(masked.filter((secret) => secret === PASSWORD)).toHaveLength(1);
  });

  it.each([
    ['the password of a proxy that it does not use', { http_proxy: `http://user:${PASSWORD}@proxy.test` }],
    [
      'the password of a proxy from which the service is exempt',
      { https_proxy: `http://user:${PASSWORD}@proxy.test`, no_proxy: '.example.test' },
    ],
    ['a password with fewer than eight characters', { https_proxy: 'http://svc:1@proxy.test' }],
  ])('does not mask %s', async (_, env) => {
    const { masked, requests } = await play({ env });
    expect(requests.length).toBeGreaterThan(0);
    expect(masked).not.toContainEqual(expect.stringContaining('p%40ss'));
    expect(masked.filter((secret) => secret.length < 8)).toEqual([]);
  });
});

it('the debug log has a line about each request', async () => {
  const { debugged, requests } = await playMain();
  expect(debugged).toEqual(requests.map(({ url }) => expect.stringContaining(url.pathname)));
});

it.each([
  ['a key with fewer than eight characters', 'ak_1234', []],
  [
    'the short lines of a key with line breaks, which the runner would mask on their own',
    'ak_12345\n1234567',
    ['ak_12345'],
  ],
])('the action does not mask %s', async (_, key, expected) => {
  const { masked } = await playMain({ inputs: { 'api-key': key, 'base-url': '' } });
  expect(masked).toEqual(expected);
});

it.each([
  ['x:1@proxy', 'an entry with an @'],
  ['http://svc:1,2@proxy.test', 'an entry with an @'],
  ['10.* http://svc:1@proxy.test', 'an entry with an @'],
  ['10.*', '"10.*"'],
])('a remark about the no_proxy entry %s does not show the login', async (no_proxy, which) => {
  const { log } = await playMain({ env: { no_proxy } });
  const remark = log.find((line) => line.includes('does not recognize'));
  expect(remark).toContain(`does not recognize ${which} in the no_proxy environment variable`);
  expect(remark).not.toMatch(/svc|:1/);
});
