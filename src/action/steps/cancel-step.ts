import { writeFailure } from '../../base/file-errors.ts';
import { neutral, oneLine } from '../../base/safe-text.ts';
import type { Uuid } from '../../base/uuid.ts';
import { REPORT_IT } from '../../base/version.ts';
import { bounded } from '../../run/guards.ts';
import { PROFILES, settleRun } from '../../run/settle.ts';
import { Ledger, plannedRuns } from '../../run/state/ledger.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Service } from '../../service/api.ts';
import { inputOf } from '../inputs/input-table.ts';
import { readCancelSettings } from '../inputs/settings.ts';
import { annotateEndings, endingsOf } from '../report/annotations.ts';
import { anyEnd } from '../report/endings.ts';
import { lineAbout } from '../report/log/lines.ts';
import { createOutputWriter, outputsOfAll, resultsOf } from '../report/outputs.ts';
import { failureOf } from '../report/words.ts';
import { titleOf } from '../runner/entry-guard.ts';
import { mistakeInOutputFile } from '../runner/file-access.ts';
import { type Machine, openFor } from './machine.ts';
import type { MainStep } from './main-step.ts';

/** Interval between two reads of a run, in milliseconds. The service allows no shorter interval. */
const POLL_INTERVAL_MS = 30_000;

/** The outputs of cancel/action.yml. */
export const CANCEL_OUTPUTS = ['job-status', 'results'] as const;

const ACTION = 'run-pipeline/cancel';
const TITLE = titleOf('', ACTION);

/** The user asked to end each run, so any final status is a success. */
const ANY_END = anyEnd('leave');

/** Prepares the cancel action, which cancels runs by id and succeeds only if it saw a final status for each run. */
export function prepareCancel(parts: Machine): MainStep {
  const { env, files, toolkit } = parts;
  return {
    async run() {
      const key = inputOf(env, 'api-key');
      if (key !== '') toolkit.mask(key);
      const read = readCancelSettings(env);
      const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
      if (!read.ok || wrongOutput !== undefined) {
        for (const mistake of read.ok ? [] : read.mistakes) toolkit.annotate('error', TITLE, mistake);
        if (wrongOutput === undefined) writeOutputs([], parts);
        else toolkit.annotate('error', TITLE, wrongOutput);
        return 1;
      }
      if (read.jobIds.length === 0) {
        toolkit.annotate('notice', TITLE, 'Input job-id is empty, so nothing was cancelled.');
        return report([], parts);
      }
      const service = await openFor(parts, read.baseUrl, key);
      return report(await cancelAll(read.jobIds, bounded(service), parts), parts);
    },
    crash(why) {
      const failed = `Internal error in this action: ${oneLine(why)}. Check the application for runs that were not cancelled. ${REPORT_IT}`;
      toolkit.annotate('error', TITLE, failed);
      writeOutputs([], parts);
      return 1;
    },
    close: () => undefined,
  };
}

/** Cancels all runs and confirms each cancellation. The ledger writes nothing, because cancel/ has no post step. */
async function cancelAll(jobIds: readonly Uuid[], service: Service, parts: Machine): Promise<readonly RunState[]> {
  const { clock, print } = parts;
  const plan = { pollIntervalMs: POLL_INTERVAL_MS };
  const targets = jobIds.map((jobId) => ({ kind: 'job', jobId }) as const);
  const ledger = new Ledger({
    runs: plannedRuns({ targets }),
    clock,
    write: () => undefined,
    observe: (news) => {
      if (!('fact' in news) || news.fact.kind !== 'cancel_failed') return;
      print(neutral(lineAbout(news.run, clock.now(), `${failureOf(news.fact.problem)} Retrying.`)));
    },
  });
  ledger.claimGiven();
  await Promise.all(ledger.runs.map((run) => settleRun(run, { ...parts, ledger, service, plan }, PROFILES.cancel)));
  return ledger.runs;
}

/** Writes the outputs and reports how every run ended. Returns the exit code. */
function report(runs: readonly RunState[], parts: Machine): number {
  const { toolkit, print } = parts;
  const isWritten = writeOutputs(runs, parts);
  const endings = endingsOf(runs, ANY_END);
  const failed = endings.filter(({ ending }) => ending.level === 'error');
  annotateEndings(failed, toolkit, (line) => print(neutral(line)), ACTION);
  for (const { ending } of endings) if (ending.level !== 'error') print(neutral(ending.line));
  return isWritten && failed.length === 0 ? 0 : 1;
}

/** Returns whether writing the outputs succeeded. If not, the step fails, because later steps may need the outputs. */
function writeOutputs(runs: readonly RunState[], { env, clock, files, toolkit }: Machine): boolean {
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
