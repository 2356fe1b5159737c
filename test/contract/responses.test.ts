// Tests the real `send` against servers that respond in every way, over real sockets.
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { closed, hasIpv6, httpHost, rawHost } from '../support/hosts.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { JOB } from '../unit/service/client.ts';
import {
  at,
  CHUNKED,
  close,
  HEAD,
  hostThat,
  reset,
  sendAndClose,
  sendAndReset,
  sendTo,
  sized,
  triggerAt,
} from './network.ts';

/** Sends a request to a server that responds with these bytes and closes the connection. */
async function answerTo(bytes: string | Buffer) {
  return sendTo(at(await hostThat(sendAndClose(bytes))));
}

describe('a request', () => {
  it('uses its own connection and closes it afterwards', async () => {
    const { port, sockets } = await httpHost((_request, response) => response.end('hello'));
    for (const nth of [1, 2]) {
      expect(await sendTo(at({ port }))).toMatchObject({ kind: 'answered', status: 200, text: 'hello' });
      expect(sockets).toHaveLength(nth);
    }
    await Promise.all(sockets.map((socket) => closed(socket)));
  });

  it.runIf(hasIpv6)('reaches an IPv6 address', async () => {
    const { port } = await httpHost((request, response) => response.end(request.headers.host), '::1');
    expect(await sendTo(`http://[::1]:${port}/`)).toMatchObject({ text: `[::1]:${port}` });
  });

  it('does not follow a redirect', async () => {
    const { port, sockets } = await httpHost((_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await sendTo(at({ port }))).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
    expect(sockets).toHaveLength(1);
  });
});

describe('a body', () => {
  it.each([
    ['complete if it has the declared length', `${sized(5)}hello`, 'complete'],
    ['cut off if it is shorter than declared', `${sized(9)}hello`, 'cut off'],
    ['complete if it contains its last chunk', `${CHUNKED}5\r\nhello\r\n0\r\n\r\n`, 'complete'],
    ['cut off if its last chunk is missing', `${CHUNKED}5\r\nhello\r\n`, 'cut off'],
    ['cut off if a chunk is invalid', `${CHUNKED}5\r\nhello\r\nno length\r\n`, 'cut off'],
  ])('is %s', async (_how, bytes, body) => {
    const answer = await sendTo(at(await hostThat(sendAndClose(bytes))), { limits: { maxBytes: 5 } });
    expect(answer).toMatchObject({ kind: 'answered', status: 200, text: 'hello', body });
  });

  it('is cut off if a reset interrupts it', async () => {
    const host = await hostThat(sendAndReset(`${sized(9)}hello`));
    expect(await sendTo(at(host))).toMatchObject({ text: 'hello', body: 'cut off' });
  });

  it('is too large if it exceeds the limit, and the client does not wait for the rest', async () => {
    const host = await hostThat((socket) => socket.write(`${CHUNKED}3\r\n[[[\r\n1100000\r\n${'['.repeat(0x1100000)}`));
    const answer = await sendTo(at(host), { limits: { maxBytes: 1_000 } });
    expect(answer).toMatchObject({ body: 'too large', text: '['.repeat(1_000) });
    await vi.waitUntil(() => host.sockets[0]?.closed);
  });

  it('keeps its text if some bytes are not UTF-8', async () => {
    expect(await answerTo(Buffer.concat([Buffer.from(sized(3)), Buffer.of(0x5b, 0xff, 0x5d)]))).toMatchObject({
      text: '[\uFFFD]',
      body: 'complete',
    });
  });
});

describe('a response without a usable head', () => {
  it.each([
    ['a connection close', '', 'ECONNRESET'],
    ['a head that is cut off', `${HEAD}Content-`, 'ECONNRESET'],
    ['text that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'HPE_INVALID_CONSTANT'],
    ["headers that exceed Node's limit", `${HEAD}x: ${'x'.repeat(20_000)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
    ['only an interim response', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'ECONNRESET'],
    ['a switch to another protocol', 'HTTP/1.1 101 OK\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'ECONNRESET'],
  ])('counts as connected: %s', async (_what, bytes, code) => {
    expect(await answerTo(bytes)).toMatchObject({ kind: 'unanswered', connected: true, code });
  });

  it.each([
    ['a reset', reset],
    ['a close', close],
  ])('counts as connected after %s by a server that has read only part of the request', async (_what, act) => {
    const host = await rawHost((socket) => socket.once('data', () => act(socket)));
    const request = { method: 'POST', body: 'x'.repeat(1_000) } as const;
    expect(await sendTo(at(host), { request })).toMatchObject({ kind: 'unanswered', connected: true });
  });
});

it('a trigger may be processed if its response ends at any byte before the end of the id, and is queued otherwise', async () => {
  const bytes = `${sized(99)}"${JOB}" `;
  const cuts = Array.from({ length: bytes.length + 1 }, (_, length) => bytes.slice(0, length));
  const kinds = await Promise.all(cuts.map(async (part) => (await triggerAt(sendAndClose(part))).kind));
  const complete = bytes.lastIndexOf('"') + 1;
  expect(kinds).toEqual(kinds.map((_, length) => (length < complete ? 'maybe_processed' : 'queued')));
});

describe('a time limit', () => {
  it.each([
    ['before the head', '', { kind: 'unanswered', connected: true, code: 'DEADLINE', message: 'within 30s' }],
    ['within the head', HEAD, { kind: 'unanswered', connected: true, code: 'DEADLINE', message: 'within 30s' }],
    ['before the body', sized(9), { kind: 'answered', body: 'stalled', text: '' }],
    ['within the body', `${sized(9)}hel`, { kind: 'answered', body: 'stalled', text: 'hel' }],
    ['within a chunk', `${CHUNKED}9\r\nhel`, { kind: 'answered', body: 'stalled', text: 'hel' }],
  ])('ends a request whose response stalls %s', async (_where, bytes, expected) => {
    const clock = new VirtualClock();
    const host = await hostThat((socket) => socket.write(bytes));
    const isEnough = vi.fn(() => false);
    const answer = sendTo(at(host), { clock, limits: { withinMs: 30_000, isEnough } });
    await vi.waitUntil(() => (host.sockets[0]?.bytesRead ?? 0) > 0 && host.sockets[0]?.bytesWritten === bytes.length);
    // Everything that was sent on this machine has arrived once a later request is answered.
    await answerTo(sized(0));
    await clock.advance(29_999);
    await expect(Promise.race([answer, Promise.resolve('pending')])).resolves.toBe('pending');
    await clock.advance(1);
    expect(await answer).toMatchObject(expected);
    await Promise.all(host.sockets.map((socket) => closed(socket)));
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['the machine has slept', 120_000],
    ['the process was suspended', 32_000],
  ])('is a second longer if %s, because the response may have arrived meanwhile', async (_, forMs) => {
    const clock = new VirtualClock();
    const host = await hostThat(() => undefined);
    const answer = sendTo(at(host), { clock, limits: { withinMs: 30_000 } });
    await vi.waitUntil(() => (host.sockets[0]?.bytesRead ?? 0) > 0);
    clock.sleep(forMs);
    await clock.advance(0);
    host.sockets[0]?.write(`${sized(5)}hello`);
    expect(await answer).toMatchObject({ kind: 'answered', text: 'hello' });
    expect(clock.pending).toBe(0);
  });

  it('is reported with its configured value, even after the machine has slept', async () => {
    const clock = new VirtualClock();
    const host = await hostThat(() => undefined);
    const answer = sendTo(at(host), { clock, limits: { withinMs: 30_000 } });
    await vi.waitUntil(() => (host.sockets[0]?.bytesRead ?? 0) > 0);
    clock.sleep(120_000);
    await clock.advance(1_000);
    expect(await answer).toMatchObject({ kind: 'unanswered', code: 'DEADLINE', message: 'within 30s' });
  });

  it.each([
    ['before the head', '', { code: 'DEADLINE', message: 'within 2m' }],
    ['within the body', sized(9), { body: 'stalled' }],
  ])(
    'for connecting is replaced by the response limit, which ends a response that stalls %s',
    async (_where, bytes, expected) => {
      const clock = new VirtualClock();
      const host = await hostThat(() => undefined);
      const answer = sendTo(at(host), { clock, limits: { withinMs: 15_000, answerMs: 120_000 } });
      await vi.waitUntil(() => host.sockets.length === 1 && (host.sockets[0]?.bytesRead ?? 0) > 0);
      await clock.advance(60_000);
      host.sockets[0]?.write(bytes);
      await answerTo(sized(0));
      await clock.advance(59_999);
      await expect(Promise.race([answer, Promise.resolve('pending')])).resolves.toBe('pending');
      await clock.advance(1);
      expect(await answer).toMatchObject(expected);
    },
  );
});

describe('a signal', () => {
  it.each([
    ['aborts a request at any time', {}, 'aborted'],
    ['does not abort a connected request that must end by itself', { answerMs: 120_000 }, 'answered'],
  ])('%s', async (_what, limits, kind) => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<undefined>();
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    const host = await hostThat((socket) => {
      arrive(undefined);
      void released.then(() => socket.end(sized(0)));
    });
    const stop = new AbortController();
    const answer = sendTo(at(host), { limits: { ...limits, signal: stop.signal } });
    await arrived;
    stop.abort();
    release(undefined);
    expect(await answer).toMatchObject({ kind });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('that has already aborted prevents the connection', async () => {
    const host = await hostThat(() => undefined);
    expect(await sendTo(at(host), { limits: { signal: AbortSignal.abort() } })).toEqual({ kind: 'aborted' });
    await answerTo(sized(0));
    expect(host.sockets).toEqual([]);
  });
});
