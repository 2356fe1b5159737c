// Tests how the real client reads encoded bodies, and bodies whose end only the end of the connection marks.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { proxyTo, rawHost } from '../support/hosts.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { JOB } from '../unit/service/client.ts';
import { at, HEAD, hostThat, reset, sendAndClose, sendAndReset, sendTo, sized, triggerAt, trust } from './network.ts';

type Bytes = string | Buffer;
const bytesOf = (...parts: readonly Bytes[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** A response with this coding. */
function encoded(coding: string, body: Buffer): Buffer {
  return bytesOf(`${HEAD}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`, body);
}

/** The default quality takes seconds for large bodies. */
const brotli = (body: Buffer): Buffer =>
  zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });

const CODINGS = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['GZip', zlib.gzipSync],
  ['identity, gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', brotli],
  ['identity', (text: Buffer) => text],
] as const;

const JSON_TEXT = JSON.stringify([{ text: 'A gateway wrote this. '.repeat(100) }, Math.E, 'é']);

async function answerTo(bytes: Bytes, limits = {}) {
  return sendTo(at(await hostThat(sendAndClose(bytes as Buffer))), { limits });
}

describe('an encoded body', () => {
  it.each(CODINGS)('is decoded if the coding is %s (%o)', async (coding, encode) => {
    const answer = await answerTo(encoded(coding, encode(Buffer.from(JSON_TEXT))));
    expect(answer).toMatchObject({ text: JSON_TEXT, body: 'complete' });
  });

  it.each(CODINGS)('is decoded if its bytes arrive one by one: %s (%o)', async (coding, encode) => {
    const bytes = encoded(coding, encode(Buffer.from('[1]')));
    const writeSlowly = async (socket: Socket): Promise<void> => {
      socket.setNoDelay();
      for (const byte of bytes) {
        socket.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
    };
    const host = await hostThat((socket) => void writeSlowly(socket));
    expect(await sendTo(at(host))).toMatchObject({ text: '[1]', body: 'complete' });
  });

  it('is decoded if the coding belongs to the transfer', async () => {
    const body = zlib.gzipSync('[1]');
    const head = `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n${body.length.toString(16)}\r\n`;
    const answer = await answerTo(bytesOf(head, body, '\r\n0\r\n\r\n'));
    expect(answer).toMatchObject({ text: '[1]', body: 'complete' });
  });

  it('can be empty', async () => {
    expect(await answerTo(encoded('gzip', Buffer.of()))).toMatchObject({ text: '', body: 'complete' });
  });

  it.each(CODINGS)('that ends early keeps what can be decoded: %s (%o)', async (coding, encode) => {
    const body = encode(Buffer.from(JSON_TEXT));
    for (const missing of [body.length, body.length - 1, Math.floor(body.length / 2), 9, 1]) {
      const part = body.subarray(0, -missing);
      const answers = [await answerTo(encoded(coding, body).subarray(0, -missing))];
      // The length is right, but the coded data is incomplete.
      if (coding !== 'identity' && part.length > 0) answers.push(await answerTo(encoded(coding, part)));
      for (const answer of answers) {
        expect(answer).toMatchObject({ kind: 'answered', body: 'cut off' });
        expect(JSON_TEXT.startsWith('text' in answer ? answer.text : '-')).toBe(true);
      }
    }
  });

  it('that ends early keeps all data whose end has arrived', async () => {
    for (const encode of [zlib.gzipSync, zlib.deflateSync]) {
      const body = encode(Buffer.from(JSON_TEXT));
      const coding = encode === zlib.gzipSync ? 'gzip' : 'deflate';
      expect(await answerTo(encoded(coding, body.subarray(0, -4)))).toMatchObject({ text: JSON_TEXT, body: 'cut off' });
    }
  });

  it.each(CODINGS)('counts with its decoded size: %s (%o)', async (coding, encode) => {
    const answer = await answerTo(encoded(coding, encode(Buffer.alloc(4 * 1_024 * 1_024, '['))), { maxBytes: 70_000 });
    expect(answer).toMatchObject({ body: 'too large', text: '['.repeat(70_000) });
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['br', brotli],
  ])('is not decoded beyond the limit: %s', async (coding, encode) => {
    const bomb = encode(Buffer.alloc(64 * 1_024 * 1_024));
    const before = process.memoryUsage().arrayBuffers;
    expect(await answerTo(encoded(coding, bomb), { maxBytes: 262_144 })).toMatchObject({ body: 'too large' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1_024 * 1_024);
  });

  it('counts with its received size, too', async () => {
    // Empty blocks, which decode to nothing.
    const blocks = Buffer.alloc(1_000_000, Buffer.of(0, 0, 0, 0xff, 0xff));
    const answer = await answerTo(encoded('deflate', blocks), { maxBytes: 1_000 });
    expect(answer).toMatchObject({ body: 'too large', text: '' });
  });

  it('that is damaged cannot be decoded', async () => {
    const body = zlib.gzipSync(JSON_TEXT);
    body.fill(0xff, 20, 40);
    expect(await answerTo(encoded('gzip', body))).toMatchObject({ body: 'undecodable' });
    expect(await answerTo(encoded('br', Buffer.from('no')))).toMatchObject({ body: 'undecodable' });
  });

  it.each(['zstd', 'compress', 'gzip, br'])('with the coding %j cannot be decoded', async (coding) => {
    const bytes = encoded(coding, Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05));
    expect(await answerTo(bytes)).toMatchObject({ body: 'undecodable', headers: { 'content-encoding': coding } });
  });

  it('is read unchanged if it is JSON despite its coding', async () => {
    expect(await answerTo(encoded('utf-8', Buffer.from('[1]')))).toMatchObject({ text: '[1]', body: 'complete' });
  });
});

describe('the id of a trigger', () => {
  const id = Buffer.from(`"${JOB}"`);

  it.each(CODINGS)('is known as soon as it can be decoded: %s (%o)', async (coding, encode) => {
    const bytes = encoded(coding, encode(id));
    const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
    const results = await Promise.all(
      Array.from({ length: bytes.length - bodyAt + 1 }, (_, index) =>
        triggerAt(sendAndClose(bytes.subarray(0, bodyAt + index))),
      ),
    );
    const kinds = results.map(({ kind }) => kind);
    const first = kinds.indexOf('queued');
    expect(kinds).toEqual(kinds.map((_, index) => (index < first ? 'maybe_processed' : 'queued')));
    // The check sums of gzip and zlib are not needed. All data before them is.
    expect(first).toBeGreaterThan(id.length - 2);
    expect(first).toBeLessThanOrEqual(bytes.length - bodyAt);
    if (/gzip/i.test(coding)) expect(first).toBeLessThanOrEqual(bytes.length - bodyAt - 8);
  });

  it.each(CODINGS)('is known although the response never ends: %s (%o)', async (coding, encode) => {
    const body = encode(id);
    const head = `${HEAD}Content-Encoding: ${coding}\r\nContent-Length: ${body.length + 9}\r\n\r\n`;
    expect(await triggerAt((socket) => void socket.write(bytesOf(head, body)))).toEqual({ kind: 'queued', jobId: JOB });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes', sendAndClose(`${HEAD}\r\n"${JOB}"`)],
    ['is reset', sendAndReset(`${HEAD}\r\n "${JOB}"\n`)],
  ])('is known if the connection, which marks its end, %s', async (_how, act) => {
    expect(await triggerAt(act)).toEqual({ kind: 'queued', jobId: JOB });
  });

  it.each([`["${JOB}"]`, `{"id":"${JOB}"}`, `id: "${JOB}"`, JOB, `"${JOB}" "${JOB}"`, `"${JOB}`])(
    'is not taken from %s',
    async (text) => {
      for (const head of [sized(text.length), `${HEAD}\r\n`, 'HTTP/1.0 200 OK\r\n\r\n'])
        expect(await triggerAt(sendAndClose(head + text))).toMatchObject({ kind: 'maybe_processed' });
    },
  );
});

describe('a body that only the end of the connection delimits', () => {
  const FRAMES = [
    ['HTTP/1.1', `${HEAD}\r\n`],
    ['HTTP/1.1 that closes', `${HEAD}Connection: close\r\n\r\n`],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n'],
    ['a transfer coding without chunks', `${HEAD}Transfer-Encoding: identity\r\n\r\n`],
  ];

  it.each(FRAMES)('is complete if it is complete JSON and the connection closes: %s', async (_how, head) => {
    for (const text of ['[1,2]', ' {"a":1}\n', 'null'])
      expect(await answerTo(head + text)).toMatchObject({ text, body: 'complete' });
  });

  it('is complete only if it is complete JSON, even if it is a list with too many rows to be parsed at once', async () => {
    const text = `[${Array(4_000).fill('{"a":1,"b":[2]}').join(',')}]`;
    expect(await answerTo(`${HEAD}\r\n${text}`)).toMatchObject({ body: 'complete' });
    expect(await answerTo(`${HEAD}\r\n${text.slice(0, -1)}`)).toMatchObject({ body: 'unframed' });
  });

  it.each(FRAMES)('is not known to be complete if it is anything else: %s', async (_how, head) => {
    for (const text of ['[1,2', 'OK', '', '{"a":1}}'])
      expect(await answerTo(head + text)).toMatchObject({ text, body: 'unframed' });
  });

  it.each(FRAMES)('is not known to be complete if the connection is reset: %s', async (_how, head) => {
    const host = await hostThat(sendAndReset(`${head}[1,2]`));
    expect(await sendTo(at(host))).toMatchObject({ text: '[1,2]', body: 'unframed' });
  });

  it('is not known to be complete if its end does not arrive', async () => {
    const clock = new VirtualClock();
    const host = await hostThat((socket) => socket.write(`${HEAD}\r\n[1,2]`));
    const isEnough = vi.fn(() => false);
    const answer = sendTo(at(host), { clock, limits: { withinMs: 30_000, isEnough } });
    await vi.waitUntil(() => isEnough.mock.calls.length > 0);
    await clock.advance(30_000);
    expect(await answer).toMatchObject({ text: '[1,2]', body: 'unframed' });
  });

  it.each(['directly', 'through a tunnel'])('is not known to be complete if TLS is reset: %s', async (how) => {
    const identity = selfSigned('service.example.test');
    trust(identity.cert);
    const server = tls.createServer(identity, (socket) => {
      socket.once('data', () => socket.write(`${HEAD}\r\n[1,2]`));
      socket.on('error', () => undefined);
    });
    const raw = await rawHost((socket) => void server.emit('connection', socket));
    const proxy = await proxyTo(raw.port);
    const env = how === 'directly' ? {} : { https_proxy: `http://127.0.0.1:${proxy.port}` };
    const isEnough = vi.fn(() => false);
    const answer = sendTo(`https://service.example.test:${raw.port}/`, { env, limits: { isEnough } });
    await vi.waitUntil(() => isEnough.mock.calls.length > 0);
    for (const socket of [...raw.sockets, ...proxy.sockets]) reset(socket);
    expect(await answer).toMatchObject({ text: '[1,2]', body: 'unframed' });
    await once(raw.sockets[0] as Socket, 'close').catch(() => undefined);
  });

  it('is complete if it is encoded and intact and the connection closes', async () => {
    const head = `${HEAD}Content-Encoding: gzip\r\n\r\n`;
    const body = zlib.gzipSync('[1,2]');
    expect(await answerTo(bytesOf(head, body))).toMatchObject({ text: '[1,2]', body: 'complete' });
    expect(await answerTo(bytesOf(head, body.subarray(0, -1)))).toMatchObject({ text: '[1,2]', body: 'unframed' });
  });
  it('is recognized as a web page by its beginning', async () => {
    const result = await triggerAt(sendAndClose('HTTP/1.0 403 No\r\n\r\n<!doctype html><title>Bloc'));
    expect(result).toMatchObject({ problem: { cause: 'HTTP 403 with a web page' } });
  });
});
