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

interface Entry extends Outputs {
  readonly pipeline: string;
  readonly error: string;
  /** `duration` in whole seconds. */
  readonly attempts?: readonly { readonly id: string; readonly status: string; readonly duration: string }[];
}

/**
 * How each run ended, as a JSON array with a line per entry, in the order of the input. `leftOut` counts the entries for
 * which there was no room: those of runs that went well, and then others.
 */
export function resultsOf(runs: readonly RunState[], plan: Expectation) {
  const entries = runs.map((run) => entryOf(run, plan));
  for (const form of formsOf(entries)) {
    const json = asJson(form);
    if (Buffer.byteLength(json) <= MOST_BYTES) return { json, leftOut: 0 };
  }
  // Room for what went wrong first, then for what went well as far as it reaches.
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

/** The entries, each time with less: first without the attempts of runs that went well, at last without messages. */
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

/** An entry without its attempts, and with messages of at most so many characters. */
function shortened(entry: Entry, longest: number): Entry {
  const cut = (text: string): string => (longest === 0 ? '' : shorten(text, longest));
  return {
    ...withoutAttempts(entry),
    message: cut(entry.message),
    'status-message': cut(entry['status-message']),
    error: cut(entry.error),
  };
}

function isGood({ outcome }: Entry): boolean {
  return outcome === 'succeeded' || outcome === 'triggered';
}

function asJson(entries: readonly Entry[]): string {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`;
}
