import { isDeepStrictEqual } from 'node:util';
import type { Case } from './case.ts';
import { ANON_KEY } from './lite.ts';
import { type Answered, send } from './send.ts';
import type { Side, StoredJob } from './side.ts';
import type { Jobs } from './stage.ts';

/**
 * What is compared of an answer, and of what the request did. Left out is what nobody promises: the wording of errors,
 * headers, and the message that a cancelled job keeps or gets.
 */
export interface Observation {
  /** The status and the value, or the status, the code and unusual fields of an error. */
  readonly answer: string;
  /** The jobs that are not as they were. */
  readonly effect: readonly string[];
  /** Those left in the first workspace; null when there is no limit. */
  readonly credits: number | null;
}

/** Sends a request to a service, and looks at the answer and at the rows. */
export async function observe(side: Side, one: Case, jobs: Jobs): Promise<Observation> {
  const asked = one.asks(jobs);
  const authorization = await side.authorization(one.as ?? 'good');
  const apikey = one.apikey === undefined ? ANON_KEY : one.apikey;
  const before = await side.jobs();
  const headers = {
    ...asked.headers,
    ...(authorization !== null && { authorization }),
    ...(apikey !== null && { apikey }),
  };
  const answered = await send(side.url, { ...asked, headers });
  const after = await side.jobs();
  const known = Object.entries(jobs) as [string, string][];
  const made = after.filter(({ id }) => !known.some(([, old]) => old === id));
  const names = new Map([
    ...known.map(([name, id]) => [id, name] as const),
    ...made.map(({ id }) => [id, 'new'] as const),
  ]);
  const isAsBefore = (job: StoredJob) => before.some((old) => isDeepStrictEqual(old, job));
  return {
    answer: said(answered, names),
    effect: after.filter((job) => !isAsBefore(job)).map((job) => told(job, names)),
    credits: await side.credits(),
  };
}

type Names = ReadonlyMap<string, string>;

function told({ id, status, pipelineId, fullResync, resetTarget }: StoredJob, names: Names): string {
  const flags = [fullResync && 'full resync', resetTarget && 'reset'].filter((flag) => flag !== false);
  return [names.get(id), status, 'of', pipelineId, ...flags].join(' ');
}

/** What PostgREST puts into the body of an error. */
const ERROR_FIELDS = ['code', 'details', 'hint', 'message'];

function said({ status, type, text }: Answered, names: Names): string {
  if (text === '') return `${String(status)} without a body`;
  if (type !== 'application/json') return `${String(status)} ${String(type)}`;
  const value: unknown = JSON.parse(text);
  if (status < 400) return `${String(status)} ${JSON.stringify(plain(value, names))}`;
  const { code = 'without a code' } = value as { code?: string };
  const fields = Object.keys(value as object).sort();
  const unusual = isDeepStrictEqual(fields, ERROR_FIELDS) ? '' : ` (${fields.join(', ')})`;
  return `${String(status)} ${code}${unusual}`;
}

const FIELDS = ['id', 'job_status', 'status_message', 'pipeline_id', 'pipeline_name', 'pipeline_api_name'];

/** With ids by their names, without what a service makes up, and without what the interface does not show. */
function plain(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => plain(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Readonly<Record<string, unknown>>;
  const fields = Object.entries(row).map(([field, content]) => {
    if (!FIELDS.includes(field)) return [field, '...'];
    const isFree = field === 'status_message' && row['job_status'] === 'cancelled' && isTextOrNull(content);
    return [field, isFree ? '...' : plain(content, names)];
  });
  return Object.fromEntries(fields) as unknown;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

/** Per part that differs: what the one says, and what the other. */
export type Found = {
  readonly [Part in keyof Observation]?: readonly [sandbox: Observation[Part], lite: Observation[Part]];
};

export function compare(sandbox: Observation, lite: Observation): Found {
  return {
    ...(sandbox.answer !== lite.answer && { answer: [sandbox.answer, lite.answer] }),
    ...(!isDeepStrictEqual(sandbox.effect, lite.effect) && { effect: [sandbox.effect, lite.effect] }),
    ...(sandbox.credits !== lite.credits && { credits: [sandbox.credits, lite.credits] }),
  };
}
