import type { Clock } from '../base/clock.ts';
import { writeFailure } from '../base/file-errors.ts';
import { neutral, oneLine } from '../base/safe-text.ts';
import type { Uuid } from '../base/uuid.ts';
import { bounded } from '../run/bounded.ts';
import { REPORT_IT } from '../run/conduct.ts';
import type { Expectation } from '../run/plan.ts';
import { newRun, type RunState, takeOver } from '../run/run-state.ts';
import { settleCalmly } from '../run/settle-calmly.ts';
import type { Interruption } from '../run/stop.ts';
import type { Service } from '../service/api.ts';
import { TERMINAL_STATUSES } from '../service/statuses.ts';
import { annotateEndings, endingsOf } from './annotations.ts';
import { readCancelSettings } from './cancel-inputs.ts';
import { type Environment, inputOf } from './environment.ts';
import { mistakeInOutputFile } from './file-access.ts';
import type { Files } from './files.ts';
import type { MainStep } from './main-step.ts';
import { createOutputWriter, outputsOfAll } from './outputs.ts';
import { resultsOf } from './results.ts';
import { type OpenService, openFor } from './service.ts';
import type { Toolkit } from './toolkit.ts';

/** For all runs together, in milliseconds: a clean-up job waits no longer than a post step would. */
const BUDGET_MS = 180_000;

/** Between two reads of a run, in milliseconds: the service allows no less. */
const POLL_INTERVAL_MS = 30_000;

/** An id that was mistyped, or is of another workspace, is not worth minutes. One read without it may be a lagging replica. */
const MOST_MISSING = 3;

/** Every output of cancel/action.yml. */
export const CANCEL_OUTPUTS = ['job-status', 'results'] as const;

/** Heads every annotation. */
const TITLE = 'run-pipeline/cancel';

export interface CancelParts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly random: () => number;
  readonly files: Files;
  readonly toolkit: Toolkit;
  readonly print: (line: string) => void;
  readonly interruption: Interruption;
  readonly openService: OpenService;
}

/** For words and outputs: any end that was seen is what was asked for. */
const ANY_END: Expectation = {
  succeedOn: new Set(TERMINAL_STATUSES),
  resetTarget: false,
  retryTrigger: 'safe',
  onCancel: 'leave',
};

/** The cancel action: cancels runs by their ids, and succeeds only if it has seen each of them ended. */
export function prepareCancel(parts: CancelParts): MainStep {
  const { env, toolkit } = parts;
  return {
    async run() {
      const key = inputOf(env, 'api-key');
      if (key !== '') toolkit.mask(key);
      const read = readCancelSettings(env);
      const wrongOutput = mistakeInOutputFile(parts.files, env['GITHUB_OUTPUT']);
      if (!read.ok || wrongOutput !== undefined) {
        for (const mistake of read.ok ? [] : read.mistakes) toolkit.annotate('error', TITLE, mistake);
        writeOutputs([], parts);
        return 1;
      }
      if (read.jobIds.length === 0) {
        toolkit.annotate('notice', TITLE, 'Input job-id is empty: there is nothing to cancel.');
        return tell([], parts);
      }
      const service = openFor(parts, read.baseUrl, key);
      return tell(await cancelAll(read.jobIds, bounded(service), parts), parts);
    },
    crash(why) {
      const failed = `This action failed by itself: ${oneLine(why)}. Look in the application for what was not cancelled. ${REPORT_IT}`;
      toolkit.annotate('error', TITLE, failed);
      writeOutputs([], parts);
      return 1;
    },
  };
}

async function cancelAll(jobIds: readonly Uuid[], service: Service, parts: CancelParts): Promise<RunState[]> {
  const { clock, random, interruption, print } = parts;
  const until = clock.now() + BUDGET_MS;
  const cancel = async (jobId: Uuid, index: number): Promise<RunState> => {
    const run = newRun(index + 1, { kind: 'job', jobId });
    run.jobId = jobId;
    const settlement = await settleCalmly(jobId, {
      service,
      clock,
      random,
      interruption,
      until,
      pollIntervalMs: POLL_INTERVAL_MS,
      mostMissing: MOST_MISSING,
      onSeen: (job) => takeOver(run, job, clock.now()),
      onTrouble: (problem) =>
        print(neutral(`Run ${jobId}: could not ${problem.attempted}: ${problem.came}. It is tried again.`)),
    });
    if (settlement.kind === 'unsettled') run.standing = { at: 'unsettled', problem: settlement.problem };
    return run;
  };
  return Promise.all(jobIds.map(cancel));
}

function tell(runs: readonly RunState[], parts: CancelParts): number {
  const { toolkit, print } = parts;
  const written = writeOutputs(runs, parts);
  const endings = endingsOf(runs, ANY_END);
  const failed = endings.filter(({ ending }) => ending.level === 'error');
  annotateEndings(failed, toolkit, (line) => print(neutral(line)));
  for (const { ending } of endings) if (ending.level !== 'error') print(neutral(ending.line));
  return written && failed.length === 0 ? 0 : 1;
}

/** False when they could not be written; then somebody who counts on them must not go on. */
function writeOutputs(runs: readonly RunState[], { env, clock, files, toolkit }: CancelParts): boolean {
  const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
  if (wrongOutput !== undefined) {
    toolkit.annotate('error', TITLE, wrongOutput);
    return false;
  }
  try {
    const { 'job-status': status } = outputsOfAll(runs, ANY_END, '', clock.now());
    createOutputWriter(files, env['GITHUB_OUTPUT']).write({
      'job-status': runs.length === 0 ? '' : status,
      results: runs.length === 0 ? '[]' : resultsOf(runs, ANY_END).json,
    });
    return true;
  } catch (error) {
    toolkit.annotate('error', TITLE, writeFailure('the outputs', error, ''));
    return false;
  }
}
