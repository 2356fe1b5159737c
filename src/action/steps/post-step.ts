import { checkAddress } from '../../base/address.ts';
import { messageOf, neutral, oneLine, quoted } from '../../base/safe-text.ts';
import { asUuid } from '../../base/uuid.ts';
import { bounded } from '../../run/guards.ts';
import { PROFILES, settleRun } from '../../run/settle.ts';
import { Ledger, type Run, trackedRun } from '../../run/state/ledger.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Problem, Service } from '../../service/api.ts';
import { mistakeInKey, mistakeInProxy } from '../inputs/connection-inputs.ts';
import { InputReader, listed } from '../inputs/input-reader.ts';
import { type Environment, inputOf } from '../inputs/input-table.ts';
import { anyEnd, doubted, endingOf, hasHiddenDoubt, unsettled } from '../report/endings.ts';
import type { Ending } from '../report/words.ts';
import type { Processes } from '../runner/processes.ts';
import type { Place } from '../state/journals.ts';
import type { ForeignRecord } from '../state/records.ts';
import { cannotCancel, choreFor, countUnsettled, type RecoveredStep, recover } from '../state/recover.ts';
import { createStateWriter } from '../state/writer.ts';
import { type Machine, openFor } from './machine.ts';
import { createPostReport, type PostReport } from './post-report.ts';
import { stopMain } from './stop-main.ts';

/** The external dependencies of a post step. */
export type PostParts = Machine & Place & { readonly processes: Processes };

/**
 * Settles the runs of main steps. Cancels or only reports each run as the recorded policy requires, and confirms each
 * cancellation. Never triggers a run. Failures are only warnings, because a failing post step would fail the job.
 */
export async function performPost(parts: PostParts): Promise<void> {
  const { clock, env, toolkit } = parts;
  const key = inputOf(env, 'api-key');
  if (key !== '') toolkit.mask(key);
  const report = createPostReport(parts);
  const since = clock.now();
  const { steps, isRecorded } = recover(parts);
  if (!isRecorded && inputOf(env, 'dry-run').toLowerCase() !== 'true') report.tell(nothingRecorded(env));
  const shareMs = Math.max(LEAST_POST_MS, ALL_POSTS_MS / countUnsettled(parts));
  const giveUpAfterMs = Math.min(PROFILES.post.giveUpAfterMs, shareMs);
  const stepParts = { ...parts, report, serviceAt: openOnce(parts), since, giveUpAfterMs };
  try {
    await waitForAll(steps.map((step) => settleStep(step, stepParts)));
  } finally {
    report.end(inputOf(env, 'summary').toLowerCase() !== 'false');
  }
}

/** Waits for all tasks, because an error in one must not end the others early, and then throws the first error. */
async function waitForAll(tasks: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(tasks);
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

const MOST_NAMED = 5;

/** Returns the ending for a main process that left no record, because it died too early or the records were lost. */
function nothingRecorded(env: Environment): Ending {
  // A list is empty if the input contains the key. Main rejects such an input but may have failed to record that.
  const input = new InputReader(env);
  const ids = input.list('job-id').flatMap((id) => asUuid(id) ?? []);
  const pipelines = input.list('pipeline');
  const which = [
    ...(ids.length === 0 ? [] : [`${ids.length === 1 ? 'run' : 'runs'} ${firstOf(ids)}`]),
    ...(pipelines.length === 0 ? [] : [`the runs of ${firstOf(pipelines.map((name) => quoted(name)))}`]),
  ];
  return {
    level: 'warning',
    line: "The step's main process left no record. It may not have started, or it may have left a run in progress.",
    advice: [`Check ${which.length === 0 ? 'its runs' : which.join(', and ')} in the application.`],
  };
}

/** Lists the first names, and counts the others. */
function firstOf(names: readonly string[]): string {
  const others = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [];
  return listed([...names.slice(0, MOST_NAMED), ...others], 'and');
}

/** After a cancellation, all post steps of a job share 4 min 45 s. This limit leaves a margin for other actions. */
const ALL_POSTS_MS = 270_000;
/** Minimum time for this step, even if there are many journals or forged ones. */
const LEAST_POST_MS = 15_000;

interface SettleStepParts extends PostParts {
  readonly report: PostReport;
  readonly serviceAt: (baseUrl: string) => Promise<Opened>;
  /** The start of this post step by the monotonic clock, and its time limit, in milliseconds. */
  readonly since: number;
  readonly giveUpAfterMs: number;
}

async function settleStep(recovered: RecoveredStep, parts: SettleStepParts): Promise<void> {
  const { env, report, serviceAt, since, giveUpAfterMs } = parts;
  const { obstacle } = recovered;
  const isOver = recovered.left !== undefined || obstacle !== undefined;
  const step = isOver ? recovered : await stopMain(recovered, parts, report);
  const { main } = step;
  const jobStatus = inputOf(env, 'internal-job-status');
  const decided = step.runs.map((run) => choreFor(run, step, jobStatus, since));
  const runsTo = (what: 'settle' | 'report'): RunState[] =>
    decided.flatMap(({ run, chore }) => (chore === what ? [run] : []));
  const tell = (run: RunState): void => report.tell(endingOf(run, anyEnd(main.onCancel), 'post'));
  if (step.foreign.length > 0) report.tell(unreadable(step.foreign));
  runsTo('report').forEach(tell);
  for (const run of step.runs) if (!step.isReported && hasHiddenDoubt(run)) report.tell(doubted(run));
  const open = runsTo('settle');
  if (open.length === 0) return;
  const service = obstacle ?? (await serviceAt(main.baseUrl));
  if ('cause' in service) {
    for (const run of open) report.tell(unsettled(run, service, 'post'));
    return;
  }
  const ledger = ledgerOf(open.map(trackedRun), step, parts);
  const plan = { pollIntervalMs: main.pollIntervalMs };
  await waitForAll(
    ledger.runs.map(async (run) => {
      await settleRun(run, { ...parts, ledger, service, plan }, { ...PROFILES.post, giveUpAfterMs }, { since });
      // The service's message may contain a token of main, which post does not know and cannot remove.
      tell({ ...run, statusMessage: null });
    }),
  );
}

/** Describes unreadable records. The workflow may have checked out another version of the action since main started. */
function unreadable(records: readonly ForeignRecord[]): Ending {
  const ids = new Set(records.flatMap(({ jobId }) => jobId ?? []));
  const found = ids.size === 0 ? "the step's runs" : `run ${[...ids].join(' and run ')}`;
  return {
    level: 'warning',
    line: `This version of the action cannot read ${records.length} of the records left by the step's main process.`,
    advice: [`Check ${found} in the application.`],
  };
}

/** Post only records finished runs, so that another post step that finds the same journal leaves them alone. */
function ledgerOf(runs: readonly Run[], step: RecoveredStep, { files, clock, toolkit }: PostParts): Ledger {
  const writer = createStateWriter(files, [step.main.journal], 'post', step.lastOfPost);
  return new Ledger({
    runs,
    clock,
    write: (entry) => {
      if (entry.fact.kind === 'finished') writer.write(entry);
    },
    observe: (news) => {
      if (!('fact' in news) || news.fact.kind !== 'cancel_failed') return;
      const { attempted, cause } = news.fact.problem;
      toolkit.debug(neutral(`${attempted}: ${cause}`));
    },
  });
}

/** Main cannot begin without a key, so the runner must have evaluated the input differently for post. */
const KEY_GONE =
  'The runner evaluates inputs again for the post step. In nested composite actions, step outputs are no longer ' +
  'available at that point, so pass the secret to the composite action as an input.';

/** The service, or the reason why post cannot use it. */
type Opened = Service | Problem;

/** Opens each service only once, so that several steps share one exchange of the key. */
function openOnce(parts: PostParts): (baseUrl: string) => Promise<Opened> {
  const opened = new Map<string, Promise<Opened>>();
  return (baseUrl) => {
    const one = opened.get(baseUrl) ?? openService(baseUrl, parts);
    opened.set(baseUrl, one);
    return one;
  };
}

async function openService(baseUrl: string, parts: PostParts): Promise<Opened> {
  const key = inputOf(parts.env, 'api-key');
  if (key === '') return cannotCancel('the api-key input is empty in the post step', KEY_GONE);
  const wrongKey = mistakeInKey(key);
  if (wrongKey !== undefined) return cannotCancel(`the api-key input ${wrongKey.what}`, wrongKey.how);
  const wrongProxy = mistakeInProxy(parts.env);
  if (wrongProxy !== undefined) return cannotCancel(wrongProxy.what, wrongProxy.how);
  const checked = checkAddress(baseUrl);
  if (!checked.ok) return cannotCancel(`the service address in the saved state ${checked.why}`);
  try {
    return bounded(await openFor(parts, checked.url, key));
  } catch (error) {
    return cannotCancel(`a part of this action could not be loaded (${oneLine(messageOf(error), 300)})`);
  }
}
