// A step that should stop while its trigger is connecting: to a host, to a proxy, in a TLS handshake.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { PIPELINE_IDS } from '../../sandbox/model/index.ts';
import { selfSigned } from '../../sandbox/server/index.ts';
import {
  type After,
  API,
  APP,
  named,
  playProcess,
  type Recording,
  record,
  type Texts,
  useAction,
} from '../support/e2e.ts';
import { fullHost, type HeldHost, heldHost } from '../support/hosts.ts';

const action = useAction();

/** How long after a trigger began to connect its connection is established, in milliseconds. */
const RELEASE_AFTER_MS = 3_000;

let identity = { key: '', cert: '' };
beforeAll(() => {
  identity = selfSigned(APP, API);
});

interface Row {
  readonly where: string;
  readonly why: 'a signal' | 'a timeout';
  readonly outcome: string;
  /** What the trigger must connect to first: a proxy, or the API host. */
  readonly hold: (after: After, seen: Recording) => Promise<HeldHost>;
  readonly isProxy?: true;
  readonly onLinux?: true;
}

const BY_SIGNAL = { why: 'a signal', outcome: 'cancelled' } as const;
const HANDSHAKE = { where: 'a TLS handshake', hold: (after: After) => heldHost(after) };

const ROWS: readonly Row[] = [
  { ...HANDSHAKE, ...BY_SIGNAL },
  { ...HANDSHAKE, why: 'a timeout', outcome: 'wait_timed_out' },
  { where: 'a CONNECT', ...BY_SIGNAL, hold: (after) => heldHost(after, true), isProxy: true },
  {
    where: 'a TCP connection',
    ...BY_SIGNAL,
    onLinux: true,
    hold: (after, seen) =>
      fullHost(after, (port) =>
        vi.waitUntil(() => seen.recorded('connect').includes(`${API}:${port}`), { timeout: 20_000 }),
      ),
  },
];

describe.concurrent('a trigger that waits for', () => {
  it.for(ROWS.filter(({ onLinux }) => onLinux !== true || process.platform === 'linux'))(
    '$where is aborted by $why',
    async ({ hold, isProxy, why, outcome }, { onTestFinished: after }) => {
      const seen = record(after, identity.cert);
      const host = await hold(after, seen);
      let arrivedAt = Infinity;
      const proxy: Texts = isProxy === true ? { https_proxy: `http://127.0.0.1:${host.port}`, no_proxy: APP } : {};
      const { main, post, calls } = await playProcess(action, {
        service: { tls: identity },
        job: { env: { ...seen.env, ...proxy } },
        inputs(sandbox) {
          const port = Number(new URL(sandbox.url).port);
          void host.arrival.then(() => {
            arrivedAt = performance.now();
            setTimeout(() => host.release(port), RELEASE_AFTER_MS);
          });
          const timeout: Texts = why === 'a timeout' ? { timeout: '1s' } : {};
          const address = named(sandbox, API, isProxy === true ? port : host.port);
          return { ...address, pipeline: PIPELINE_IDS.orders, ...timeout };
        },
        ...(why === 'a signal' && { mode: 'workflow', when: () => host.arrival }),
      });
      expect(main, main.log.join('\n')).toMatchObject({
        exitCode: 1,
        signal: null,
        files: { outputs: { 'job-status': 'not_queued', outcome } },
      });
      // It ended before the connection could be established, and left post nothing to do.
      expect((main.endedAt ?? Infinity) - arrivedAt).toBeLessThan(RELEASE_AFTER_MS);
      expect(calls).toEqual(['exchange']);
      expect(post).toMatchObject({ exitCode: 0, lines: [] });
    },
  );
});
