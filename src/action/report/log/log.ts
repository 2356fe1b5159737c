import type { Clock } from '../../../base/clock.ts';
import { formatDuration } from '../../../base/duration.ts';
import { sentences } from '../../../base/file-errors.ts';
import { neutral, oneLine } from '../../../base/safe-text.ts';
import type { Change, News } from '../../../run/state/news.ts';
import { isOpen, type RunState } from '../../../run/state/run-state.ts';
import type { Account, Problem } from '../../../service/api.ts';
import type { Settings } from '../../inputs/settings.ts';
import { endingOf } from '../endings.ts';
import { endedHow, failureOf, nameOf, runOf } from '../words.ts';
import { announcement } from './announcement.ts';
import { stoppingWords } from './lines.ts';
import { logOfFew } from './log-few.ts';
import { logOfMany } from './log-many.ts';

/** Up to so many runs, every change of each is a line of its own. */
const FEW = 20;

/** Runs without an end that have a line at once; of hundreds that are lost in one outage, the end tells soon enough. */
const MOST_TOLD = 20;

export interface Log {
  readonly line: (text: string) => void;
  observe(news: News): void;
}

/**
 * Whether a run of several is over in a way that no line has told, while the step waits for the others: not by an end
 * that was seen, nor by a stop of all, after which the step is over.
 */
function isUntold({ phase, stop }: RunState): boolean {
  if (stop?.reason.kind === 'fail_fast') return stop.policy === 'await' && phase.at === 'not_queued';
  if (stop !== undefined) return stop.reason.kind === 'queue_timeout';
  return ['lost', 'unknown', 'not_queued', 'unsettled'].includes(phase.at);
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
  const retryLine = (problem: Problem, inMs: number, whose = '', mayDouble = false): void => {
    const again = mayDouble ? 'on-lost-response is retry: it' : 'It';
    line(`${whose}${failureOf(problem)} ${again} is tried again in ${formatDuration(inMs)}.`);
  };
  const change = ({ fact, run, unwritten }: Change): void => {
    if (unwritten !== undefined) {
      const what = `Could not write down what happened to ${runOf(run)}: ${oneLine(unwritten.reason)}.`;
      line(sentences(what, unwritten.remedy));
    }
    if ('retryInMs' in fact && fact.retryInMs !== undefined && fact.problem !== undefined) {
      const whose = runs.length === 1 ? '' : `${nameOf(run)}: `;
      retryLine(fact.problem, fact.retryInMs, whose, fact.kind === 'unknown');
    }
    if (fact.kind === 'not_resumed' && fact.job !== undefined) {
      line(`${nameOf(run)}: the run ${fact.job.id} ${endedHow(fact.job.status)}, so a new one is triggered.`);
    }
  };
  const done = (run: RunState): void => {
    if (!isUntold(run) || told >= MOST_TOLD || !runs.some(isOpen)) return;
    told += 1;
    line(endingOf(run, settings.plan).line);
  };
  const observe = (news: News): void => {
    if (!('notice' in news)) {
      change(news);
      ofRuns(news);
      return;
    }
    switch (news.notice) {
      case 'connected':
        account = news.account;
        return;
      case 'ready':
        for (const text of announcement(settings, account, news.runs)) line(text);
        return;
      case 'retry':
        retryLine(news.problem, news.inMs);
        return;
      case 'stopping':
        line(stoppingWords(news.stop, news.runs));
        return;
      case 'run_done':
        ofRuns(news);
        done(news.run);
        return;
      case 'report_due':
        ofRuns(news);
    }
  };
  return { line, observe };
}
