import { oneLine } from '../base/text.ts';
import type { Plan } from '../run/plan.ts';
import { type FinalStatus, isFinalStatus } from '../service/statuses.ts';
import type { Level } from '../world.ts';

/** How a run ended, in words. The log, annotations, summary, outputs and post step all use this description. */
export interface Ending {
  /** How much attention the ending needs. */
  readonly level: Level | 'none';
  /** One line that makes sense on its own, for example in a chat. */
  readonly line: string;
  /** Consequences and next steps. */
  readonly advice: readonly string[];
  /** What the ending is about, for a title. */
  readonly about?: string;
  /** Sorts endings of the same level. Runs that may exist come first, and runs stopped by fail-fast last. */
  readonly rank?: number;
}

/** What a description depends on, in addition to the run's state. A post step does not know all of it. */
export interface Context
  extends Pick<Plan, 'succeedOn' | 'resetTarget'>,
    Partial<Pick<Plan, 'dryRun' | 'fullResync' | 'maxAttempts' | 'onCancel' | 'retryOn' | 'timeoutMs' | 'wait'>> {
  /** The pipelines to run again, as the input names them, if the step's other pipelines must not run again. */
  readonly rest?: readonly string[];
  /** True if the step has several runs. */
  readonly areSeveral?: boolean;
}

/** What a final status means for users. */
interface StatusMeaning {
  /** How much attention it needs if `succeed-on` contains it. */
  readonly level: Ending['level'];
  /** True if the run may not have loaded all data again, although it may have dropped the tables. */
  readonly lacksData: boolean;
}

const STATUS_MEANINGS: Readonly<Record<FinalStatus, StatusMeaning>> = {
  completed: { level: 'none', lacksData: false },
  completed_with_warning: { level: 'warning', lacksData: true },
  failed: { level: 'none', lacksData: true },
  cancelled: { level: 'none', lacksData: true },
  timed_out: { level: 'none', lacksData: true },
  skipped: { level: 'notice', lacksData: true },
};

/** A status that is not final has no meaning of its own. */
export function meaningOf(status = ''): StatusMeaning {
  return isFinalStatus(status) ? STATUS_MEANINGS[status] : { level: 'none', lacksData: false };
}

/** Describes an ending that fails the step. */
export function errorEnding(line: string, ...advice: readonly string[]): Ending {
  return { level: 'error', line, advice };
}

/** Returns an ending's sentences, made safe to show. */
export function sentencesOf({ line, advice }: Ending): string[] {
  return [line, ...advice].map((text) => oneLine(text, 2_000)).filter((text) => text !== '');
}

/** Joins an ending's sentences into one line. */
export function textOf(ending: Ending): string {
  return sentencesOf(ending).join(' ');
}
