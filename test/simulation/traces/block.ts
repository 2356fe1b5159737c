import type { Facts, ProcessFacts, ScenarioFacts } from '../model/facts.ts';
import type { RequestFact } from '../model/network/request-fact.ts';
import type { ProcessName } from '../model/spec.ts';
import { outcomesIn, warnedIn } from './outcomes.ts';

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

const HEADER = '=== seed ';

/** How much of a secret is shown: enough to tell two of them apart. */
const SECRET_DIGITS = 16;

/** The line that a seed's block begins with. */
export function headerOf(seed: number): string {
  return `${HEADER}${seed}`;
}

/** The seed of a header; undefined for any other line. */
export function seedIn(line: string): number | undefined {
  return line.startsWith(HEADER) ? Number(line.slice(HEADER.length)) : undefined;
}

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
