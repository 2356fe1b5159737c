// Describes what a user can see of a step, as text that is the same in every run, for snapshots and failure messages.
import { expect } from 'vitest';
import { stateAt } from '../../sandbox/model/index.ts';
import type { ProcessResult } from '../../sandbox/runner/index.ts';
import type { Played } from './e2e.ts';
import type { Step } from './runner.ts';
import type { FakeWorld } from './world.ts';

/** Replaces ids, times, ports, paths and charts. */
function normalized(text: string): string {
  const names = new Map<string, string>();
  const numbered = (id: string): string => {
    const name = names.get(id) ?? `ID-${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  return text
    .replace(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, numbered)
    .replace(/(?<=127\.0\.0\.1|localhost|\.test):\d+/g, ':PORT')
    .replace(/\/tmp\/[-\w./]+/g, 'PATH')
    .replace(/(?<=```mermaid).*?(?=```)/gs, ' … ')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d(?:(?::|\.|&#\d+;)\d+)+Z?/g, 'TIME')
    .replace(/^( *)\[\d[^\]]*\]/gm, '$1[TIME]')
    .replace(/(?<=HTTP \d+, )\d+ ms|(?<=duration: )\d+|(?<=\| )\d+m?s(?= \|)/g, 'TIME')
    .replace(/ after \d+m?s\b/g, ' after TIME');
}

function titled(title: string, text: string): readonly string[] {
  if (text.trim() === '') return [];
  const lines = text.trim().split('\n');
  return [title, ...lines.map((line) => `  ${line}`.trimEnd())];
}

function storyOfProcess(name: string, { exitCode, signal, log, files }: ProcessResult): readonly string[] {
  const end = signal === null ? `exit code ${exitCode ?? 'unknown: it is still running'}` : `killed by ${signal}`;
  // On a busy machine, debug lines are printed between other lines than usual.
  const lines = log.filter((line) => !line.startsWith('Debug: '));
  const debugLines = log.filter((line) => line.startsWith('Debug: '));
  // `results` repeats the other outputs as JSON.
  const outputs = Object.entries(files.outputs).filter(([output]) => output !== 'results');
  return [
    ...(log.length === 0 ? [`${name}: ${end}, and prints nothing`] : titled(`${name}: ${end}`, lines.join('\n'))),
    ...titled(`debug lines of ${name}`, debugLines.join('\n')),
    ...titled(`outputs of ${name}`, outputs.map((pair) => pair.join(': ')).join('\n')),
    ...titled(`summary of ${name}`, files.summary),
    ...titled(`files of ${name} that the runner cannot read`, files.broken.join('\n')),
  ];
}

function listed(texts: readonly string[], separator = ', '): string {
  return texts.length === 0 ? 'none' : texts.join(separator);
}

/** The name of a run's pipeline in the service. */
function pipelineOf({ sandbox }: Played, { pipelineId }: Played['runs'][number]): string {
  return sandbox.world.pipelines.find(({ id }) => id === pipelineId)?.name ?? pipelineId;
}

/** What a step prints, writes, sends and leaves behind. */
export function traceOf(played: Played): string {
  const { main, post, calls, runs, statuses, files } = played;
  const fates = runs.map((run, index) => `${pipelineOf(played, run)} (${run.id}) is ${statuses[index] ?? ''}`);
  const requests = calls.filter((call) => call !== 'read');
  const kinds = files.map((name) => /\.mark$|-post$/.exec(name)?.[0] ?? 'journal').sort();
  const lines = [
    ...storyOfProcess('main', main),
    ...(post === undefined ? ['post: skipped by the runner'] : storyOfProcess('post', post)),
    // The number of reads, and of cancels, depends on how busy the machine is.
    `requests, except for reads: ${listed(requests.filter((call, index) => call !== requests[index - 1]))}`,
    `runs: ${listed(fates, '; ')}`,
    `files left in RUNNER_TEMP: ${listed(kinds)}`,
  ];
  return normalized(lines.join('\n'));
}

/** What the fate of a step depends on, in real processes and in virtual time. */
interface Fates {
  readonly main: EndedProcess | undefined;
  readonly post: EndedProcess | undefined;
  readonly runs: readonly { readonly id: string; readonly pipeline: string; readonly status: string }[];
}

type EndedProcess = Pick<ProcessResult, 'exitCode' | 'signal' | 'annotations'>;

/** How a step in virtual time ended, like `expectFate`. */
export function fateInVirtualTime({ job, main, post }: Step): string {
  const ended = ({ annotations, history: { end } }: FakeWorld): EndedProcess => ({
    annotations,
    exitCode: end?.how === 'exited' ? end.code : null,
    signal: end?.how === 'killed' ? 'SIGKILL' : null,
  });
  const { clock, service } = job.machine;
  const runs = service.jobs.map((job) => ({
    id: job.id,
    pipeline: service.pipelines.find(({ id }) => id === job.pipelineId)?.name ?? '',
    status: stateAt(job, clock.now())?.status ?? '',
  }));
  return fateOf({ main: main && ended(main), post: post && ended(post), runs });
}

/**
 * How both processes end, and the fates of the runs: `warned` means that a run may exist, and that a warning or an
 * error contains its id or its pipeline.
 */
function fateOf({ main, post, runs }: Fates): string {
  const annotations = [main, post].flatMap((process) => process?.annotations ?? []);
  const warnings = annotations.flatMap(({ level, message }) => (level === 'notice' ? [] : message)).join('\n');
  const fates = runs.map(({ id, pipeline, status }) => {
    if (!['queued', 'picked', 'running'].includes(status)) return status;
    const isNamed = new RegExp(`${id}|may have triggered a run of "?${pipeline}"?`, 'i').test(warnings);
    return isNamed ? 'warned' : 'ORPHANED';
  });
  const end = (process: EndedProcess | undefined) => process?.signal ?? process?.exitCode ?? 'none';
  if (fates.length === 0) fates.push(/\bmay\b/.test(warnings) ? 'no run, but a warning' : 'no run');
  return `main ${end(main)}, post ${end(post)}, ${fates.join(', ')}`;
}

/** Expects `main EXIT, post EXIT, FATE`, with an exit code or signal each, and the fates of the runs. */
export function expectFate(played: Played, fate: string): void {
  const runs = played.runs.map(({ id, ...run }, index) => {
    return { id, pipeline: pipelineOf(played, { id, ...run }), status: played.statuses[index] ?? '' };
  });
  const actual = fateOf({ ...played, runs });
  expect(actual, `A user would see "${actual}" instead of "${fate}".\n${traceOf(played)}`).toBe(fate);
}
