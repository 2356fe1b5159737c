import type { Clock } from '../base/clock.ts';
import { writeFailure } from '../base/file-errors.ts';
import { neutral, oneLine } from '../base/safe-text.ts';
import { giveUpOn, REPORT_IT } from '../run/conduct.ts';
import type { StepEvent } from '../run/events.ts';
import type { Ledger } from '../run/ledger.ts';
import { isSuccess } from '../run/outcome.ts';
import type { Plan } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { plannedRuns, runStep } from '../run/step.ts';
import { type Interruption, stopBy } from '../run/stop.ts';
import { type Environment, inputOf } from './environment.ts';
import { mistakeInOutputFile } from './file-access.ts';
import type { Files } from './files.ts';
import { readSettings, type Settings } from './inputs.ts';
import { closeState, openState } from './main-state.ts';
import { createOutputWriter } from './outputs.ts';
import { createReport, type Report } from './report.ts';
import { type OpenService, openFor } from './service.ts';
import type { StateWriter } from './state.ts';
import type { Toolkit } from './toolkit.ts';

/** All that the main step needs from outside, handed in. */
export interface MainParts {
  readonly env: Environment;
  readonly pid: number;
  /** When this process started, as its system counts it. */
  readonly startedAt: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly files: Files;
  readonly toolkit: Toolkit;
  /** Writes a line to stdout. Must not throw. */
  readonly print: (line: string) => void;
  readonly interruption: Interruption;
  readonly openService: OpenService;
}

export interface MainStep {
  /** The whole life of the step; resolves with the exit code. */
  run(): Promise<number>;
  /** The life ended in a way that nobody meant: tells how every run stands. Returns the exit code, never 0. */
  crash(why: string): number;
}

/** What a crash must know of a life that has begun. */
interface Begun {
  /** The step was told to be over: nothing is triggered any more, whatever still goes on. */
  crashed: boolean;
  readonly plan: Plan;
  readonly runs: readonly RunState[];
  readonly state: StateWriter;
  readonly report: Report;
}

/** The main step of the action, over the parts that the entry hands in. */
export function prepareMain(parts: MainParts): MainStep {
  let begun: Begun | undefined;
  return {
    async run() {
      const key = inputOf(parts.env, 'api-key');
      if (key !== '') parts.toolkit.mask(key);
      const read = readSettings(parts.env);
      if (!read.ok) return refuse(parts, read.mistakes);
      if (mistakeInOutputFile(parts.files, parts.env['GITHUB_OUTPUT']) !== undefined)
        return refuse(parts, []);
      const { settings } = read;
      const runs = plannedRuns(settings);
      const report = createReport(parts, settings, runs);
      const opened = openState(parts, settings);
      if (!opened.ok) return refuse(parts, [opened.why]);
      begun = { crashed: false, plan: settings.plan, runs, state: opened.state, report };
      return live(parts, settings, begun);
    },
    crash(why) {
      if (begun === undefined) {
        return refuse(parts, [`This action failed by itself: ${oneLine(why)}. ${REPORT_IT}`]);
      }
      const { plan, runs, state, report } = begun;
      begun.crashed = true;
      const interrupted = stopBy(parts.interruption, plan.onCancel);
      const observe = (event: StepEvent): void => report.event(event);
      const problem = {
        attempted: 'go on',
        came: `this action failed by itself (${oneLine(why)})`,
        remedy: REPORT_IT,
      };
      for (const run of runs) giveUpOn({ ledger: state, observe }, run, problem, run.stop ?? interrupted);
      report.end([]);
      closeState(state);
      return 1;
    },
  };
}

async function live(parts: MainParts, settings: Settings, begun: Begun): Promise<number> {
  const { runs, state, report } = begun;
  const { clock, random, interruption } = parts;
  for (const sentence of settings.idle) report.line(sentence);
  const service = openFor(parts, settings.baseUrl, settings.apiKey);
  const { plan } = settings;
  const observe = (event: StepEvent): void => report.event(event);
  const ledger: Ledger = {
    write(record) {
      if (begun.crashed && record.kind === 'intent') throw new Error('the step is over');
      state.write(record);
    },
  };
  const problems = await runStep({ plan, service, clock, random, ledger, observe, interruption }, runs);
  const told = report.end(problems);
  closeState(state);
  const interrupted = interruption.first !== undefined;
  return told && isSuccess(runs, plan, interrupted) ? 0 : 1;
}

/** Nothing was sent and nothing is queued: all mistakes at once. */
function refuse(parts: MainParts, mistakes: readonly string[]): number {
  const { toolkit, files, env, print } = parts;
  const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
  const all = [...mistakes, ...(wrongOutput === undefined ? [] : [wrongOutput])];
  for (const mistake of all) toolkit.annotate('error', 'run-pipeline: nothing was triggered', mistake);
  print(neutral('Nothing was sent to the service, and nothing is queued.'));
  if (wrongOutput !== undefined) return 1;
  try {
    createOutputWriter(files, env['GITHUB_OUTPUT']).write({
      'job-status': 'not_queued',
      outcome: 'not_triggered',
      message: `Nothing was triggered. ${oneLine(mistakes.join(' '), 900)}`,
      results: '[]',
    });
  } catch (error) {
    print(neutral(writeFailure('the outputs', error, '')));
  }
  return 1;
}
