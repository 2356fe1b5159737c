import type { Clock } from '../base/clock.ts';
import { oneLine } from '../base/safe-text.ts';
import type { StepEvent } from '../run/events.ts';
import type { RunState } from '../run/run-state.ts';
import type { Problem } from '../service/api.ts';
import { endingOf } from './ending.ts';
import type { Environment } from './environment.ts';
import type { Files } from './files.ts';
import type { Settings } from './inputs.ts';
import { createLog } from './log.ts';
import { createOutputWriter, outputsOf } from './outputs.ts';
import { createSummaryWriter, summaryOf } from './summary.ts';
import type { Toolkit } from './toolkit.ts';
import { failureOf, nameOf } from './words.ts';

export interface ReportParts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly files: Files;
  readonly toolkit: Toolkit;
  readonly print: (line: string) => void;
}

/** All that people and later steps get to see of a step. */
export interface Report {
  readonly line: (text: string) => void;
  event(event: StepEvent): void;
  /** The last word, also after `report_due`. False when outputs could not be written: then nothing is a success. */
  end(problems: readonly Problem[]): boolean;
}

/** Turns what happens into log lines, annotations, outputs and the summary. Never throws. */
export function createReport(parts: ReportParts, settings: Settings, runs: readonly RunState[]): Report {
  const { env, files, toolkit } = parts;
  const { plan } = settings;
  const log = createLog(settings, parts.clock, parts.print);
  const outputs = createOutputWriter(files, env['GITHUB_OUTPUT']);
  const summary = createSummaryWriter(files, settings.summary ? env['GITHUB_STEP_SUMMARY'] : undefined);

  const attempt = (what: string, write: () => void): boolean => {
    try {
      write();
      return true;
    } catch (error) {
      toolkit.annotate('error', 'run-pipeline', `Could not write ${what}: ${oneLine(String(error))}.`);
      return false;
    }
  };
  const writeOutputs = (message?: string): boolean => {
    const [run] = runs;
    if (run === undefined) return true;
    const words = message ?? endingOf(run, plan).line;
    return attempt('the outputs', () => outputs.write(outputsOf(run, plan, words)));
  };
  const writeSummary = (problems: readonly string[]): void => {
    attempt('the job summary', () => summary.show(summaryOf(runs, plan, problems)));
  };
  const known = (run: RunState): void => {
    const { 'job-id': id, 'job-status': status, 'pipeline-id': pipeline } = outputsOf(run, plan, '');
    attempt('the outputs', () =>
      outputs.write({ 'job-id': id, 'job-status': status, 'pipeline-id': pipeline }),
    );
  };

  return {
    line: (text) => log.line(text),
    event(event) {
      if (event.type === 'queued' || event.type === 'status') known(event.run);
      log.event(event);
      if (event.type === 'resolved' && plan.resetTarget) {
        const names = event.runs.map((run) => `${nameOf(run)} (${run.pipeline?.id ?? ''})`).join(', ');
        toolkit.annotate('warning', 'run-pipeline: reset-target', `${RESET} ${names}.`);
      }
      if (event.type === 'retry' && event.mayDouble === true && event.run !== undefined) {
        toolkit.annotate('warning', `run-pipeline: ${nameOf(event.run)}`, SECOND_RUN);
      }
      if (event.type === 'report_due') {
        writeOutputs();
        writeSummary([]);
      }
    },
    end(problems) {
      const sentences = problems.map(sentence);
      for (const text of sentences) toolkit.annotate('error', 'run-pipeline: nothing was triggered', text);
      if (problems.length === 0) for (const run of runs) tell(run);
      const [first] = sentences;
      const told = writeOutputs(first);
      writeSummary(sentences);
      return told;
    },
  };

  function tell(run: RunState): void {
    const { level, line, advice } = endingOf(run, plan);
    if (level === undefined) log.line(line);
    else toolkit.annotate(level, `run-pipeline: ${nameOf(run)}`, [line, ...advice].join('\n'));
  }
}

const SECOND_RUN =
  'The answer to the trigger was lost, and retry-trigger is always: it is triggered again, and two runs may be queued.';
const RESET = 'reset-target is true: the destination tables of this pipeline are dropped and made anew:';

function sentence(problem: Problem): string {
  const remedy = problem.remedy === undefined ? '' : ` ${oneLine(problem.remedy, 600)}`;
  return `${failureOf(problem)}${remedy} Nothing is queued.`;
}
