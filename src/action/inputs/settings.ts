import { isLoopback } from '../../base/address.ts';
import { formatDuration } from '../../base/duration.ts';
import { quoted } from '../../base/safe-text.ts';
import { asUuid, type Uuid } from '../../base/uuid.ts';
import type { OnStop, Plan, Target } from '../../run/plan.ts';
import { TERMINAL_STATUSES, type TerminalStatus } from '../../service/statuses.ts';
import { areExistingRuns, idleInputs, refuseContradictions } from './combinations.ts';
import { readConnection } from './connection-inputs.ts';
import { InputReader, listed, quotedList } from './input-reader.ts';
import type { Environment, InputName } from './input-table.ts';
import { readRunUrl } from './run-url.ts';

/** The service allows one status read per run in this interval. A sandbox on this machine allows more. */
const MIN_POLL_INTERVAL_MS = 30_000;
/** Maximum number of attempts. A load that fails this often needs human attention. */
const MAX_ATTEMPTS = 10;
/** Later steps read `job-id` (37 bytes per run) from an environment variable, which Linux limits to 128 KiB. */
const MAX_RUNS = 1_000;

/** The checked inputs of the action. */
export interface Settings {
  readonly apiKey: string;
  readonly baseUrl: URL;
  /** The plan of the step. `summary` and `runUrl` only affect what the step displays. */
  readonly plan: Plan;
  readonly summary: boolean;
  /** The template for links to runs; see run-url.ts. */
  readonly runUrl: string | undefined;
  /** The job's status when this process started. It may be any text. */
  readonly jobStatus: string;
  /** Remarks about inputs that have no effect, one sentence each. */
  readonly idle: readonly string[];
}

/** The checked inputs, or at least one sentence for each mistake in them. */
type Checked<T> = Readonly<(T & { ok: true }) | { ok: false; mistakes: readonly string[] }>;

/** Reads the inputs of the action. */
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
  const plan = { ...asked, maxAttempts: isOnce ? 1 : asked.maxAttempts };
  return { ok: true, settings: { apiKey, baseUrl, plan, summary, runUrl, jobStatus, idle } };
}

/** Reads the inputs of the cancel action. Repeated ids count as one run. */
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
    maxParallel: readCount(read, 'max-parallel', 'to run all at once') ?? Infinity,
    failFast: read.boolean('fail-fast'),
    pollIntervalMs: readPollInterval(read, baseUrl),
    timeoutMs: read.duration('timeout'),
    queueTimeoutMs: read.duration('queue-timeout'),
    onTimeout: readOnStop(read, 'on-timeout', targets),
    onCancel: readOnStop(read, 'on-cancel', targets),
    succeedOn: readStatuses(read, 'succeed-on'),
    maxOutageMs: read.duration('max-outage') ?? 0,
    maxAttempts: readCount(read, 'max-attempts', 'for one attempt', MAX_ATTEMPTS) ?? 1,
    retryOn: readStatuses(read, 'retry-on'),
    retryDelayMs: read.duration('retry-delay') ?? 0,
  };
  refuseContradictions(read, plan);
  return plan;
}

/** Reads `pipeline` and `job-id`: pipelines to trigger, runs to wait for, or one run to resume. */
function readTargets(read: InputReader): readonly Target[] {
  const pipelines = read.list('pipeline');
  const jobIds = readJobIds(read);
  if (!read.isGiven('pipeline') && !read.isGiven('job-id')) read.mistake('pipeline', NO_TARGET);
  checkLines(read, 'pipeline', pipelines);
  checkLines(read, 'job-id', jobIds);
  const [pipeline] = pipelines;
  const [jobId] = jobIds;
  if (pipeline === undefined) return jobIds.map((id) => ({ kind: 'job', jobId: id }));
  if (jobId === undefined) return pipelines.map((each) => ({ kind: 'pipeline', pipeline: each }));
  if (pipelines.length > 1 || jobIds.length > 1) {
    const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
    const what = `lists ${counted(jobIds.length, 'run')}, and input pipeline lists ${counted(pipelines.length, 'pipeline')}`;
    read.mistake('job-id', `${what}. To resume a run, list only one of each. To only await runs, leave out pipeline.`);
  }
  return [{ kind: 'resume', pipeline, jobId }];
}

const NO_TARGET = "is empty. Set it to a pipeline's API name, name or UUID, or set job-id to await an existing run.";

function readJobIds(read: InputReader): Uuid[] {
  const lines = read.list('job-id');
  const wrong = lines.filter((line) => asUuid(line) === undefined);
  const shown = quotedList(wrong, 80);
  if (wrong.length > 0)
    read.mistake('job-id', `contains ${shown}. Enter run ids, one per line, in the same format as the job-id output.`);
  return lines.flatMap((line) => asUuid(line) ?? []);
}

/** Rejects too many lines and duplicate lines. Name resolution later rejects two spellings of one pipeline. */
function checkLines(read: InputReader, name: 'pipeline' | 'job-id', lines: readonly string[]): void {
  if (lines.length > MAX_RUNS) {
    read.mistake(name, `has ${lines.length} lines. Enter at most ${MAX_RUNS}, and use another step for the rest.`);
  }
  const twice = lines.find((line, index) => lines.indexOf(line) !== index);
  if (twice !== undefined) read.mistake(name, `lists ${quoted(twice, 80)} more than once. Remove the duplicate.`);
}

/** By default, the step leaves existing runs alone, because it did not trigger them. */
function readOnStop(read: InputReader, name: 'on-timeout' | 'on-cancel', targets: readonly Target[]): OnStop {
  if (read.isGiven(name)) return read.choice(name, ['cancel', 'leave']);
  return areExistingRuns(targets) ? 'leave' : 'cancel';
}

/** Reads a whole number from 1 to `most`. Returns undefined after a mistake, or if the input is empty. */
function readCount(read: InputReader, name: InputName, otherwise: string, most = Infinity): number | undefined {
  const text = read.text(name);
  if (text === '') return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) > 0 && Number(text) <= most) return Number(text);
  const range = most === Infinity ? 'of at least 1' : `from 1 to ${most}`;
  read.mistake(name, `is ${quoted(text)}. Set it to a whole number ${range}, or leave out this input ${otherwise}.`);
  return undefined;
}

function readPollInterval(read: InputReader, baseUrl: URL | undefined): number {
  const ms = read.duration('poll-interval') ?? MIN_POLL_INTERVAL_MS;
  const isSandbox = baseUrl !== undefined && isLoopback(baseUrl);
  if (ms < MIN_POLL_INTERVAL_MS && !isSandbox) {
    const least = formatDuration(MIN_POLL_INTERVAL_MS);
    const what = `is ${quoted(read.text('poll-interval'))}, but the service allows at most one read per run every ${least}`;
    read.mistake('poll-interval', `${what}. Set it to ${least} or more.`);
  }
  return ms;
}

function readStatuses(read: InputReader, name: 'succeed-on' | 'retry-on'): ReadonlySet<TerminalStatus> {
  const statuses = read.list(name, /[,\r\n]/);
  const known = TERMINAL_STATUSES.filter((status) => statuses.includes(status));
  const others = statuses.filter((status) => !TERMINAL_STATUSES.some((terminal) => terminal === status));
  // The step never retries a cancelled run.
  const allowed = TERMINAL_STATUSES.filter((status) => name === 'succeed-on' || status !== 'cancelled');
  const all = listed(allowed, 'and');
  if (others.length > 0) read.mistake(name, `contains ${quotedList(others)}. Use only the final statuses ${all}.`);
  else if (known.length === 0) read.mistake(name, `contains no status. Set it to at least one of ${all}.`);
  return new Set(known);
}
