// An independent PostgREST-compatible service: Supabase Lite on PostgreSQL in WebAssembly, with a token exchange.
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { App } from '@supabase/lite';
import { createPgliteConnection } from '@supabase/lite/pglite';
import { MAX_ROWS } from '../../sandbox/model/index.ts';

/** This key is public, because the token exchange returns it to every client. */
export const ANON_KEY = 'sb_publishable_parity';
const TTL_SECONDS = 3_600;

type SqlRow = Readonly<Record<string, string | number | boolean | null>>;

export interface SupabaseLite {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** Handles a data request without HTTP. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Runs one statement as the owner of the database. */
  readonly sql: (statement: string, ...values: readonly unknown[]) => Promise<readonly SqlRow[]>;
  /** Returns a token for a workspace that is valid for `seconds`, which may be negative. */
  readonly token: (workspaceId: string, seconds?: number) => string;
  /** The tokens granted over HTTP. */
  readonly tokens: readonly string[];
  /** Called for each data request over HTTP, after the request took effect and before the service responds. */
  onRequest: (line: string) => Promise<void> | void;
  readonly close: () => Promise<void>;
}

/** Starts the service with empty tables, which takes a few seconds of CPU time. */
export async function startSupabaseLite(): Promise<SupabaseLite> {
  const connection = await createPgliteConnection({});
  const secret = randomBytes(32).toString('hex');
  const tokens: string[] = [];
  const { driver } = connection;
  await driver.exec(textOf('schema.sql'));
  const app = new App({
    connection,
    auth: { enabled: false, jwt_secret: secret, publishable_key: ANON_KEY },
    storage: { enabled: false },
    api: { max_rows: MAX_ROWS },
  });
  // The first request makes the server grant all privileges to all roles, and grants.sql then revokes them.
  await app.fetch(new Request('http://127.0.0.1/rest/v1/jobs', { headers: { apikey: ANON_KEY } }));
  await driver.exec(textOf('grants.sql'));

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const request = await requestOf(req, lite.url);
    const { pathname, search } = new URL(request.url);
    const isExchange = req.method === 'POST' && pathname === '/api/cli/bootstrap';
    const response = isExchange ? await exchange(lite, request, tokens) : await app.fetch(request);
    if (!isExchange) await lite.onRequest(`${request.method} ${pathname}${search}`);
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.end(Buffer.from(await response.arrayBuffer()));
  };
  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lite: SupabaseLite = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    fetch: async (request) => app.fetch(request),
    sql: async (statement, ...values) => (await driver.query<SqlRow>(statement, [...values])).rows,
    token: (workspaceId, seconds = TTL_SECONDS) => webToken(workspaceId, seconds, secret),
    tokens,
    onRequest: () => {},
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await connection.close();
    },
  };
  return lite;
}

/** Exchanges an API key for a token, and adds the token to a list. */
async function exchange(lite: SupabaseLite, { headers }: Request, tokens: string[]): Promise<Response> {
  const key = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? '';
  const [row] = await lite.sql('select workspace_id from private.api_keys where value = $1 and not revoked', key);
  if (row === undefined) return Response.json({ message: 'Invalid API key' }, { status: 401 });
  const token = lite.token(String(row['workspace_id']));
  tokens.push(token);
  return Response.json({
    token,
    backend_url: lite.url,
    backend_anon_key: ANON_KEY,
    region: 'eu-1',
    ttl_seconds: TTL_SECONDS,
    expires_at: new Date(Date.now() + TTL_SECONDS * 1_000).toISOString(),
  });
}

async function requestOf(req: IncomingMessage, origin: string): Promise<Request> {
  const body = await buffer(req);
  const headers = Object.entries(req.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const { method = 'GET', url = '/' } = req;
  return new Request(new URL(url, origin), { method, headers, ...(body.length > 0 && { body }) });
}

/** Returns a JSON Web Token that is signed with HS256, or unsigned if `secret` is null. */
export function webToken(workspaceId: string, seconds: number, secret: string | null): string {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { role: 'authenticated', workspace_id: workspaceId, iat, exp: iat + seconds };
  const parts = [{ alg: secret === null ? 'none' : 'HS256', typ: 'JWT' }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${secret === null ? '' : createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const textOf = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
