import { oneLine } from '../base/safe-text.ts';
import { outcomeOf, statusOf } from '../run/outcome.ts';
import type { Plan } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { type Files, fileRecord } from './files.ts';

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
] as const;

export type OutputName = (typeof OUTPUTS)[number];

/** The outputs as they stand for one run. */
export function outputsOf(run: RunState, plan: Plan, message: string): Record<OutputName, string> {
  return {
    'job-id': run.jobId ?? '',
    'job-status': oneLine(statusOf(run), 100),
    outcome: outcomeOf(run, plan),
    message: oneLine(message, 1_000),
    'status-message': oneLine(run.statusMessage ?? '', 1_000),
    'pipeline-id': run.pipeline?.id ?? '',
    'pipeline-name': oneLine(run.pipeline?.name ?? '', 200),
    duration: durationOf(run),
  };
}

/** Whole seconds from the trigger to the end that was seen; empty while either is unknown. */
function durationOf(run: RunState): string {
  if (run.startedAt === undefined || run.endedAt === undefined) return '';
  return String(Math.floor((run.endedAt - run.startedAt) / 1_000));
}

export interface OutputWriter {
  /** Writes each output that has changed since it was last written. Throws when the file does not take it. */
  write(outputs: Partial<Record<OutputName, string>>): void;
}

/** Writes outputs the moment they are known: the runner reads the file when the process is gone, even after a kill. */
export function createOutputWriter(files: Files, path: string | undefined): OutputWriter {
  const written = new Map<string, string>();
  return {
    write(outputs) {
      const changed = OUTPUTS.flatMap((name) => {
        const value = outputs[name];
        return value === undefined || (written.get(name) ?? '') === value ? [] : [[name, value] as const];
      });
      if (changed.length === 0) return;
      if (path !== undefined && path !== '') {
        files.append(path, changed.map(([name, value]) => fileRecord(name, value)).join(''));
      }
      for (const [name, value] of changed) written.set(name, value);
    },
  };
}
