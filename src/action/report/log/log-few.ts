import type { Clock } from '../../../base/clock.ts';
import { formatDuration } from '../../../base/duration.ts';
import type { News } from '../../../run/state/news.ts';
import { begunAt, type RunState } from '../../../run/state/run-state.ts';
import type { Problem } from '../../../service/api.ts';
import type { Settings } from '../../inputs/settings.ts';
import { failureOf, nameOf, statusWord } from '../words.ts';
import {
  againWords,
  attachedWords,
  changeWords,
  endedOf,
  lineAbout,
  outageWords,
  queuedWords,
  signAfterMs,
} from './lines.ts';

/** The log of one run or a few: a line per change of any of them, and a sign of life of each that is quiet. */
export function logOfFew(
  settings: Settings,
  clock: Clock,
  line: (text: string) => void,
  runs: readonly RunState[],
): (news: News) => void {
  const lastWords = new Map<RunState, number>();
  const troubles = new Map<RunState, string>();
  const since = (run: RunState): number => clock.now() - (begunAt(run) ?? clock.now());
  const about = (run: RunState, text: string): void => {
    lastWords.set(run, clock.now());
    line(lineAbout(run, clock.now(), text));
  };
  const isQuiet = (run: RunState): boolean =>
    clock.now() - (lastWords.get(run) ?? -Infinity) >= signAfterMs(since(run));
  /** Each of many requests that fail alike says nothing new. */
  const tellTrouble = (run: RunState, problem: Problem, means: string): void => {
    const trouble = failureOf(problem);
    if (troubles.get(run) === trouble && !isQuiet(run)) return;
    troubles.set(run, trouble);
    about(run, `${trouble} ${means}`);
  };

  return (news) => {
    if ('notice' in news) return;
    const { fact, before, run } = news;
    switch (fact.kind) {
      case 'resolved':
        // At first, the announcement names the pipelines.
        if (before.pipeline !== undefined) line(`${fact.pipeline.id} is the pipeline ${nameOf(run)}.`);
        return;
      case 'queued':
        about(run, queuedWords(run, settings));
        return;
      case 'again':
        about(run, againWords(run, before, settings.plan, fact.inMs));
        return;
      case 'awaited':
        about(run, attachedWords(run, settings.runUrl));
        return;
      case 'seen':
      case 'finished':
        if (fact.confirming) return;
        if (before.outageSince !== undefined) {
          troubles.delete(run);
          about(run, `in contact again after ${formatDuration(clock.now() - before.outageSince)}`);
        }
        if (before.status !== run.status) {
          const count = fact.kind === 'finished' ? endedOf(runs, settings.plan) : '';
          about(run, `${changeWords(run, before)}${count}`);
        } else if (isQuiet(run)) about(run, `still ${stillWords(run)}`);
        return;
      case 'read_failed':
        if (fact.retryInMs !== undefined) return;
        tellTrouble(run, fact.problem, outageWords(fact.sinceMs, settings.plan.maxOutageMs));
        return;
      case 'cancel_failed':
        tellTrouble(run, fact.problem, 'It is tried again.');
        return;
      default:
    }
  };
}

function stillWords({ status }: RunState): string {
  return status === 'queued' ? 'queued: no agent has picked it up yet' : statusWord(status);
}
