/** Traces of scenarios' externally visible facts, in files with a header and a block of lines for each seed, for `diff`. */
import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Facts,
  type ProcessFacts,
  parsed,
  type RequestFact,
  type ScenarioFacts,
} from '../test/simulation/model/facts.ts';
import type { ProcessName } from '../test/simulation/model/spec.ts';

type Section =
  | 'start'
  | 'crash'
  | 'request'
  | 'stdout'
  | 'output'
  | 'summary'
  | 'outcome'
  | 'warned'
  | 'end'
  | 'exit-code';

/** The number of seeds that share a file. No two workers write to the same file. */
export const SEEDS_PER_FILE = 1_000;

/** Creates a folder for traces. It must be empty, so that traces of different source code are not mixed. */
export function createTraceFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`The folder ${folder} is not empty.`);
}

/** Appends a seed's block to its file. The seeds in a file must arrive in ascending order. */
export function appendTrace(folder: string, seed: number, block: readonly string[]): void {
  const first = Math.floor(seed / SEEDS_PER_FILE) * SEEDS_PER_FILE;
  const path = join(folder, `seeds-${String(first).padStart(10, '0')}.txt`);
  appendFileSync(path, `${[`=== seed ${seed}`, ...block].join('\n')}\n`);
}

/** How many characters of a secret to show, which is enough to distinguish two secrets. */
const SECRET_DIGITS = 16;

export function blockOf({ executions }: Pick<ScenarioFacts, 'executions'>): string[] {
  return executions.flatMap((facts, index) => [
    ...linesOf(facts, 'main', facts.main, index),
    ...(facts.post === undefined ? [] : linesOf(facts, 'post', facts.post, index)),
  ]);
}

function linesOf(facts: Facts, on: ProcessName, process: ProcessFacts, index: number): string[] {
  const { paths, files, requests, crashed } = facts;
  const label = index === 0 ? on : `${on}-${index + 1}`;
  const line = (section: Section, text: string): string =>
    `${label} ${section} ${text.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n')}`;
  const summary = files.get(on === 'main' ? paths.summary : paths.postSummary) ?? '';
  const { end } = process;
  return [
    line('start', ms(process.startedAtMs)),
    ...crashed.filter((one) => one.on === on).map(({ atMs, kind }) => line('crash', `${ms(atMs)} ${kind}`)),
    ...requests.filter((one) => one.on === on).map((request) => line('request', textOf(request))),
    ...process.received.map(({ atMs, text }) => line('stdout', `${ms(atMs)} ${text}`)),
    ...[...process.outputs].map(([name, value]) => line('output', `${name}=${value}`)),
    ...(summary === '' ? [] : summary.split('\n').map((text) => line('summary', text))),
    ...outcomesIn(process.outputs).map((text) => line('outcome', text)),
    ...warnedIn(facts, process).map((text) => line('warned', text)),
    line('end', end === undefined ? 'never' : `${ms(end.atMs)} ${end.how}`),
    line('exit-code', `${end?.code ?? 'none'}`),
  ];
}

function textOf({ atMs, call, what, method, url, headers, body }: RequestFact): string {
  const sent = Object.entries(headers)
    .map(([name, value]) => `${name}: ${name === 'authorization' ? value.slice(0, SECRET_DIGITS) : value}`)
    .sort();
  const fault = what === undefined ? '' : ` !${what}`;
  return `${ms(atMs)} ${call}${fault} ${method} ${url} {${sent.join(', ')}} ${body}`.trimEnd();
}

/** Sums of the same numbers in a different order differ in their last digits. */
function ms(instant: number): string {
  return String(Number(instant.toFixed(3)));
}

/** The outcome of the step and of each of its runs, according to its outputs. */
function outcomesIn(outputs: ReadonlyMap<string, string>): string[] {
  const outcome = outputs.get('outcome');
  const step = outcome === undefined ? [] : [outcome];
  const json = outputs.get('results') ?? '[]';
  const results = parsed(json) as Readonly<Record<string, string>>[] | undefined;
  if (results === undefined) return [...step, `unreadable results: ${json}`];
  // A run that is awaited by its id has no pipeline.
  return [...step, ...results.map((one) => `${[one['pipeline'], one['job-id']].find(Boolean)}: ${one['outcome']}`)];
}

/**
 * The subjects of a process's warnings and errors, without their wording: the ids of runs, or the pipelines of those
 * that name no id.
 */
function warnedIn({ spec, pipelineIds, world }: Facts, { annotations }: ProcessFacts): string[] {
  const pipelines = [...spec.pipelines.flatMap(({ name, apiName }) => [name, apiName]), ...pipelineIds];
  const warned = annotations
    .filter(({ level }) => level !== 'notice')
    .flatMap(({ title, message }) => {
      const text = `${title} ${message}`;
      const runs = world.jobs.map(({ id }) => id).filter((id) => text.includes(id));
      return runs.length > 0 ? runs : pipelines.filter((name) => text.includes(name));
    });
  return [...new Set(warned)].sort();
}
