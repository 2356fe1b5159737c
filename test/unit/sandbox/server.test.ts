import { afterEach, describe, expect, it } from 'vitest';
import { createWorld, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { type RequestRecord, type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server/index.ts';
import { LIST, requestText, talk, triggerText } from './raw.ts';

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  open.push(sandbox);
  return sandbox;
}

describe('startSandbox', () => {
  it('serves a whole life over HTTP', async () => {
    let nowMs = 0;
    const sandbox = await start({ now: () => nowMs, prefix: '/eu' });
    const exchanged = await fetch(`${sandbox.url}/api/cli/bootstrap`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.key}` },
    });
    const session = (await exchanged.json()) as Record<string, string>;
    const headers = {
      authorization: `Bearer ${session['token'] ?? ''}`,
      apikey: session['backend_anon_key'] ?? '',
      'content-type': 'application/json',
      prefer: 'return=representation',
    };
    const api = `${session['backend_url'] ?? ''}/rest/v1`;
    const body = JSON.stringify({ p_pipeline_id: PIPELINE_IDS.endless });
    const triggered = await fetch(`${api}/rpc/create_pipeline_run_job`, { method: 'POST', headers, body });
    const id = await triggered.json();
    nowMs = 12_000;
    const job = `${api}/jobs?id=eq.${String(id)}&select=job_status`;
    expect(await (await fetch(job, { headers })).json()).toEqual([{ job_status: 'running' }]);
    const cancel = { method: 'PATCH', headers, body: '{"job_status":"cancelled"}' };
    const cancelled = await fetch(`${job}&job_status=in.(queued,picked,running)`, cancel);
    expect(await cancelled.json()).toEqual([{ job_status: 'cancelled' }]);
    expect((await fetch(`${api}/pipelines_and_datasources?select=pipeline_id`, { headers })).status).toBe(200);
    expect((await fetch(`${sandbox.url}/nothing`)).status).toBe(404);

    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/eu$/);
    expect(sandbox.requests.map(({ kind, answeredStatus }) => [kind, answeredStatus])).toEqual([
      ['exchange', 200],
      ['trigger', 200],
      ['read', 200],
      ['cancel', 200],
      ['list', 200],
      ['other', 404],
    ]);
    expect(sandbox.requests[1]).toMatchObject({
      at: 0,
      method: 'POST',
      path: '/rest/v1/rpc/create_pipeline_run_job',
      headers: { apikey: sandbox.world.anonKey },
      body,
      aborted: false,
    });
  });

  it('tells the wall time of an expiry', async () => {
    const sandbox = await start();
    const headers = { authorization: `Bearer ${sandbox.key}` };
    const response = await fetch(`${sandbox.url}/api/cli/bootstrap`, { method: 'POST', headers });
    const { expires_at: expiry } = (await response.json()) as { expires_at: string };
    expect(Math.abs(Date.parse(expiry) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });

  it('shares a world with another sandbox, so that base and API can be two hosts', async () => {
    const api = await start();
    const base = await start({ world: api.world, now: api.now });
    const headers = { authorization: `Bearer ${base.key}` };
    const response = await fetch(`${base.url}/api/cli/bootstrap`, { method: 'POST', headers });
    expect(await response.json()).toMatchObject({ backend_url: api.url });
    const elsewhere = await start({ model: { backendUrl: 'https://api.example.test' } });
    expect(elsewhere.world.backendUrl).toBe('https://api.example.test');
    const own = createWorld({ backendUrl: 'https://api.example.test' });
    expect((await start({ world: own })).world.backendUrl).toBe('https://api.example.test');
  });

  it('tells each request when it is over', async () => {
    const ended: RequestRecord[] = [];
    const sandbox = await start({ onEnd: (record) => ended.push(record) });
    talk(sandbox, requestText(sandbox, LIST));
    const record = await sandbox.end('list');
    expect(ended).toEqual([record]);
    expect(record.endedAt).toBeGreaterThanOrEqual(record.committedAt ?? Number.NaN);
  });

  it('closes with requests held and connections open, and lets nothing take effect any more', async () => {
    const sandbox = await start({ rules: [{ kind: 'trigger', how: { do: 'hold', point: 'before-commit' } }] });
    const held = talk(sandbox, triggerText(sandbox, PIPELINE_IDS.orders));
    await sandbox.arrival('trigger');
    await sandbox.close();
    await held.ended;
    await sandbox.end('trigger');
    expect(sandbox.world.jobs).toEqual([]);
  });
});
