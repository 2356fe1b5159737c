import { afterEach, describe, expect, it } from 'vitest';
import { PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import type { Rule } from '../../../sandbox/server/index.ts';
import { LIST, requestText, split, talk, triggerText } from './raw.ts';
import { closeAll, sandboxWith, strike, trigger } from './struck.ts';

afterEach(closeAll);

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
    const sandbox = await sandboxWith(trigger({ do: 'hold', point: 'after-commit' }));
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
    const sandbox = await sandboxWith();
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
