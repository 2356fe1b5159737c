import { checkAddress } from '../../base/address.ts';
import { messageOf, neutral, oneLine } from '../../base/safe-text.ts';
import { bounded } from '../../run/guards.ts';
import { PROFILES, settleRun } from '../../run/settle.ts';
import { Ledger, type Run, trackedRun } from '../../run/state/ledger.ts';
import type { Change } from '../../run/state/news.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Problem, Service } from '../../service/api.ts';
import { mistakeInKey, mistakeInProxy } from '../inputs/connection-inputs.ts';
import { quotedList } from '../inputs/input-reader.ts';
import { type Environment, inputOf } from '../inputs/input-table.ts';
import { anyEnd, doubted, endingOf, unsettled } from '../report/endings.ts';
import type { Ending } from '../report/words.ts';
import type { Processes } from '../runner/processes.ts';
import type { ForeignRecord } from '../state/records.ts';
import { type Chore, choreFor, countUnsettled, type RecoveredStep, recover } from '../state/recover.ts';
import { createStateWriter } from '../state/writer.ts';
import { type Machine, openFor } from './machine.ts';
import { createPostReport, type PostReport } from './post-report.ts';
import { stopMain } from './stop-main.ts';

/** What a post step works with. */
export interface PostParts extends Machine {
  /** The name of this machine or container. */
  readonly host: string;
  readonly processes: Processes;
}

/**
 * Settles what a main step left: cancels runs by the recorded policy, confirms each cancel, and warns of the others.
 * Never triggers. Every failure is a warning: a post step that fails would fail the job.
 */
export async function performPost(parts: PostParts): Promise<void> {
  const { clock, env, toolkit } = parts;
  const key = inputOf(env, 'api-key');
  if (key !== '') toolkit.mask(key);
  const report = createPostReport(parts);
  const since = clock.now();
  const { steps, isRecorded } = recover(parts);
  if (!isRecorded && inputOf(env, 'dry-run').toLowerCase() !== 'true') report.tell(nothingRecorded(env));
  const open = openOnce(parts);
  const shareMs = Math.max(LEAST_POST_MS, ALL_POSTS_MS / countUnsettled(parts));
  const giveUpAfterMs = Math.min(PROFILES.post.giveUpAfterMs, shareMs);
  const all = steps.map((step) => settleStep(step, { ...parts, report, open, since, giveUpAfterMs }));
  // One that breaks off must not cut the others short.
  const ends = await Promise.allSettled(all);
  const hasSummary = isRecorded
    ? steps.some(({ main }) => main.summary)
    : inputOf(env, 'summary').toLowerCase() !== 'false';
  report.end(hasSummary);
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

/** Main was killed before it wrote anything, or the runner has lost it all. */
function nothingRecorded(env: Environment): Ending {
  const pipelines = inputOf(env, 'pipeline').split(/\s*\n\s*/);
  const which = pipelines[0] === '' ? 'its runs' : `the runs of ${quotedList(pipelines.slice(0, MOST_NAMED))}`;
  return {
    level: 'warning',
    line: "The step's main process left no record. It may not have started, or it may have triggered a run.",
    advice: [`Look at ${which} in the application.`],
  };
}

const MOST_NAMED = 5;

/** After a cancel, all post steps of a job share 4 min 45 s and run one after another. A margin is left for other actions. */
const ALL_POSTS_MS = 270_000;
/** However many journals there are, also forged ones. */
const LEAST_POST_MS = 15_000;

interface SettleStepParts extends PostParts {
  readonly report: PostReport;
  readonly open: Open;
  /** When this post step began, by the monotonic clock, and how long it may take; in milliseconds. */
  readonly since: number;
  readonly giveUpAfterMs: number;
}

async function settleStep(recovered: RecoveredStep, parts: SettleStepParts): Promise<void> {
  const { env, report, open, since, giveUpAfterMs } = parts;
  const { obstacle } = recovered;
  const isOver = recovered.left !== undefined || obstacle !== undefined;
  const step = isOver ? recovered : await stopMain(recovered, parts, report);
  const { main } = step;
  const jobStatus = inputOf(env, 'internal-job-status');
  const decided = step.runs.map((run) => choreFor(run, step, jobStatus, since));
  const of = (chore: Chore): RunState[] => decided.flatMap((one) => (one.chore === chore ? [one.run] : []));
  const tell = (run: RunState): void => report.tell(endingOf(run, anyEnd(main.onCancel), 'post'));
  if (step.foreign.length > 0) report.tell(unreadable(step.foreign));
  of('report').forEach(tell);
  for (const run of step.runs) if (!step.isReported && hasHiddenDoubt(run)) report.tell(doubted(run));
  if (obstacle !== undefined) {
    for (const run of of('settle')) report.tell(unsettled(run, obstacle, 'post'));
    return;
  }
  const ledger = ledgerOf(of('settle').map(trackedRun), step, parts);
  if (ledger.runs.length === 0) return;
  const opened = await open(main.baseUrl);
  await Promise.all(
    ledger.runs.map(async (run) => {
      if ('problem' in opened) report.tell(unsettled(run, opened.problem, 'post'));
      else await settle(run, opened.service);
    }),
  );

  async function settle(run: Run, service: Service): Promise<void> {
    const plan = { pollIntervalMs: main.pollIntervalMs };
    await settleRun(run, { ...parts, ledger, service, plan }, { ...PROFILES.post, giveUpAfterMs }, { since });
    tell(run);
  }
}

/** The text about an unknown run tells of its own doubt. */
function hasHiddenDoubt({ doubt, earlier, phase }: RunState): boolean {
  const isTold = phase.at === 'unknown' || phase.at === 'triggering';
  return (doubt !== undefined && !isTold) || earlier.some((attempt) => attempt.doubt !== undefined);
}

/** Another version of the action may have been checked out between main and post. */
function unreadable(records: readonly ForeignRecord[]): Ending {
  const ids = new Set(records.flatMap(({ jobId }) => jobId ?? []));
  const found = ids.size === 0 ? 'runs that are still in progress' : `the run ${[...ids].join(', ')}`;
  return {
    level: 'warning',
    line: `This version of the action cannot read ${records.length} of the records that the step's main process left.`,
    advice: [`Look in the application for ${found}.`],
  };
}

/** Post records only which runs have finished, so that another post step that finds the same journal leaves them. */
function ledgerOf(runs: readonly Run[], step: RecoveredStep, { files, clock, toolkit }: PostParts): Ledger {
  const places = [step.main.journal].filter((path) => path !== '');
  const writer = createStateWriter(files, places, { writer: 'post', last: step.lastOfPost });
  const debug = ({ fact }: Change): void => {
    if (fact.kind === 'cancel_failed') toolkit.debug(neutral(`${fact.problem.attempted}: ${fact.problem.cause}`));
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

type Opened = { readonly service: Service } | { readonly problem: Problem };
type Open = (baseUrl: string) => Promise<Opened>;

/** Opens each service once, so that several steps exchange the key once. */
function openOnce(parts: PostParts): Open {
  const opened = new Map<string, Promise<Opened>>();
  return (baseUrl) => {
    const one = opened.get(baseUrl) ?? openService(baseUrl, parts);
    opened.set(baseUrl, one);
    return one;
  };
}

async function openService(baseUrl: string, parts: PostParts): Promise<Opened> {
  const problem = (cause: string, remedy?: string): Opened => ({
    problem: { attempted: 'cancel the run', cause, remedy },
  });
  const key = inputOf(parts.env, 'api-key');
  if (key === '') return problem('the input api-key is empty by now', KEY_GONE);
  const wrongKey = mistakeInKey(key);
  if (wrongKey !== undefined) return problem(`the input api-key ${wrongKey.what}`, wrongKey.how);
  const wrongProxy = mistakeInProxy(parts.env);
  if (wrongProxy !== undefined) return problem(wrongProxy.what, wrongProxy.how);
  const checked = checkAddress(baseUrl);
  if (!checked.ok) return problem(`the address in the state ${checked.why}`);
  try {
    return { service: bounded(await openFor(parts, checked.url, key)) };
  } catch (error) {
    return problem(`a part of this action could not be loaded (${oneLine(messageOf(error), 300)})`);
  }
}
