import { PartialWrite } from '../../base/file-errors.ts';
import { oneLine, shorten } from '../../base/safe-text.ts';
import type { Expectation } from '../../run/plan.ts';
import { outcomeOf, statusOf, worstOutcome, worstStatus } from '../../run/state/outcome.ts';
import { attemptsOf, begunAt, lastKnown, type RunState } from '../../run/state/run-state.ts';
import { appendToFile, fileRecord } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import { endingOf } from './endings.ts';

/** Every output of action.yml. */
export const OUTPUTS = [
  'job-id',
  'job-status',
  'outcome',
  'message',
  'status-message',
  'pipeline-id',
  'pipeline-name',
  'duration',
  'results',
] as const;

export type OutputName = (typeof OUTPUTS)[number];

/** Outputs by name. The entries of `results` use the same names as keys. */
export type Outputs = Readonly<Record<Exclude<OutputName, 'results'>, string>>;

/** Returns the current outputs of one run. */
export function outputsOfRun(run: RunState, plan: Expectation, message: string): Outputs {
  const last = lastKnown(run);
  return {
    'job-id': last.jobId ?? '',
    'job-status': oneLine(statusOf(run), 100),
    outcome: outcomeOf(run, plan),
    message: oneLine(message, 1_000),
    'status-message': oneLine(last.statusMessage ?? '', 1_000),
    'pipeline-id': run.pipeline?.id ?? '',
    'pipeline-name': oneLine(run.pipeline?.name ?? '', 200),
    duration: wholeSeconds(begunAt(run), last.endedAt),
  };
}

/** Returns the outputs of a step with several runs, such as the worst status, and the duration until `now`. */
export function outputsOfAll(runs: readonly RunState[], plan: Expectation, message: string, now: number): Outputs {
  const starts = runs.flatMap((run) => begunAt(run) ?? []);
  return {
    'job-id': runs.flatMap((run) => lastKnown(run).jobId ?? []).join('\n'),
    'job-status': oneLine(worstStatus(runs), 100),
    outcome: worstOutcome(runs, plan),
    message: oneLine(message, 1_000),
    'status-message': '',
    'pipeline-id': '',
    'pipeline-name': '',
    duration: starts.length === 0 ? '' : wholeSeconds(Math.min(...starts), now),
  };
}

/** Returns the difference between two times in milliseconds, as whole seconds, or '' while either is unknown. */
function wholeSeconds(from: number | undefined, to: number | undefined): string {
  return from === undefined || to === undefined ? '' : String(Math.floor((to - from) / 1_000));
}

/** Maximum size of `results` in bytes. Later steps may receive this output in an environment variable. */
const MOST_BYTES = 30_000;

/** Maximum lengths to try for the messages of an entry, longest first. */
const MESSAGE_LENGTHS = [1_000, 300, 120, 40, 0];

interface Entry extends Outputs {
  readonly pipeline: string;
  readonly error: string;
  /** The attempts of a run, with `duration` in whole seconds. */
  readonly attempts?: readonly { readonly id: string; readonly status: string; readonly duration: string }[];
}

/**
 * Returns the result of each run, as a JSON array with one entry per line, in the order of the input. `leftOut` counts
 * the entries that do not fit. Entries of successful runs are left out first.
 */
export function resultsOf(runs: readonly RunState[], plan: Expectation) {
  const entries = runs.map((run) => entryOf(run, plan));
  for (const form of formsOf(entries)) {
    const json = asJson(form);
    if (Buffer.byteLength(json) <= MOST_BYTES) return { json, leftOut: 0 };
  }
  // Keep failed runs first, and then as many successful runs as fit.
  const short = entries.map((entry) => shortened(entry, 0));
  const kept = new Set<Entry>();
  let bytes = 4;
  for (const entry of [...short.filter((each) => !isGood(each)), ...short.filter(isGood)]) {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 2;
    if (bytes > MOST_BYTES) break;
    kept.add(entry);
  }
  return { json: asJson(short.filter((entry) => kept.has(entry))), leftOut: short.length - kept.size };
}

/** Yields ever shorter versions of the entries, first without attempts of successful runs, finally without messages. */
function* formsOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  yield entries;
  yield entries.map((entry) => (isGood(entry) ? withoutAttempts(entry) : entry));
  for (const longest of MESSAGE_LENGTHS) yield entries.map((entry) => shortened(entry, longest));
}

function withoutAttempts({ attempts: _, ...entry }: Entry): Entry {
  return entry;
}

function entryOf(run: RunState, plan: Expectation): Entry {
  const { level, line, advice } = endingOf(run, plan);
  const attempts = attemptsOf(run).map((each) => ({
    id: each.jobId ?? '',
    status: oneLine(statusOf(each), 100),
    duration: wholeSeconds(each.startedAt, each.endedAt),
  }));
  return {
    pipeline: run.target.kind === 'job' ? '' : oneLine(run.target.pipeline, 200),
    ...outputsOfRun(run, plan, line),
    error: level === 'error' ? oneLine([line, ...advice].join(' '), 1_000) : '',
    ...(plan.maxAttempts > 1 && { attempts }),
  };
}

/** Returns an entry without its attempts, and with messages of at most `longest` characters. */
function shortened(entry: Entry, longest: number): Entry {
  const cut = (text: string): string => (longest === 0 ? '' : shorten(text, longest));
  return {
    ...withoutAttempts(entry),
    message: cut(entry.message),
    'status-message': cut(entry['status-message']),
    error: entry.error === '' || longest > 0 ? cut(entry.error) : 'see the log',
  };
}

function isGood({ outcome }: Entry): boolean {
  return outcome === 'succeeded' || outcome === 'triggered';
}

function asJson(entries: readonly Entry[]): string {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`;
}

/** Writes changed outputs at once, so they survive a kill. Throws if a write fails, and ever after a partial write. */
export function createOutputWriter(files: Files, path = '') {
  const written = new Map<string, string>();
  let partial: PartialWrite | undefined;
  return {
    write(outputs: Partial<Record<OutputName, string>>): void {
      const changed = OUTPUTS.flatMap((name) => {
        const value = outputs[name];
        return value === undefined || (written.get(name) ?? '') === value ? [] : [[name, value] as const];
      });
      if (path !== '' && changed.length > 0) {
        const records = changed.map(([name, value]) => fileRecord(name, value));
        const long = records.filter((record) => record.indexOf('\n') < record.length - 1);
        try {
          // Multiline values come last, because the runner rejects an incomplete one and everything after it.
          appendToFile(files, path, [...records.filter((record) => !long.includes(record)), ...long].join(''));
        } catch (error) {
          if (error instanceof PartialWrite) partial = error;
          throw error;
        }
      }
      for (const [name, value] of changed) written.set(name, value);
      if (partial !== undefined) throw partial;
    },
  };
}
