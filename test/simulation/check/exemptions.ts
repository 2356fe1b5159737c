/*
 * Everything that the checks excuse. Each exemption is a limit of the fault model: what no action could do better. It is
 * counted, so that a report shows how often each one applied.
 */
import { stateAt } from '../../../sandbox/model/index.ts';
import type { Instant, ProcessHistory } from '../history.ts';
import { meaningOf, type RunFacts, type StepFacts } from './facts.ts';

export const EXEMPTIONS = {
  'no process': 'No process was left, or none had the time to do it.',
  'unknown id': 'No process that was alive received the id of the run.',
  'unreadable files': 'The id was not in a file that post could read, because a write failed or a file was lost.',
  'no contact': 'Every attempt to reach the service failed until time ran out.',
  'unknown status': 'The service cancels no run whose status it does not document.',
  'no key': 'The key was revoked, or the runner gave post none.',
  'nobody reads': 'The runner no longer reads what the process prints.',
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

/** After a signal, the runner leaves a process ten seconds. A slow network may need all of them. */
const ENOUGH_MS = 9_000;
const HURRIED_ATTEMPTS_MS = 5_000;

/** Whether a process was killed before it could do anything about a run that it knew from `since` on. */
function hadNoTime(process: ProcessHistory, since: Instant): boolean {
  const { end, errors } = process;
  if (process.role === 'post' && errors.length > 0) return true;
  return end !== undefined && end.how === 'killed' && end.at - since.at < ENOUGH_MS;
}

/** Whether post could learn the id of a run from a file: the first line after the id arrived is in it. */
export function canPostKnow({ main, post, spec, step }: StepFacts, { known, isGiven, number }: RunFacts): boolean {
  if (known === undefined || known.order > (post?.end?.order ?? Infinity)) return false;
  // In a container, the runner reads the state while main is still alive.
  const read = step.incidents.find(({ what }) => what === 'container_cancel')?.order ?? Infinity;
  const files = main.writes.filter(({ file, order }) => file === 'journal' || (file === 'state' && order < read));
  const isIn = (file: string): boolean => {
    const own = files.filter((each) => each.file === file);
    // Given runs are written one by one, after the first line of the step.
    const after = isGiven ? own.slice(1 + number) : own.filter(({ order }) => order > known.order);
    // The runner keeps the last line of a key, even if it is cut off and could not be removed.
    const isCovered = file === 'state' && after.some(({ failed }) => failed) && spec.disk.some(({ part }) => part > 0);
    return own.length > 0 && own[0]?.failed === false && after[0]?.failed === false && !isCovered;
  };
  const isJournalKept = step.isJournalKept && spec.runner.temp === 'kept';
  return (step.isStateKept && isIn('state')) || (isJournalKept && isIn('journal'));
}

/** Whether a process met a fault in a request that it needs to cancel a run, or had too little time for one. */
export function isCutOff({ scenario, spec }: StepFacts, process: ProcessHistory, since: number, id: string): boolean {
  const { latencyMs, outages } = scenario.service;
  const needed = process.requests.filter(
    ({ call, sent, subject }) => sent.at >= since - 60_000 && (call === 'exchange' || subject === id),
  );
  const isSlow = latencyMs * 9 > HURRIED_ATTEMPTS_MS && process.stops.length > 0;
  return (
    isSlow ||
    spec.clock.sleep !== null ||
    outages.length > 0 ||
    needed.some((each) => each.fault !== undefined || meaningOf(each).is === 'unclear')
  );
}

export function isWithoutKey({ scenario, spec }: StepFacts, role: 'main' | 'post'): boolean {
  return scenario.service.keyRevokedAtMs !== null || (role === 'post' && spec.runner.post === 'without_key');
}

/** Returns whether no process could have settled a run, which one of them knew from `since` on. */
export function isUnsettleable(facts: StepFacts, run: RunFacts, since: Instant): boolean {
  const { history, main, post } = facts;
  const status = stateAt(run.job, history.endedAt)?.status ?? '';
  if (excused('unknown status', !['queued', 'picked', 'running'].includes(status))) return true;
  if (excused('unknown id', run.known === undefined || hadNoTimeToLearn(main, run.known))) return true;
  const last = post !== undefined && canPostKnow(facts, run) ? post : main;
  const isForPost = main.end?.how !== 'exited' || main.errors.length > 0 || since.order === post?.started.order;
  if (last === main && post !== undefined && isForPost) return excused('unreadable files', true);
  if (excused('no key', isWithoutKey(facts, last.role))) return true;
  const from = last === post ? last.started : since;
  const isHurried = last.stops.some(({ at }) => at - from.at < ENOUGH_MS) && last === post;
  if (excused('no process', hadNoTime(last, from) || isHurried)) return true;
  return excused('no contact', isCutOff(facts, last, from.at, run.id));
}

/** Whether main died in the moment in which it received the id. */
function hadNoTimeToLearn({ end, writes }: ProcessHistory, known: Instant): boolean {
  const isSaved = writes.some(({ order, file }) => order > known.order && (file === 'state' || file === 'journal'));
  return end?.how === 'killed' && end.at === known.at && !isSaved;
}

/** Whether no process could tell the user anything any more. */
export function isMute({ main, post }: StepFacts): boolean {
  const canSpeak = (process: ProcessHistory | undefined): boolean =>
    process?.end?.how === 'exited' &&
    (process.role === 'main' || process.errors.length === 0) &&
    !process.lines.some(({ isRead }) => !isRead) &&
    !process.annotations.some(({ isRead }) => !isRead);
  return !excusedSpeaker(canSpeak(main), canSpeak(post));
}

function excusedSpeaker(main: boolean, post: boolean): boolean {
  return main || post || !excused('nobody reads', true);
}
