// Annotations: the runs that have one, their number, and their place before any list that a runner may cut off.
import { describe, expect, it } from 'vitest';
import { annotateEndings } from '../../../../src/action/report/annotations.ts';
import { anyEnd, endingOf } from '../../../../src/action/report/endings.ts';
import { createReport } from '../../../../src/action/report/report.ts';
import type { Level, Toolkit } from '../../../../src/action/runner/toolkit.ts';
import { createPostReport } from '../../../../src/action/steps/post-report.ts';
import type { RunState } from '../../../../src/run/state/run-state.ts';
import type { Problem } from '../../../../src/service/api.ts';
import { aRun, finished, type Inputs, keptToolkit, settings } from '../../../support/action.ts';
import { jobNumber, type Life } from '../../../support/fake-service.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { PIPELINE } from '../../../support/service.ts';
import { playStep, STEP_FILES } from '../../../support/step.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const PROBLEM: Problem = { attempted: 'ask', cause: 'HTTP 503' };
const numbers = Array.from({ length: 300 }, (_, index) => index + 1);
const ids = numbers.map(jobNumber);

function run(number: number, fields: Partial<RunState>): RunState {
  return aRun({ jobId: jobNumber(number), pipeline: { id: PIPELINE, name: `pipeline ${number}` }, ...fields });
}

const failed = numbers.map((each) => run(each, finished('failed')));
const unsettled = numbers.map((each) => run(1_000 + each, { phase: { at: 'unsettled', problem: PROBLEM } }));

/** Returns the parts of a step that print, and a single list of all commands and lines that they print. */
function bench(files = memoryFiles()) {
  const printed: string[] = [];
  const print = (line: string): void => void printed.push(line);
  const annotate: Toolkit['annotate'] = (level, title, message) => print(`::${level}:: ${title}: ${message}`);
  const toolkit: Toolkit = { ...keptToolkit(), annotate };
  const parts = { env: { GITHUB_OUTPUT: STEP_FILES.output }, clock: new VirtualClock(), files, toolkit, print };
  return { printed, parts, toolkit, print };
}

/** Returns the output that a step with these runs prints when it ends. */
function endOf(runs: readonly RunState[], inputs: Inputs = {}, files = memoryFiles(), problems: Problem[] = []) {
  const { printed, parts } = bench(files);
  createReport(parts, settings(inputs), runs).end(problems);
  return printed;
}

const annotationsIn = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.startsWith('::'));

/** Returns the text before the first long list of such entries. All annotations must be in that text. */
function beforeList(lines: readonly string[], entry: RegExp): string {
  const isEntry = (line: string | undefined): boolean => line !== undefined && entry.test(line);
  const at = lines.findIndex((line, index) => isEntry(line) && isEntry(lines[index + 25]));
  expect(at).toBeGreaterThan(0);
  expect(annotationsIn(lines.slice(at))).toEqual([]);
  return lines.slice(0, at).join('\n');
}

describe('the annotations of runs', () => {
  const ending = (level: Level | undefined, index = 0) => ({
    name: `${level}-${index}`,
    ending: { level, line: `${level} ${index}.`, advice: ['Do this.'] },
  });

  const many = (level: Level, count: number) => Array.from({ length: count }, (_, index) => ending(level, index));
  const annotated = (endings: Parameters<typeof annotateEndings>[0]) => {
    const { annotations, ...toolkit } = keptToolkit();
    const printed: string[] = [];
    annotateEndings(endings, toolkit, (line) => printed.push(line));
    return { annotations, printed };
  };

  it('start with the worst run, skip runs that need no attention, and leave runs beyond a limit to the log', () => {
    const { annotations, printed } = annotated([...many('warning', 30), ending(undefined), ...many('error', 500)]);
    expect(annotations).toHaveLength(8);
    expect(annotations[0]).toEqual({ level: 'error', title: 'run-pipeline: error-0', message: 'error 0.\nDo this.' });
    expect(annotations.at(-1)?.title).toBe('run-pipeline: 523 more runs');
    expect(annotations.at(-1)?.message).toMatch(/^.{1,4000} and others\. .{1,60}$/);
    expect([printed.length, printed[0]]).toEqual([523, 'error 7. Do this.']);
  });

  it('leave no run to the log if there are eight of them', () => {
    const { annotations, printed } = annotated(many('error', 8));
    expect([annotations.length, printed.length]).toEqual([8, 0]);
  });
});

const full = memoryFiles();
full.refuse(STEP_FILES.output);
const OPEN = ['left', 'lost', 'in_progress', 'triggering', 'unknown'] as const;
const open = OPEN.map((at, nth) => run(900 + nth, { phase: { at } }));
const checked = numbers.map((each) => run(each, { jobId: undefined, phase: { at: 'dry_run' } }));
const broken = run(900, { phase: { at: 'not_queued', problem: PROBLEM } });
const problems = numbers.map((each) => ({ ...PROBLEM, attempted: `resolve ${each}` }));
const dryRun = { 'dry-run': 'true' };

it.each<[string, Parameters<typeof endOf>, RegExp, string]>([
  ['the ids of runs that may be in progress', [[...failed, ...unsettled]], /^(?:Run|The cancel) /, jobNumber(1_300)],
  ['the ids of runs left running', [[...failed, ...open]], /^Run /, `: ${open.map(({ jobId }) => jobId).join(', ')}`],
  ['a failure to write the outputs', [failed, {}, full], /^Run /, 'Could not write'],
  ['the errors of a dry run', [[...checked, broken], dryRun], /^pipeline \d+ .*trigger a run/, 'pipeline 900'],
  ['the first problems', [[aRun()], {}, memoryFiles(), problems], /^Could not resolve/, '::error::'],
])('a step with hundreds of runs or problems prints %s before the full list', (_, step, entry, text) => {
  expect(beforeList(endOf(...step), entry)).toContain(text);
});

it('a post step with hundreds of runs prints its nine warnings before its lists of cancelled and uncancelled runs', () => {
  const { printed, parts } = bench();
  const report = createPostReport(parts);
  for (const each of ids) report.tell({ level: undefined, line: `${each} has stopped.`, advice: [] });
  for (const each of unsettled) report.tell(endingOf(each, anyEnd('cancel'), 'post'));
  report.end(true);
  beforeList(printed, /^Run .* may still/);
  const before = beforeList(printed, /has stopped/);
  expect(unsettled.filter(({ jobId }) => !before.includes(`Run ${jobId}`))).toEqual([]);
  expect(ids.filter((each) => !printed.includes(`${each} has stopped.`))).toEqual([]);
  expect(annotationsIn(printed)).toHaveLength(9);
});

it('the cancel action with hundreds of runs prints its errors before its list of cancelled runs', async () => {
  const { printed, toolkit, print } = bench();
  const existing = Object.fromEntries(ids.map((id): [string, Life] => [id, 'running']));
  const inputs = { 'job-id': [...ids, ...numbers.slice(0, 9).map((each) => jobNumber(900 + each))].join('\n') };
  const { exitCode } = await playStep({ entry: 'cancel', inputs, service: { existing }, toolkit, print });
  expect(exitCode).toBe(1);
  expect(beforeList(printed, /^Run \S+ was cancelled/)).toContain(`progress: ${jobNumber(901)}`);
});
