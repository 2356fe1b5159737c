import type { Clock } from '../../base/clock.ts';
import { fileRemedy, sentences } from '../../base/file-errors.ts';
import { messageOf, oneLine } from '../../base/safe-text.ts';
import type { Uuid } from '../../base/uuid.ts';
import type { OnStop, Plan } from '../../run/plan.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Environment } from '../inputs/input-table.ts';
import type { Settings } from '../inputs/settings.ts';
import type { Files } from '../runner/files.ts';
import { journalPath, ownerOf } from './journals.ts';
import { watchMark } from './mark.ts';
import { askedIn, sealOf } from './seal.ts';
import { createStateWriter, type StateWriter } from './writer.ts';

/** What the main step tells of itself with its state. */
interface StateParts {
  readonly env: Environment;
  readonly files: Files;
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
  readonly random: () => number;
  readonly clock: Pick<Clock, 'wall'>;
}

/** What the inputs say that main records. */
type Recorded = Pick<Settings, 'summary' | 'jobStatus' | 'apiKey'> & {
  readonly baseUrl: string;
  readonly onCancel: OnStop;
  readonly pollIntervalMs: number;
  readonly given: Readonly<Record<string, Uuid>>;
};

/** Writes down what post must know before anything can be running; when it cannot, nothing may be triggered. */
export function openState(
  parts: StateParts,
  settings: Settings,
): { ok: true; state: StateWriter; isMarked: () => boolean } | { ok: false; why: string } {
  const { onCancel, pollIntervalMs } = settings.plan;
  const { summary, jobStatus, apiKey } = settings;
  const baseUrl = settings.baseUrl.href;
  const self = { baseUrl, onCancel, pollIntervalMs, summary, jobStatus, apiKey, given: givenIds(settings) };
  try {
    return { ok: true, ...beginState(parts, self) };
  } catch (error) {
    return {
      ok: false,
      why: sentences(
        `Nothing was triggered, because the action could not save its state in GITHUB_STATE or RUNNER_TEMP (${oneLine(messageOf(error))}).`,
        'Without it, a cancelled workflow could not cancel the run.',
        fileRemedy(error),
      ),
    };
  }
}

/** Records that main rejected its inputs, so that post knows that nothing was triggered. */
export function recordRejection(parts: StateParts): void {
  const self = {
    baseUrl: '',
    onCancel: 'leave',
    pollIntervalMs: 0,
    summary: false,
    jobStatus: '',
    apiKey: '',
  } as const;
  try {
    closeState(beginState(parts, { ...self, given: {} }).state, [], self, true);
  } catch {
    // Then post says that it knows nothing of this step.
  }
}

/** Writes the first record. Throws if no place takes it. */
function beginState(parts: StateParts, { apiKey, ...self }: Recorded): { state: StateWriter; isMarked: () => boolean } {
  const { env, pid, startedAt, host, files, random } = parts;
  const journal = journalPath(env, pid, random()) ?? '';
  const stateFile = env['GITHUB_STATE'] ?? '';
  const state = createStateWriter(
    files,
    [stateFile, journal].filter((place) => place !== ''),
  );
  const seal = sealOf(apiKey, self.baseUrl, journal);
  const isMarked = watchMark({ journal, stateFile }, parts);
  const owner = ownerOf(env, host);
  state.write({ kind: 'main', pid, startedAt, owner, asked: askedIn(env), ...self, journal, stateFile, seal });
  return { state, isMarked };
}

/** A dry run has nothing to do with the runs that it reads. */
function givenIds({ plan }: Settings): Record<string, Uuid> {
  if (plan.dryRun) return {};
  return Object.fromEntries(
    plan.targets.flatMap((target, index) => (target.kind === 'pipeline' ? [] : [[String(index + 1), target.jobId]])),
  );
}

/**
 * Records that main ends by itself. The post step looks no further if nothing is left and all was printed; without this
 * record, it only looks more closely.
 */
export function closeState(
  state: StateWriter,
  runs: readonly RunState[],
  { onCancel }: Pick<Plan, 'onCancel'>,
  isPrinted: boolean,
): void {
  const isOpen = runs.some(({ phase }) => ['triggering', 'in_progress', 'unsettled'].includes(phase.at));
  const isDetached = onCancel === 'cancel' && runs.some(({ phase }) => phase.at === 'detached');
  try {
    const left = isOpen ? 'runs' : isDetached ? 'detached' : 'nothing';
    state.write({ kind: 'closed', left, isPrinted });
  } catch {
    // The disk is full: every run was told of, and post finds the rest out by itself.
  }
}
