import type { Environment } from '../base/environment.ts';
import { asObject, parseJson } from '../base/json.ts';
import type { World } from '../world.ts';
import { decodeEnd, type KeptEnd } from './main-end.ts';
import { KEY_OF_END, KEY_OF_STEP, type KeptStep, keyOfRun, runNumberIn } from './record.ts';
import { beginningOf, decodeRun, type KeptRun } from './run-line.ts';
import { journalsOf } from './temp-files.ts';

/* Reads the lines that a main step left in the runner's state and in its journal. */

/** Everything that a main step left. */
export interface Kept {
  /** Undefined if the first line cannot be read. */
  readonly step: KeptStep | undefined;
  readonly runs: readonly KeptRun[];
  readonly end: KeptEnd | undefined;
  /** True if the runner kept the state. Otherwise, these records are from the journal alone. */
  readonly isByRunner: boolean;
  /** The path of the journal that contains the records, if they are not from the state. */
  readonly journal?: string;
  /** True if the line of at least one run is missing or cannot be read. */
  readonly isTorn: boolean;
}

/** A main step whose first line could be read. */
export type KeptMain = Kept & { readonly step: KeptStep };

/** Reads what the main step left: the runner's state or, if the runner lost it, every journal of this step. */
export function recall(world: World): Kept[] {
  const state = linesInState(world.env);
  const kept = keptIn(state, true);
  if (kept.step !== undefined) return [reread(world, { ...kept, step: kept.step })];
  const journals = journalsOf(world)
    .map((path) => ({ lines: linesIn(world, path), path }))
    // A mark's file has no lines, and a main step that wrote no lines has triggered nothing.
    .filter(({ lines }) => lines.length > 0)
    .map(({ lines, path }) => ({ ...keptIn(lines, false), journal: path }));
  return journals.length > 0 || state.length === 0 ? journals : [kept];
}

/** Reads both files of a step again. */
export function reread(world: World, { step, isByRunner }: KeptMain): KeptMain {
  const state = isByRunner ? linesInState(world.env) : [];
  return { ...keptIn([...state, ...linesIn(world, step.journal)], isByRunner), step };
}

interface Line {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly n: number;
  /** True if the line comes from the runner's state, not from the journal. */
  readonly isByRunner: boolean;
  /** True if the end of the line is missing. */
  readonly isCut: boolean;
}

function keptIn(lines: readonly Line[], isByRunner: boolean): Kept {
  const inOrder = [...lines].sort((a, b) => b.n - a.n);
  const newest = (key: string): Line | undefined => inOrder.find((line) => line.key === key && !line.isCut);
  const numbers = [...new Set(lines.flatMap(({ key }) => runNumberIn(key) ?? []))].sort((a, b) => a - b);
  const runs = numbers.flatMap((number) => {
    const key = keyOfRun(number);
    // If the newest line was cut off, it only says how the last complete one has changed.
    const last = inOrder.find((line) => line.key === key);
    const state = decodeRun({ ...newest(key)?.value, ...last?.value });
    return state === undefined ? [] : [{ number, state }];
  });
  const end = newest(KEY_OF_END);
  const step = stepIn(newest(KEY_OF_STEP)?.value);
  return {
    step,
    runs,
    end: end && decodeEnd(end.value, end.isByRunner),
    isByRunner,
    isTorn: runs.length < Math.max(numbers.length, step?.existing ?? 0),
  };
}

function stepIn(value: Line['value'] = {}): KeptStep | undefined {
  const { pid, baseUrl, onCancel, succeedOn, resetTarget, pollIntervalMs, jobStatus, journal, existing } = value;
  if (typeof pid !== 'number' || typeof baseUrl !== 'string' || typeof pollIntervalMs !== 'number') return undefined;
  if (onCancel !== 'cancel' && onCancel !== 'leave') return undefined;
  if (typeof jobStatus !== 'string' || typeof journal !== 'string' || !Array.isArray(succeedOn)) return undefined;
  if (typeof existing !== 'number' || typeof resetTarget !== 'boolean') return undefined;
  const known = {
    pid,
    baseUrl,
    onCancel,
    resetTarget,
    pollIntervalMs,
    jobStatus,
    journal,
    existing,
    areSeveral: value['areSeveral'] !== false,
    canTrigger: value['canTrigger'] !== false,
  } as const;
  return { ...known, succeedOn: succeedOn.map(String) };
}

/** Returns the lines in the state that the runner passes to the post step. */
function linesInState(env: Environment): Line[] {
  const names = Object.keys(env).filter((name) => name.startsWith(`STATE_${KEY_OF_STEP}`));
  return names.flatMap((name) => lineOf(name.slice('STATE_'.length), env[name] ?? '', true));
}

function linesIn({ files }: Pick<World, 'files'>, path: string): Line[] {
  return (files.read(path) ?? '').split('\n').flatMap((line) => {
    const equals = line.indexOf('=');
    return equals < 0 ? [] : lineOf(line.slice(0, equals), line.slice(equals + 1), false);
  });
}

/** Reads a line. If a kill cut it off, its beginning may still contain a run's phase, its possible twin and its id. */
function lineOf(key: string, text: string, isByRunner: boolean): Line[] {
  if (text === '') return [];
  const whole = parseJson(text);
  const { n = 0, ...value } = asObject(whole ?? parseJson(`${beginningOf(text)}}`));
  return [{ key, value, n: Number(n), isByRunner, isCut: whole === undefined }];
}
