import { isLoopback } from '../base/address.ts';
import { formatDuration } from '../base/duration.ts';
import { quoted } from '../base/safe-text.ts';
import type { OnStop, Plan, Target } from '../run/plan.ts';
import { TERMINAL_STATUSES, type TerminalStatus } from '../service/statuses.ts';
import { type InputReader, listed } from './input-reader.ts';
import { readTargets } from './target-inputs.ts';

/** The service allows no closer reads of a status; only a sandbox on this machine does. */
const SHORTEST_POLL_MS = 30_000;

/** Reads all that says what the step is to do. `baseUrl` is undefined when it was wrong. */
export function readPlan(read: InputReader, baseUrl: URL | undefined): Plan {
  const targets = readTargets(read);
  const plan: Plan = {
    targets,
    fullResync: read.boolean('full-resync'),
    resetTarget: read.boolean('reset-target'),
    retryTrigger: read.choice('retry-trigger', ['safe', 'always']),
    wait: read.boolean('wait'),
    dryRun: read.boolean('dry-run'),
    maxParallel: readMaxParallel(read),
    failFast: read.boolean('fail-fast'),
    pollIntervalMs: readPollInterval(read, baseUrl),
    timeoutMs: read.duration('timeout'),
    queueTimeoutMs: read.duration('queue-timeout'),
    onTimeout: readOnStop(read, 'on-timeout', targets),
    onCancel: readOnStop(read, 'on-cancel', targets),
    succeedOn: readSucceedOn(read),
    maxOutageMs: read.duration('max-outage') ?? 0,
  };
  refuseWhatDropsTooMuch(read, plan);
  refuseWhatMisleads(read, plan);
  return plan;
}

function refuseWhatDropsTooMuch(read: InputReader, plan: Plan): void {
  if (!plan.resetTarget) return;
  if (!plan.fullResync) {
    read.mistake(
      'reset-target',
      'is true, but full-resync is not: the tables would be dropped, and then filled with only what is new. Set full-resync: true as well, or leave out reset-target.',
    );
  }
  if (plan.retryTrigger === 'always') {
    read.mistake(
      'reset-target',
      'is true together with retry-trigger: always, which may drop the tables twice. Set retry-trigger: safe.',
    );
  }
  if (plan.targets.length > 1) {
    read.mistake(
      'reset-target',
      `is true for ${plan.targets.length} pipelines. Write one pipeline, so that it is plain whose tables are dropped.`,
    );
  }
}

/** Runs that exist take no options any more, and somebody who sets one believes that they do. */
function refuseWhatMisleads(read: InputReader, plan: Plan): void {
  if (plan.targets.length === 0 || plan.targets.some(({ kind }) => kind !== 'job')) return;
  const why = 'but job-id alone awaits a run that exists, which it cannot change';
  if (plan.fullResync)
    read.mistake('full-resync', `is true, ${why}. Leave it out, or give pipeline as well.`);
  if (plan.resetTarget)
    read.mistake('reset-target', `is true, ${why}. Leave it out, or give pipeline as well.`);
  if (!plan.wait)
    read.mistake('wait', 'is false, but with job-id alone there is nothing to do but wait. Leave it out.');
}

/** A run that somebody else triggered is not ours to cancel, unless the user says so. */
function readOnStop(read: InputReader, name: 'on-timeout' | 'on-cancel', targets: readonly Target[]): OnStop {
  if (read.isGiven(name)) return read.choice(name, ['cancel', 'leave']);
  return targets.length > 0 && targets.every(({ kind }) => kind === 'job') ? 'leave' : 'cancel';
}

function readMaxParallel(read: InputReader): number {
  const text = read.text('max-parallel');
  if (text === '') return Number.POSITIVE_INFINITY;
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) {
    read.mistake(
      'max-parallel',
      `is ${quoted(text)}. Write a whole number from 1, or leave it out for all at once.`,
    );
  }
  return Math.max(1, count);
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
