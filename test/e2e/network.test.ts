// Tests what the bundles connect to: through TLS, a proxy or neither, and while the connection of a trigger is pending.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../sandbox/model/index.ts';
import type { Sandbox } from '../../sandbox/server/index.ts';
import { selfSigned } from '../support/certificate.ts';
import {
  type After,
  type Played,
  play,
  type Recording,
  record,
  type Scene,
  type Texts,
  useAction,
  versionOfNode,
} from '../support/e2e.ts';
import { forwardProxy, heldHost } from '../support/hosts.ts';
import { expectFate } from '../support/trace.ts';

const action = useAction();

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'limits.md'), 'utf8');
/** Names of variables, and prefixes that end with a star. The last two belong to these tests. */
const KNOWN = [
  ...[...page.matchAll(/`([A-Za-z_]+\*?)`(?=.*\|)/g)].flatMap(([, name]) => name ?? []),
  'NODE_OPTIONS',
  'RECORD_TO',
];

function undocumentedIn(seen: Recording): readonly string[] {
  const isKnown = (name: string): boolean =>
    KNOWN.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
  return seen.recorded('env').filter((name) => !isKnown(name));
}

describe.concurrent('a step', () => {
  it('whose base-url has an unknown host name exits with code 1', async () => {
    // Reserved by RFC 6761: no such name exists.
    const inputs = { 'base-url': 'https://nothing.invalid', 'poll-interval': '30s', 'max-outage': '1s' };
    const played = await play(action, { inputs });
    expectFate(played, 'main 1, post 0, no run');
  });

  it.for<readonly [string, Scene]>([
    ['whose run fails, with debug logging,', { inputs: { pipeline: 'broken' }, job: { debug: true } }],
    ['with invalid inputs', { inputs: { timeout: '45' } }],
    ['on a hosted runner', { job: { env: { RUNNER_ENVIRONMENT: 'github-hosted', RUNNER_OS: 'Linux' } } }],
    ['that is cancelled', { incidents: [{ what: 'cancel' }] }],
    ['whose run is cancelled by a post step without state', { incidents: [{ what: 'forgejo_cancel' }] }],
  ])(
    '%s connects only to the service, starts no programs, loads HTTP only for requests, and reads only documented variables',
    async ([, scene], { onTestFinished: after }) => {
      const seen = record(after);
      const { sandbox, calls } = await play(action, {
        ...scene,
        job: { ...scene.job, env: { ...seen.env, ...scene.job?.env } },
      });
      const { host, hostname } = new URL(sandbox.url);
      expect(seen.recorded('connect')).toEqual(calls.length === 0 ? [] : [host]);
      expect(seen.recorded('lookup').filter((name) => name !== hostname)).toEqual([]);
      expect(seen.recorded('env')).toContain('INPUT_API-KEY');
      expect(undocumentedIn(seen)).toEqual([]);
      const costly = seen
        .recorded('load')
        .filter((name) => /^(?:https?|tls|crypto|zlib)$|undici|perf_hooks/.test(name));
      // The HTTP client imports both.
      expect(costly).toEqual(calls.length === 0 ? [] : ['crypto', 'http', 'https', 'tls']);
      // Without /proc, the post step runs a system program to find out whether the main step is alive.
      if (process.platform === 'linux') expect(seen.recorded('start')).toEqual([]);
    },
  );
});

const [APP, API] = ['app.example.test', 'api.example.test'];
const identity = selfSigned(APP, API);

/** Gives a service these host names, and returns the inputs for it. */
function named({ url, world }: Sandbox, apiPort = Number(new URL(url).port)): Texts {
  world.backendUrl = `https://${API}:${apiPort}`;
  return { 'base-url': `https://${APP}:${new URL(url).port}`, 'poll-interval': '30s' };
}

/** Runs a step whose service has its own host names and a private certificate. `env` configures the network. */
async function playSecurely(after: After, env: Texts, scene: Scene = {}): Promise<Played & { seen: Recording }> {
  const seen = record(after, identity.cert);
  const job = { env: { ...seen.env, ...env } };
  const played = await play(action, { inputs: named, ...scene, job, service: { ...scene.service, tls: identity } });
  return { ...played, seen };
}

const SUCCESS = 'main 0, post 0, completed';

describe.concurrent('a service with a private certificate', () => {
  it('can be reached through a proxy, and only the proxy receives its password', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after, 'robot', 'p@ss word');
    const played = await playSecurely(after, { https_proxy: proxy.url });
    expectFate(played, SUCCESS);
    expect(proxy.tunnels).toHaveLength(played.calls.length);
    // The proxy resolves the host names, and the step connects to no other host.
    expect(played.seen.recorded('lookup').filter((host) => host !== '127.0.0.1')).toEqual([]);
    expect(played.seen.recorded('connect')).toEqual([new URL(proxy.url).host]);
    const shown = played.main.lines.filter((line) => !line.startsWith('::add-mask::'));
    expect(shown.join('\n')).not.toMatch(/p@ss|p%40ss|cm9ib3Q6/);
    expect(played.sandbox.requests.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false);
  });

  it('can have a host in NO_PROXY', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const played = await playSecurely(after, { HTTPS_PROXY: proxy.url, NO_PROXY: `other.test,${API}` });
    expectFate(played, SUCCESS);
    expect([...new Set(proxy.tunnels.map((to) => to.split(':')[0]))]).toEqual([APP]);
  });

  // Node 22.23 rejects every certificate for an IPv6 address, even in a plain `https.get`.
  it.skipIf(versionOfNode().startsWith('v22.'))('can have an IPv6 address', async ({ onTestFinished: after }) => {
    const inputs = ({ url }: Sandbox): Texts => ({ 'base-url': url, 'poll-interval': '30s' });
    const played = await playSecurely(after, {}, { inputs, service: { host: '::1' } });
    expectFate(played, SUCCESS);
  });
});

describe.concurrent('a trigger waiting for', () => {
  it.for(['a TLS handshake', 'a proxy tunnel'])(
    '%s is aborted by a signal',
    async (where, { onTestFinished: after }) => {
      const isProxy = where === 'a proxy tunnel';
      const host = await heldHost(after);
      const proxy: Texts = isProxy ? { https_proxy: `http://127.0.0.1:${host.port}`, no_proxy: APP } : {};
      const played = await playSecurely(after, proxy, {
        inputs: (sandbox) => ({ ...named(sandbox, isProxy ? undefined : host.port), pipeline: PIPELINE_IDS.orders }),
        incidents: [{ what: 'cancel', at: () => host.arrival }],
      });
      // If the main step waited for the connection, the runner would kill it.
      expectFate(played, 'main 1, post 0, no run');
      expect(played.main.files.outputs).toMatchObject({ 'job-status': 'not_queued', outcome: 'cancelled' });
      expect(played.calls).toEqual(['exchange']);
      expect(played.post?.lines).toEqual([]);
    },
  );
});
