import type { IncomingMessage } from 'node:http';
import type { ModelRequest } from '../model/index.ts';

/** Maximum body size in bytes, far larger than the body of any call. */
const MAX_BODY_BYTES = 1_000_000;

/** Reads the whole request. Returns null if the client disconnects or sends too large a body. */
export async function receive(req: IncomingMessage): Promise<ModelRequest | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const body = Buffer.concat(chunks).toString('utf8');
  return { method: req.method ?? 'GET', path: req.url ?? '/', headers, body };
}
