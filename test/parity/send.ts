import { request } from 'node:http';

/** A request as it goes over the wire: nothing is added but the address and the length. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

export function send(origin: string, { method, path, headers = {}, body = '' }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    // Handed over as it is: a URL object would tidy it.
    const { hostname, port } = new URL(origin);
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { hostname, port, method, path, headers: { ...headers, ...length }, agent: false };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const type = response.headers['content-type']?.split(';')[0] ?? null;
        resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
