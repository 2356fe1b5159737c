/** The dialect of PostgREST as far as the interface specifies it: responses, errors, queries and JSON bodies. */

export interface ModelRequest {
  readonly method: string;
  /** The path with its query string, as on the request line. */
  readonly path: string;
  /** Headers with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ModelResponse {
  readonly status: number;
  /** Headers with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Headers = ModelResponse['headers'];

/** The maximum number of rows that the service returns. */
export const MAX_ROWS = 1_000;

export function json(status: number, value: unknown, headers: Headers = {}): ModelResponse {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(value) };
}

/** Responds with rows, which are silently truncated at the row limit, unless the cap has another status. */
export function listing(
  rows: readonly Row[],
  headers: Headers = {},
  cap: { readonly rows: number; readonly status: number } = { rows: MAX_ROWS, status: 200 },
): ModelResponse {
  const shown = rows.slice(0, cap.rows);
  const range = shown.length === 0 ? '*/*' : `0-${shown.length - 1}/*`;
  return json(shown.length < rows.length ? cap.status : 200, shown, { 'content-range': range, ...headers });
}

/** Thrown by each check that rejects a request. `answer` turns this error into the response. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly response: ModelResponse;
  /** Whether a correct client never causes this error. If so, the model records a violation. */
  readonly isClientsFault: boolean;

  constructor(response: ModelResponse, isClientsFault = false) {
    super(response.body);
    this.response = response;
    this.isClientsFault = isClientsFault;
  }
}

/** Returns an error in PostgREST's format, which always has these four keys. */
export function errorResponse(status: number, code: string, message: string, headers: Headers = {}): ModelResponse {
  return json(status, { code, message, details: null, hint: null }, headers);
}

/** Rejects a request that no correct client sends. */
export function badRequest(code: string, message: string, status = 400): Rejection {
  return new Rejection(errorResponse(status, code, message), true);
}

/** Splits a request target into its path and its query. */
export function targetOf(target: string): { readonly path: string; readonly parameters: URLSearchParams } {
  const [path = '', ...query] = target.split('?');
  return { path, parameters: new URLSearchParams(query.join('?')) };
}

/** A collection: the names of its columns, and which of them contain UUIDs. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly uuids: readonly string[];
}

export type Row = Readonly<Record<string, string | null>>;

export interface Query {
  readonly select: readonly string[];
  /** The allowed values of each filtered column. */
  readonly filters: ReadonlyMap<string, readonly string[]>;
}

/** Parses `select`, `eq.` and `in.()`. @throws `Rejection` for anything else, including a second filter on a column */
export function parseQuery(parameters: URLSearchParams, table: Table): Query {
  let select = table.columns;
  const filters = new Map<string, readonly string[]>();
  for (const [name, value] of parameters) {
    if (name === 'select') select = value.split(',');
    else if (filters.has(name)) throw badRequest('PGRST100', `"failed to parse logic tree (${name})"`);
    else filters.set(name, parseFilter(value));
  }
  for (const name of [...select, ...filters.keys()]) {
    if (!table.columns.includes(name)) throw badRequest('42703', `column ${table.name}.${name} does not exist`);
  }
  const uuids = table.uuids.flatMap((column) => filters.get(column) ?? []);
  for (const value of uuids) requireUuid(value);
  return { select, filters };
}

function parseFilter(value: string): readonly string[] {
  const [, one, list] = /^(?:eq\.(.*)|in\.\((.*)\))$/s.exec(value) ?? [];
  const values = one === undefined ? list?.split(',') : [one];
  if (values === undefined) throw badRequest('PGRST100', `"failed to parse filter (${value})"`);
  return values;
}

/** Returns the rows that pass all filters. */
export function filtered(rows: readonly Row[], { filters }: Query): readonly Row[] {
  return rows.filter((row) => [...filters].every(([column, allowed]) => allowed.includes(row[column] ?? '')));
}

/** Returns the rows with only the selected fields. */
export function projected(rows: readonly Row[], { select }: Query): readonly Row[] {
  return rows.map((row) => Object.fromEntries(select.map((name) => [name, row[name] ?? null])));
}

/** @throws `Rejection` unless the value is a UUID in its canonical form */
export function requireUuid(value: unknown): string {
  const isUuid = typeof value === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(value);
  if (!isUuid) throw badRequest('22P02', `invalid input syntax for type uuid: ${JSON.stringify(value)}`);
  return value;
}

/** Parses a body that is a JSON object. @throws `Rejection` for any other body or media type */
export function parseObject({ headers, body }: ModelRequest): Readonly<Record<string, unknown>> {
  const type = headers['content-type'] ?? 'application/json';
  if (!/^application\/json\s*(;|$)/i.test(type)) throw badRequest('PGRST102', `Content-Type not acceptable: ${type}`);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw badRequest('PGRST102', 'Empty or invalid json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('PGRST102', 'The body is not a JSON object');
  }
  return value as Readonly<Record<string, unknown>>;
}
