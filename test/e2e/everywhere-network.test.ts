// Tests networks in which a step must work, with proxies, certificates from a private authority, and unusual addresses.
import { describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, selfSigned } from '../../sandbox/server/index.ts';
import {
  type After,
  API,
  APP,
  expectSuccess,
  named,
  type Played,
  playProcess,
  type Recording,
  record,
  type StepScene,
  type Texts,
  useAction,
  versionOfNode,
} from '../support/e2e.ts';
import { forwardProxy } from '../support/hosts.ts';

const action = useAction();

const identity = selfSigned(APP, API);

/** Lets the run finish before the first read, because a step reads from a remote host only every 30 s. */
const QUICK: SandboxOptions = { model: { speed: 100_000 } };

/** Runs a step whose service has its own host names and a private certificate. `env` configures the network. */
async function playSecurely(
  after: After,
  env: Texts,
  scene: StepScene = {},
  service = QUICK,
): Promise<Played & { seen: Recording }> {
  const seen = record(after, identity.cert);
  const job = { env: { ...seen.env, ...env } };
  const secure = { service: { ...service, tls: identity }, job };
  return { ...(await playProcess(action, { ...secure, inputs: (sandbox) => named(sandbox), ...scene })), seen };
}

const hostsOf = (tunnels: readonly string[]): readonly string[] => tunnels.map((to) => to.split(':')[0] ?? '');

describe.concurrent('a forward proxy', () => {
  it.for(['https_proxy', 'HTTPS_PROXY'])(
    'in the variable %s carries every request',
    async (name, { onTestFinished: after }) => {
      const proxy = await forwardProxy(after, 'robot', 'p@ss word');
      const played = await playSecurely(after, { [name]: proxy.url });
      expectSuccess(played);
      expect(proxy.tunnels).toHaveLength(played.calls.length);
      expect(new Set(hostsOf(proxy.tunnels))).toEqual(new Set([APP, API]));
      // The proxy resolves the host names, and the step connects to no other host.
      expect(played.seen.recorded('lookup').filter((host) => host !== '127.0.0.1')).toEqual([]);
      expect(played.seen.recorded('connect')).toEqual([new URL(proxy.url).host]);
      // Only the proxy receives the proxy credentials.
      const shown = played.main.lines.filter((line) => !line.startsWith('::add-mask::'));
      expect(shown.join('\n')).not.toMatch(/p@ss|p%40ss|cm9ib3Q6/);
      expect(played.sandbox.requests.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false);
    },
  );

  it('with an invalid address makes the step fail before its first request', async ({ onTestFinished: after }) => {
    const { main, post, calls, seen } = await playSecurely(after, {
      HTTPS_PROXY: 'http://robot:p%40ss@127.0.0.1:99999',
    });
    expect(main).toMatchObject({
      exitCode: 1,
      files: { outputs: { outcome: 'not_triggered', 'job-status': 'not_queued' } },
      annotations: [{ message: expect.stringContaining('variable HTTPS_PROXY ') as string }],
    });
    expect(main.log.join('\n')).not.toMatch(/p@ss|p%40ss/);
    expect([calls, seen.recorded('connect')]).toEqual([[], []]);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });

  it.for([
    { what: 'a domain that no_proxy lists', no_proxy: 'example.test', proxied: [] },
    { what: 'hosts that no_proxy lists', no_proxy: `other.test, ${APP} ,${API}`, proxied: [] },
    { what: 'a host that NO_PROXY lists', NO_PROXY: `other.test,${API}`, proxied: [APP] },
  ])('carries no request to $what', async ({ what: _, proxied, ...env }, { onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const played = await playSecurely(after, { https_proxy: proxy.url, ...(env as Texts) });
    expectSuccess(played);
    expect([...new Set(hostsOf(proxy.tunnels))]).toEqual(proxied);
  });
});

/** Node 22.23 rejects every certificate for an IPv6 address, even in a plain `https.get`. */
const acceptsIpv6Certificates = !versionOfNode().startsWith('v22.');

describe.concurrent('a base-url with https', () => {
  it.skipIf(!acceptsIpv6Certificates)('may contain an IPv6 address', async ({ onTestFinished: after }) => {
    const inputs = ({ url6 }: Sandbox): Texts => ({ 'base-url': url6 ?? '' });
    expectSuccess(await playSecurely(after, {}, { inputs }, { ipv6: true }));
  });

  it('may contain a path and a trailing slash', async ({ onTestFinished: after }) => {
    const inputs = ({ url }: Sandbox): Texts => ({ 'base-url': `${url}/` });
    const played = await playSecurely(after, {}, { inputs }, { prefix: '/eu/pipelines' });
    expectSuccess(played);
    expect(played.sandbox.requests[0]?.path).toBe('/eu/pipelines/api/cli/bootstrap');
  });
});
