import { beforeAll, describe, expect, it, vi } from 'vitest';
import { PIPELINE_IDS } from '../../sandbox/model/index.ts';
import { selfSigned } from '../../sandbox/server/index.ts';
import { type Played, playStep, useAction } from '../support/e2e.ts';
import { type After, fileForTest, type Recording, record } from '../support/e2e-record.ts';
import { fullHost, type HeldHost, heldProxy, heldRelay } from '../support/held-host.ts';

const action = useAction();

const APP = 'app.example.test';
const API = 'api.example.test';
/** How long after a trigger began to connect its connection is established, in milliseconds. */
const RELEASE_AFTER_MS = 3_000;

let identity = { key: '', cert: '' };
beforeAll(() => {
  identity = selfSigned(APP, API);
});

interface Hold {
  /** What the trigger has to connect to first. */
  readonly host: (after: After, seen: Recording) => Promise<HeldHost>;
  /** Whether that is a proxy, and not the API host. */
  readonly isProxy?: true;
}

interface Trial extends Hold {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly isInterrupted: boolean;
}

/** A step whose trigger cannot connect before it should stop, and could soon after. */
async function playStopped(after: After, trial: Trial): Promise<Played & { readonly tookMs: number }> {
  const seen = record(after);
  const host = await trial.host(after, seen);
  let arrivedAt = Infinity;
  const proxy = { https_proxy: `http://127.0.0.1:${host.port}`, no_proxy: APP };
  const played = await playStep(action, {
    service: { tls: identity },
    job: {
      env: {
        ...seen.env,
        NODE_EXTRA_CA_CERTS: fileForTest(after, 'authority.pem', identity.cert),
        ...(trial.isProxy && proxy),
      },
    },
    with({ url, world }) {
      const port = Number(new URL(url).port);
      world.backendUrl = `https://${API}:${trial.isProxy ? port : host.port}`;
      void host.arrival.then(() => {
        arrivedAt = performance.now();
        setTimeout(() => host.release(port), RELEASE_AFTER_MS);
      });
      return {
        'base-url': `https://${APP}:${port}`,
        pipeline: PIPELINE_IDS.orders,
        'poll-interval': '30s',
        ...trial.inputs,
      };
    },
    ...(trial.isInterrupted && { interrupt: () => ({ mode: 'workflow', when: () => host.arrival }) }),
  });
  return { ...played, tookMs: (played.main.endedAt ?? Infinity) - arrivedAt };
}

/** The step has ended before its trigger could connect, and nothing is left to do. */
function expectNothingTriggered({ main, post, calls, runs, tookMs }: Awaited<ReturnType<typeof playStopped>>) {
  expect(main, main.log.join('\n')).toMatchObject({
    exitCode: 1,
    signal: null,
    files: { outputs: { 'job-status': 'not_queued' } },
  });
  expect(tookMs).toBeLessThan(RELEASE_AFTER_MS);
  expect(calls).toEqual(['exchange']);
  expect(runs).toEqual([]);
  expect(post).toMatchObject({ exitCode: 0, lines: [] });
}

const HOLDS: readonly (Hold & { readonly where: string; readonly onLinux?: true })[] = [
  { where: 'the TLS handshake', host: heldRelay },
  { where: "a proxy's answer to CONNECT", host: heldProxy, isProxy: true },
  {
    where: 'the TCP connection',
    onLinux: true,
    host: (after, seen) =>
      fullHost(after, (port) =>
        vi.waitUntil(() => seen.noted('connect').includes(`${API}:${port}`), { timeout: 20_000 }),
      ),
  },
];

describe.concurrent('a trigger that waits for', () => {
  for (const { where, onLinux, ...hold } of HOLDS) {
    it.skipIf(onLinux === true && process.platform !== 'linux')(
      `${where} is aborted by a signal`,
      async ({ onTestFinished: after }) => {
        const played = await playStopped(after, { ...hold, isInterrupted: true });
        expectNothingTriggered(played);
        expect(played.main.files.outputs['outcome']).toBe('cancelled');
      },
    );
  }

  it('its connection is aborted when the step times out', async ({ onTestFinished: after }) => {
    const played = await playStopped(after, { host: heldRelay, inputs: { timeout: '1s' }, isInterrupted: false });
    expectNothingTriggered(played);
    expect(played.main.files.outputs['outcome']).toBe('wait_timed_out');
  });
});
