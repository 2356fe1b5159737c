import type { Clock } from '../../../base/clock.ts';
import { formatDuration } from '../../../base/duration.ts';
import type { News } from '../../../run/state/news.ts';
import type { RunState } from '../../../run/state/run-state.ts';
import { isKnownStatus } from '../../../service/statuses.ts';
import type { Settings } from '../../inputs/settings.ts';
import { failureOf, statusWord } from '../words.ts';
import {
  againWords,
  attachedWords,
  changeWords,
  countAfterMs,
  endedOf,
  lineAbout,
  outageWords,
  queuedWords,
  signAfterMs,
} from './lines.ts';

/** Lines that each of hundreds of runs might cause at one moment: so many are printed, and all are counted. */
const MOST_ALIKE = 5;

/**
 * The log of many runs: a line for the id of each and one for its end. What happens between is counted, and the
 * count is told now and then: a line for every change of hundreds of runs would hide those that matter.
 */
export function logOfMany(
  settings: Settings,
  clock: Clock,
  line: (text: string) => void,
  runs: readonly RunState[],
): (news: News) => void {
  const begun = clock.now();
  const outOfContact = new Set<RunState>();
  const unknownStatuses = new Set<string>();
  let counted = begun;
  let changed = false;
  let settleFailures = 0;
  let outageSince = begun;
  const elapsed = (): number => clock.now() - begun;
  const about = (run: RunState, text: string): void => line(lineAbout(run, clock.now(), text));
  const count = (): void => {
    const quiet = clock.now() - counted;
    if (quiet < (changed ? countAfterMs : signAfterMs)(elapsed())) return;
    counted = clock.now();
    changed = false;
    const lost = outOfContact.size === 0 ? '' : `; no good answer for ${outOfContact.size} of them right now`;
    line(`${runs.length} runs after ${formatDuration(elapsed())}: ${countWords(runs)}${lost}`);
  };
  const statusChanged = (run: RunState, before: RunState): void => {
    if (run.phase.at === 'finished') {
      about(run, `${changeWords(run, before)}${endedOf(runs, settings.plan)}`);
      return;
    }
    const status = run.status ?? '';
    if (isKnownStatus(status) || unknownStatuses.has(status) || unknownStatuses.size >= MOST_ALIKE) return;
    unknownStatuses.add(status);
    about(run, changeWords(run, before));
  };
  const contactAgain = (run: RunState): void => {
    outOfContact.delete(run);
    if (outOfContact.size > 0) return;
    const after = formatDuration(clock.now() - outageSince);
    line(`In contact with all runs again after ${after}: ${countWords(runs)}`);
  };
  return (news) => {
    if ('notice' in news) {
      if (news.notice === 'run_done') outOfContact.delete(news.run);
      count();
      return;
    }
    const { fact, before, run } = news;
    switch (fact.kind) {
      case 'queued':
        changed = true;
        about(run, queuedWords(run, settings));
        break;
      case 'again':
        changed = true;
        about(run, againWords(run, before, settings.plan, fact.inMs));
        break;
      case 'awaited':
        about(run, attachedWords(run, settings.runUrl));
        break;
      case 'seen':
      case 'finished':
        if (fact.confirming) return;
        if (before.outageSince !== undefined) {
          contactAgain(run);
          count();
        }
        if (before.status === run.status) break;
        changed = true;
        statusChanged(run, before);
        break;
      case 'read_failed':
        if (fact.retryInMs !== undefined) return;
        if (outOfContact.size === 0) {
          about(run, `${failureOf(fact.problem)} ${outageWords(fact.sinceMs, settings.plan.maxOutageMs)}`);
          outageSince = clock.now() - fact.sinceMs;
        }
        outOfContact.add(run);
        break;
      case 'cancel_failed':
        settleFailures += 1;
        if (settleFailures <= MOST_ALIKE) about(run, `${failureOf(fact.problem)} It is tried again.`);
        break;
      case 'resolved':
        if (before.pipeline === undefined) return;
        break;
      default:
        return;
    }
    count();
  };
}

/** So many different statuses are counted by name: a service may send any. */
const MOST_STATUSES = 6;

/** `20 waiting, 30 queued, 400 running, 50 ended`. */
export function countWords(runs: readonly RunState[]): string {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const word = phaseWord(run);
    const known = counts.has(word) || counts.size < MOST_STATUSES;
    const under = known ? word : 'in other statuses';
    counts.set(under, (counts.get(under) ?? 0) + 1);
  }
  const inOrder = [...counts].sort(([a], [b]) => placeOf(a) - placeOf(b));
  return inOrder.map(([word, number]) => `${number} ${word}`).join(', ');
}

/** As a run goes through them; statuses that nobody knows come where runs are under way. */
const IN_ORDER = ['waiting', 'triggering', 'queued', 'picked', 'running', 'ended', 'left', 'lost'];

function placeOf(word: string): number {
  const place = IN_ORDER.indexOf(word);
  return place === -1 ? IN_ORDER.indexOf('running') : place;
}

function phaseWord(run: RunState): string {
  switch (run.phase.at) {
    case 'in_progress':
      return run.status === undefined ? 'not read yet' : statusWord(run.status);
    case 'not_queued':
      return 'not queued';
    case 'dry_run':
    case 'detached':
      return 'queued';
    case 'finished':
      return 'ended';
    default:
      return run.phase.at;
  }
}
