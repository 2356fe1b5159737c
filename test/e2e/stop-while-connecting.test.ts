// Tests steps that stop while a trigger is connecting through TLS or a proxy.
import { describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../sandbox/model/index.ts';
import { selfSigned } from '../../sandbox/server/index.ts';
import { API, APP, named, playProcess, record, slackMs, type Texts, useAction } from '../support/e2e.ts';
import { heldHost } from '../support/hosts.ts';

const action = useAction();

/** How long the connection of a trigger takes to establish on a machine that is not busy, in milliseconds. */
const RELEASE_AFTER_MS = 3_000;

const identity = selfSigned(APP, API);

describe.concurrent('a trigger that waits for', () => {
  it.for([
    ['a TLS handshake', 'a signal', 'cancelled'],
    ['a TLS handshake', 'a timeout', 'wait_timed_out'],
    ['a proxy tunnel', 'a signal', 'cancelled'],
  ] as const)('%s is aborted by %s', async ([where, why, outcome], { onTestFinished: after }) => {
    const isProxy = where === 'a proxy tunnel';
    const host = await heldHost(after, isProxy);
    const apiPort = isProxy ? undefined : host.port;
    let releasedAt = 0;
    const proxy: Texts = isProxy ? { https_proxy: `http://127.0.0.1:${host.port}`, no_proxy: APP } : {};
    const timeout: Texts = why === 'a timeout' ? { timeout: '1s' } : {};
    const { main, post, calls } = await playProcess(action, {
      service: { tls: identity },
      job: { env: { ...record(after, identity.cert).env, ...proxy } },
      inputs: (sandbox) => ({ ...named(sandbox, API, apiPort), pipeline: PIPELINE_IDS.orders, ...timeout }),
      mode: 'workflow',
      mayExitFirst: why === 'a timeout',
      async when(step, { url }) {
        await host.arrival;
        const delayMs = RELEASE_AFTER_MS + slackMs(step);
        releasedAt = performance.now() + delayMs;
        setTimeout(() => host.release(Number(new URL(url).port)), delayMs);
        if (why === 'a timeout') await step.ended;
      },
    });
    const outputs = { 'job-status': 'not_queued', outcome };
    expect(main, main.log.join('\n')).toMatchObject({ exitCode: 1, signal: null, files: { outputs } });
    // Main exited before the connection was established, and left no work for post.
    expect(main.endedAt).toBeLessThan(releasedAt);
    expect(calls).toEqual(['exchange']);
    expect(post).toMatchObject({ exitCode: 0, lines: [] });
  });
});
