import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ModelResponse } from '../model/index.ts';
import type { Framing } from './rules.ts';

/** Returns a status line and headers with the requested framing, which may be wrong, unlike the framing by Node.js. */
export function headOf({ status, headers, body }: ModelResponse, framing: Framing): string {
  const framed: Record<Framing, readonly string[]> = {
    length: [`content-length: ${String(Buffer.byteLength(body))}`],
    chunked: ['transfer-encoding: chunked'],
    close: ['connection: close'],
  };
  const lines = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...framed[framing],
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Returns the first bytes of the body with their framing. */
export function partOf(body: string, bytes: number, framing: Framing): Buffer {
  const part = Buffer.from(body).subarray(0, bytes);
  if (framing !== 'chunked' || part.length === 0) return part;
  return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
}

const PADDING = Buffer.alloc(16_384, ' ');

/** Sends white space until the client disconnects, and respects backpressure. */
export function pourEndlessly(socket: Socket): void {
  const pour = () => {
    if (socket.destroyed) return;
    if (socket.write(PADDING)) setImmediate(pour);
    else socket.once('drain', pour);
  };
  pour();
}
