import type { Clock } from '../../../base/clock.ts';
import { formatDuration } from '../../../base/duration.ts';
import type { News } from '../../../run/state/ledger.ts';
import type { RunPhase, RunState } from '../../../run/state/run-state.ts';
import { isKnownStatus } from '../../../service/statuses.ts';
import type { Settings } from '../../inputs/settings.ts';
import { failureOf, statusWord } from '../words.ts';
import { beginningWords, changeWords, endedOf, lineAbout, outageWords, RAREST_SIGN_MS, signAfterMs } from './lines.ts';

/** Maximum number of similar lines when an event affects hundreds of runs. The periodic counts include all runs. */
const MOST_ALIKE = 5;

/**
 * Creates the log of many runs, with one line for each run's id and one for its result. In between, the log prints
 * the number of runs per status from time to time, because one line per change would hide the important lines.
 */
export function logOfMany(
  settings: Settings,
  clock: Clock,
  line: (text: string) => void,
  runs: readonly RunState[],
): (news: News) => void {
  const { plan } = settings;
  const begun = clock.now();
  const outOfContact = new Set<RunState>();
  const unknownStatuses = new Set<string>();
  let counted = begun;
  let changed = false;
  let settleFailures = 0;
  let outageSince = begun;
  const about = (run: RunState, text: string): void => line(lineAbout(run, clock.now(), text));
  const count = (): void => {
    const elapsed = clock.now() - begun;
    if (clock.now() - counted < (changed ? countAfterMs : signAfterMs)(elapsed)) return;
    counted = clock.now();
    changed = false;
    const lost = outOfContact.size === 0 ? '' : `; no valid response for ${outOfContact.size} of them`;
    line(`${runs.length} runs after ${formatDuration(elapsed)}: ${countWords(runs)}${lost}`);
  };
  const isNews = (status: string): boolean =>
    !isKnownStatus(status) && !unknownStatuses.has(status) && unknownStatuses.size < MOST_ALIKE;
  return (news) => {
    if ('notice' in news) {
      if (news.notice === 'run_done') outOfContact.delete(news.run);
      count();
      return;
    }
    const { fact, before, run } = news;
    const beginning = beginningWords(news, settings);
    if (beginning !== undefined) about(run, beginning);
    switch (fact.kind) {
      case 'queued':
      case 'again':
        changed = true;
        break;
      case 'awaited':
        break;
      case 'seen':
      case 'finished':
        if (fact.confirming) return;
        if (before.outageSince !== undefined) {
          outOfContact.delete(run);
          const after = formatDuration(clock.now() - outageSince);
          if (outOfContact.size === 0) line(`Contact with all runs restored after ${after}: ${countWords(runs)}`);
          count();
        }
        if (before.status === run.status) break;
        changed = true;
        if (run.phase.at === 'finished') about(run, `${changeWords(run, before)}${endedOf(runs, plan)}`);
        else if (isNews(fact.job.status)) {
          unknownStatuses.add(fact.job.status);
          about(run, changeWords(run, before));
        }
        break;
      case 'read_failed':
        if (fact.retryInMs !== undefined) return;
        if (outOfContact.size === 0) {
          about(run, `${failureOf(fact.problem)} ${outageWords(fact.sinceMs, plan.maxOutageMs)}`);
          outageSince = clock.now() - fact.sinceMs;
        }
        outOfContact.add(run);
        break;
      case 'cancel_failed':
        settleFailures += 1;
        if (settleFailures <= MOST_ALIKE) about(run, `${failureOf(fact.problem)} Retrying.`);
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

/** Like signAfterMs, but for runs that keep changing: half a minute at first, later a 20th of the elapsed time. */
function countAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(30_000, sinceMs / 20));
}

/** Maximum number of statuses to count by name. The service may send arbitrary statuses. */
const MOST_STATUSES = 6;

/** Statuses in the order of a run's life cycle. Unknown statuses sort with `running`. */
const IN_ORDER = ['waiting', 'triggering', 'queued', 'picked', 'running', 'finished', 'left', 'lost'];

/** Counts the runs by status, as in `20 waiting, 30 queued, 400 running, 50 finished`. */
function countWords(runs: readonly RunState[]): string {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const word = phaseWord(run);
    const under = counts.has(word) || counts.size < MOST_STATUSES ? word : 'in other statuses';
    counts.set(under, (counts.get(under) ?? 0) + 1);
  }
  const placeOf = (word: string): number => IN_ORDER.indexOf(IN_ORDER.includes(word) ? word : 'running');
  const inOrder = [...counts].sort(([a], [b]) => placeOf(a) - placeOf(b));
  return inOrder.map(([word, number]) => `${number} ${word}`).join(', ');
}

/** Words for phases whose names differ from the words in the log. */
const PHASE_WORDS: Partial<Record<RunPhase['at'], string>> = {
  not_queued: 'not queued',
  dry_run: 'queued',
  detached: 'queued',
};

function phaseWord({ phase, status }: RunState): string {
  if (phase.at !== 'in_progress') return PHASE_WORDS[phase.at] ?? phase.at;
  return status === undefined ? 'not read yet' : statusWord(status);
}
