import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import { sentences } from '../base/file-errors.ts';
import { neutral, oneLine } from '../base/safe-text.ts';
import type { StepEvent } from '../run/events.ts';
import { isOpen, type RunState } from '../run/run-state.ts';
import type { Account } from '../service/api.ts';
import { endingOf } from './ending.ts';
import type { Settings } from './inputs.ts';
import { announcement } from './log-announcement.ts';
import { logOfFew } from './log-few.ts';
import { logOfMany } from './log-many.ts';
import { stoppingWords } from './log-words.ts';
import { endedHow, failureOf, nameOf, runOf } from './words.ts';

/** Up to so many runs, every change of each is a line of its own. */
const FEW = 20;

/** Runs without an end that have a line at once; of hundreds that are lost in one outage, the end tells soon enough. */
const MOST_TOLD = 20;

export interface Log {
  readonly line: (text: string) => void;
  event(event: StepEvent): void;
}

/**
 * Whether a run of several is over in a way that no line has told, while the step waits for the others: not by an end
 * that was seen, nor by a stop of all, after which the step is over.
 */
function isUntold({ standing, stop }: RunState): boolean {
  if (stop?.reason.kind === 'fail_fast') return stop.policy === 'leave' && standing.at === 'not_queued';
  if (stop !== undefined) return stop.reason.kind === 'queue_timeout';
  return ['lost', 'unknown', 'not_queued', 'unsettled'].includes(standing.at);
}

/** The live log: what will run, what changes and how long that took. Never inside a collapsed group. */
export function createLog(
  settings: Settings,
  clock: Clock,
  print: (line: string) => void,
  runs: readonly RunState[],
): Log {
  let account: Account | undefined;
  let told = 0;
  const line = (text: string): void => print(neutral(text));
  const ofRuns = (runs.length > FEW ? logOfMany : logOfFew)(settings, clock, line, runs);
  const event = (event: StepEvent): void => {
    switch (event.type) {
      case 'connected':
        account = event.account;
        return;
      case 'resolved':
        for (const text of announcement(settings, account, event.runs)) line(text);
        return;
      case 'retry': {
        const whose = event.run === undefined || runs.length === 1 ? '' : `${nameOf(event.run)}: `;
        const again = event.mayDouble === true ? 'retry-trigger is always: it' : 'It';
        line(`${whose}${failureOf(event.problem)} ${again} is tried again in ${formatDuration(event.inMs)}.`);
        return;
      }
      case 'not_resumed':
        line(
          `${nameOf(event.run)}: the run ${event.job.id} ${endedHow(event.job.status)}, so a new one is triggered.`,
        );
        return;
      case 'stopping':
        line(stoppingWords(event.stop, event.runs));
        return;
      case 'ledger_failed':
        line(
          sentences(
            `Could not write down what happened to ${runOf(event.run)}: ${oneLine(event.reason)}.`,
            event.run.unrecorded?.remedy ?? '',
          ),
        );
        return;
      case 'over':
        ofRuns(event);
        if (!isUntold(event.run) || told >= MOST_TOLD || !runs.some(isOpen)) return;
        told += 1;
        line(endingOf(event.run, settings.plan).line);
        return;
      default:
        ofRuns(event);
    }
  };
  return { line, event };
}
