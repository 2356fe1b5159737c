import { isLoopback } from '../../base/address.ts';
import { formatDuration } from '../../base/duration.ts';
import { quoted } from '../../base/safe-text.ts';
import type { Uuid } from '../../base/uuid.ts';
import type { OnStop, Plan, Target } from '../../run/plan.ts';
import { TERMINAL_STATUSES, type TerminalStatus } from '../../service/statuses.ts';
import { idleInputs, refuseContradictions } from './combinations.ts';
import { readConnection } from './connection-inputs.ts';
import { InputReader, listed, quotedList } from './input-reader.ts';
import type { Environment, InputName } from './input-table.ts';
import { readRunUrl } from './run-url.ts';
import { areExistingRuns, readJobIds, readTargets } from './target-inputs.ts';

/** The service allows one status read per run in this time; a sandbox on this machine allows more. */
const MIN_POLL_INTERVAL_MS = 30_000;

/** A load that fails more often than this needs somebody to look at it. */
const MOST_ATTEMPTS = 10;

/** The inputs of the action, checked. */
export interface Settings {
  readonly apiKey: string;
  readonly baseUrl: URL;
  /** What the step does. `summary` and `runUrl` only decide what it displays. */
  readonly plan: Plan;
  readonly summary: boolean;
  /** Template of the links to runs; see run-url.ts. */
  readonly runUrl: string | undefined;
  /** The status of the job when this process started; any text. */
  readonly jobStatus: string;
  /** Inputs that have no effect, a sentence each. */
  readonly idle: readonly string[];
}

/** What was read, or every mistake in the inputs, a sentence or more each. */
type Checked<T> = Readonly<(T & { ok: true }) | { ok: false; mistakes: readonly string[] }>;

export function readSettings(env: Environment): Checked<{ settings: Settings }> {
  const read = new InputReader(env);
  const { apiKey, baseUrl } = readConnection(read, env);
  const asked = readPlan(read, baseUrl);
  const summary = read.boolean('summary');
  const runUrl = readRunUrl(read);
  if (baseUrl === undefined || read.mistakes.length > 0) return { ok: false, mistakes: read.mistakes };
  const jobStatus = read.text('internal-job-status');
  const idle = idleInputs(read, asked);
  const isOnce = !asked.wait || asked.dryRun || areExistingRuns(asked.targets);
  const plan = { ...asked, ...(isOnce && { maxAttempts: 1 }) };
  return { ok: true, settings: { apiKey, baseUrl, plan, summary, runUrl, jobStatus, idle } };
}

/** Reads the inputs of the cancel action. An id that is given twice is one run. */
export function readCancelSettings(env: Environment): Checked<{ baseUrl: URL; jobIds: readonly Uuid[] }> {
  const read = new InputReader(env);
  const { baseUrl } = readConnection(read, env);
  const jobIds = [...new Set(readJobIds(read))];
  if (baseUrl === undefined || read.mistakes.length > 0) return { ok: false, mistakes: read.mistakes };
  return { ok: true, baseUrl, jobIds };
}

function readPlan(read: InputReader, baseUrl: URL | undefined): Plan {
  const targets = readTargets(read);
  const plan: Plan = {
    targets,
    fullResync: read.boolean('full-resync'),
    resetTarget: read.boolean('reset-target'),
    onLostResponse: read.choice('on-lost-response', ['fail', 'retry']),
    wait: read.boolean('wait'),
    dryRun: read.boolean('dry-run'),
    maxParallel: readCount(read, 'max-parallel', 'all at once') ?? Infinity,
    failFast: read.boolean('fail-fast'),
    pollIntervalMs: readPollInterval(read, baseUrl),
    timeoutMs: read.duration('timeout'),
    queueTimeoutMs: read.duration('queue-timeout'),
    onTimeout: readOnStop(read, 'on-timeout', targets),
    onCancel: readOnStop(read, 'on-cancel', targets),
    succeedOn: readStatuses(read, 'succeed-on'),
    maxOutageMs: read.duration('max-outage') ?? 0,
    maxAttempts: readCount(read, 'max-attempts', 'one attempt', MOST_ATTEMPTS) ?? 1,
    retryOn: readStatuses(read, 'retry-on'),
    retryDelayMs: read.duration('retry-delay') ?? 0,
  };
  refuseContradictions(read, plan);
  return plan;
}

/** By default the step leaves existing runs alone, because it did not trigger them. */
function readOnStop(read: InputReader, name: 'on-timeout' | 'on-cancel', targets: readonly Target[]): OnStop {
  if (read.isGiven(name)) return read.choice(name, ['cancel', 'leave']);
  return areExistingRuns(targets) ? 'leave' : 'cancel';
}

/** A whole number from 1 to `most`. Undefined if the input is empty, which means `otherwise`, and after a mistake. */
function readCount(read: InputReader, name: InputName, otherwise: string, most = Infinity): number | undefined {
  const text = read.text(name);
  if (text === '') return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) > 0 && Number(text) <= most) return Number(text);
  const range = most === Infinity ? 'from 1' : `from 1 to ${most}`;
  read.mistake(name, `is ${quoted(text)}. Write a whole number ${range}, or leave it out for ${otherwise}.`);
  return undefined;
}

function readPollInterval(read: InputReader, baseUrl: URL | undefined): number {
  const ms = read.duration('poll-interval') ?? MIN_POLL_INTERVAL_MS;
  const isSandbox = baseUrl !== undefined && isLoopback(baseUrl);
  if (ms < MIN_POLL_INTERVAL_MS && !isSandbox) {
    read.mistake(
      'poll-interval',
      `is ${quoted(read.text('poll-interval'))}, but the service allows no more than one read in ${formatDuration(MIN_POLL_INTERVAL_MS)}. Write 30s or more.`,
    );
  }
  return ms;
}

function readStatuses(read: InputReader, name: 'succeed-on' | 'retry-on'): ReadonlySet<TerminalStatus> {
  const statuses = read.list(name, /[,\r\n]/);
  const known = TERMINAL_STATUSES.filter((status) => statuses.includes(status));
  const unknown = statuses.filter((status) => !TERMINAL_STATUSES.some((other) => other === status));
  const all = listed(TERMINAL_STATUSES, 'and');
  if (unknown.length > 0) {
    read.mistake(name, `names ${quotedList(unknown)}. Write statuses in which a run ends: ${all}.`);
  } else if (known.length === 0) {
    read.mistake(name, `names no status. Write some of ${all}.`);
  }
  return new Set(known);
}
