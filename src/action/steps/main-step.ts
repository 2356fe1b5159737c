import { writeFailure } from '../../base/file-errors.ts';
import { neutral, oneLine } from '../../base/safe-text.ts';
import { REPORT_IT } from '../../base/version.ts';
import { stopBy } from '../../run/interruption.ts';
import type { Plan } from '../../run/plan.ts';
import { Ledger, plannedRuns } from '../../run/state/ledger.ts';
import { isSuccess } from '../../run/state/outcome.ts';
import { runStep } from '../../run/step.ts';
import { inputOf } from '../inputs/input-table.ts';
import { readSettings } from '../inputs/settings.ts';
import { createOutputWriter } from '../report/outputs.ts';
import { createReport, type Report } from '../report/report.ts';
import { titleOf } from '../runner/entry-guard.ts';
import { mistakeInOutputFile } from '../runner/file-access.ts';
import { closeState, openState, recordRejection, type StateParts } from '../state/main-state.ts';
import type { StoredFact } from '../state/records.ts';
import type { StateWriter } from '../state/writer.ts';
import { type Machine, openFor } from './machine.ts';

/** The external dependencies of the main step. */
export type MainParts = Machine & StateParts;

export interface MainStep {
  /** Runs the whole step. Resolves with the exit code. */
  run(): Promise<number>;
  /** Reports every run after an internal error. Returns the exit code, which is never 0. */
  crash(why: string): number;
  /** Called when the process ends. `isPrinted` says whether stdout accepted the whole log. */
  close(isPrinted: boolean): void;
}

/** The parts of a running step that `crash` and `close` need. */
interface Begun {
  readonly plan: Plan;
  readonly ledger: Ledger;
  readonly state: StateWriter;
  readonly report: Report;
}

/** Prepares the main step of the action. */
export function prepareMain(parts: MainParts): MainStep {
  const { env, files, toolkit, clock, random, interruption } = parts;
  let begun: Begun | undefined;
  return {
    async run() {
      const key = inputOf(env, 'api-key');
      if (key !== '') toolkit.mask(key);
      const read = readSettings(env);
      const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
      if (!read.ok || wrongOutput !== undefined) return refuse(parts, read.ok ? [] : read.mistakes, wrongOutput);
      const { settings } = read;
      const { plan, idle, baseUrl, apiKey } = settings;
      const runs = plannedRuns(plan);
      const report = createReport(parts, settings, runs);
      const opened = openState(parts, settings);
      if ('refused' in opened) return refuse(parts, [opened.refused]);
      const { state, isMarked } = opened;
      interruption.lookFor(() => (isMarked() ? 'by its post step' : undefined));
      const write = (entry: StoredFact): void => state.write(entry);
      const ledger = new Ledger({ runs, clock, write, observe: (news) => report.observe(news) });
      begun = { plan, ledger, state, report };
      for (const sentence of idle) report.line(sentence);
      const service = await openFor(parts, baseUrl, apiKey);
      const problems = await runStep({ plan, service, clock, random, ledger, interruption });
      ledger.recordLate();
      const isReported = report.end(problems);
      const isInterrupted = interruption.first !== undefined;
      return isReported && isSuccess(ledger.runs, plan, isInterrupted) ? 0 : 1;
    },
    crash(why) {
      if (begun === undefined) return refuse(parts, [`Internal error in this action: ${oneLine(why)}. ${REPORT_IT}`]);
      const { plan, ledger, report } = begun;
      ledger.end();
      const interrupted = stopBy(interruption, plan.onCancel);
      if (interrupted !== undefined) ledger.stop(interrupted);
      const cause = `internal error in this action (${oneLine(why)})`;
      for (const run of ledger.runs) ledger.abandon(run, { attempted: 'continue', cause, remedy: REPORT_IT });
      report.end([]);
      return 1;
    },
    close(isPrinted) {
      if (begun !== undefined) closeState(begun.state, begun.ledger.runs, begun.plan, isPrinted);
    },
  };
}

/** Reports all mistakes before any request. `wrongOutput` says why outputs cannot be written. Returns the exit code. */
function refuse(parts: MainParts, mistakes: readonly string[], wrongOutput?: string): number {
  const { toolkit, files, env, print } = parts;
  const annotate = (mistake: string): void => toolkit.annotate('error', titleOf('nothing was triggered'), mistake);
  mistakes.forEach(annotate);
  if (wrongOutput !== undefined) annotate(wrongOutput);
  print(neutral('The step sent nothing to the service.'));
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
