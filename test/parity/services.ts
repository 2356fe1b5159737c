// Gives the sandbox's model and Supabase Lite one interface, and the same rows and ids.
import {
  answer,
  createWorld,
  expireTokens,
  FOREIGN_PIPELINE_ID,
  type ModelRequest,
  OTHER_KEY,
  OTHER_WORKSPACE_ID,
  PIPELINE_IDS,
  SANDBOX_KEY,
  stateAt,
  WORKSPACE_ID,
  type World,
} from '../../sandbox/model/index.ts';
import { client, signIn } from '../unit/sandbox/client.ts';
import type { Case, Credentials } from './cases.ts';
import { ANON_KEY, type SupabaseLite, webToken } from './supabase-lite.ts';

/** The time of all requests on the sandbox's clock, in ms. */
const NOW = 100_000;

interface Service {
  readonly ask: (request: ModelRequest) => Promise<{ status: number; type: string | undefined; text: string }>;
  /** Returns the `Authorization` header for these credentials. */
  readonly authorization: (credentials: Exclude<Credentials, object>) => string;
  /** Returns all rows that a request may change, as text. */
  readonly rows: () => Promise<readonly string[]>;
}

export async function observeBoth(lite: SupabaseLite, one: Case) {
  const { credits = 'unlimited', ...options } = one.world ?? {};
  const world = createWorld({ anonKey: ANON_KEY, ...options });
  const { run } = client(world);
  const ids = {
    finished: run(0, PIPELINE_IDS.orders),
    running: run(NOW - 50_000, PIPELINE_IDS.orders),
    foreign: client(world, OTHER_KEY).run(NOW - 50_000, FOREIGN_PIPELINE_ID),
    picked: run(NOW - 8_000, PIPELINE_IDS.orders),
    queued: run(NOW, PIPELINE_IDS.orders),
  };
  const [workspace] = world.workspaces;
  if (workspace !== undefined) workspace.credits = credits;
  await load(lite, world, NOW);
  return {
    sandbox: await observe(modelOf(world), one, ids),
    lite: await observe(serviceOf(lite), one, ids),
    violations: world.violations.map(({ kind }) => kind),
  };
}

/**
 * Returns the parts of a response and its effect that a test compares. Headers, the wording of errors and the message
 * of a cancelled run are not compared, because the service does not specify them.
 */
async function observe(service: Service, one: Case, ids: Readonly<Record<string, string>>) {
  const { credentials = 'valid', apikey = ANON_KEY, body } = one;
  const authorization = typeof credentials === 'object' ? credentials.header : service.authorization(credentials);
  const [method = '', path = ''] = one.request.split(' ');
  const { status, type, text } = await service.ask({
    method,
    path: `/rest/v1/${path.replace(/\{([a-z]+)\}/g, (_, name: string) => ids[name] ?? '')}`,
    headers: {
      ...(apikey !== '' && { apikey }),
      ...(authorization !== null && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json', prefer: 'return=representation' }),
    },
    body: body === undefined ? '' : JSON.stringify(body),
  });
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name] as const));
  const named = (value: string): string =>
    value.replace(UUID, (id) => names.get(id) ?? (PIPELINES.has(id) ? id : 'new'));
  const value: unknown = JSON.parse(named(text).replace(/(?<="cancelled","status_message":)(?:null|"[^"]*")/, '"…"'));
  const isError = status >= 400 && typeof value === 'object' && value !== null;
  return {
    status,
    type,
    code: isError && 'code' in value ? value.code : undefined,
    // Both services must return the same fields for an error, but may describe it in different words.
    body: isError ? Object.keys(value).sort() : value,
    rows: (await service.rows()).map(named).sort(),
  };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const PIPELINES: ReadonlySet<string> = new Set([...Object.values(PIPELINE_IDS), FOREIGN_PIPELINE_ID]);
const rowText = (...cells: readonly unknown[]): string => cells.map(String).join(' ');

function modelOf(world: World): Service {
  return {
    ask: async (request) => {
      const { status, headers, body } = answer(world, request, NOW);
      return { status, type: headers['content-type']?.split(';')[0], text: body };
    },
    authorization: (credentials) => {
      const key = credentials === 'of the other workspace' ? OTHER_KEY : SANDBOX_KEY;
      const { authorization = '' } = signIn(world, NOW, key);
      if (credentials === 'expired') expireTokens(world, NOW);
      return ['tampered', 'unsigned', 'signed with another secret'].includes(credentials)
        ? `${authorization}0`
        : authorization;
    },
    rows: async () => [
      ...world.jobs.map((job) => {
        const { p_full_resync: full, p_reset_target: reset } = job.parameters;
        return rowText(job.id, stateAt(job, NOW)?.status, job.pipelineId, full, reset);
      }),
      ...world.workspaces.map(({ name, credits }) => rowText(name, credits)),
    ],
  };
}

function serviceOf(lite: SupabaseLite): Service {
  return {
    ask: async ({ method, path, headers, body }) => {
      const init = { method, headers, ...(body !== '' && { body }) };
      const response = await lite.fetch(new Request(`${lite.url}${path}`, init));
      const type = response.headers.get('content-type')?.split(';')[0];
      return { status: response.status, type, text: await response.text() };
    },
    authorization: (credentials) => `Bearer ${TOKENS[credentials](lite)}`,
    rows: async () => {
      const rows = await lite.sql(
        `select concat_ws(' ', id, job_status, pipeline_id, full_resync::text, reset_target::text) as text
         from public.jobs
         union all select concat_ws(' ', name, coalesce(credits::text, 'unlimited')) from public.workspaces`,
      );
      return rows.map(({ text }) => String(text));
    },
  };
}

const TOKENS: Readonly<Record<Exclude<Credentials, object>, (lite: SupabaseLite) => string>> = {
  valid: (lite) => lite.token(WORKSPACE_ID),
  'of the other workspace': (lite) => lite.token(OTHER_WORKSPACE_ID),
  expired: (lite) => lite.token(WORKSPACE_ID, -3_600),
  'signed with another secret': () => webToken(WORKSPACE_ID, 3_600, 'another secret'),
  unsigned: () => webToken(WORKSPACE_ID, 3_600, null),
  tampered: (lite) => {
    const [header, , signature] = lite.token(WORKSPACE_ID).split('.');
    return [header, lite.token(OTHER_WORKSPACE_ID).split('.')[1], signature].join('.');
  },
};

/** Replaces the rows in Supabase Lite with those of a world at this time. Other columns get their defaults. */
export async function load(lite: SupabaseLite, world: World, nowMs: number): Promise<void> {
  const tables: readonly (readonly [table: string, columns: string, rows: readonly object[]])[] = [
    [
      'public.workspaces',
      'id, name, credits',
      world.workspaces.map((one) => ({ ...one, credits: one.credits === 'unlimited' ? null : one.credits })),
    ],
    ['private.api_keys', 'value, workspace_id, revoked', world.keys],
    [
      'public.pipelines',
      'id, workspace_id, name, api_name, active, position',
      world.pipelines.map((one, position) => ({ ...one, position })),
    ],
    [
      'public.datasources',
      'pipeline_id',
      world.pipelines.flatMap(({ id, rows }) => Array.from({ length: rows }, () => ({ pipelineId: id }))),
    ],
    [
      'public.jobs',
      'id, workspace_id, pipeline_id, job_status, status_message',
      world.jobs.map((job) => {
        const { status, message } = stateAt(job, nowMs) ?? {};
        return { ...job, jobStatus: status, statusMessage: message };
      }),
    ],
  ];
  await lite.sql(`truncate ${tables.map(([table]) => table).join(', ')} cascade`);
  for (const [table, columns, rows] of tables) {
    const json = JSON.stringify(rows.map(withSnakeCase));
    const from = `json_populate_recordset(null::${table}, $1::json)`;
    await lite.sql(`insert into ${table} (${columns}) select ${columns} from ${from}`, json);
  }
}

function withSnakeCase(row: object): object {
  const nameOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [nameOf(key), value as unknown]));
}
