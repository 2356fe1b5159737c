/** A service that nobody of this project wrote: Supabase Lite on PostgreSQL in WebAssembly, behind a small front. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from '@supabase/lite';
import { createPgliteConnection } from '@supabase/lite/pglite';
import { MAX_ROWS } from '../../sandbox/model/read.ts';
import { openFront } from './front.ts';
import { claimsFor, webToken } from './tokens.ts';

/** Public by its nature. */
export const ANON_KEY = 'sb_publishable_parity';
const TTL_SECONDS = 3_600;

type Cell = string | number | boolean | null;
export type SqlRow = Readonly<Record<string, Cell>>;

export interface Lite {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** Runs one statement as the owner of the database. */
  readonly sql: (statement: string, ...values: readonly unknown[]) => Promise<readonly SqlRow[]>;
  /** A token for a workspace that is good for so many seconds. */
  readonly token: (workspaceId: string, seconds?: number) => string;
  /** Called with each data request when it has taken effect, before it is answered. */
  onRequest: (line: string) => Promise<void> | void;
  readonly close: () => Promise<void>;
}

/** Starts it, empty. It takes some seconds of computing. */
export async function startLite(): Promise<Lite> {
  const connection = await createPgliteConnection({});
  const secret = randomBytes(32).toString('hex');
  const { driver } = connection;
  await driver.exec(textOf('schema.sql'));
  const app = new App({
    connection,
    auth: { enabled: false, jwt_secret: secret, publishable_key: ANON_KEY },
    storage: { enabled: false },
    api: { max_rows: MAX_ROWS },
  });
  // The first request makes it grant everything to everybody.
  await app.fetch(new Request('http://127.0.0.1/rest/v1/jobs', { headers: { apikey: ANON_KEY } }));
  await driver.exec(textOf('grants.sql'));
  const sql: Lite['sql'] = async (statement, ...values) => (await driver.query<SqlRow>(statement, [...values])).rows;
  const token: Lite['token'] = (id, seconds = TTL_SECONDS) => webToken(claimsFor(id, seconds), secret);

  const front = await openFront({
    exchange: async (key, url) => {
      const [row] = await sql('select workspace_id from private.api_keys where value = $1 and not revoked', key);
      if (row === undefined) return Response.json({ message: 'Invalid API key' }, { status: 401 });
      return Response.json(bootstrap(token(String(row['workspace_id'])), url));
    },
    backend: async (request) => {
      const { pathname, search } = new URL(request.url);
      const response = await app.fetch(request);
      await lite.onRequest(`${request.method} ${pathname}${search}`);
      return response;
    },
  });
  const lite: Lite = {
    url: front.url,
    sql,
    token,
    onRequest: () => {},
    close: async () => {
      await front.close();
      await connection.close();
    },
  };
  return lite;
}

function bootstrap(token: string, url: string): object {
  return {
    token,
    backend_url: url,
    backend_anon_key: ANON_KEY,
    region: 'eu-1',
    ttl_seconds: TTL_SECONDS,
    expires_at: new Date(Date.now() + TTL_SECONDS * 1_000).toISOString(),
  };
}

function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}
