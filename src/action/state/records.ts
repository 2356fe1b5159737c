import { asUuid, type Uuid } from '../../base/uuid.ts';
import type { DurableFact, Entry, StopReason } from '../../run/state/facts.ts';
import { isTerminal } from '../../service/statuses.ts';
import type { Environment } from '../inputs/input-table.ts';

/** Properties that identify a process's step, keyed by name. */
export type Owner = Readonly<Record<string, string>>;

/** Main's first record, which contains everything that post needs except the key. */
export interface MainRecord {
  readonly kind: 'main';
  readonly pid: number;
  /** The start of the process in its system's format, because a later process may reuse the id. */
  readonly startedAt: string;
  readonly owner: Owner;
  /** Identifies the pipelines and runs in main's inputs. */
  readonly asked: string;
  /** The address of the service, or '' if main rejected its inputs. */
  readonly baseUrl: string;
  readonly onCancel: 'cancel' | 'leave';
  readonly pollIntervalMs: number;
  /** The status of the job when main started. */
  readonly jobStatus: string;
  /** The ids from `job-id`, keyed by run number, so that the loss of a `claimed` record does not lose the run. */
  readonly given: Readonly<Record<string, Uuid>>;
  /** The path of the journal, which receives the same records, or '' without a journal. */
  readonly journal: string;
  /** A proof that the writer of this record had the key. */
  readonly seal: string;
  /** The path of main's state file, which may have grown after the runner read it, or '' without such a file. */
  readonly stateFile: string;
}

/** Main's record that it ended on its own. `left` is post's work. `isPrinted` means that stdout accepted the report. */
export interface ClosedRecord {
  readonly kind: 'closed';
  readonly left: 'nothing' | 'detached' | 'runs';
  readonly isPrinted: boolean;
}

/** A complete record from other code or another version of the action, which this version cannot read. */
export interface ForeignRecord {
  readonly kind: 'foreign';
  readonly jobId: Uuid | undefined;
}

export type StoredFact = Entry<DurableFact>;
export type WrittenRecord = MainRecord | ClosedRecord | StoredFact;
export type StateRecord = WrittenRecord | ForeignRecord;

/** Each writer numbers its own records, so that post never replaces a record of main while main is still writing. */
export type Writer = 'main' | 'post';

/** The version of the record format. */
const VERSION = 1;

/** Returns the key of a record. Numbers start at 1. */
export function stateKey(writer: Writer, number: number): string {
  return `run_pipeline_${writer === 'post' ? 'post_' : ''}${String(number).padStart(4, '0')}`;
}

/** The records of each writer, keyed by number because several places may contain the same record. */
export type NumberedRecords = Readonly<Record<Writer, ReadonlyMap<number, StateRecord>>>;

/** Returns main's own record, or undefined if it is missing. */
export function mainOf({ main }: NumberedRecords): MainRecord | undefined {
  const first = main.get(1);
  return first !== undefined && 'pid' in first ? first : undefined;
}

/** Reads the records in the environment of a post step. Windows ignores the case of variable names. */
export function recordsInEnv(env: Environment): NumberedRecords {
  return numbered(
    Object.entries(env).flatMap(([name, text = '']) => {
      return /^STATE_/i.test(name) ? [[name.slice('STATE_'.length).toLowerCase(), text]] : [];
    }),
  );
}

/** Reads the records in the text of a state file or journal. Ignores torn lines and the lines of other code. */
export function recordsInText(text: string): NumberedRecords {
  return numbered(text.split('\n').map((line) => /^([^=]*)=(.*)$/s.exec(line)?.slice(1) ?? []));
}

/** Merges records from several places. */
export function merged(...found: readonly NumberedRecords[]): NumberedRecords {
  return {
    main: new Map(found.flatMap(({ main }) => [...main])),
    post: new Map(found.flatMap(({ post }) => [...post])),
  };
}

/** Sorts records by number, with the records of main first. */
export function inOrder({ main, post }: NumberedRecords): StateRecord[] {
  return [main, post].flatMap((records) => [...records].sort(([a], [b]) => a - b).map(([, record]) => record));
}

/** Returns the highest record number, or 0. Uses a loop, because a journal may have too many records for `Math.max`. */
export function lastNumber(records: ReadonlyMap<number, unknown>): number {
  let last = 0;
  for (const number of records.keys()) last = Math.max(last, number);
  return last;
}

/** Returns main's `closed` record, or undefined if main has not written one or has continued after it. */
export function closedOf({ main }: NumberedRecords): ClosedRecord | undefined {
  const last = main.get(lastNumber(main));
  return last !== undefined && 'left' in last ? last : undefined;
}

/** Returns the records that this version cannot read. */
export function foreignIn(records: NumberedRecords): ForeignRecord[] {
  return inOrder(records).filter((record): record is ForeignRecord => 'kind' in record && record.kind === 'foreign');
}

/** Encodes a record as text. */
export function encode(record: WrittenRecord): string {
  return JSON.stringify({ v: VERSION, ...('fact' in record ? fieldsOf(record) : record) });
}

/** Omits problems, pauses, rows and monotonic times, because they mean nothing to another process. */
function fieldsOf({ run, attempt, jobId, fact }: StoredFact): object {
  const common = { kind: fact.kind, run, attempt };
  switch (fact.kind) {
    case 'claimed':
    case 'queued':
      return { ...common, jobId: fact.jobId };
    case 'intent':
      return { ...common, pipelineId: fact.pipeline.id, pipelineName: fact.pipeline.name, at: fact.wall };
    case 'stopped':
      return { ...common, jobId, policy: fact.stop.policy, reason: fact.stop.reason };
    case 'finished':
      return { ...common, jobId, status: fact.job.status };
    case 'not_resumed':
      return common;
    case 'refused':
    case 'unknown':
    case 'detached':
    case 'lost':
      return { ...common, jobId };
  }
}

function numbered(entries: readonly string[][]): NumberedRecords {
  const records = { main: new Map<number, StateRecord>(), post: new Map<number, StateRecord>() };
  for (const [key = '', text = ''] of entries) {
    const [, post, digits] = /^run_pipeline_(post_)?(\d{1,9})$/.exec(key) ?? [];
    const [writer, number] = [post === undefined ? 'main' : 'post', Number(digits ?? 0)] as const;
    // Only this action spells keys in this way. A key with another spelling must not replace a record.
    const record = number > 0 && key === stateKey(writer, number) ? decode(text) : undefined;
    if (record !== undefined) records[writer].set(number, record);
  }
  return records;
}

type Fields = ReadonlyMap<string, unknown>;

/** Returns the members of an object, or an empty list for any other value. */
function entriesIn(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Returns the value of a JSON text, or undefined if the text is torn. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes a record. Returns undefined if the record is torn. */
function decode(text: string): StateRecord | undefined {
  const value = parsed(text);
  if (value === undefined) return undefined;
  const fields: Fields = new Map(entriesIn(value));
  return check(fields) ?? { kind: 'foreign', jobId: asUuid(fields.get('jobId')) };
}

/** Checks every field, because any step of the job may have written the file. */
function check(fields: Fields): StateRecord | undefined {
  if (fields.get('v') !== VERSION) return undefined;
  const kind = fields.get('kind');
  if (kind === 'main') return checkMain(fields);
  if (kind === 'closed') {
    const left = fields.get('left');
    if (left !== 'nothing' && left !== 'detached' && left !== 'runs') return undefined;
    return { kind, left, isPrinted: fields.get('isPrinted') === true };
  }
  const isOfAll = kind === 'stopped' && !fields.has('run');
  const run = numberIn(fields, 'run');
  const attempt = numberIn(fields, 'attempt');
  const fact = checkFact(fields);
  if (attempt === undefined || fact === undefined || (run === undefined && !isOfAll)) return undefined;
  return { run, attempt, fact, jobId: asUuid(fields.get('jobId')) };
}

function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields.get(name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function textIn(fields: Fields, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}

function checkFact(fields: Fields): DurableFact | undefined {
  const kind = fields.get('kind');
  switch (kind) {
    case 'refused':
    case 'unknown':
    case 'detached':
    case 'lost':
    case 'not_resumed':
      return { kind };
    case 'claimed':
    case 'queued': {
      const jobId = asUuid(fields.get('jobId'));
      return jobId && { kind, jobId };
    }
    case 'finished': {
      const id = asUuid(fields.get('jobId'));
      const status = textIn(fields, 'status');
      return id && isTerminal(status) ? { kind, job: { id, status, statusMessage: null } } : undefined;
    }
    case 'intent': {
      const id = asUuid(fields.get('pipelineId'));
      const [name, wall] = [fields.get('pipelineName'), fields.get('at')];
      if (id === undefined || typeof wall !== 'number') return undefined;
      return { kind, pipeline: { id, name: typeof name === 'string' ? name : null }, wall };
    }
    case 'stopped': {
      const policy = fields.get('policy');
      const reason = checkReason(fields.get('reason'));
      if (reason === undefined || (policy !== 'cancel' && policy !== 'leave' && policy !== 'await')) return undefined;
      return { kind, stop: { reason, policy, at: 0 } };
    }
    default:
      return undefined;
  }
}

function checkReason(value: unknown): StopReason | undefined {
  const fields: Fields = new Map(entriesIn(value));
  const kind = fields.get('kind');
  const afterMs = fields.get('afterMs');
  if (kind === 'fail_fast') return { kind, after: textIn(fields, 'after') };
  if (kind !== 'timeout' && kind !== 'queue_timeout') return undefined;
  return { kind, afterMs: typeof afterMs === 'number' ? afterMs : 0 };
}

function checkMain(fields: Fields): MainRecord | undefined {
  const pid = numberIn(fields, 'pid');
  const baseUrl = fields.get('baseUrl');
  return pid === undefined || typeof baseUrl !== 'string' ? undefined : mainWith(fields, pid, baseUrl);
}

function mainWith(fields: Fields, pid: number, baseUrl: string): MainRecord {
  const pollIntervalMs = fields.get('pollIntervalMs');
  return {
    kind: 'main',
    pid,
    startedAt: textIn(fields, 'startedAt'),
    owner: ownerIn(fields.get('owner')),
    asked: textIn(fields, 'asked'),
    baseUrl,
    onCancel: fields.get('onCancel') === 'leave' ? 'leave' : 'cancel',
    pollIntervalMs: typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : 30_000,
    jobStatus: textIn(fields, 'jobStatus'),
    given: givenIn(fields.get('given')),
    journal: textIn(fields, 'journal'),
    seal: textIn(fields, 'seal'),
    stateFile: textIn(fields, 'stateFile'),
  };
}

/** A placeholder for a missing record of main. */
export const UNKNOWN_MAIN = mainWith(new Map(), 0, '');

/** Parses an owner. Returns an empty owner if the text is torn. */
export function ownerInText(text: string): Owner {
  return ownerIn(parsed(text));
}

function ownerIn(value: unknown): Owner {
  return Object.fromEntries(
    entriesIn(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
}

function givenIn(value: unknown): MainRecord['given'] {
  return Object.fromEntries(
    entriesIn(value).flatMap(([run, id]) => {
      const jobId = asUuid(id);
      return /^[1-9]\d{0,8}$/.test(run) && jobId !== undefined ? [[run, jobId]] : [];
    }),
  );
}
