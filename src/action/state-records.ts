import { asUuid } from '../base/uuid.ts';
import type { LedgerRecord } from '../run/ledger.ts';
import { isTerminal } from '../service/statuses.ts';
import type { Environment } from './environment.ts';

/** What main tells post of itself, before all else: enough to act without any input but the key. */
export interface MainRecord {
  readonly kind: 'main';
  readonly pid: number;
  /** When the process started, as its system counts it; tells it from a later process of the same number. */
  readonly startedAt: string;
  readonly baseUrl: string;
  readonly onCancel: 'cancel' | 'leave';
  readonly pollIntervalMs: number;
  readonly summary: boolean;
  /** How the job stood when main started. */
  readonly jobStatus: string;
  /** Where the same records lie once more; empty when nowhere. */
  readonly journal: string;
  /** Proves that whoever wrote the journal had the key. */
  readonly seal: string;
  /** Main's own state file, which may have grown after the runner read it; empty when there is none. */
  readonly stateFile: string;
}

/** Main has ended by itself, and has told its user how every run stands. */
export interface ClosedRecord {
  readonly kind: 'closed';
}

export type StateRecord = MainRecord | ClosedRecord | LedgerRecord;

/** The one prefix of this action's keys in the state; a number follows. */
const KEY = 'run_pipeline_';

/** The key of the record with this number, from 1. */
export function stateKey(number: number): string {
  return `${KEY}${String(number).padStart(4, '0')}`;
}

/** Records by their number. The same record may be found in several places; the number tells. */
export type NumberedRecords = ReadonlyMap<number, StateRecord>;

/** The records in the environment of a post step. */
export function recordsInEnv(env: Environment): NumberedRecords {
  const prefix = `STATE_${KEY}`.toUpperCase();
  const found = Object.keys(env).filter((name) => name.toUpperCase().startsWith(prefix));
  return numbered(found.map((name) => [name.slice(prefix.length), env[name] ?? '']));
}

/** The records in the text of a state file or a journal; torn and foreign lines are passed over. */
export function recordsInText(text: string): NumberedRecords {
  const entries = text.split('\n').flatMap((line): [string, string][] => {
    const [, number, value] = /^run_pipeline_(\d+)=(.*)$/s.exec(line) ?? [];
    return number === undefined || value === undefined ? [] : [[number, value]];
  });
  return numbered(entries);
}

/** What was found in several places, as one, in the order of the numbers. */
export function inOrder(...found: readonly NumberedRecords[]): StateRecord[] {
  const all = new Map(found.flatMap((records) => [...records]));
  return [...all].sort(([a], [b]) => a - b).map(([, record]) => record);
}

function numbered(entries: readonly (readonly [string, string])[]): NumberedRecords {
  const records = new Map<number, StateRecord>();
  for (const [key, text] of entries) {
    const number = /^\d{1,9}$/.test(key) ? Number(key) : 0;
    const record = decode(text);
    if (number > 0 && record !== undefined) records.set(number, record);
  }
  return records;
}

function decode(text: string): StateRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? check(new Map(Object.entries(value))) : undefined;
  } catch {
    return undefined;
  }
}

/** The file may have been written by anybody in the job: nothing in it is believed unseen. */
function check(fields: ReadonlyMap<string, unknown>): StateRecord | undefined {
  const kind = fields.get('kind');
  if (kind === 'main') return checkMain(fields);
  if (kind === 'closed') return { kind };
  const run = fields.get('run');
  if (typeof run !== 'number' || !Number.isSafeInteger(run) || run < 1) return undefined;
  switch (kind) {
    case 'refused':
    case 'unknown':
    case 'cancelling':
    case 'left':
    case 'detached':
      return { kind, run };
    case 'queued':
    case 'attached': {
      const jobId = asUuid(fields.get('jobId'));
      return jobId === undefined ? undefined : { kind, run, jobId };
    }
    case 'settled': {
      const status = fields.get('status');
      return typeof status === 'string' && isTerminal(status) ? { kind, run, status } : undefined;
    }
    case 'intent': {
      const pipelineId = asUuid(fields.get('pipelineId'));
      const [name, at] = [fields.get('pipelineName'), fields.get('at')];
      if (pipelineId === undefined || typeof at !== 'number') return undefined;
      return { kind, run, pipelineId, pipelineName: typeof name === 'string' ? name : null, at };
    }
    default:
      return undefined;
  }
}

function checkMain(fields: ReadonlyMap<string, unknown>): MainRecord | undefined {
  const pid = fields.get('pid');
  const pollIntervalMs = fields.get('pollIntervalMs');
  const baseUrl = fields.get('baseUrl');
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1 || typeof baseUrl !== 'string') {
    return undefined;
  }
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  return {
    kind: 'main',
    pid,
    startedAt: text('startedAt'),
    baseUrl,
    onCancel: fields.get('onCancel') === 'leave' ? 'leave' : 'cancel',
    pollIntervalMs: typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : 30_000,
    summary: fields.get('summary') !== false,
    jobStatus: text('jobStatus'),
    journal: text('journal'),
    seal: text('seal'),
    stateFile: text('stateFile'),
  };
}
