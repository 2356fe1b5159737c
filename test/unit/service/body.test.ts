import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import zlib from 'node:zlib';
import { expect, it } from 'vitest';
import { readBody } from '../../../src/service/body.ts';

it.each([
  ['gzip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['br', zlib.brotliCompressSync],
])('a body keeps what the last of several chunks contains if the coded data breaks off: %s', async (coding, encode) => {
  const headers = { 'content-encoding': coding, 'content-length': '999' };
  const message = Object.assign(new PassThrough(), { headers, statusCode: 200, socket: { errored: null } });
  const body = readBody(message as unknown as IncomingMessage, {
    maxBytes: 1_000,
    signal: new AbortController().signal,
  });
  const text = '"A text of which no part repeats itself"';
  const bytes = encode(text);
  message.write(bytes.subarray(0, 20));
  message.write(bytes.subarray(20, -1));
  message.end();
  expect(await body).toEqual({ text: coding === 'br' ? text.slice(0, -1) : text, body: 'cut off' });
});
