import { PartialWrite, writeFailure } from '../../base/file-errors.ts';
import type { Expectation } from '../../run/plan.ts';
import type { Change, News } from '../../run/state/ledger.ts';
import { postMayCancel } from '../../run/state/outcome.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import type { Settings } from '../inputs/settings.ts';
import { titleOf } from '../runner/entry-guard.ts';
import type { Level } from '../runner/toolkit.ts';
import type { Machine } from '../steps/machine.ts';
import { annotateEndings, annotateProblems, endingsOf } from './annotations.ts';
import { endingOfAll } from './endings.ts';
import { dryRunLines } from './log/announcement.ts';
import { createLog } from './log/log.ts';
import { warnBeforeSixHours } from './log/six-hours.ts';
import { createOutputWriter, type OutputName, type Outputs, outputsOfAll, outputsOfRun, resultsOf } from './outputs.ts';
import { createSummaryWriter, summaryOf } from './summary/job-summary.ts';
import { adviceOf, failureOf, nameAndId, postMayCancelText } from './words.ts';

/** Time for collecting run ids before they are written, in ms, because the ids of many runs arrive one by one. */
const GATHER_MS = 1_000;

type ReportParts = Pick<Machine, 'env' | 'clock' | 'files' | 'toolkit' | 'print'>;

/** What a failed write of outputs means. The final report repeats early writes, but cannot repair a partial one. */
const LOST_OUTPUTS = {
  warning: 'The step tries again before it ends.',
  error:
    'Later steps would not receive them, so this step fails. Before you run the step again, look for its runs in the log.',
};

/** All the information that a step shows to users and later steps. */
export interface Report {
  readonly line: (text: string) => void;
  observe(news: News): void;
  /** Makes the final report, even after `report_due`. Returns false if writing outputs failed, which fails the step. */
  end(problems: readonly Problem[]): boolean;
}

/** Turns events into log lines, annotations, outputs and the summary. Never throws. */
export function createReport(parts: ReportParts, settings: Settings, runs: readonly RunState[]): Report {
  const { env, files, toolkit, clock } = parts;
  const { plan, runUrl } = settings;
  const log = createLog(settings, clock, parts.print, runs);
  const lookAhead = warnBeforeSixHours(parts, plan, runs);
  const outputs = createOutputWriter(files, env['GITHUB_OUTPUT']);
  const summary = createSummaryWriter(files, settings.summary ? env['GITHUB_STEP_SUMMARY'] : undefined);
  let takeBackGathering: (() => void) | undefined;

  const said = new Set<string>();
  const sayOnce = (level: Level, title: string, text: string): void => {
    if (!said.has(title + text)) toolkit.annotate(level, title, text);
    said.add(title + text);
  };
  const write = (values: Partial<Record<OutputName, string>>, when: 'early' | 'last'): boolean => {
    takeBackGathering?.();
    takeBackGathering = undefined;
    try {
      outputs.write(values);
      return true;
    } catch (error) {
      const level = when === 'last' || error instanceof PartialWrite ? 'error' : 'warning';
      sayOnce(level, titleOf(), writeFailure('the outputs', error, LOST_OUTPUTS[level]));
      return false;
    }
  };

  const current = (message: string): Outputs => {
    const [run, another] = runs;
    const isOne = run !== undefined && another === undefined;
    return isOne ? outputsOfRun(run, plan, message) : outputsOfAll(runs, plan, message, clock.now());
  };
  const writeKnown = (): void => {
    const { 'job-id': id, 'job-status': status, 'pipeline-id': pipeline } = current('');
    write({ 'job-id': id, 'job-status': status, 'pipeline-id': pipeline }, 'early');
  };
  const writeAll = (sentences: readonly string[]): boolean => {
    const { json, leftOut } = resultsOf(runs, plan);
    if (leftOut > 0) {
      log.line(
        `${leftOut} of ${runs.length} runs do not fit in the results output, which omits successful runs first. The log lists all runs.`,
      );
    }
    const isWritten = write({ ...current(sentences[0] ?? endingOfAll(runs, plan)), results: json }, 'last');
    const at = { now: clock.now(), wall: clock.wall() };
    try {
      summary.show(summaryOf({ runs, plan, problems: sentences, runUrl, at }));
    } catch (error) {
      const text = writeFailure('the job summary', error, 'The log contains the same information.');
      sayOnce('warning', titleOf(), text);
    }
    return isWritten;
  };

  return {
    line: log.line,
    observe(news) {
      if ('notice' in news) {
        log.observe(news);
        if (news.notice === 'ready' && plan.resetTarget && !plan.dryRun) {
          const names = news.runs.map(nameAndId).join(', ');
          toolkit.annotate('warning', titleOf('reset-target'), `${RESET} ${names}.`);
        }
        if (news.notice === 'stopping') writeKnown();
        if (news.notice === 'report_due') writeAll([]);
      } else {
        if (isShown(news)) {
          if (runs.length === 1) writeKnown();
          else takeBackGathering ??= clock.after(GATHER_MS, writeKnown);
        }
        log.observe(news);
      }
      lookAhead();
    },
    end(problems) {
      const means = meaningOf(runs, plan);
      const sentences = problems.map((problem) => `${failureOf(problem)} ${means} ${adviceOf(problem)}`);
      // A slow reader may lose the end of the log, so report failed writes before the problems and endings.
      const isWritten = writeAll(sentences);
      annotateProblems(sentences, toolkit, log.line);
      if (problems.length === 0) sayEndings();
      return isWritten;
    },
  };

  function sayEndings(): void {
    if (plan.dryRun) toolkit.annotate('warning', titleOf('dry run'), DRY_RUN);
    const endings = endingsOf(runs, plan, runUrl);
    // With several runs, the log already shows how each one finished.
    if (runs.length === 1 && !plan.dryRun) {
      for (const { ending, link } of endings) {
        if (ending.level === undefined) log.line(link === undefined ? ending.line : `${ending.line} ${link}`);
      }
    }
    annotateEndings(endings, toolkit, log.line);
    if (plan.dryRun) for (const text of dryRunLines(runs, plan)) log.line(text);
    if (runs.length > 1) log.line(endingOfAll(runs, plan));
  }
}

/** Returns whether a change affects an output to write before the final report. */
function isShown({ fact, before, run }: Change): boolean {
  if (fact.kind === 'queued' || fact.kind === 'awaited') return true;
  // The trigger of another attempt changes `job-status` to `unknown`.
  if (fact.kind === 'intent') return run.attempt > 1;
  const isRow = (fact.kind === 'seen' || fact.kind === 'finished') && !fact.confirming;
  return isRow && before.status !== run.status;
}

const RESET = 'Because reset-target is true, a new run will drop and recreate the destination tables of';
const DRY_RUN =
  'Because dry-run is true, the step triggered nothing. A dry run cannot check whether the account has credits or whether a pipeline is active.';

/** Explains how a problem that prevents all triggers affects existing runs. */
function meaningOf(runs: readonly RunState[], plan: Expectation): string {
  const nothingDone = 'Nothing was triggered, and nothing was cancelled.';
  const forgotten = runs.find((run) => postMayCancel(run, plan));
  if (forgotten !== undefined) return `${nothingDone} ${postMayCancelText(forgotten)}`;
  return runs.some(({ jobId }) => jobId !== undefined) ? nothingDone : 'No run was queued.';
}
