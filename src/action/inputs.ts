import { checkAddress, isLoopback } from '../base/address.ts';
import { formatDuration } from '../base/duration.ts';
import { quoted } from '../base/safe-text.ts';
import type { Plan } from '../run/plan.ts';
import { TERMINAL_STATUSES, type TerminalStatus } from '../service/statuses.ts';
import { mistakeInKey } from './api-key.ts';
import type { Environment } from './environment.ts';
import { InputReader, listed } from './input-reader.ts';

/** All that the user asked for, checked. */
export interface Settings {
  readonly apiKey: string;
  readonly baseUrl: URL;
  readonly plan: Plan;
  readonly summary: boolean;
  /** How the job stood when this process started; any text. */
  readonly jobStatus: string;
  /** Inputs that have no effect here, a sentence each. */
  readonly idle: readonly string[];
}

export type SettingsRead =
  | { readonly ok: true; readonly settings: Settings }
  /** Every mistake, a sentence each. */
  | { readonly ok: false; readonly mistakes: readonly string[] };

/** The service allows no closer reads of a status; only a sandbox on this machine does. */
const SHORTEST_POLL_MS = 30_000;

/** Reads every input before anything is done with any. */
export function readSettings(env: Environment): SettingsRead {
  const read = new InputReader(env);
  const apiKey = read.text('api-key');
  const wrongKey = mistakeInKey(apiKey);
  if (wrongKey !== undefined) read.mistake('api-key', `${wrongKey.what}. ${wrongKey.how}`);
  const baseUrl = readBaseUrl(read);
  const plan = readPlan(read, baseUrl);
  const summary = read.boolean('summary');
  if (baseUrl === undefined || read.mistakes.length > 0) return { ok: false, mistakes: read.mistakes };
  const jobStatus = read.text('internal-job-status');
  return { ok: true, settings: { apiKey, baseUrl, plan, summary, jobStatus, idle: idleInputs(read, plan) } };
}

function readPlan(read: InputReader, baseUrl: URL | undefined): Plan {
  const fullResync = read.boolean('full-resync');
  const resetTarget = read.boolean('reset-target');
  const targets = readTargets(read);
  const retryTrigger = read.choice('retry-trigger', ['safe', 'always']);
  if (resetTarget && !fullResync) {
    read.mistake(
      'reset-target',
      'is true, but full-resync is not: the tables would be dropped, and then filled with only what is new. Set full-resync: true as well, or leave out reset-target.',
    );
  }
  if (resetTarget && retryTrigger === 'always') {
    read.mistake(
      'reset-target',
      'is true together with retry-trigger: always, which may drop the tables twice. Set retry-trigger: safe.',
    );
  }
  return {
    targets,
    fullResync,
    resetTarget,
    retryTrigger,
    wait: read.boolean('wait'),
    pollIntervalMs: readPollInterval(read, baseUrl),
    timeoutMs: read.duration('timeout'),
    queueTimeoutMs: read.duration('queue-timeout'),
    onTimeout: read.choice('on-timeout', ['cancel', 'leave']),
    onCancel: read.choice('on-cancel', ['cancel', 'leave']),
    succeedOn: readSucceedOn(read),
    maxOutageMs: read.duration('max-outage') ?? 0,
  };
}

function readBaseUrl(read: InputReader): URL | undefined {
  const text = read.text('base-url');
  if (text === '') {
    read.mistake('base-url', 'is empty. Write the address of the service, such as https://app.example.com.');
    return undefined;
  }
  const checked = checkAddress(text);
  if (checked.ok) return checked.url;
  // Whatever stands before an @ may be a password, also in what is no address at all.
  const what = text.includes('@') ? checked.why : `is ${quoted(text)}, which ${checked.why}`;
  read.mistake(
    'base-url',
    `${what}. Write the address of the service alone, such as https://app.example.com.`,
  );
  return undefined;
}

function readTargets(read: InputReader): Plan['targets'] {
  const lines = read.lines('pipeline');
  if (lines.length === 0) {
    read.mistake('pipeline', "is empty. Write the pipeline's API name, its name or its UUID.");
  } else if (lines.length > 1) {
    const shown = listed(
      lines.map((line) => quoted(line, 80)),
      'and',
    );
    read.mistake('pipeline', `names ${lines.length} pipelines: ${shown}. Write one, and a step for each.`);
  }
  return lines.map((pipeline) => ({ pipeline }));
}

function readPollInterval(read: InputReader, baseUrl: URL | undefined): number {
  const ms = read.duration('poll-interval') ?? SHORTEST_POLL_MS;
  const isSandbox = baseUrl !== undefined && isLoopback(baseUrl);
  if (ms < SHORTEST_POLL_MS && !isSandbox) {
    read.mistake(
      'poll-interval',
      `is ${quoted(read.text('poll-interval'))}, but the service allows no more than one read in ${formatDuration(SHORTEST_POLL_MS)}. Write 30s or more.`,
    );
  }
  return ms;
}

function readSucceedOn(read: InputReader): ReadonlySet<TerminalStatus> {
  const statuses = read.list('succeed-on');
  const known = TERMINAL_STATUSES.filter((status) => statuses.includes(status));
  const unknown = statuses.filter((status) => !TERMINAL_STATUSES.some((other) => other === status));
  const all = listed(TERMINAL_STATUSES, 'and');
  if (unknown.length > 0) {
    const shown = listed(
      unknown.map((status) => quoted(status)),
      'and',
    );
    read.mistake('succeed-on', `names ${shown}. Write statuses in which a run ends: ${all}.`);
  } else if (known.length === 0) {
    read.mistake('succeed-on', `names no status. Write some of ${all}.`);
  }
  return new Set(known);
}

/** What was given and changes nothing is worth a line: somebody may count on it. */
function idleInputs(read: InputReader, plan: Plan): string[] {
  if (plan.wait) return [];
  const idle = (['timeout', 'queue-timeout'] as const).filter((name) => read.isGiven(name));
  return idle.map((name) => `Input ${name} has no effect with wait: false.`);
}
