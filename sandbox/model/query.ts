import { readUuid } from './ids.ts';
import { badRequest } from './respond.ts';

/** The columns of a collection, and those among them that contain UUIDs. */
export interface Columns {
  readonly table: string;
  readonly names: readonly string[];
  readonly uuids: readonly string[];
}

export interface Query {
  readonly select: readonly string[];
  /** The allowed values of each filtered column, with UUIDs in their canonical form. */
  readonly filters: ReadonlyMap<string, readonly string[]>;
}

export interface Target {
  readonly path: string;
  readonly parameters: URLSearchParams;
}

/** The path and the parameters of a request line. */
export function targetOf(path: string): Target {
  const mark = path.indexOf('?');
  if (mark < 0) return { path, parameters: new URLSearchParams() };
  return { path: path.slice(0, mark), parameters: new URLSearchParams(path.slice(mark + 1)) };
}

/** Parses `select`, `eq.` and `in.()` as far as the interface specifies them. @throws `Refused` for anything else */
export function parseQuery(parameters: URLSearchParams, columns: Columns): Query {
  let select: readonly string[] = columns.names;
  const filters = new Map<string, readonly string[]>();
  for (const [name, value] of parameters) {
    if (name === 'select') select = parseSelect(value, columns);
    else {
      requireColumn(name, columns);
      const values = parseFilter(value);
      const allowed = columns.uuids.includes(name) ? values.map(requireUuid) : values;
      const others = filters.get(name) ?? allowed;
      filters.set(
        name,
        allowed.filter((one) => others.includes(one)),
      );
    }
  }
  return { select, filters };
}

function requireUuid(text: string): string {
  const uuid = readUuid(text);
  if (uuid !== null) return uuid;
  throw badRequest({ code: '22P02', message: `invalid input syntax for type uuid: "${text}"` });
}

function parseSelect(value: string, columns: Columns): readonly string[] {
  if (value === '*' || value === '') return columns.names;
  const names = value.split(',');
  if (names.includes('')) {
    throw badRequest({ code: 'PGRST100', message: `"failed to parse select parameter (${value})"` });
  }
  for (const name of names) requireColumn(name, columns);
  return names;
}

function requireColumn(name: string, { table, names }: Columns): void {
  if (!names.includes(name)) throw badRequest({ code: '42703', message: `column ${table}.${name} does not exist` });
}

function parseFilter(value: string): readonly string[] {
  if (value.startsWith('eq.')) return [value.slice(3)];
  const list = /^in\.\((.*)\)$/s.exec(value)?.[1];
  if (list === undefined) {
    throw badRequest({ code: 'PGRST100', message: `"failed to parse filter (${value})" (line 1, column 1)` });
  }
  return list === '' ? [] : list.split(',');
}

export type Row = Readonly<Record<string, string | null>>;

/** Whether a row passes all filters. */
export function passes(row: Row, { filters }: Query): boolean {
  return [...filters].every(([column, allowed]) => {
    const value = row[column];
    return value !== null && value !== undefined && allowed.includes(value);
  });
}

/** Returns a row with only its selected fields. */
export function project(row: Row, { select }: Query): Row {
  return Object.fromEntries(select.map((name) => [name, row[name] ?? null]));
}
