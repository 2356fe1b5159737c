import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/server/index.ts';
import { type Played, playStep, type Scene, useAction } from '../support/e2e.ts';
import { forwardProxy } from '../support/e2e-proxy.ts';
import { type After, type Recording, record } from '../support/e2e-record.ts';

/*
 * What the bundles do beside their work, watched from inside the process: whom they speak to, which programs they
 * start, which environment variables they ask for.
 */

const action = useAction();

async function watch(after: After, scene: Scene = {}): Promise<Played & { readonly seen: Recording }> {
  const seen = record(after);
  const job = { ...scene.job, env: { ...seen.env, ...scene.job?.env } };
  return { ...(await playStep(action, { ...scene, job })), seen };
}

const SCENES: readonly (readonly [string, Scene])[] = [
  ['that ends well', {}],
  ['that fails, with debug logging', { with: { pipeline: 'broken' }, job: { debug: true } }],
  ['with wrong inputs', { with: { timeout: '45' } }],
  ['on a machine of GitHub’s', { job: { env: { RUNNER_ENVIRONMENT: 'github-hosted', RUNNER_OS: 'Linux' } } }],
  [
    'that is cancelled',
    {
      with: { pipeline: 'endless' },
      interrupt: ({ sandbox }) => ({ mode: 'workflow', when: () => sandbox.end('read', 1) }),
    },
  ],
  [
    'that post has to cancel',
    {
      with: { pipeline: 'endless' },
      interrupt: ({ sandbox }) => ({ mode: 'act-host', when: () => sandbox.end('read', 1) }),
    },
  ],
  [
    'that post has to cancel without its state',
    {
      with: { pipeline: 'endless' },
      interrupt: ({ sandbox }) => ({ mode: 'forgejo-state-lost', when: () => sandbox.end('read', 1) }),
    },
  ],
];

describe.concurrent('a step', () => {
  it.for(SCENES)(
    '%s speaks to the service alone, starts no program, asks for documented variables',
    async ([, scene], { onTestFinished: after }) => {
      const { seen, sandbox, calls } = await watch(after, scene);
      const { host, hostname } = new URL(sandbox.url);
      expect(seen.noted('connect')).toEqual(calls.length === 0 ? [] : [host]);
      expect(seen.noted('lookup').filter((name) => name !== hostname)).toEqual([]);
      expect(seen.noted('env')).toContain('INPUT_API-KEY');
      expect(seen.noted('env').filter((name) => !isDocumented(name))).toEqual([]);
      // Where there is no /proc, post asks a program of the system whether main is alive.
      if (process.platform === 'linux') expect(seen.noted('start')).toEqual([]);
    },
  );

  it('speaks to base-url for the exchange, and to backend_url for all else', async ({ onTestFinished: after }) => {
    const seen = record(after);
    const { sandbox: app } = await playStep(action, {
      job: { env: seen.env },
      with: (sandbox) => {
        sandbox.world.backendUrl = sandbox.url.replace('127.0.0.1', 'localhost');
        return {};
      },
    });
    const { port } = new URL(app.url);
    expect(seen.noted('connect')).toEqual([`127.0.0.1:${port}`, `localhost:${port}`]);
    const hosts = app.requests.map(({ kind, headers }) => `${kind} ${headers['host'] ?? ''}`);
    expect(new Set(hosts.filter((line) => line.includes('127.0.0.1')))).toEqual(
      new Set([`exchange 127.0.0.1:${port}`]),
    );
  });

  it('follows no redirect: a key is given to nobody but the host it is for', async ({ onTestFinished: after }) => {
    const elsewhere = await startSandbox();
    after(() => void elsewhere.close());
    const { seen, main, sandbox } = await watch(after, {
      service: {
        rules: [
          {
            kind: 'read',
            how: { do: 'answer', status: 307, headers: { location: `${elsewhere.url}/rest/v1/jobs` }, body: '' },
          },
        ],
      },
    });
    expect(main.exitCode).toBe(1);
    expect(seen.noted('connect')).toEqual([new URL(sandbox.url).host]);
    expect(elsewhere.connections()).toBe(0);
  });

  it('behind a proxy speaks to the proxy alone', async ({ onTestFinished: after }) => {
    const proxy = await forwardProxy(after);
    const { seen, calls } = await watch(after, {
      job: { env: { https_proxy: proxy.url } },
      with: { 'base-url': 'https://app.example.test', 'poll-interval': '30s' },
      interrupt: () => ({ mode: 'workflow', when: (process) => process.line(/Retrying/) }),
    });
    expect(calls).toEqual([]);
    expect(seen.noted('connect')).toEqual([new URL(proxy.url).host]);
    expect(seen.noted('env').filter((name) => !isDocumented(name))).toEqual([]);
  });
});

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'environment.md'), 'utf8');
/** Names and, with a star at their end, beginnings of names. */
const documented = [...page.matchAll(/`([A-Za-z_]+\*?)`(?=.*\|)/g)].flatMap(([, name]) => name ?? []);

function isDocumented(name: string): boolean {
  // What belongs to the tests.
  if (name === 'NODE_OPTIONS' || name === 'RECORD_TO') return true;
  return documented.some((one) => {
    return one.endsWith('*') ? name.toUpperCase().startsWith(one.slice(0, -1)) : one === name;
  });
}
