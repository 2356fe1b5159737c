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

export function json(status: number, value: unknown, headers: Headers = {}): ModelResponse {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(value) };
}

/** The usual cap of hosted services. */
export const MAX_ROWS = 1_000;

/** How a service truncates the list of pipelines. */
export interface Cap {
  /** The most rows in a response. */
  readonly rows: number;
  /** How a response shows that it is truncated: not at all, by the total in `Content-Range`, or by the status 206. */
  readonly shownBy: 'nothing' | 'total' | 'status';
}

/** PostgREST counts the rows only for clients that ask for it, so it truncates silently. */
export const USUAL_CAP: Cap = { rows: MAX_ROWS, shownBy: 'nothing' };

/** Responds with rows, truncated at the limit of the service or, if it is lower, of the query. */
export function listing(
  rows: readonly Row[],
  {
    cap = USUAL_CAP,
    headers = {},
    limit = Infinity,
  }: { readonly cap?: Cap; readonly headers?: Headers; readonly limit?: number | undefined } = {},
): ModelResponse {
  const shown = rows.slice(0, Math.min(cap.rows, limit));
  const total = cap.shownBy === 'total' ? String(rows.length) : '*';
  const range = shown.length === 0 ? `*/${total}` : `0-${shown.length - 1}/${total}`;
  const status = cap.shownBy === 'status' && shown.length < rows.length ? 206 : 200;
  return json(status, shown, { 'content-range': range, ...headers });
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
  /** The lower bounds of columns, which the values must exceed. */
  readonly bounds: ReadonlyMap<string, string>;
  /** The column to sort the rows by, in ascending order. */
  readonly order: string | undefined;
  readonly limit: number | undefined;
}

/** Parses `select`, `order`, `limit`, `eq.`, `in.()` and `gt.`. @throws `Rejection` for anything else, including a second filter on a column */
export function parseQuery(parameters: URLSearchParams, table: Table): Query {
  let select = table.columns;
  let order: string | undefined;
  let limit: number | undefined;
  const filters = new Map<string, readonly string[]>();
  const bounds = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (name === 'select') select = value.split(',');
    else if (name === 'order') order = value;
    else if (name === 'limit') limit = parseLimit(value);
    else if (value.startsWith('gt.')) bounds.set(name, value.slice(3));
    else if (filters.has(name)) throw badRequest('PGRST100', `"failed to parse logic tree (${name})"`);
    else filters.set(name, parseFilter(value));
  }
  for (const name of [...select, ...filters.keys(), ...bounds.keys(), ...(order === undefined ? [] : [order])]) {
    if (!table.columns.includes(name)) throw badRequest('42703', `column ${table.name}.${name} does not exist`);
  }
  const uuids = table.uuids.flatMap((column) => [...(filters.get(column) ?? []), bounds.get(column) ?? []].flat());
  for (const value of uuids) requireUuid(value);
  return { select, filters, bounds, order, limit };
}

function parseLimit(value: string): number {
  if (!/^\d+$/.test(value)) throw badRequest('22P02', `invalid input syntax for type integer: "${value}"`);
  return Number(value);
}

function parseFilter(value: string): readonly string[] {
  const [, one, list] = /^(?:eq\.(.*)|in\.\((.*)\))$/s.exec(value) ?? [];
  const values = one === undefined ? list?.split(',') : [one];
  if (values === undefined) throw badRequest('PGRST100', `"failed to parse filter (${value})"`);
  return values;
}

/** Returns the rows that pass all filters, in the requested order. PostgreSQL sorts UUIDs like their texts. */
export function filtered(rows: readonly Row[], { bounds, filters, order }: Query): readonly Row[] {
  const passing = rows.filter(
    (row) =>
      [...filters].every(([column, allowed]) => allowed.includes(row[column] ?? '')) &&
      [...bounds].every(([column, bound]) => (row[column] ?? '') > bound),
  );
  if (order === undefined) return passing;
  const key = (row: Row): string => row[order] ?? '';
  return passing.toSorted((a, b) => Number(key(a) > key(b)) - Number(key(a) < key(b)));
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
