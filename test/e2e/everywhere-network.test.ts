import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../../sandbox/server/index.ts';
import { type Played, playStep, type Scene, useAction } from '../support/e2e.ts';
import { forwardProxy } from '../support/e2e-proxy.ts';
import { type After, fileForTest, type Recording, record } from '../support/e2e-record.ts';

const action = useAction();

const APP = 'app.example.test';
const API = 'api.example.test';

let identity = { key: '', cert: '' };
beforeAll(() => {
  identity = selfSigned(APP, API);
});

/** Over before it is read for the first time: the next read would come after 30 s, as the service wants it. */
const QUICK: Scene['service'] = { model: { speed: 100_000 } };

type Environment = Readonly<Record<string, string>>;

/** A step whose service has names of its own and a certificate that nobody knows; `env` says how to get there. */
async function playSecurely(after: After, env: Environment, scene: Scene = {}): Promise<Played & { seen: Recording }> {
  const seen = record(after);
  const played = await playStep(action, {
    service: { ...QUICK, tls: identity },
    job: { env: { ...seen.env, NODE_EXTRA_CA_CERTS: fileForTest(after, 'authority.pem', identity.cert), ...env } },
    with: (sandbox) => {
      const { port } = new URL(sandbox.url);
      sandbox.world.backendUrl = `https://${API}:${port}`;
      return { 'base-url': `https://${APP}:${port}`, 'poll-interval': '30s' };
    },
    ...scene,
  });
  return { ...played, seen };
}

function expectSuccess({ main, post }: Played): void {
  expect(main, main.log.join('\n')).toMatchObject({ exitCode: 0, files: { outputs: { outcome: 'succeeded' } } });
  expect(post).toMatchObject({ exitCode: 0, lines: [] });
}

describe.concurrent('a forward proxy', () => {
  it.for(['https_proxy', 'HTTPS_PROXY'])(
    'in %s carries every request through CONNECT',
    async (name, { onTestFinished: after }) => {
      const proxy = await forwardProxy(after);
      const played = await playSecurely(after, { [name]: proxy.url });
      expectSuccess(played);
      expect(proxy.tunnels).toHaveLength(played.calls.length);
      expect(new Set(proxy.tunnels.map((to) => to.split(':')[0]))).toEqual(new Set([APP, API]));
      expect(proxy.requests).toEqual([]);
      // Names are the proxy's business, and nobody else is spoken to.
      expect(played.seen.noted('lookup').filter((host) => host !== '127.0.0.1')).toEqual([]);
      expect(played.seen.noted('connect')).toEqual([new URL(proxy.url).host]);
    },
  );

  it('whose address has no scheme carries every request', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after, 'robot', 'p@ss word');
    const played = await playSecurely(after, { https_proxy: proxy.url.replace('http://', '') });
    expectSuccess(played);
    expect(proxy.tunnels).toHaveLength(played.calls.length);
    expect(played.seen.noted('connect')).toEqual([new URL(proxy.url).host]);
  });

  it.for(['http://robot:p%40ss@127.0.0.1:99999', 'http://robot:p%40ss%zz@127.0.0.1:1', 'socks5://127.0.0.1:1'])(
    'that cannot be used is named, and nothing is sent: %s',
    async (address, { onTestFinished: after }) => {
      const { main, post, calls, seen } = await playSecurely(after, { HTTPS_PROXY: address });
      expect(main).toMatchObject({
        exitCode: 1,
        files: { outputs: { outcome: 'not_triggered', 'job-status': 'not_queued' } },
        annotations: [{ message: expect.stringContaining('The environment variable HTTPS_PROXY ') as string }],
      });
      expect(main.log.join('\n')).not.toMatch(/p@ss|p%40ss/);
      expect(calls).toEqual([]);
      expect(seen.noted('connect')).toEqual([]);
      expect(post).toMatchObject({ exitCode: 0, lines: [] });
    },
  );

  it('is given the credentials in its address, and nobody else sees them', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after, 'robot', 'p@ss word');
    const played = await playSecurely(after, { https_proxy: proxy.url });
    expectSuccess(played);
    expect(proxy.refusals()).toBe(0);
    expect(played.main.lines.join('\n')).not.toMatch(/p@ss|p%40ss|cm9ib3Q6/);
    expect(played.sandbox.requests.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false);
  });

  it('that asks for credentials which are not there is named, and nothing is triggered', async ({
    onTestFinished: after,
  }) => {
    const proxy = await forwardProxy(after, 'robot', 'secret');
    const url = proxy.url.replace('robot:secret@', '');
    const { main, calls } = await playSecurely(
      after,
      { https_proxy: url },
      { interrupt: () => ({ mode: 'workflow', when: (process) => process.line(/407/) }) },
    );
    expect(main).toMatchObject({ files: { outputs: { 'job-status': 'not_queued' } } });
    expect(main.log).toContainEqual(expect.stringContaining('the proxy refused a connection'));
    expect(calls).toEqual([]);
  });

  it('cancels through it too', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const seen = record(after);
    const env = {
      ...seen.env,
      NODE_EXTRA_CA_CERTS: fileForTest(after, 'authority.pem', identity.cert),
      https_proxy: proxy.url,
    };
    const { main, statuses } = await playStep(action, {
      service: { tls: identity },
      job: { env },
      with: (sandbox) => {
        const { port } = new URL(sandbox.url);
        sandbox.world.backendUrl = `https://${API}:${port}`;
        return { 'base-url': `https://${APP}:${port}`, 'poll-interval': '30s', pipeline: 'endless' };
      },
      interrupt: ({ sandbox }) => ({ mode: 'workflow', when: () => sandbox.end('read', 1) }),
    });
    expect(main.exitCode).not.toBe(0);
    expect(statuses).toEqual(['cancelled']);
    expect(seen.noted('connect')).toEqual([new URL(proxy.url).host]);
  });

  it.for([
    { no_proxy: 'example.test', why: 'a domain' },
    { no_proxy: '.example.test', why: 'a domain with a dot' },
    { no_proxy: `other.test, ${APP} ,${API}`, why: 'hosts in a list' },
    { no_proxy: '*', why: 'everything' },
    { NO_PROXY: 'example.test', why: 'capitals' },
  ])('is passed by for $why in no_proxy', async ({ why: _, ...env }, { onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const played = await playSecurely(after, { https_proxy: proxy.url, ...(env as Environment) });
    expectSuccess(played);
    expect(proxy.tunnels).toEqual([]);
  });

  it('is used for hosts that no_proxy does not name', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const played = await playSecurely(after, { https_proxy: proxy.url, no_proxy: `other.test,${API}` });
    expectSuccess(played);
    const exchanges = played.calls.filter((kind) => kind === 'exchange');
    expect(proxy.tunnels.map((to) => to.split(':')[0])).toEqual(exchanges.map(() => APP));
  });

  it('for http alone is not asked about https', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const played = await playSecurely(after, { http_proxy: proxy.url });
    expectSuccess(played);
    expect([...proxy.tunnels, ...proxy.requests]).toEqual([]);
  });

  it('is not asked about hosts of this machine', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const env = { http_proxy: proxy.url, https_proxy: proxy.url };
    expectSuccess(await playStep(action, { job: { env } }));
    expect([...proxy.tunnels, ...proxy.requests]).toEqual([]);
  });
});

describe.concurrent('a certificate of an authority of one’s own', () => {
  it('is accepted with NODE_EXTRA_CA_CERTS', async ({ onTestFinished: after }) => {
    expectSuccess(await playSecurely(after, {}));
  });

  it('is refused without, with the name of the variable', async ({ onTestFinished: after }) => {
    const { main, sandbox } = await playSecurely(after, { NODE_EXTRA_CA_CERTS: '' });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
    expect(main.files.outputs['message']).toContain('NODE_EXTRA_CA_CERTS');
    expect(sandbox.requests).toEqual([]);
  });

  it('must name the host: the API host is checked like the application host', async ({ onTestFinished: after }) => {
    const seen = record(after);
    const { main, calls } = await playStep(action, {
      service: { tls: identity },
      job: { env: { ...seen.env, NODE_EXTRA_CA_CERTS: fileForTest(after, 'authority.pem', identity.cert) } },
      with: (sandbox) => {
        const { port } = new URL(sandbox.url);
        sandbox.world.backendUrl = `https://elsewhere.example.test:${port}`;
        return { 'base-url': `https://${APP}:${port}`, 'poll-interval': '30s' };
      },
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'not_triggered' } } });
    expect(main.files.outputs['message']).toContain('elsewhere.example.test');
    expect(calls).toEqual(['exchange']);
  });
});

/** Node 22.23 takes no certificate for an IPv6 address, whoever asks: `https.get` alone fails the same way. */
const takesIpv6Certificates = !/^v22\./.test(
  execFileSync(process.env['ACTION_NODE'] ?? process.execPath, ['--version'], { encoding: 'utf8' }),
);

describe.concurrent('an address', () => {
  it.skipIf(!takesIpv6Certificates)('on IPv6 works with TLS', async ({ onTestFinished: after }) => {
    const played = await playStep(action, {
      service: { ipv6: true, tls: identity },
      job: { env: { NODE_EXTRA_CA_CERTS: fileForTest(after, 'authority.pem', identity.cert) } },
      with: ({ url6 }) => ({ 'base-url': url6 ?? '' }),
    });
    expectSuccess(played);
  });

  it('with a path, and a slash at its end, works with TLS', async ({ onTestFinished: after }) => {
    const played = await playStep(action, {
      service: { tls: identity, prefix: '/eu/pipelines' },
      job: { env: { NODE_EXTRA_CA_CERTS: fileForTest(after, 'authority.pem', identity.cert) } },
      with: ({ url }) => ({ 'base-url': `${url}/` }),
    });
    expectSuccess(played);
    expect(played.sandbox.requests[0]?.path).toBe('/eu/pipelines/api/cli/bootstrap');
  });
});
