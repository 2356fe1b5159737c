// Tests the sandbox's server: the model over HTTP and HTTPS, the connections, and the administration API.
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { type Rule, selfSigned } from '../../../sandbox/server/index.ts';
import { listen, listStatus, listText, split, start, talk, triggerText } from './wire.ts';

const bootstrap = (url: string, key: string): Promise<Response> =>
  fetch(`${url}/api/cli/bootstrap`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });

describe('the server', () => {
  it('serves the model over HTTP and records every request', async () => {
    const sandbox = await start({ now: () => 7, prefix: '/eu' });
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/eu$/);
    const session = (await (await bootstrap(sandbox.url, sandbox.key)).json()) as { backend_url: string };
    await talk(sandbox, triggerText(sandbox)).until('200 OK');
    expect((await fetch(`${session.backend_url}/nothing?x=1`)).status).toBe(404);
    expect(sandbox.requests.map(({ kind, answeredStatus }) => `${kind} ${String(answeredStatus)}`)).toEqual([
      'exchange 200',
      'trigger 200',
      'other 404',
    ]);
    expect(sandbox.requests[1]).toMatchObject({
      at: 7,
      method: 'POST',
      path: '/rest/v1/rpc/create_pipeline_run_job',
      headers: { apikey: sandbox.world.anonKey },
      body: JSON.stringify({ p_pipeline_id: PIPELINE_IDS.orders }),
      aborted: false,
    });
    expect(sandbox.requests[2]?.path).toBe('/nothing?x=1');
  });

  it('prevents held requests from taking effect after it has closed', async () => {
    const sandbox = await start({ rules: [{ kind: 'trigger', how: { do: 'hold', point: 'before-commit' } }] });
    const held = talk(sandbox, triggerText(sandbox));
    await sandbox.arrival('trigger');
    await sandbox.close();
    await held.ended;
    await sandbox.end('trigger');
    expect(sandbox.world.jobs).toEqual([]);
  });

  it('can be unreachable for a while and then listen on the same port again', async () => {
    const sandbox = await start();
    const before = talk(sandbox, listText(sandbox));
    await sandbox.end('list');
    await sandbox.away();
    await before.ended;
    expect(await talk(sandbox, listText(sandbox)).ended).toBe('ECONNREFUSED');
    await sandbox.back();
    expect(await listStatus(sandbox)).toBe(200);
  });
});

describe('the server with TLS', () => {
  /** Sends a list request over TLS, and trusts only the sandbox's own certificate. */
  async function ask(rule: Rule) {
    const tls = selfSigned();
    const sandbox = await start({ tls, rules: [rule] });
    const { hostname, port } = new URL(sandbox.url);
    const socket = connectTls({ host: hostname, port: Number(port), ca: tls.cert, servername: '' });
    let secured = false;
    socket.on('secureConnect', () => {
      secured = true;
      socket.write(listText(sandbox));
    });
    return { sandbox, ...listen(socket), secured: () => secured };
  }

  it.each<[string, Rule, boolean]>([
    ['after the handshake', { kind: 'list', how: { do: 'reset', point: 'after-commit' } }, true],
    ['before the handshake', { kind: 'connection', how: { do: 'reset' } }, false],
  ])('resets the TCP connection %s', async (_, rule, isSecured) => {
    const { sandbox, ended, received, secured } = await ask(rule);
    expect([await ended, received(), secured()]).toEqual(['ECONNRESET', '', isSecured]);
    expect(sandbox.requests).toHaveLength(isSecured ? 1 : 0);
  });
});

describe('the administration API', () => {
  async function administer(admin = true) {
    const sandbox = await start({ admin });
    const send = async (what: string, body: unknown, method = 'POST') =>
      (await fetch(`${sandbox.url}/_sandbox/${what}`, { method, body: JSON.stringify(body) })).status;
    return { sandbox, send };
  }

  it('returns runs, requests and violations, and does not record its own requests', async () => {
    const { sandbox } = await administer();
    talk(sandbox, triggerText(sandbox));
    await sandbox.end('trigger');
    const state = await (await fetch(`${sandbox.url}/_sandbox/state`)).json();
    expect(state).toMatchObject({
      runs: [{ pipeline: 'orders', status: 'queued', parameters: { p_full_resync: false } }],
      requests: [{ kind: 'trigger', answeredStatus: 200 }],
      violations: [],
    });
    expect(sandbox.requests).toHaveLength(1);
  });

  const fails: Rule = { kind: 'list', how: { do: 'answer', status: 500 } };

  it.each([
    ['a rule', fails],
    ['a list of rules', [fails]],
  ])('adds %s', async (_what, rules) => {
    const { sandbox, send } = await administer();
    expect(await send('rules', rules)).toBe(200);
    expect(await listStatus(sandbox)).toBe(500);
  });

  it('removes all rules', async () => {
    const { sandbox, send } = await administer();
    await send('rules', fails);
    expect(await send('rules', {}, 'DELETE')).toBe(200);
    expect(await listStatus(sandbox)).toBe(200);
  });

  it.each([
    null,
    { kind: 'list', how: { do: 'explode' } },
    { kind: 'lists', how: { do: 'empty' } },
    { kind: 'list', how: { do: 'lag' } },
    { kind: 'connection', how: { do: 'lag', byMs: 1 } },
    [{ kind: 'list', how: { do: 'toString' } }],
  ])('rejects %j as a rule', async (rule) => {
    const { sandbox, send } = await administer();
    expect(await send('rules', rule)).toBe(400);
    expect(await listStatus(sandbox)).toBe(200);
  });

  it('expires all tokens', async () => {
    const { sandbox, send } = await administer();
    const text = listText(sandbox);
    expect(await send('expire', {})).toBe(200);
    expect(split(await talk(sandbox, text).until('\r\n\r\n')).status).toBe(401);
  });

  it.each([
    ['revokes the key', {}, 200, true],
    ['does not revoke an unknown key', { key: 'ak_unknown' }, 404, false],
  ])('%s', async (_what, body, status, revoked) => {
    const { sandbox, send } = await administer();
    expect(await send('revoke', body)).toBe(status);
    expect(sandbox.world.keys[0]?.revoked).toBe(revoked);
  });

  it.each([
    ['releases a held request', 'list', 200, 'HTTP/1.1 200'],
    ['releases nothing if the kind of request is unknown', 'lists', 400, ''],
  ])('%s', async (_what, kind, status, response) => {
    const { sandbox, send } = await administer();
    await send('rules', { kind: 'list', nth: 1, how: { do: 'hold', point: 'before-commit' } });
    const held = talk(sandbox, listText(sandbox));
    await sandbox.arrival('list');
    expect(await send('release', { kind, nth: 1 })).toBe(status);
    // A response to the held request would arrive before the response to this later one.
    await listStatus(sandbox);
    expect(held.received().slice(0, 12)).toBe(response);
  });

  it('does not exist without the option `admin`', async () => {
    const { sandbox, send } = await administer(false);
    expect(await send('expire', {})).toBe(404);
    expect(sandbox.requests.map(({ kind }) => kind)).toEqual(['other']);
  });
});
