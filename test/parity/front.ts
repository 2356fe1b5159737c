import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that answers requests in the terms of the Fetch standard. */
export type Backend = (request: Request) => Promise<Response>;

export interface Front {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** What stands in front of the data: the token exchange at its own path, everything else to the backend. */
export async function openFront(parts: {
  readonly exchange: (key: string, url: string) => Promise<Response>;
  readonly backend: Backend;
}): Promise<Front> {
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const request = await requestOf(req);
    const isExchange = req.method === 'POST' && req.url === '/api/cli/bootstrap';
    const key = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
    const response = isExchange ? await parts.exchange(key, origin()) : await parts.backend(request);
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.end(Buffer.from(await response.arrayBuffer()));
  };
  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined));
  });
  const origin = (): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: origin(), close: () => closed(server) };
}

async function requestOf(req: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) headers.set(name, String(value));
  const { method = 'GET', url = '/' } = req;
  const init = { method, headers, ...(method !== 'GET' && body.length > 0 && { body }) };
  return new Request(new URL(url, `http://${req.headers.host ?? '127.0.0.1'}`), init);
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
