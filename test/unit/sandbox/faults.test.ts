// Rules that make the sandbox's server misbehave before or after the commit, in the response or on the connection.
import { describe, expect, it } from 'vitest';
import type { Rule, WireEffect } from '../../../sandbox/server/index.ts';
import { listStatus, split, start, talk, triggerText } from './wire.ts';

async function send(...rules: Rule[]) {
  const sandbox = await start({ rules });
  const conversation = talk(sandbox, triggerText(sandbox));
  return { sandbox, conversation, runs: () => sandbox.world.jobs.length };
}

const sendUnder = (how: WireEffect) => send({ kind: 'trigger', how });

describe.each([
  ['before-commit', 0],
  ['after-commit', 1],
] as const)('a rule that applies %s', (point, queued) => {
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
    // The response to a later request on another connection shows that this request never gets a response.
    await listStatus(sandbox);
    expect([conversation.received(), runs()]).toEqual(['', queued]);
    conversation.socket.destroy();
    expect((await sandbox.end('trigger')).aborted).toBe(true);
  });

  it('delays a request', async () => {
    const { sandbox } = await sendUnder({ do: 'delay', ms: 30, point });
    const { at, committedAt, endedAt } = await sandbox.end('trigger');
    const commit = committedAt ?? Number.NaN;
    const waited = point === 'before-commit' ? commit - at : (endedAt ?? Number.NaN) - commit;
    expect(waited).toBeGreaterThan(25);
  });
});

describe('a hold', () => {
  it('has no effect if a test releases it before the request arrives', async () => {
    const sandbox = await start({ rules: [{ kind: 'trigger', how: { do: 'hold', point: 'after-commit' } }] });
    sandbox.release('trigger', 1);
    talk(sandbox, triggerText(sandbox));
    expect((await sandbox.end('trigger')).answeredStatus).toBe(200);
  });

  it('does not prevent a request from taking effect after the client disconnects', async () => {
    const { sandbox, conversation, runs } = await sendUnder({ do: 'hold', point: 'before-commit' });
    await sandbox.arrival('trigger');
    conversation.socket.destroy();
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: true, answeredStatus: null });
    sandbox.release('trigger');
    await sandbox.commit('trigger');
    expect(runs()).toBe(1);
  });
});

describe('the response', () => {
  it('can end with a reset after the headers', async () => {
    const { conversation } = await sendUnder({ do: 'reset', point: 'after-headers' });
    expect(await conversation.ended).toBe('ECONNRESET');
    expect(split(conversation.received())).toMatchObject({ status: 200, body: '' });
  });

  it('can end with a reset in the middle of the body', async () => {
    const { sandbox, conversation } = await sendUnder({ do: 'reset', point: 'mid-body' });
    expect(await conversation.ended).toBe('ECONNRESET');
    const { head, body } = split(conversation.received());
    expect(head).toContain('content-length: 38');
    expect(body).toBe(`"${sandbox.world.jobs[0]?.id ?? ''}"`.slice(0, 19));
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: false, answeredStatus: 200 });
  });

  it('can stall in the body', async () => {
    const { sandbox, conversation } = await sendUnder({ do: 'stall', afterBytes: 5 });
    await conversation.until('\r\n\r\n"');
    await listStatus(sandbox);
    expect(split(conversation.received()).body).toHaveLength(5);
    conversation.socket.destroy();
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: true, answeredStatus: 200 });
  });

  it.each([
    ['length', 'content-length: 38', /^"[0-9a-f]{6}$/],
    ['chunked', 'transfer-encoding: chunked', /^7\r\n"[0-9a-f]{6}\r\n$/],
    ['close', 'connection: close', /^"[0-9a-f]{6}$/],
  ] as const)('can end early in a body with the framing "%s"', async (framing, header, body) => {
    const { conversation } = await sendUnder({ do: 'cut', afterBytes: 7, framing });
    expect(await conversation.ended).toBe('end');
    const answered = split(conversation.received());
    expect(answered.head).toContain(header);
    expect(answered.body).toMatch(body);
  });

  it('can be something other than HTTP', async () => {
    const { sandbox, conversation, runs } = await sendUnder({ do: 'garbage', text: 'SSH-2.0-x\r\n' });
    expect(await conversation.ended).toBe('end');
    expect([conversation.received(), runs()]).toEqual(['SSH-2.0-x\r\n', 1]);
    expect((await sandbox.end('trigger')).answeredStatus).toBeNull();
  });

  it('can have an endless body', async () => {
    const { sandbox, conversation } = await sendUnder({ do: 'endless' });
    await conversation.until(' '.repeat(100_000));
    conversation.socket.destroy();
    expect((await sandbox.end('trigger')).aborted).toBe(true);
  });
});

describe('a connection', () => {
  it('can open without ever getting a response', async () => {
    const { sandbox, conversation } = await send({ kind: 'connection', nth: 1, how: { do: 'mute' } });
    await listStatus(sandbox);
    expect([conversation.received(), sandbox.requests.length, sandbox.connections()]).toEqual(['', 1, 2]);
  });

  it('can open late', async () => {
    const sandbox = await start({ rules: [{ kind: 'connection', how: { do: 'delay', ms: 60 } }] });
    const connectedAt = sandbox.now();
    talk(sandbox, triggerText(sandbox));
    const { at, answeredStatus } = await sandbox.end('trigger');
    expect(answeredStatus).toBe(200);
    expect(at - connectedAt).toBeGreaterThan(55);
  });
});

describe('a new rule in a running sandbox', () => {
  it('counts all earlier requests and applies until its removal', async () => {
    const sandbox = await start();
    expect(await listStatus(sandbox)).toBe(200);
    const remove = sandbox.misbehave({ kind: 'list', from: 2, how: { do: 'answer', status: 500 } });
    expect([await listStatus(sandbox), await listStatus(sandbox)]).toEqual([500, 500]);
    remove();
    expect(await listStatus(sandbox)).toBe(200);
  });
});
