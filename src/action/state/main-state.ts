import { fileRemedy, sentences } from '../../base/file-errors.ts';
import { messageOf, oneLine } from '../../base/safe-text.ts';
import type { Plan } from '../../run/plan.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Settings } from '../inputs/settings.ts';
import { journalPath, ownerOf } from './journals.ts';
import { type MarkParts, watchMark } from './mark.ts';
import type { MainRecord } from './records.ts';
import { askedIn, sealOf } from './seal.ts';
import { createStateWriter, type StateWriter } from './writer.ts';

/** The dependencies of the main step's state. */
export interface StateParts extends MarkParts {
  readonly pid: number;
  /** The start of this process in its system's format (see ownStart). */
  readonly startedAt: string;
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
}

interface Opened {
  readonly state: StateWriter;
  /** Returns whether post has marked this process. */
  readonly isMarked: () => boolean;
}

/** Writes the record that post needs before any run can exist. If this fails, returns why the step must not trigger. */
export function openState(parts: StateParts, settings: Settings): Opened | { readonly refused: string } {
  const { plan, jobStatus, apiKey } = settings;
  const { onCancel, pollIntervalMs } = plan;
  const baseUrl = settings.baseUrl.href;
  try {
    const given = givenIds(plan);
    return beginState(parts, { baseUrl, onCancel, pollIntervalMs, jobStatus, given }, apiKey);
  } catch (error) {
    const refused = sentences(
      `Nothing was triggered, because the action could not save its state in GITHUB_STATE or RUNNER_TEMP (${oneLine(messageOf(error))}).`,
      'Without this state, the action could not cancel the run when the workflow is cancelled.',
      fileRemedy(error),
    );
    return { refused };
  }
}

/** Records that main rejected its inputs, so that post knows that there was no trigger. */
export function recordRejection(parts: StateParts): void {
  const nothing = { baseUrl: '', onCancel: 'leave', pollIntervalMs: 0, jobStatus: '', given: {} } as const;
  try {
    beginState(parts, nothing, '').state.write({ kind: 'closed', left: 'nothing', isPrinted: true });
  } catch {
    // If this fails, post reports that this step left no record.
  }
}

type Recorded = Pick<MainRecord, 'baseUrl' | 'onCancel' | 'pollIntervalMs' | 'jobStatus' | 'given'>;

/** Writes the first record. Throws if no file accepts it. */
function beginState(parts: StateParts, recorded: Recorded, apiKey: string): Opened {
  const { env, pid, startedAt, host, files, random } = parts;
  const journal = journalPath(env, pid, random());
  const stateFile = env['GITHUB_STATE'] ?? '';
  const state = createStateWriter(files, [stateFile, journal], 'main');
  const isMarked = watchMark({ journal, stateFile }, parts);
  const [owner, asked, seal] = [ownerOf(env, host), askedIn(env), sealOf(apiKey, recorded.baseUrl, journal)];
  state.write({ kind: 'main', pid, startedAt, owner, asked, ...recorded, journal, stateFile, seal });
  return { state, isMarked };
}

function givenIds({ targets, dryRun }: Plan): MainRecord['given'] {
  // A dry run only reads these runs.
  if (dryRun) return {};
  return Object.fromEntries(
    targets.flatMap((target, index) => (target.kind === 'pipeline' ? [] : [[String(index + 1), target.jobId]])),
  );
}

/** Records that main ends on its own. Without this record, post makes further checks. */
export function closeState(
  state: StateWriter,
  runs: readonly RunState[],
  { onCancel }: Plan,
  isPrinted: boolean,
): void {
  const isOpen = runs.some(({ phase }) => ['triggering', 'in_progress', 'unsettled'].includes(phase.at));
  const isDetached = onCancel === 'cancel' && runs.some(({ phase }) => phase.at === 'detached');
  try {
    const left = isOpen ? 'runs' : isDetached ? 'detached' : 'nothing';
    state.write({ kind: 'closed', left, isPrinted });
  } catch {
    // Without this record, post relies on the other records.
  }
}
