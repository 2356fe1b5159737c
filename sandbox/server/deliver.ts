import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ModelResponse } from '../model/index.ts';
import type { WireEffect } from './rules.ts';
import { headOf, partOf, pourEndlessly } from './wire.ts';

type Faulty = Extract<WireEffect, { do: 'reset' | 'stall' | 'cut' | 'garbage' | 'endless' }>;

/** Sends a response without a fault. */
export function deliver(res: ServerResponse, { status, headers, body }: ModelResponse): void {
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  res.writeHead(status, { ...headers, ...length });
  res.end(body);
}

/** Sends a response with a fault. Returns whether it has sent a status line. */
export function deliverWith(
  effect: Faulty,
  socket: Socket,
  response: ModelResponse,
  reset: (socket: Socket) => void,
): boolean {
  const { body } = response;
  switch (effect.do) {
    case 'garbage':
      socket.end(effect.text ?? '\u0016\u0003\u0001 this is not HTTP\r\n\r\n');
      return false;
    case 'endless':
      socket.write(headOf(response, 'close') + body);
      pourEndlessly(socket);
      return true;
    case 'stall':
      socket.write(headOf(response, 'length'));
      socket.write(partOf(body, effect.afterBytes, 'length'));
      return true;
    case 'cut':
      socket.write(headOf(response, effect.framing));
      socket.end(partOf(body, effect.afterBytes, effect.framing));
      return true;
    case 'reset': {
      if (effect.point !== 'after-headers' && effect.point !== 'mid-body') {
        reset(socket);
        return false;
      }
      const bytes = effect.point === 'mid-body' ? Math.ceil(Buffer.byteLength(body) / 2) : 0;
      // The reset must not overtake the bytes that were written.
      const sent = Buffer.concat([Buffer.from(headOf(response, 'length')), partOf(body, bytes, 'length')]);
      socket.write(sent, () => reset(socket));
      return true;
    }
  }
}
