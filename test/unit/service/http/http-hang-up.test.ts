import dns from 'node:dns';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { closed, httpHost, rawHost } from '../../../support/hosts.ts';
import { send } from '../../../support/sending.ts';

type Found = (error: null, addresses: readonly { address: string; family: number }[]) => void;

describe('hanging up', () => {
  it('in the middle of a body closes the connection, and nothing is reported after it', async () => {
    const { port, sockets } = await httpHost((_request, response) => {
      response.write('half');
    });
    const sending = send(`http://127.0.0.1:${port}/`);
    await sending.saw('chunk');
    sending.hangUp();
    await closed(sockets[0]);
    expect(sending.report().events).toEqual(['connected', 'head 200', 'chunk']);
  });

  it('before an answer closes the connection', async () => {
    const { port, sockets } = await httpHost(() => {});
    const sending = send(`http://127.0.0.1:${port}/`);
    await sending.saw('connected');
    await vi.waitUntil(() => sockets.length === 1);
    sending.hangUp();
    await closed(sockets[0]);
    expect(sending.report().events).toEqual(['connected']);
  });

  it('while the host name is being looked up connects to nothing', async () => {
    const { port, sockets } = await rawHost((socket) => socket.resume());
    const found: (() => void)[] = [];
    vi.spyOn(dns, 'lookup').mockImplementation(((_host: string, _options: object, done: Found) => {
      found.push(() => done(null, [{ address: '127.0.0.1', family: 4 }]));
    }) as typeof dns.lookup);
    const sending = send(`http://service.example.test:${port}/`);
    await vi.waitUntil(() => found.length === 1);
    // The socket is handed to the request in the next tick.
    await setImmediate();
    sending.hangUp();
    found[0]?.();
    const other = send(`http://127.0.0.1:${port}/`);
    await other.saw('connected');
    await vi.waitUntil(() => sockets.length > 0);
    other.hangUp();
    await closed(sockets[0]);
    expect(sockets).toHaveLength(1);
    expect(sending.report().events).toEqual([]);
  });

  it('in the middle of a handshake closes the connection', async () => {
    const { port, sockets } = await rawHost((socket) => socket.resume());
    const sending = send(`https://127.0.0.1:${port}/`);
    await vi.waitUntil(() => sockets.length === 1);
    sending.hangUp();
    await closed(sockets[0]);
    expect(sending.report().events).toEqual([]);
  });

  it.each([
    ['connected', ['connected'], ''],
    ['head 200', ['connected', 'head 200'], ''],
    ['chunk', ['connected', 'head 200', 'chunk'], 'hello'],
  ])('from within "%s" is the end, although the whole answer is there', async (event, events, text) => {
    const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n';
    const { port, sockets } = await rawHost((socket) => socket.once('data', () => socket.end(answer)));
    const sending = send(`http://127.0.0.1:${port}/`, {}, event);
    await sending.saw(event);
    await vi.waitUntil(() => sockets.length === 1);
    await closed(sockets[0]);
    expect(sending.report()).toMatchObject({ events, text });
  });

  it('at once leaves nothing behind', async () => {
    const { port } = await rawHost(() => {});
    const sending = send(`http://127.0.0.1:${port}/`);
    sending.hangUp();
    sending.hangUp();
    const other = send(`http://127.0.0.1:${port}/`);
    await other.saw('connected');
    other.hangUp();
    expect(sending.report().events).toEqual([]);
  });
});
