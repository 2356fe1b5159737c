// Tests networks in which a step must work: proxies, certificates from a private authority, and other addresses.
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, selfSigned } from '../../sandbox/server/index.ts';
import {
  type After,
  API,
  APP,
  named,
  type Played,
  playProcess,
  type Recording,
  record,
  type StepScene,
  type Texts,
  useAction,
} from '../support/e2e.ts';
import { forwardProxy } from '../support/hosts.ts';

const action = useAction();

let identity = { key: '', cert: '' };
beforeAll(() => {
  identity = selfSigned(APP, API);
});

/** The run finishes before the first read, because the next one would follow 30 s later, as remote hosts require. */
const QUICK: SandboxOptions = { model: { speed: 100_000 } };

/** A step whose service has its own host names and a private authority's certificate; `env` describes the network. */
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

function expectSuccess({ main, post }: Played): void {
  expect(main, main.log.join('\n')).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'succeeded' } } });
  expect(post).toMatchObject({ exitCode: 0, lines: [] });
}

const hostsOf = (tunnels: readonly string[]): readonly string[] => tunnels.map((to) => to.split(':')[0] ?? '');

describe.concurrent('a forward proxy', () => {
  it.for(['https_proxy', 'HTTPS_PROXY'])('in %s carries every request', async (name, { onTestFinished: after }) => {
    const proxy = await forwardProxy(after, 'robot', 'p@ss word');
    const played = await playSecurely(after, { [name]: proxy.url });
    expectSuccess(played);
    expect(proxy.tunnels).toHaveLength(played.calls.length);
    expect(new Set(hostsOf(proxy.tunnels))).toEqual(new Set([APP, API]));
    // The proxy resolves the host names, and the step connects to no other host.
    expect(played.seen.recorded('lookup').filter((host) => host !== '127.0.0.1')).toEqual([]);
    expect(played.seen.recorded('connect')).toEqual([new URL(proxy.url).host]);
    // Only the proxy receives the proxy credentials.
    expect(played.main.lines.join('\n')).not.toMatch(/p@ss|p%40ss|cm9ib3Q6/);
    expect(played.sandbox.requests.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false);
  });

  it('with an invalid address makes the step fail without a request', async ({ onTestFinished: after }) => {
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
    { what: 'a domain', no_proxy: 'example.test', proxied: [] },
    { what: 'a list of hosts', no_proxy: `other.test, ${APP} ,${API}`, proxied: [] },
    { what: 'one of two hosts', NO_PROXY: `other.test,${API}`, proxied: [APP] },
  ])('carries no request to $what in no_proxy', async ({ what: _, proxied, ...env }, { onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const played = await playSecurely(after, { https_proxy: proxy.url, ...(env as Texts) });
    expectSuccess(played);
    expect([...new Set(hostsOf(proxy.tunnels))]).toEqual(proxied);
  });

  it('carries no requests to this machine', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    expectSuccess(await playProcess(action, { job: { env: { http_proxy: proxy.url, https_proxy: proxy.url } } }));
    expect(proxy.tunnels).toEqual([]);
  });
});

describe.concurrent('a certificate from a private authority', () => {
  it('leads to an error about NODE_EXTRA_CA_CERTS if that is unset', async ({ onTestFinished: after }) => {
    const { main, sandbox } = await playSecurely(after, { NODE_EXTRA_CA_CERTS: '' });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
    expect(main.files.outputs['message']).toContain('NODE_EXTRA_CA_CERTS');
    expect(sandbox.requests).toEqual([]);
  });
});

/** Node 22.23 rejects every certificate for an IPv6 address, even in a plain `https.get`. */
const acceptsIpv6Certificates = !/^v22\./.test(
  execFileSync(process.env['ACTION_NODE'] ?? process.execPath, ['--version'], { encoding: 'utf8' }),
);

describe.concurrent('an address', () => {
  it.skipIf(!acceptsIpv6Certificates)('on IPv6 works with TLS', async ({ onTestFinished: after }) => {
    const inputs = ({ url6 }: Sandbox): Texts => ({ 'base-url': url6 ?? '' });
    expectSuccess(await playSecurely(after, {}, { inputs }, { ipv6: true }));
  });

  it('with a path and a trailing slash works with TLS', async ({ onTestFinished: after }) => {
    const inputs = ({ url }: Sandbox): Texts => ({ 'base-url': `${url}/` });
    const played = await playSecurely(after, {}, { inputs }, { prefix: '/eu/pipelines' });
    expectSuccess(played);
    expect(played.sandbox.requests[0]?.path).toBe('/eu/pipelines/api/cli/bootstrap');
  });
});
