// Inputs, settings and runs as tests of the action need them, and a toolkit that records its calls.
import type { Environment } from '../../src/action/inputs/input-table.ts';
import { readSettings, type Settings } from '../../src/action/inputs/settings.ts';
import type { Level, Toolkit } from '../../src/action/runner/toolkit.ts';
import type { Fact } from '../../src/run/state/facts.ts';
import { type Change, plannedRuns } from '../../src/run/state/ledger.ts';
import { type RunState, reduce } from '../../src/run/state/run-state.ts';
import { API_KEY, JOB, PIPELINE } from './service.ts';

/** Inputs by their name in action.yml. */
export type Inputs = Readonly<Record<string, string>>;

const ENOUGH: Inputs = { 'api-key': API_KEY, 'base-url': 'https://app.example.test', pipeline: 'orders' };

/** The environment in which a runner starts the step; what is not given is as few as will do. */
export function environment(inputs: Inputs = {}, rest: Environment = {}): Environment {
  const all = Object.entries({ ...ENOUGH, ...inputs });
  return { ...rest, ...Object.fromEntries(all.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])) };
}

/** Settings of a step with these inputs. Throws when they are wrong. */
export function settings(inputs: Inputs = {}): Settings {
  const read = readSettings(environment(inputs));
  if (!read.ok) throw new Error(read.mistakes.join(' '));
  return read.settings;
}

/** What is wrong with these inputs; nothing when all are right. */
export function mistakes(inputs: Inputs = {}): readonly string[] {
  const read = readSettings(environment(inputs));
  return read.ok ? [] : read.mistakes;
}

/** The one run of a step, as far as `fields` say it has come: queued a moment ago, unless they say otherwise. */
export function aRun(fields: Partial<RunState> = {}, inputs: Inputs = {}): RunState {
  const [run] = plannedRuns(settings(inputs).plan);
  if (run === undefined) throw new Error('These inputs ask for no run.');
  const queued = { jobId: JOB, pipeline: { id: PIPELINE, name: 'orders' }, status: 'queued', startedAt: 0 };
  return Object.assign(run, queued, { phase: { at: 'in_progress' } }, fields);
}

/** Applies a fact to a run at this time, and returns the change that observers get. */
export function change(run: RunState, fact: Fact, at = 0): Change {
  const before = { ...run };
  const { number, attempt, jobId } = run;
  Object.assign(run, reduce(before, { run: number, attempt, jobId, fact, at }));
  return { fact, before, run };
}

export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
}

/** A toolkit that keeps what a runner would show. */
export interface KeptToolkit extends Toolkit {
  readonly annotations: readonly Annotation[];
  readonly masked: readonly string[];
  readonly debugged: readonly string[];
}

export function keptToolkit(): KeptToolkit {
  const annotations: Annotation[] = [];
  const masked: string[] = [];
  const debugged: string[] = [];
  return {
    annotations,
    masked,
    debugged,
    mask: (secret) => masked.push(secret),
    annotate: (level, title, message) => annotations.push({ level, title, message }),
    debug: (line) => debugged.push(line),
  };
}
