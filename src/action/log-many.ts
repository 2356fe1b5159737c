import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import type { StepEvent } from '../run/events.ts';
import type { RunState } from '../run/run-state.ts';
import type { Settings } from './inputs.ts';
import { countAfterMs, signAfterMs } from './log-pace.ts';
import { attachedWords, changeWords, outageWords, queuedWords } from './log-words.ts';
import { failureOf, nameOf, statusWord } from './words.ts';

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
): (event: StepEvent) => void {
  const begun = clock.now();
  const outOfContact = new Set<RunState>();
  const unknownStatuses = new Set<string>();
  let counted = begun;
  let changed = false;
  let settleFailures = 0;
  let outageSince = begun;
  const elapsed = (): number => clock.now() - begun;
  const about = (run: RunState, text: string): void => {
    const since = clock.now() - (run.startedAt ?? clock.now());
    line(`[${formatDuration(Math.floor(since / 1_000) * 1_000)}] ${nameOf(run)}: ${text}`);
  };
  const count = (): void => {
    const quiet = clock.now() - counted;
    if (quiet < (changed ? countAfterMs : signAfterMs)(elapsed())) return;
    counted = clock.now();
    changed = false;
    const lost = outOfContact.size === 0 ? '' : `; no good answer for ${outOfContact.size} of them right now`;
    line(`${runs.length} runs after ${formatDuration(elapsed())}: ${countWords(runs)}${lost}`);
  };
  const status = (run: RunState, from: string | undefined, known: boolean): void => {
    if (run.standing.at === 'ended') {
      const over = runs.filter(({ standing }) => standing.at === 'ended').length;
      about(run, `${changeWords(run, from, known)} (${over} of ${runs.length} ended)`);
      return;
    }
    const isNew = !known && !unknownStatuses.has(run.status ?? '') && unknownStatuses.size < MOST_ALIKE;
    if (!isNew) return;
    unknownStatuses.add(run.status ?? '');
    about(run, changeWords(run, from, known));
  };
  const tell = (event: StepEvent): void => {
    switch (event.type) {
      case 'queued':
        changed = true;
        about(event.run, queuedWords(event.run, settings.runUrl));
        return;
      case 'attached':
        about(event.run, attachedWords(event.run, settings.runUrl));
        return;
      case 'status':
        changed = true;
        status(event.run, event.from, event.known);
        return;
      case 'read_failed':
        if (outOfContact.size === 0) {
          about(
            event.run,
            `${failureOf(event.problem)} ${outageWords(event.sinceMs, settings.plan.maxOutageMs)}`,
          );
          outageSince = clock.now() - event.sinceMs;
        }
        outOfContact.add(event.run);
        return;
      case 'contact_again':
        outOfContact.delete(event.run);
        if (outOfContact.size > 0) return;
        line(
          `In contact with all runs again after ${formatDuration(clock.now() - outageSince)}: ${countWords(runs)}`,
        );
        return;
      case 'over':
        outOfContact.delete(event.run);
        return;
      case 'settle_failed':
        settleFailures += 1;
        if (settleFailures > MOST_ALIKE) return;
        about(event.run, `${failureOf(event.problem)} It is tried again.`);
        return;
      default:
    }
  };
  return (event) => {
    tell(event);
    count();
  };
}

/** So many different statuses are counted by name: a service may send any. */
const MOST_STATUSES = 6;

/** `20 waiting, 30 queued, 400 running, 50 ended`. */
export function countWords(runs: readonly RunState[]): string {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const word = standingWord(run);
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

function standingWord(run: RunState): string {
  switch (run.standing.at) {
    case 'in_progress':
      return run.status === undefined ? 'not read yet' : statusWord(run.status);
    case 'not_queued':
      return 'not queued';
    case 'tried':
    case 'detached':
      return 'queued';
    default:
      return run.standing.at;
  }
}
