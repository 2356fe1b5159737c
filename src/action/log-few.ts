import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import type { StepEvent } from '../run/events.ts';
import type { RunState } from '../run/run-state.ts';
import type { Problem } from '../service/api.ts';
import type { Settings } from './inputs.ts';
import { signAfterMs } from './log-pace.ts';
import { attachedWords, changeWords, outageWords, queuedWords } from './log-words.ts';
import { failureOf, nameOf, statusWord } from './words.ts';

/** The log of one run or a few: a line per change of any of them, and a sign of life of each that is quiet. */
export function logOfFew(
  settings: Settings,
  clock: Clock,
  line: (text: string) => void,
  runs: readonly RunState[],
): (event: StepEvent) => void {
  const lastWords = new Map<RunState, number>();
  const troubles = new Map<RunState, string>();
  const since = (run: RunState): number => clock.now() - (run.startedAt ?? clock.now());
  const about = (run: RunState, text: string): void => {
    lastWords.set(run, clock.now());
    line(`[${formatDuration(wholeSeconds(since(run)))}] ${nameOf(run)}: ${text}`);
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

  return (event) => {
    switch (event.type) {
      case 'named':
        line(`${event.run.pipeline?.id ?? ''} is the pipeline ${nameOf(event.run)}.`);
        return;
      case 'queued':
        about(event.run, queuedWords(event.run, settings.runUrl));
        return;
      case 'attached':
        about(event.run, attachedWords(event.run, settings.runUrl));
        return;
      case 'status':
        about(event.run, `${changeWords(event.run, event.from, event.known)}${countOver(event.run, runs)}`);
        return;
      case 'still':
        if (isQuiet(event.run)) about(event.run, `still ${stillWords(event.run)}`);
        return;
      case 'read_failed':
        tellTrouble(event.run, event.problem, outageWords(event.sinceMs, settings.plan.maxOutageMs));
        return;
      case 'contact_again':
        troubles.delete(event.run);
        about(event.run, `in contact again after ${formatDuration(event.afterMs)}`);
        return;
      case 'settle_failed':
        tellTrouble(event.run, event.problem, 'It is tried again.');
        return;
      default:
    }
  };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function stillWords({ status }: RunState): string {
  return status === 'queued' ? 'queued: no agent has picked it up yet' : statusWord(status);
}

/** How far several runs are, where one of them has ended. */
function countOver(run: RunState, runs: readonly RunState[]): string {
  if (runs.length === 1 || run.standing.at !== 'ended') return '';
  return ` (${runs.filter(({ standing }) => standing.at === 'ended').length} of ${runs.length} ended)`;
}
