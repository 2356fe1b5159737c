// Tests rules that make the sandbox's server misbehave around the commit, in the response or on the connection.
import { describe, expect, it } from 'vitest';
import type { WireEffect } from '../../../sandbox/server/index.ts';
import { listStatus, split, start, talk, triggerText } from './wire.ts';

async function sendUnder(how: WireEffect) {
  const sandbox = await start({ rules: [{ kind: 'trigger', how }] });
  const conversation = talk(sandbox, triggerText(sandbox));
  return { sandbox, conversation, runs: () => sandbox.world.jobs.length };
}

describe.each([
  ['before-commit', 0],
  ['after-commit', 1],
] as const)('a rule with the point %s', (point, queued) => {
  it('holds a request until a test releases it', async () => {
    const { sandbox, conversation, runs } = await sendUnder({ do: 'hold', point });
    await (point === 'before-commit' ? sandbox.arrival('trigger') : sandbox.commit('trigger'));
    expect([runs(), conversation.received()]).toEqual([queued, '']);
    sandbox.release('trigger');
    expect(split(await conversation.until('200 OK')).status).toBe(200);
    await sandbox.end('trigger');
    expect(split(conversation.received()).body).toBe(`"${sandbox.world.jobs[0]?.id ?? ''}"`);
    expect(runs()).toBe(1);
  });

  it('resets the connection', async () => {
    const { sandbox, conversation, runs } = await sendUnder({ do: 'reset', point });
    expect(await conversation.ended).toBe('ECONNRESET');
    expect([conversation.received(), runs()]).toEqual(['', queued]);
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: false, answeredStatus: null });
  });

  it('sends no response to a request', async () => {
    const { sandbox, conversation, runs } = await sendUnder({ do: 'silence', point });
    await sandbox.arrival('trigger');
    // A response to the trigger would arrive before the response to this later request on another connection.
    await listStatus(sandbox);
    expect([conversation.received(), runs()]).toEqual(['', queued]);
    conversation.socket.destroy();
    expect((await sandbox.end('trigger')).aborted).toBe(true);
  });
});

it('a hold does not prevent a request from taking effect after the client disconnects', async () => {
  const { sandbox, conversation, runs } = await sendUnder({ do: 'hold', point: 'before-commit' });
  await sandbox.arrival('trigger');
  conversation.socket.destroy();
  expect(await sandbox.end('trigger')).toMatchObject({ aborted: true, answeredStatus: null });
  sandbox.release('trigger');
  await sandbox.commit('trigger');
  expect(runs()).toBe(1);
});

it.each<[string, WireEffect, string, string, RegExp]>([
  ['be reset after its headers', { do: 'reset', point: 'after-headers' }, 'ECONNRESET', 'HTTP/1.1 200 OK', /^$/],
  ['be reset in mid-body', { do: 'reset', point: 'mid-body' }, 'ECONNRESET', 'content-length: 38', /^"[\w-]{18}$/],
  ['lack some bytes', { do: 'cut', afterBytes: 7, framing: 'length' }, 'end', 'content-length: 38', /^"\w{6}$/],
  ['lack its last chunk', { do: 'cut', afterBytes: 7, framing: 'chunked' }, 'end', ': chunked', /^7\r\n"\w{6}\r\n$/],
  ['end prematurely', { do: 'cut', afterBytes: 7, framing: 'close' }, 'end', 'connection: close', /^"\w{6}$/],
  ['be something other than HTTP', { do: 'garbage', text: 'SSH-2.0-x\r\n' }, 'end', 'SSH-2.0-x', /^$/],
])('a response can %s', async (_, how, end, head, body) => {
  const { sandbox, conversation, runs } = await sendUnder(how);
  expect(await conversation.ended).toBe(end);
  const response = split(conversation.received());
  expect(response.head).toContain(head);
  expect(response.body).toMatch(body);
  expect(runs()).toBe(1);
  const answeredStatus = how.do === 'garbage' ? null : 200;
  expect(await sandbox.end('trigger')).toMatchObject({ aborted: false, answeredStatus });
});
