import { fileRemedy, sentences } from '../../base/file-errors.ts';
import { messageOf, oneLine } from '../../base/safe-text.ts';
import type { Uuid } from '../../base/uuid.ts';
import type { Plan } from '../../run/plan.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Environment } from '../inputs/input-table.ts';
import type { Settings } from '../inputs/settings.ts';
import type { Files } from '../runner/files.ts';
import { journalPath, sealOf } from './journal.ts';
import { createStateWriter, type StateWriter } from './writer.ts';

/** What the main step tells of itself with its state. */
interface StateParts {
  readonly env: Environment;
  readonly files: Files;
  readonly pid: number;
  readonly startedAt: string;
}

/** Writes down what post must know before anything can be running; when it cannot, nothing may be triggered. */
export function openState(
  parts: StateParts,
  settings: Settings,
): { ok: true; state: StateWriter } | { ok: false; why: string } {
  const { env, pid, startedAt, files } = parts;
  const journal = journalPath(env, pid) ?? '';
  const stateFile = env['GITHUB_STATE'] ?? '';
  const places = [stateFile, journal].filter((place) => place !== '');
  const state = createStateWriter(files, places);
  const baseUrl = settings.baseUrl.href;
  const { onCancel, pollIntervalMs } = settings.plan;
  const { summary, jobStatus, apiKey } = settings;
  const seal = sealOf(apiKey, baseUrl, journal);
  const self = { kind: 'main', pid, startedAt, baseUrl, onCancel, pollIntervalMs } as const;
  try {
    state.write({ ...self, given: givenIds(settings), summary, jobStatus, journal, stateFile, seal });
    return { ok: true, state };
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

/** A dry run has nothing to do with the runs that it reads. */
function givenIds({ plan }: Settings): Record<string, Uuid> {
  if (plan.dryRun) return {};
  return Object.fromEntries(
    plan.targets.flatMap((target, index) =>
      target.kind === 'pipeline' ? [] : [[String(index + 1), target.jobId]],
    ),
  );
}

/** The post step looks no further if nothing is left; without this record, it only looks more closely. */
export function closeState(
  state: StateWriter,
  runs: readonly RunState[],
  { onCancel }: Pick<Plan, 'onCancel'>,
): void {
  const isOpen = runs.some(({ phase }) => ['triggering', 'in_progress', 'unsettled'].includes(phase.at));
  const isDetached = onCancel === 'cancel' && runs.some(({ phase }) => phase.at === 'detached');
  try {
    state.write({ kind: 'closed', left: isOpen ? 'runs' : isDetached ? 'detached' : 'nothing' });
  } catch {
    // The disk is full: every run was told of, and post finds the rest out by itself.
  }
}
