import { checkAddress } from '../../base/address.ts';
import type { Clock } from '../../base/clock.ts';
import { neutral } from '../../base/safe-text.ts';
import { bounded } from '../../run/guards.ts';
import type { Interruption } from '../../run/interruption.ts';
import { PROFILES, settleRun } from '../../run/settle.ts';
import { Ledger, type Run, trackedRun } from '../../run/state/ledger.ts';
import type { Change } from '../../run/state/news.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Problem, Service } from '../../service/api.ts';
import { mistakeInKey, mistakeInProxy } from '../inputs/connection-inputs.ts';
import { type Environment, inputOf } from '../inputs/input-table.ts';
import { anyEnd, endingOf, unsettled } from '../report/endings.ts';
import type { Files } from '../runner/files.ts';
import type { Processes } from '../runner/processes.ts';
import type { Toolkit } from '../runner/toolkit.ts';
import { type Chore, choreFor, orphans, type RecoveredStep, recover } from '../state/recover.ts';
import { createStateWriter } from '../state/writer.ts';
import { type OpenService, openFor } from './open-service.ts';
import { createPostReport, type PostReport } from './post-report.ts';
import { stopMain } from './stop-main.ts';

/** What a post step works with. */
export interface PostParts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly random: () => number;
  readonly files: Files;
  readonly processes: Processes;
  readonly toolkit: Toolkit;
  readonly print: (line: string) => void;
  readonly interruption: Interruption;
  readonly openService: OpenService;
}

/**
 * Settles what a main step left: cancels runs by the recorded policy, confirms each cancel, and warns of the others.
 * Never triggers. Every failure is a warning: a post step that fails would fail the job.
 */
export async function performPost(parts: PostParts): Promise<void> {
  const { clock, env, files, toolkit } = parts;
  const key = inputOf(env, 'api-key');
  if (key !== '') toolkit.mask(key);
  const report = createPostReport(parts);
  const since = clock.now();
  const found = recover(env, files);
  const all = found.map((step) => settleStep(step, since, parts, report));
  for (const run of orphans(env, files, found)) {
    if (run.phase.at === 'triggering') report.tell(endingOf(run, anyEnd('cancel'), 'post'));
    if (run.phase.at === 'in_progress') report.tell(unsettled(run, NO_ADDRESS, 'post'));
  }
  // One that breaks off must not cut the others short.
  const ends = await Promise.allSettled(all);
  report.end();
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

const NO_ADDRESS: Problem = {
  attempted: 'cancel the run',
  cause: 'the address of the service is missing from what the step had written down',
};

async function settleStep(
  recovered: RecoveredStep,
  since: number,
  parts: PostParts,
  report: PostReport,
): Promise<void> {
  const { env } = parts;
  const step = recovered.left === undefined ? await stopMain(recovered, parts, report) : recovered;
  const { main } = step;
  const jobStatus = inputOf(env, 'internal-job-status');
  const decided = step.runs.map((run) => choreFor(run, step, jobStatus, since));
  const of = (chore: Chore): RunState[] => decided.flatMap((one) => (one.chore === chore ? [one.run] : []));
  const tell = (run: RunState): void => report.tell(endingOf(run, anyEnd(main.onCancel), 'post'));
  of('report').forEach(tell);
  const ledger = ledgerOf(of('settle').map(trackedRun), step, parts);
  if (ledger.runs.length === 0) return;
  const opened = openService(step, parts);
  await Promise.all(
    ledger.runs.map(async (run) => {
      if ('problem' in opened) report.tell(unsettled(run, opened.problem, 'post'));
      else await settle(run, opened.service);
    }),
  );

  async function settle(run: Run, service: Service): Promise<void> {
    const plan = { pollIntervalMs: main.pollIntervalMs };
    await settleRun(run, { ...parts, ledger, service, plan }, PROFILES.post, { since });
    tell(run);
  }
}

/** Post records only which runs have finished, so that another post step that finds the same journal leaves them. */
function ledgerOf(runs: readonly Run[], step: RecoveredStep, { files, clock, toolkit }: PostParts): Ledger {
  const places = [step.main.journal].filter((path) => path !== '');
  const writer = createStateWriter(files, places, { writer: 'post', last: step.lastOfPost });
  const debug = ({ fact }: Change): void => {
    if (fact.kind === 'cancel_failed')
      toolkit.debug(neutral(`${fact.problem.attempted}: ${fact.problem.cause}`));
  };
  return new Ledger({
    runs,
    clock,
    write: (entry) => {
      if (entry.fact.kind === 'finished') writer.write(entry);
    },
    observe: (news) => {
      if ('fact' in news) debug(news);
    },
  });
}

/** Main had a key: it would not have begun without. */
const KEY_GONE =
  'Inputs are evaluated again for the post step, and inside a composite action that is called by another one the ' +
  'outputs of steps are gone by then: hand the secret down as an input.';

function openService(
  { main }: RecoveredStep,
  parts: PostParts,
): { readonly service: Service } | { readonly problem: Problem } {
  const attempted = 'cancel the run';
  const key = inputOf(parts.env, 'api-key');
  if (key === '')
    return { problem: { attempted, cause: 'the input api-key is empty by now', remedy: KEY_GONE } };
  const wrongKey = mistakeInKey(key);
  if (wrongKey !== undefined) {
    return { problem: { attempted, cause: `the input api-key ${wrongKey.what}`, remedy: wrongKey.how } };
  }
  const wrongProxy = mistakeInProxy(parts.env);
  if (wrongProxy !== undefined) {
    return { problem: { attempted, cause: wrongProxy.what, remedy: wrongProxy.how } };
  }
  const checked = checkAddress(main.baseUrl);
  if (!checked.ok) return { problem: { attempted, cause: `the address in the state ${checked.why}` } };
  return { service: bounded(openFor(parts, checked.url, key)) };
}
