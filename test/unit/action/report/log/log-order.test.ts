import { describe, expect, it } from 'vitest';
import { anyEnd, endingOf } from '../../../../../src/action/report/endings.ts';
import { createReport } from '../../../../../src/action/report/report.ts';
import type { Toolkit } from '../../../../../src/action/runner/toolkit.ts';
import { createPostReport } from '../../../../../src/action/steps/post-report.ts';
import type { RunState } from '../../../../../src/run/state/run-state.ts';
import type { Problem } from '../../../../../src/service/api.ts';
import { aRun, type Inputs, keptToolkit, settings } from '../../../../support/action.ts';
import { jobNumber, type Life } from '../../../../support/fake-service.ts';
import { memoryFiles } from '../../../../support/memory-files.ts';
import { PIPELINE } from '../../../../support/service.ts';
import { playStep, STEP_FILES } from '../../../../support/step.ts';
import { VirtualClock } from '../../../../support/virtual-clock.ts';

const MANY = 300;
const numbers = Array.from({ length: MANY }, (_, index) => index + 1);
const PROBLEM: Problem = { attempted: 'cancel the run', cause: 'the service did not respond' };

/** What a step prints, commands and lines in one list. */
function printed(files = memoryFiles()) {
  const all: string[] = [];
  const print = (line: string): void => {
    all.push(line);
  };
  const toolkit: Toolkit = {
    ...keptToolkit(),
    annotate: (level, title, message) => print(`::${level}:: ${title}: ${message}`),
  };
  const parts = { env: { GITHUB_OUTPUT: STEP_FILES.output }, clock: new VirtualClock(), files, toolkit, print };
  /** The end of a step with these runs. */
  const end = (runs: readonly RunState[], inputs: Inputs = {}): readonly string[] => {
    createReport(parts, settings(inputs), runs).end([]);
    return all;
  };
  return { all, parts, end };
}

function run(number: number, fields: Partial<RunState>): RunState {
  return aRun({ jobId: jobNumber(number), pipeline: { id: PIPELINE, name: `pipeline ${number}` }, ...fields });
}

const failed = (number: number): RunState =>
  run(number, { phase: { at: 'finished', status: 'failed' }, status: 'failed', endedAt: 5_000 });
const unsettled = (number: number): RunState => run(number, { phase: { at: 'unsettled', problem: PROBLEM } });

/** Lines before the first of those that follow each other by the hundred. */
function beforeTheList(lines: readonly string[], entry: RegExp): readonly string[] {
  const isEntry = (line: string | undefined): boolean => line !== undefined && entry.test(line);
  const at = lines.findIndex((line, index) => isEntry(line) && isEntry(lines[index + 25]));
  expect(at).toBeGreaterThan(-1);
  return lines.slice(0, at);
}

const annotations = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => /^::(?:error|warning)::/.test(line));

describe('a step with hundreds of runs', () => {
  it('prints all annotations, and ids of runs that may still be in progress, before its list of runs', () => {
    const lines = printed().end([...numbers.map(failed), ...numbers.map((each) => unsettled(1_000 + each))]);
    const before = beforeTheList(lines, /^(?:Run|The cancel) /);
    expect(annotations(before)).toEqual(annotations(lines));
    for (const number of numbers) expect(before.join('\n')).toContain(jobNumber(1_000 + number));
    expect(before.join('\n')).not.toContain(jobNumber(300));
    expect(lines.at(-1)).toContain(`of ${2 * MANY} runs succeeded`);
  });

  it('names runs that were left running before those that failed', () => {
    const left = run(900, { phase: { at: 'left' } });
    const lines = printed().end([...numbers.map(failed), left]);
    expect(beforeTheList(lines, /^Run /).join('\n')).toContain(jobNumber(900));
  });

  it('prints the error about outputs that cannot be written before its list of runs', () => {
    const files = memoryFiles();
    files.refuse(STEP_FILES.output);
    const before = beforeTheList(printed(files).end(numbers.map(failed)), /^Run /);
    expect(before.join('\n')).toContain('Could not write the outputs');
  });
});

describe('a dry run of hundreds of pipelines', () => {
  it('prints errors before its table', () => {
    const tried = numbers.map((each) => run(each, { jobId: undefined, phase: { at: 'dry_run' } }));
    const broken = run(900, { phase: { at: 'not_queued', problem: PROBLEM } });
    const lines = printed().end([...tried, broken], { 'dry-run': 'true' });
    const before = beforeTheList(lines, /^pipeline \d+ .*trigger a run/);
    expect(annotations(before)).toEqual(annotations(lines));
    expect(annotations(before).join('\n')).toContain('pipeline 900');
  });
});

describe('a step with hundreds of problems', () => {
  it('prints all annotations before the list of problems', () => {
    const { all, parts } = printed();
    const problems = numbers.map((each) => ({ ...PROBLEM, attempted: `resolve ${each}` }));
    createReport(parts, settings(), [aRun()]).end(problems);
    expect(annotations(beforeTheList(all, /^Could not resolve/))).toEqual(annotations(all));
  });
});

describe('a post step with hundreds of runs', () => {
  it('prints its warnings before the list of runs that it cancelled', () => {
    const { all, parts } = printed();
    const report = createPostReport(parts);
    for (const each of numbers)
      report.tell({ level: undefined, line: `Run ${jobNumber(each)} was cancelled.`, advice: [] });
    for (const each of numbers) report.tell(endingOf(unsettled(1_000 + each), anyEnd('cancel'), 'post'));
    report.end(true);
    const before = beforeTheList(all, /was cancelled/);
    expect(annotations(before)).toEqual(annotations(all));
    for (const each of numbers) expect(before.join('\n')).toContain(jobNumber(1_000 + each));
    for (const each of numbers) expect(all.join('\n')).toContain(jobNumber(each));
  });

  it('prints all annotations before the list of runs that it could not cancel', () => {
    const { all, parts } = printed();
    const report = createPostReport(parts);
    for (const each of numbers) report.tell(endingOf(unsettled(each), anyEnd('cancel'), 'post'));
    report.end(true);
    expect(annotations(beforeTheList(all, /^The cancel of/))).toEqual(annotations(all));
    expect(annotations(all)).toHaveLength(9);
  });
});

describe('the cancel action with hundreds of runs', () => {
  it('prints its errors before the list of runs that it cancelled', async () => {
    const { all, parts } = printed();
    const running: Life = [[0, 'running']];
    const existing = Object.fromEntries(numbers.map((each) => [jobNumber(each), running]));
    const inputs = { 'job-id': [...numbers, 999].map(jobNumber).join('\n') };
    const { toolkit, print } = parts;
    const { exitCode } = await playStep({ entry: 'cancel', inputs, service: { existing }, toolkit, print });
    expect(exitCode).toBe(1);
    const before = beforeTheList(all, /was cancelled/);
    expect(annotations(before)).toEqual(annotations(all));
    expect(annotations(before).join('\n')).toContain(jobNumber(999));
  });
});
