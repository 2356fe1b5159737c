import { oneLine, shorten } from '../../base/safe-text.ts';
import type { Expectation } from '../../run/plan.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { endingOf } from './endings.ts';
import { type Outputs, outputsOfRun } from './outputs.ts';

/** Bytes of `results` at most: a later step gets it as an environment variable beside others. */
const MOST_BYTES = 30_000;

/** How long the messages of an entry may be, the longest first; the first length that fits is taken. */
const MESSAGE_LENGTHS = [1_000, 300, 120, 40, 0];

type Entry = Outputs & { readonly pipeline: string; readonly error: string };

export interface Results {
  readonly json: string;
  /** Entries for which there was no room: those of runs that went well, and then others. */
  readonly leftOut: number;
}

/** What became of each run, as a JSON array with a line per entry, in the order of the input. */
export function resultsOf(runs: readonly RunState[], plan: Expectation): Results {
  const entries = runs.map((run) => entryOf(run, plan));
  for (const longest of MESSAGE_LENGTHS) {
    const json = asJson(entries.map((entry) => shortened(entry, longest)));
    if (Buffer.byteLength(json) <= MOST_BYTES) return { json, leftOut: 0 };
  }
  return cut(entries.map((entry) => shortened(entry, 0)));
}

function entryOf(run: RunState, plan: Expectation): Entry {
  const { level, line, advice } = endingOf(run, plan);
  return {
    pipeline: run.target.kind === 'job' ? '' : oneLine(run.target.pipeline, 200),
    ...outputsOfRun(run, plan, line),
    error: level === 'error' ? oneLine([line, ...advice].join(' '), 1_000) : '',
  };
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

/** Room for what went wrong first, then for what went well as far as it reaches. */
function cut(entries: readonly Entry[]): Results {
  const kept = new Set<Entry>();
  let bytes = 4;
  const isGood = ({ outcome }: Entry): boolean => outcome === 'succeeded' || outcome === 'triggered';
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
