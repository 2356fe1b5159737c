import { writeFailure } from '../../base/file-errors.ts';
import { neutral, oneLine } from '../../base/safe-text.ts';
import { REPORT_IT } from '../../base/version.ts';
import { stopBy } from '../../run/interruption.ts';
import type { Plan } from '../../run/plan.ts';
import { Ledger, plannedRuns } from '../../run/state/ledger.ts';
import { isSuccess } from '../../run/state/outcome.ts';
import { runStep } from '../../run/step.ts';
import { inputOf } from '../inputs/input-table.ts';
import { readSettings, type Settings } from '../inputs/settings.ts';
import { createOutputWriter } from '../report/outputs.ts';
import { createReport, type Report } from '../report/report.ts';
import { mistakeInOutputFile } from '../runner/file-access.ts';
import { closeState, openState, recordRejection } from '../state/main-state.ts';
import type { StateWriter } from '../state/writer.ts';
import { type Machine, openFor } from './machine.ts';

/** All that the main step needs from outside. */
export interface MainParts extends Machine {
  readonly pid: number;
  /** When this process started, as its system counts it. */
  readonly startedAt: string;
  /** The name of this machine or container. */
  readonly host: string;
}

export interface MainStep {
  /** The whole life of the step; resolves with the exit code. */
  run(): Promise<number>;
  /** The life ended in a way that nobody meant: tells how every run stands. Returns the exit code, never 0. */
  crash(why: string): number;
  /** The process ends. `isPrinted`: stdout accepted all that was printed. */
  close(isPrinted: boolean): void;
}

/** What a crash must know of a life that has begun. */
interface Begun {
  readonly plan: Plan;
  readonly ledger: Ledger;
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
      const wrongOutput = mistakeInOutputFile(parts.files, parts.env['GITHUB_OUTPUT']);
      if (!read.ok || wrongOutput !== undefined) {
        return refuse(parts, read.ok ? [] : read.mistakes, wrongOutput);
      }
      const { settings } = read;
      const runs = plannedRuns(settings.plan);
      const report = createReport(parts, settings, runs);
      const opened = openState(parts, settings);
      if (!opened.ok) return refuse(parts, [opened.why]);
      const { state, isMarked } = opened;
      parts.interruption.lookFor(() => (isMarked() ? 'its post step' : undefined));
      const ledger = new Ledger({
        runs,
        clock: parts.clock,
        write: (entry) => state.write(entry),
        observe: (news) => report.observe(news),
      });
      begun = { plan: settings.plan, ledger, state, report };
      return live(parts, settings, begun);
    },
    crash(why) {
      if (begun === undefined) {
        return refuse(parts, [`This action failed by itself: ${oneLine(why)}. ${REPORT_IT}`]);
      }
      const { plan, ledger, report } = begun;
      ledger.end();
      const interrupted = stopBy(parts.interruption, plan.onCancel);
      if (interrupted !== undefined) ledger.stop(interrupted);
      const problem = {
        attempted: 'go on',
        cause: `this action failed by itself (${oneLine(why)})`,
        remedy: REPORT_IT,
      };
      for (const run of ledger.runs) ledger.abandon(run, problem);
      report.end([]);
      return 1;
    },
    close(isPrinted) {
      if (begun !== undefined) closeState(begun.state, begun.ledger.runs, begun.plan, isPrinted);
    },
  };
}

async function live(parts: MainParts, settings: Settings, begun: Begun): Promise<number> {
  const { ledger, report } = begun;
  const { clock, random, interruption } = parts;
  for (const sentence of settings.idle) report.line(sentence);
  const service = await openFor(parts, settings.baseUrl, settings.apiKey);
  const { plan } = settings;
  const problems = await runStep({ plan, service, clock, random, ledger, interruption });
  ledger.recordLate();
  const told = report.end(problems);
  const interrupted = interruption.first !== undefined;
  return told && isSuccess(ledger.runs, plan, interrupted) ? 0 : 1;
}

/** Nothing was sent and nothing is queued: all mistakes at once. */
function refuse(parts: MainParts, mistakes: readonly string[], wrongOutput?: string): number {
  const { toolkit, files, env, print } = parts;
  const all = [...mistakes, ...(wrongOutput === undefined ? [] : [wrongOutput])];
  for (const mistake of all) toolkit.annotate('error', 'run-pipeline: nothing was triggered', mistake);
  print(neutral('Nothing was sent to the service, and nothing is queued.'));
  recordRejection(parts);
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
