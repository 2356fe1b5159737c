import { afterEach, describe, expect, it } from 'vitest';
import { LIST, requestText, split, talk } from './raw.ts';
import { closeAll, strike, trigger } from './struck.ts';

afterEach(closeAll);

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
