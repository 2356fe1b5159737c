// Annotations: the runs that have one, their number, and their place before any list that a runner may cut off.
import { describe, expect, it } from 'vitest';
import { annotateEndings } from '../../../../src/action/report/annotations.ts';
import { anyEnd, endingOf } from '../../../../src/action/report/endings.ts';
import { createReport } from '../../../../src/action/report/report.ts';
import type { Level, Toolkit } from '../../../../src/action/runner/toolkit.ts';
import { createPostReport } from '../../../../src/action/steps/post-report.ts';
import type { RunState } from '../../../../src/run/state/run-state.ts';
import type { Problem } from '../../../../src/service/api.ts';
import { aRun, type Inputs, keptToolkit, settings } from '../../../support/action.ts';
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

const failed = numbers.map((each) => run(each, { phase: { at: 'finished', status: 'failed' }, status: 'failed' }));
const unsettled = numbers.map((each) => run(each, { phase: { at: 'unsettled', problem: PROBLEM } }));

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

/** Returns the text before the first of many consecutive entries. It must contain every annotation. */
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

  it('include one for each run that needs attention and start with the worst', () => {
    const { annotations, ...toolkit } = keptToolkit();
    annotateEndings([ending('notice'), ending(undefined), ending('error')], toolkit, () => undefined);
    expect(annotations).toEqual([
      { level: 'error', title: 'run-pipeline: error-0', message: 'error 0.\nDo this.' },
      { level: 'notice', title: 'run-pipeline: notice-0', message: 'notice 0.\nDo this.' },
    ]);
  });

  it('do not exceed the number that a runner shows, and the log has the rest', () => {
    const { annotations, ...toolkit } = keptToolkit();
    const printed: string[] = [];
    const many = (level: Level, count: number) => Array.from({ length: count }, (_, index) => ending(level, index));
    annotateEndings([...many('warning', 30), ...many('error', 500)], toolkit, (line) => printed.push(line));
    expect(annotations).toHaveLength(8);
    expect(annotations.at(-1)?.title).toBe('run-pipeline: 523 more runs');
    expect(annotations.at(-1)?.message.length).toBeLessThan(4_096);
    expect([printed.length, printed[0]]).toEqual([523, 'error 7. Do this.']);
    annotateEndings(many('error', 8), toolkit, (line) => printed.push(line));
    expect([annotations.length, printed.length]).toEqual([16, 523]);
  });
});

describe('a step with hundreds of runs', () => {
  it('prints annotations and the ids of runs that may still be in progress before its list of runs', () => {
    const open = unsettled.map((each, index) => ({ ...each, jobId: jobNumber(1_000 + index) }));
    const lines = endOf([...failed, ...open]);
    const before = beforeList(lines, /^(?:Run|The cancel) /);
    expect(open.filter(({ jobId }) => !before.includes(jobId))).toEqual([]);
    expect(before).not.toContain(jobNumber(300));
    expect(lines.at(-1)).toContain('of 600 runs succeeded');
  });

  const full = memoryFiles();
  full.refuse(STEP_FILES.output);
  const checked = numbers.map((each) => run(each, { jobId: undefined, phase: { at: 'dry_run' } }));
  const broken = run(900, { phase: { at: 'not_queued', problem: PROBLEM } });
  const problems = numbers.map((each) => ({ ...PROBLEM, attempted: `resolve ${each}` }));
  const dryRun = { 'dry-run': 'true' };

  it.each<[string, Parameters<typeof endOf>, RegExp, string]>([
    ['ids of runs that were left', [[...failed, run(900, { phase: { at: 'left' } })]], /^Run /, jobNumber(900)],
    ['that the outputs cannot be written', [failed, {}, full], /^Run /, 'Could not write'],
    ['errors of a dry run', [[...checked, broken], dryRun], /^pipeline \d+ .*trigger a run/, 'pipeline 900'],
    ['some problems', [[aRun()], {}, memoryFiles(), problems], /^Could not resolve/, '::error::'],
  ])('prints %s before its list of entries', (_, step, entry, text) => {
    expect(beforeList(endOf(...step), entry)).toContain(text);
  });
});

describe('a post step with hundreds of runs', () => {
  it('prints its nine warnings before its lists of cancelled and uncancelled runs', () => {
    const { printed, parts } = bench();
    const report = createPostReport(parts);
    for (const each of ids) report.tell({ level: undefined, line: `${each} is cancelled.`, advice: [] });
    for (const each of unsettled) report.tell(endingOf(each, anyEnd('cancel'), 'post'));
    report.end(true);
    beforeList(printed, /^The cancel of/);
    const before = beforeList(printed, /is cancelled/);
    expect(ids.filter((each) => !before.includes(`run ${each}`))).toEqual([]);
    expect(ids.filter((each) => !printed.includes(`${each} is cancelled.`))).toEqual([]);
    expect(annotationsIn(printed)).toHaveLength(9);
  });
});

describe('cancel/ with hundreds of runs', () => {
  it('prints its errors before its list of cancelled runs', async () => {
    const { printed, toolkit, print } = bench();
    const existing = Object.fromEntries(ids.map((id): [string, Life] => [id, [[0, 'running']]]));
    const inputs = { 'job-id': [...ids, jobNumber(999)].join('\n') };
    const { exitCode } = await playStep({ entry: 'cancel', inputs, service: { existing }, toolkit, print });
    expect(exitCode).toBe(1);
    expect(beforeList(printed, /was cancelled/)).toContain(jobNumber(999));
  });
});
