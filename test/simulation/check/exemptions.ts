/*
 * Everything that the checks excuse. Each exemption is a limit of the fault model: what no action could do better. It is
 * counted, so that a report shows how often each one applied.
 */
import { stateAt } from '../../../sandbox/model/index.ts';
import type { Instant, ProcessHistory } from '../history.ts';
import { isRead, meaningOf, type RunFacts, rowsOf, type StepFacts } from './facts.ts';

export const EXEMPTIONS = {
  'killed in time': 'SIGKILL, or a signal that leaves too little time, ended the last process that knew of the run.',
  'killed in flight': 'SIGKILL ended main before it received the response to a trigger, so no process had the id.',
  'files lost': 'Failed writes or lost files left post without the id.',
  'no contact': 'Every request to the service failed until time ran out.',
  'no key': 'The key was revoked before the cancel, or the runner gave post none.',
  'not found': 'Neither the status checks of main nor the cancels of post found a run from job-id.',
  'unknown status': 'The service cancels no run whose status it does not document.',
  'the log is not read': 'The runner no longer reads what the processes print.',
} as const;
export type Exemption = keyof typeof EXEMPTIONS;

const counts = new Map<Exemption, number>();

/** Counts an exemption if it applies. */
export function excused(why: Exemption, applies: boolean): boolean {
  if (applies) counts.set(why, (counts.get(why) ?? 0) + 1);
  return applies;
}

/** Returns how often each exemption applied since the last call. */
export function takeCounts(): Readonly<Partial<Record<Exemption, number>>> {
  const taken = Object.fromEntries(counts);
  counts.clear();
  return taken;
}

/** After a signal, the runner gives a process ten seconds. A slow network needs nearly all of them for one try. */
const ENOUGH_MS = 9_000;
const SLOW_LATENCY_MS = 500;
/** How long post may wait for a main process whose id another process has reused, unless a signal ends the wait. */
const REUSED_ID_MS = 12_000;

/** Whether there is an unfinished run that no process could have cancelled, although one knew of it after `since`. */
export function isUnsettleable(facts: StepFacts, run: RunFacts, since: Instant): boolean {
  const { history, main, post } = facts;
  const status = stateAt(run.job, history.endedAt)?.status ?? '';
  if (excused('unknown status', !['queued', 'picked', 'running'].includes(status))) return true;
  if (excused('killed in flight', run.known === undefined || isKilledAt(main, run.known))) return true;
  const isPosts = post !== undefined && canPostKnow(facts, run);
  const isForPost = main.end?.how !== 'exited' || main.errors.length > 0 || since.order === post?.started.order;
  if (excused('files lost', !isPosts && post !== undefined && isForPost)) return true;
  const [last, from] = isPosts ? [post, post.started] : [main, since];
  if (excused('no key', isWithoutKey(facts, last))) return true;
  if (excused('killed in time', hadNoTime(last, from, facts))) return true;
  return excused('no contact', isCutOff(facts, last, from, run));
}

/** Whether main died at the moment when it received the id. */
function isKilledAt({ end, writes }: ProcessHistory, known: Instant): boolean {
  const isSaved = writes.some(({ order, file }) => order > known.order && (file === 'state' || file === 'journal'));
  return end?.how === 'killed' && end.at === known.at && !isSaved;
}

/** Whether post could learn the id of a run from a file: the first line after the id arrived is in it. */
export function canPostKnow({ main, post, spec, step }: StepFacts, { known, isGiven }: RunFacts): boolean {
  if (known === undefined || known.order > (post?.end?.order ?? Infinity)) return false;
  // In a container, the runner reads the state while main is still alive.
  const read = step.incidents.find(({ what }) => what === 'container_cancel')?.order ?? Infinity;
  const isIn = (file: string, until: number): boolean => {
    const own = main.writes.filter((each) => each.file === file && each.order < until);
    // The first write contains the given runs.
    const after = isGiven ? own : own.filter(({ order }) => order > known.order);
    // The runner keeps the last line of a key, even if it is cut off and could not be removed.
    const isCovered =
      file === 'state' &&
      after.some(({ failed }) => failed) &&
      spec.faults.some((each) => 'file' in each && (each.part ?? 0) > 0);
    return own[0]?.failed === false && after[0]?.failed === false && !isCovered;
  };
  const isJournalKept = step.isJournalKept && spec.runner.temp === 'kept';
  return (step.isStateKept && isIn('state', read)) || (isJournalKept && isIn('journal', Infinity));
}

/** Whether no response contained a run from `job-id`, and several responses to main and post said that there is none. */
export function isNowhereFound({ main, post }: StepFacts, { id, isGiven }: RunFacts): boolean {
  const isMissing = (process: ProcessHistory | undefined, call: string): boolean => {
    const those = process?.requests.filter((each) => each.call === call && each.subject === id) ?? [];
    return those.filter((each) => meaningOf(each).is === 'none').length >= 3;
  };
  const isSeen = [main, post].some((each) => rowsOf(each, id).length > 0);
  const isAbsent = isMissing(main, 'read') && isMissing(post, 'cancel') && isMissing(post, 'read');
  return excused('not found', isGiven && !isSeen && isAbsent);
}

function isWithoutKey({ scenario, spec }: StepFacts, { role }: ProcessHistory): boolean {
  return scenario.service.keyRevokedAtMs !== null || (role === 'post' && spec.runner.post === 'without_key');
}

/** Whether a process could not do its work after `since`. In post, an error ends everything. */
function hadNoTime({ end, errors, role, stops }: ProcessHistory, since: Instant, { spec }: StepFacts): boolean {
  const mayWait = role === 'post' && spec.runner.reusesPid && stops.length === 0;
  const enoughMs = ENOUGH_MS + (mayWait ? REUSED_ID_MS : 0);
  const isKilled = end?.how === 'killed' && end.at - since.at < enoughMs;
  return isKilled || (role === 'post' && (errors.length > 0 || stops.some(({ at }) => at - since.at < enoughMs)));
}

/** Whether a process met a fault in a request that it needed to cancel a run, or a network too slow for its time. */
function isCutOff({ scenario, spec }: StepFacts, process: ProcessHistory, since: Instant, { id }: RunFacts): boolean {
  const { faults, latencyMs } = scenario.service;
  const needed = process.requests.filter(
    ({ answered, call, subject }) => (answered?.at ?? Infinity) >= since.at && (call === 'exchange' || subject === id),
  );
  return (
    (latencyMs > SLOW_LATENCY_MS && process.stops.length > 0) ||
    spec.clock.sleep !== null ||
    faults.length > 0 ||
    needed.some((each) => each.fault !== undefined || meaningOf(each).is === 'unclear')
  );
}

/** Whether no process could report anything to the user any more. */
export function isMute({ main, post }: StepFacts): boolean {
  const canSpeak = (process: ProcessHistory | undefined): boolean =>
    process?.end?.how === 'exited' && (process.role === 'main' || process.errors.length === 0) && isRead(process);
  return excused('the log is not read', !canSpeak(main) && !canSpeak(post));
}

/** Whether post found nothing that it could read, although it exists to say what main left. */
export function isBlind({ main, spec, step }: StepFacts): boolean {
  const isJournalReadable = step.isJournalKept && spec.runner.temp === 'kept';
  // In a container, the runner reads the state while main is still alive.
  const isStateReadable = step.isStateKept && !step.incidents.some(({ what }) => what === 'container_cancel');
  const isWritten = !main.writes.some(({ failed, file }) => failed && (file === 'state' || file === 'journal'));
  return excused('files lost', !(isStateReadable || isJournalReadable) || !isWritten);
}
