// Inputs, settings and runs for tests of the action, and a toolkit that records its calls.
import { type Environment, INPUTS, type InputName } from '../../src/action/inputs/input-table.ts';
import { readSettings, type Settings } from '../../src/action/inputs/settings.ts';
import type { Level, Toolkit } from '../../src/action/runner/toolkit.ts';
import type { Fact } from '../../src/run/state/facts.ts';
import { type Change, plannedRuns } from '../../src/run/state/ledger.ts';
import { type RunState, reduce } from '../../src/run/state/run-state.ts';
import { API_KEY, APP, JOB, PIPELINE } from './service.ts';

/** Inputs by their names in action.yml. For other inputs, a test sets the variables in the environment. */
export type Inputs = Readonly<Partial<Record<InputName, string>>>;

const ENOUGH: Inputs = { 'api-key': API_KEY, 'base-url': `https://${APP}`, pipeline: 'orders' };

/** The environment in which a runner starts the step. Required inputs have defaults. */
export function environment(inputs: Inputs = {}, rest: Environment = {}): Environment {
  const all = Object.entries({ ...ENOUGH, ...inputs });
  const unknown = all.find(([name]) => !(name in INPUTS));
  if (unknown !== undefined) throw new Error(`action.yml has no input ${unknown[0]}.`);
  return { ...rest, ...Object.fromEntries(all.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])) };
}

/** The settings of a step with these inputs. Throws if they are invalid. */
export function settings(inputs: Inputs = {}): Settings {
  const read = readSettings(environment(inputs));
  if (!read.ok) throw new Error(read.mistakes.join(' '));
  return read.settings;
}

/** The errors in these inputs; empty if all are valid. */
export function mistakes(inputs: Inputs = {}): readonly string[] {
  const read = readSettings(environment(inputs));
  return read.ok ? [] : read.mistakes;
}

/** The only run of a step, in the state that `fields` describe. By default, it was queued a moment ago. */
export function aRun(fields: Partial<RunState> = {}, inputs: Inputs = {}): RunState {
  const [run] = plannedRuns(settings(inputs).plan);
  if (run === undefined) throw new Error('These inputs request no run.');
  const queued = { jobId: JOB, pipeline: { id: PIPELINE, name: 'orders' }, status: 'queued', startedAt: 0 };
  return Object.assign(run, queued, { phase: { at: 'in_progress' } }, fields);
}

/** Applies a fact to a run at this time, and returns the change that observers receive. */
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

/** A toolkit that keeps everything that it receives. */
export function keptToolkit() {
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
  } satisfies Toolkit & Record<string, unknown>;
}
