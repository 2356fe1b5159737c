import { afterEach, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/index.ts';
import { LIST, requestText, split, talk, triggerText } from './raw.ts';

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function start(admin = true) {
  const sandbox = await startSandbox({ admin });
  open.push(sandbox);
  const post = async (what: string, body: unknown, method = 'POST') => {
    const response = await fetch(`${sandbox.url}/_sandbox/${what}`, { method, body: JSON.stringify(body) });
    return response.status;
  };
  const list = async () => split(await talk(sandbox, requestText(sandbox, LIST)).until('\r\n\r\n')).status;
  return { sandbox, post, list };
}

it('tells the state of everything, and leaves no trace of the question', async () => {
  const { sandbox } = await start();
  talk(sandbox, triggerText(sandbox, PIPELINE_IDS.orders));
  await sandbox.end('trigger');
  const state = await (await fetch(`${sandbox.url}/_sandbox/state`)).json();
  expect(state).toMatchObject({
    runs: [{ pipeline: 'orders', status: 'queued', parameters: { p_full_resync: false } }],
    requests: [{ kind: 'trigger', answeredStatus: 200 }],
    violations: [],
  });
  expect(sandbox.requests).toHaveLength(1);
});

it('takes rules, and takes them back', async () => {
  const { post, list } = await start();
  expect(await post('rules', { kind: 'list', nth: 1, how: { do: 'answer', status: 500 } })).toBe(200);
  expect(await post('rules', [{ kind: 'list', from: 2, how: { do: 'answer', status: 501 } }])).toBe(200);
  expect([await list(), await list()]).toEqual([500, 501]);
  expect(await fetchDelete(post)).toBe(200);
  expect(await list()).toBe(200);
});

function fetchDelete(post: (what: string, body: unknown, method: string) => Promise<number>): Promise<number> {
  return post('rules', {}, 'DELETE');
}

it.each([
  null,
  {},
  { kind: 'list', how: { do: 'explode' } },
  { kind: 'lists', how: { do: 'empty' } },
  { kind: 'list', how: { do: 'lag' } },
  { kind: 'list', nth: '1', how: { do: 'empty' } },
  { kind: 'list', how: { do: 'mute' } },
  { kind: 'connection', how: { do: 'lag', byMs: 1 } },
  [{ kind: 'list', how: { do: 'toString' } }],
])('refuses %j as a rule', async (rule) => {
  const { post, list } = await start();
  expect(await post('rules', rule)).toBe(400);
  expect(await list()).toBe(200);
});

it('revokes a key and expires tokens', async () => {
  const { sandbox, post } = await start();
  const text = requestText(sandbox, LIST);
  expect(await post('expire', {})).toBe(200);
  expect(split(await talk(sandbox, text).until('\r\n\r\n')).status).toBe(401);
  expect(await post('revoke', { key: 'ak_nobody' })).toBe(404);
  expect(await post('revoke', {})).toBe(200);
  expect(sandbox.world.keys[0]?.revoked).toBe(true);
});

it('releases what is held', async () => {
  const { sandbox, post } = await start();
  await post('rules', { kind: 'list', how: { do: 'hold', point: 'before-commit' } });
  const held = talk(sandbox, requestText(sandbox, LIST));
  await sandbox.arrival('list');
  expect(await post('release', { kind: 'lists' })).toBe(400);
  expect(held.received()).toBe('');
  expect(await post('release', { kind: 'list', nth: 1 })).toBe(200);
  expect(split(await held.until(']')).status).toBe(200);
});

it('knows nothing else, and nothing at all unless it is told to', async () => {
  const { post } = await start();
  expect(await post('stop', {})).toBe(404);
  const { sandbox } = await start(false);
  expect((await fetch(`${sandbox.url}/_sandbox/state`)).status).toBe(404);
  expect(sandbox.requests.map(({ kind }) => kind)).toEqual(['other']);
});
