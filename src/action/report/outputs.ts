import { oneLine } from '../../base/safe-text.ts';
import type { Expectation } from '../../run/plan.ts';
import { outcomeOf, statusOf, worstOutcome, worstStatus } from '../../run/state/outcome.ts';
import { begunAt, lastKnown, type RunState } from '../../run/state/run-state.ts';
import { appendToFile, fileRecord } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';

/** Every output of action.yml. */
export const OUTPUTS = [
  'job-id',
  'job-status',
  'outcome',
  'message',
  'status-message',
  'pipeline-id',
  'pipeline-name',
  'duration',
  'results',
] as const;

export type OutputName = (typeof OUTPUTS)[number];

/** Outputs by name; those of one run are the keys of an entry of `results` as well. */
export type Outputs = Readonly<Record<Exclude<OutputName, 'results'>, string>>;

/** The outputs of one run as they stand. */
export function outputsOfRun(run: RunState, plan: Expectation, message: string): Outputs {
  const last = lastKnown(run);
  return {
    'job-id': last.jobId ?? '',
    'job-status': oneLine(statusOf(run), 100),
    outcome: outcomeOf(run, plan),
    message: oneLine(message, 1_000),
    'status-message': oneLine(last.statusMessage ?? '', 1_000),
    'pipeline-id': run.pipeline?.id ?? '',
    'pipeline-name': oneLine(run.pipeline?.name ?? '', 200),
    duration: wholeSeconds(begunAt(run), last.endedAt),
  };
}

/** The outputs of a step with several runs: the worst of them speaks for all. `now` is when the step ended. */
export function outputsOfAll(runs: readonly RunState[], plan: Expectation, message: string, now: number): Outputs {
  const starts = runs.flatMap((run) => begunAt(run) ?? []);
  return {
    'job-id': runs.flatMap((run) => lastKnown(run).jobId ?? []).join('\n'),
    'job-status': oneLine(worstStatus(runs), 100),
    outcome: worstOutcome(runs, plan),
    message: oneLine(message, 1_000),
    'status-message': '',
    'pipeline-id': '',
    'pipeline-name': '',
    duration: starts.length === 0 ? '' : wholeSeconds(Math.min(...starts), now),
  };
}

/** The time between two moments in milliseconds, as whole seconds. Empty while either is unknown. */
export function wholeSeconds(from: number | undefined, to: number | undefined): string {
  return from === undefined || to === undefined ? '' : String(Math.floor((to - from) / 1_000));
}

/**
 * Writes outputs the moment they are known: the runner reads the file when the process is gone, even after a kill. `write`
 * skips values that have not changed. It throws when the file does not take them, and always after an append that may
 * have torn a value of several lines, because that value swallows what follows.
 */
export function createOutputWriter(files: Files, path = '') {
  const written = new Map<string, string>();
  let torn: Error | undefined;
  return {
    write(outputs: Partial<Record<OutputName, string>>): void {
      const changed = OUTPUTS.flatMap((name) => {
        const value = outputs[name];
        return value === undefined || (written.get(name) ?? '') === value ? [] : [[name, value] as const];
      });
      if (changed.length === 0) return;
      if (path !== '') {
        const records = changed.map(([name, value]) => fileRecord(name, value));
        const long = records.filter((record) => record.indexOf('\n') < record.length - 1);
        try {
          // Those of several lines come last, because a torn one would swallow the others.
          appendToFile(files, path, [...records.filter((record) => !long.includes(record)), ...long].join(''));
        } catch (error) {
          if (long.length > 0) torn = new Error('a value of several lines may be torn', { cause: error });
          throw error;
        }
      }
      for (const [name, value] of changed) written.set(name, value);
      if (torn !== undefined) throw torn;
    },
  };
}
