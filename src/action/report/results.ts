import { oneLine, shorten } from '../../base/safe-text.ts';
import type { Expectation } from '../../run/plan.ts';
import { statusOf } from '../../run/state/outcome.ts';
import { attemptsOf, type RunState } from '../../run/state/run-state.ts';
import { endingOf } from './endings.ts';
import { type Outputs, outputsOfRun, wholeSeconds } from './outputs.ts';

/** Bytes of `results` at most: a later step gets it as an environment variable beside others. */
const MOST_BYTES = 30_000;

/** How long the messages of an entry may be, the longest first; the first length that fits is taken. */
const MESSAGE_LENGTHS = [1_000, 300, 120, 40, 0];

/** A run of an attempt; `duration` in whole seconds. */
type Attempt = { readonly id: string; readonly status: string; readonly duration: string };

type Entry = Outputs & { readonly pipeline: string; readonly error: string; readonly attempts?: readonly Attempt[] };

export interface Results {
  readonly json: string;
  /** Entries for which there was no room: those of runs that went well, and then others. */
  readonly leftOut: number;
}

/** What became of each run, as a JSON array with a line per entry, in the order of the input. */
export function resultsOf(runs: readonly RunState[], plan: Expectation): Results {
  const entries = runs.map((run) => entryOf(run, plan));
  for (const form of formsOf(entries)) {
    const json = asJson(form);
    if (Buffer.byteLength(json) <= MOST_BYTES) return { json, leftOut: 0 };
  }
  return cut(entries.map((entry) => shortened(withoutAttempts(entry), 0)));
}

/** The entries, each time with less: the attempts of what went well are missed least, and any attempts less than a message. */
function* formsOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  yield entries;
  yield entries.map((entry) => (isGood(entry) ? withoutAttempts(entry) : entry));
  const short = entries.map(withoutAttempts);
  for (const longest of MESSAGE_LENGTHS) yield short.map((entry) => shortened(entry, longest));
}

function withoutAttempts({ attempts: _, ...entry }: Entry): Entry {
  return entry;
}

function entryOf(run: RunState, plan: Expectation): Entry {
  const { level, line, advice } = endingOf(run, plan);
  return {
    pipeline: run.target.kind === 'job' ? '' : oneLine(run.target.pipeline, 200),
    ...outputsOfRun(run, plan, line),
    error: level === 'error' ? oneLine([line, ...advice].join(' '), 1_000) : '',
    ...(plan.maxAttempts > 1 && { attempts: attemptsOf(run).map(attemptIn) }),
  };
}

function attemptIn(run: RunState): Attempt {
  const duration = wholeSeconds(run.startedAt, run.endedAt);
  return { id: run.jobId ?? '', status: oneLine(statusOf(run), 100), duration };
}

function shortened(entry: Entry, longest: number): Entry {
  const cutOff = (text: string): string => (longest === 0 ? '' : shorten(text, longest));
  return {
    ...entry,
    message: cutOff(entry.message),
    'status-message': cutOff(entry['status-message']),
    error: cutOff(entry.error),
  };
}

function isGood({ outcome }: Entry): boolean {
  return outcome === 'succeeded' || outcome === 'triggered';
}

/** Room for what went wrong first, then for what went well as far as it reaches. */
function cut(entries: readonly Entry[]): Results {
  const kept = new Set<Entry>();
  let bytes = 4;
  for (const entry of [...entries.filter((each) => !isGood(each)), ...entries.filter(isGood)]) {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 2;
    if (bytes > MOST_BYTES) break;
    kept.add(entry);
  }
  const json = asJson(entries.filter((entry) => kept.has(entry)));
  return { json, leftOut: entries.length - kept.size };
}

function asJson(entries: readonly Entry[]): string {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`;
}
