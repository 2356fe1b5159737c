import { afterEach, describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { type Rule, type Sandbox, startSandbox, type WireEffect } from '../../../sandbox/server/index.ts';
import { LIST, requestText, split, talk, triggerText } from './raw.ts';

const open: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

/** A sandbox with rules, and a trigger on its way to it. */
async function strike(...rules: Rule[]) {
  const sandbox = await startSandbox({ rules });
  open.push(sandbox);
  const conversation = talk(sandbox, triggerText(sandbox, PIPELINE_IDS.orders));
  return { sandbox, conversation, runs: () => sandbox.world.jobs.length };
}

function trigger(how: WireEffect): Rule {
  return { kind: 'trigger', how };
}

describe('before or after the commit', () => {
  it.each([
    ['before-commit', 0],
    ['after-commit', 1],
  ] as const)('holds %s until released', async (point, runsWhileHeld) => {
    const { sandbox, conversation, runs } = await strike(trigger({ do: 'hold', point }));
    await (point === 'before-commit' ? sandbox.arrival('trigger') : sandbox.commit('trigger'));
    expect([runs(), conversation.received()]).toEqual([runsWhileHeld, '']);
    sandbox.release('trigger');
    expect(split(await conversation.until('200 OK')).status).toBe(200);
    await sandbox.end('trigger');
    expect(split(conversation.received()).body).toBe(`"${sandbox.world.jobs[0]?.id ?? ''}"`);
    expect(runs()).toBe(1);
  });

  it('can be released before it is held', async () => {
    const sandbox = await startSandbox({ rules: [trigger({ do: 'hold', point: 'after-commit' })] });
    open.push(sandbox);
    sandbox.release('trigger', 1);
    talk(sandbox, triggerText(sandbox, PIPELINE_IDS.orders));
    expect((await sandbox.end('trigger')).answeredStatus).toBe(200);
  });

  it('takes effect even if the client has gone while it was held', async () => {
    const { sandbox, conversation, runs } = await strike(trigger({ do: 'hold', point: 'before-commit' }));
    await sandbox.arrival('trigger');
    conversation.socket.destroy();
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: true, answeredStatus: null });
    sandbox.release('trigger');
    await sandbox.commit('trigger');
    expect(runs()).toBe(1);
  });

  it.each([
    ['before-commit', 0],
    ['after-commit', 1],
  ] as const)('resets %s', async (point, queued) => {
    const { sandbox, conversation, runs } = await strike(trigger({ do: 'reset', point }));
    expect(await conversation.ended).toBe('ECONNRESET');
    expect([conversation.received(), runs()]).toEqual(['', queued]);
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: false, answeredStatus: null });
  });

  it.each([
    ['before-commit', 0],
    ['after-commit', 1],
  ] as const)('says nothing, from %s on', async (point, queued) => {
    const { sandbox, conversation, runs } = await strike(trigger({ do: 'silence', point }));
    await sandbox.arrival('trigger');
    // The answer to a later request over another connection shows that nothing is left to happen to this one.
    await talk(sandbox, requestText(sandbox, LIST)).until(']');
    expect([conversation.received(), runs()]).toEqual(['', queued]);
    conversation.socket.destroy();
    expect((await sandbox.end('trigger')).aborted).toBe(true);
  });

  it('delays', async () => {
    const { sandbox, conversation, runs } = await strike(trigger({ do: 'delay', ms: 30 }));
    await sandbox.arrival('trigger');
    expect(runs()).toBe(0);
    await conversation.until('200 OK');
    const { at, committedAt } = await sandbox.end('trigger');
    expect((committedAt ?? 0) - at).toBeGreaterThan(25);
  });

  it('delays after the commit, if told to', async () => {
    const { sandbox } = await strike(trigger({ do: 'delay', ms: 30, point: 'after-commit' }));
    const { committedAt, endedAt } = await sandbox.end('trigger');
    expect((endedAt ?? 0) - (committedAt ?? 0)).toBeGreaterThan(25);
  });
});

describe('in the answer', () => {
  it('resets after the headers', async () => {
    const { conversation } = await strike(trigger({ do: 'reset', point: 'after-headers' }));
    expect(await conversation.ended).toBe('ECONNRESET');
    expect(split(conversation.received())).toMatchObject({ status: 200, body: '' });
  });

  it('resets in the middle of the body', async () => {
    const { sandbox, conversation } = await strike(trigger({ do: 'reset', point: 'mid-body' }));
    expect(await conversation.ended).toBe('ECONNRESET');
    const { head, body } = split(conversation.received());
    expect(head).toContain('content-length: 38');
    expect(body).toBe(`"${sandbox.world.jobs[0]?.id ?? ''}"`.slice(0, 19));
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: false, answeredStatus: 200 });
  });

  it('stalls in the body', async () => {
    const { sandbox, conversation } = await strike(trigger({ do: 'stall', afterBytes: 5 }));
    await conversation.until('\r\n\r\n"');
    await talk(sandbox, requestText(sandbox, LIST)).until(']');
    expect(split(conversation.received()).body).toHaveLength(5);
    conversation.socket.destroy();
    expect(await sandbox.end('trigger')).toMatchObject({ aborted: true, answeredStatus: 200 });
  });

  it.each([
    ['length', 'content-length: 38', /^"[0-9a-f]{6}$/],
    ['chunked', 'transfer-encoding: chunked', /^7\r\n"[0-9a-f]{6}\r\n$/],
    ['close', 'connection: close', /^"[0-9a-f]{6}$/],
  ] as const)('cuts the body, framed by %s', async (framing, header, body) => {
    const { conversation } = await strike(trigger({ do: 'cut', afterBytes: 7, framing }));
    expect(await conversation.ended).toBe('end');
    const answered = split(conversation.received());
    expect(answered.head).toContain(header);
    expect(answered.body).toMatch(body);
  });

  it('speaks garbage', async () => {
    const { sandbox, conversation, runs } = await strike(trigger({ do: 'garbage', text: 'SSH-2.0-x\r\n' }));
    expect(await conversation.ended).toBe('end');
    expect([conversation.received(), runs()]).toEqual(['SSH-2.0-x\r\n', 1]);
    expect((await sandbox.end('trigger')).answeredStatus).toBeNull();
  });

  it('never stops', async () => {
    const { sandbox, conversation } = await strike(trigger({ do: 'endless' }));
    await conversation.until(' '.repeat(100_000));
    conversation.socket.destroy();
    expect((await sandbox.end('trigger')).aborted).toBe(true);
  });

  it('says something else, without a run', async () => {
    const answer = { status: 502, headers: { server: 'proxy' }, body: '<html>' };
    const { conversation, runs } = await strike({ kind: 'trigger', how: { do: 'answer', ...answer } });
    const { status, head, body } = split(await conversation.until('<html>'));
    expect([status, body, runs()]).toEqual([502, '<html>', 0]);
    expect(head).toContain('server: proxy');
  });
});

describe('on the connection', () => {
  it('accepts and never speaks', async () => {
    const { sandbox, conversation } = await strike({ kind: 'connection', nth: 1, how: { do: 'mute' } });
    await talk(sandbox, requestText(sandbox, LIST)).until(']');
    expect([conversation.received(), sandbox.requests.length, sandbox.connections()]).toEqual(['', 1, 2]);
  });

  it('accepts and resets', async () => {
    const { sandbox, conversation } = await strike({ kind: 'connection', how: { do: 'reset' } });
    expect(await conversation.ended).toBe('ECONNRESET');
    expect(sandbox.requests).toEqual([]);
  });

  it('accepts late', async () => {
    const { sandbox } = await strike({ kind: 'connection', how: { do: 'delay', ms: 20 } });
    expect((await sandbox.end('trigger')).answeredStatus).toBe(200);
  });
});

describe('rules at run time', () => {
  it('come and go, and count from the start of the sandbox', async () => {
    const sandbox = await startSandbox();
    open.push(sandbox);
    const ask = async () => split(await talk(sandbox, requestText(sandbox, LIST)).until('\r\n\r\n')).status;
    expect(await ask()).toBe(200);
    const takeBack = sandbox.misbehave({ kind: 'list', from: 2, how: { do: 'answer', status: 500 } });
    expect([await ask(), await ask()]).toEqual([500, 500]);
    takeBack();
    expect(await ask()).toBe(200);
  });

  it('may be about one pipeline', async () => {
    const rule: Rule = { kind: 'trigger', of: 'slow', how: { do: 'reset', point: 'before-commit' } };
    const { sandbox, conversation } = await strike(rule);
    await conversation.until('200 OK');
    expect(await talk(sandbox, triggerText(sandbox, PIPELINE_IDS.slow)).ended).toBe('ECONNRESET');
  });
});
