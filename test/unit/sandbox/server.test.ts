// Tests the sandbox's server: the model over HTTP, the faults of its connections, and `npm run sandbox`.
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { StepProcess } from '../../../sandbox/runner/process.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server/index.ts';
import { JSON_TYPE, signIn } from './client.ts';

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Sends a trigger. Resolves with the status of the response, or with the code of an error. */
function trigger(sandbox: Sandbox, signal?: AbortSignal): Promise<number | string> {
  const { world, now } = sandbox;
  const headers = { ...signIn(world, now()), ...JSON_TYPE };
  const body = JSON.stringify({ p_pipeline_id: PIPELINE_IDS.orders });
  const url = `${world.backendUrl}/rest/v1/rpc/create_pipeline_run_job`;
  return fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) }).then(
    ({ status }) => status,
    (error: unknown) => {
      const { name, cause } = error as { name: string; cause?: { code?: string } };
      return cause?.code ?? name;
    },
  );
}

describe('the server', () => {
  it('serves the model and records every request', async () => {
    const sandbox = await start({ model: { basePath: '/eu' } });
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/eu$/);
    expect(await trigger(sandbox)).toBe(200);
    expect((await fetch(`${sandbox.url}/nothing?x=1`)).status).toBe(404);
    expect(sandbox.requests).toMatchObject([
      { kind: 'trigger', method: 'POST', answeredStatus: 200, headers: { apikey: sandbox.world.anonKey } },
      { kind: 'other', method: 'GET', answeredStatus: 404, path: '/eu/nothing?x=1', body: '' },
    ]);
  });

  it('returns its state to other processes, and does not record these requests', async () => {
    const sandbox = await start();
    await trigger(sandbox);
    expect(await (await fetch(`${sandbox.url}/_sandbox/state`)).json()).toMatchObject({
      runs: [{ pipeline: 'orders', status: 'queued', parameters: { p_full_resync: false } }],
      requests: [{ kind: 'trigger', answeredStatus: 200 }],
      violations: [],
    });
    expect(sandbox.requests).toHaveLength(1);
  });

  it('can become unreachable', async () => {
    const sandbox = await start();
    await trigger(sandbox);
    await sandbox.away();
    expect([await trigger(sandbox), sandbox.world.jobs.length]).toEqual(['ECONNREFUSED', 1]);
  });

  it('prevents held requests from taking effect after it has closed', async () => {
    const sandbox = await start({ faults: [{ call: 'trigger', what: { holds: 'request' } }] });
    const held = trigger(sandbox);
    await sandbox.arrival('trigger');
    await sandbox.close();
    sandbox.release('trigger');
    expect([await held, sandbox.world.jobs]).toEqual(['UND_ERR_SOCKET', []]);
  });
});

describe('npm run sandbox', () => {
  const cli = join(import.meta.dirname, '../../../sandbox/cli.ts');
  const run = (...args: string[]): StepProcess => {
    const child = new StepProcess([process.execPath, cli, ...args], { cwd: process.cwd(), env: process.env }, () => {});
    onTestFinished(() => child.signal('SIGKILL'));
    return child;
  };

  it('prints how to connect, logs requests, and exits after SIGINT', async () => {
    const child = run('--port', '0');
    await child.line('Requests');
    const text = child.lines.join('\n');
    const url = /listening on (\S+)/.exec(text)?.[1] ?? '';
    for (const id of Object.values(PIPELINE_IDS)) expect(text).toContain(id);
    expect(text).toContain(`'INPUT_BASE-URL=${url}'`);
    await fetch(`${url}/rest/v1/jobs`);
    await child.line('read 1: GET /rest/v1/jobs -> 401');
    await child.line('VIOLATION missing_apikey');
    child.signal('SIGINT');
    expect((await child.ended).exitCode).toBe(0);
  });

  it('rejects a port that is not a number', async () => {
    const child = run('--port', 'x');
    expect((await child.ended).exitCode).toBe(1);
    expect(child.lines).toEqual(['--port must be a whole number from 0 to 65535, not "x"']);
  });
});
