/** What can be seen of a scenario from outside, in lines of text. */
import type { Facts, ProcessFacts, ScenarioFacts } from '../model/facts.ts';
import type { RequestFact } from '../model/network/request-fact.ts';
import type { ProcessName } from '../model/spec.ts';

/** What a line of a block is about: its second word. */
export const SECTIONS = [
  'start',
  'crash',
  'request',
  'stdout',
  'output',
  'summary',
  'outcome',
  'warned',
  'end',
  'exit-code',
] as const;

export type Section = (typeof SECTIONS)[number];

/** How much of a secret is shown: enough to tell two of them apart. */
const SECRET_DIGITS = 16;

/**
 * Everything that can be seen of a scenario from outside, without its header: a line for each request, each line of
 * stdout and so on, each beginning with its process and its section. Instants are virtual milliseconds.
 */
export function blockOf({ executions }: Pick<ScenarioFacts, 'executions'>): string[] {
  return executions.flatMap((facts, index) => [
    ...linesOf(facts, 'main', facts.main, index),
    ...(facts.post === undefined ? [] : linesOf(facts, 'post', facts.post, index)),
  ]);
}

function linesOf(facts: Facts, on: ProcessName, process: ProcessFacts, index: number): string[] {
  const { paths, files, requests, crashed } = facts;
  const label = index === 0 ? on : `${on}-${index + 1}`;
  const line = (section: Section, text: string): string => `${label} ${section} ${oneLine(text)}`;
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

/** Sums of the same numbers in another order differ in their last digits. */
function ms(instant: number): string {
  return String(Number(instant.toFixed(3)));
}

function oneLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}

/** The outcome of the step, and the outcome of each of its runs, by its outputs. */
function outcomesIn(outputs: ReadonlyMap<string, string>): string[] {
  const outcome = outputs.get('outcome');
  const step = outcome === undefined ? [] : [outcome];
  const json = outputs.get('results') ?? '[]';
  try {
    const results = JSON.parse(json) as Readonly<Record<string, string>>[];
    // A run that is awaited by its id has no pipeline.
    return [...step, ...results.map((one) => `${[one['pipeline'], one['job-id']].find(Boolean)}: ${one['outcome']}`)];
  } catch {
    return [...step, `unreadable results: ${json}`];
  }
}

/**
 * What the warnings and errors of a process are about, without their words: the ids of runs, or the pipelines of those
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
