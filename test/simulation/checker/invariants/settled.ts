// After an execution, no run that should be cancelled is in progress, and post reports exactly those it cannot settle.
import { stateAt } from '../../../../sandbox/model/index.ts';
import { fateOf } from '../endings.ts';
import {
  COUNTS,
  couldReport,
  isBeside,
  isBlind,
  isClaimRepeated,
  isForAll,
  isLeftOnPurpose,
  isOrphanExcused,
  isSettledAgain,
  isSettledByOthers,
  isTakenOver,
  isUnreadable,
  isUnreported,
} from '../exemptions.ts';
import type { History, Job, Run } from '../history.ts';
import { isFinal } from '../observed.ts';
import { isIntentUnseen, isResponseLost } from '../stored.ts';

export function settled(history: History): string[] {
  return history.runs.flatMap((run) => {
    COUNTS.runs += 1;
    if (run.endings.length > 1) COUNTS.ties += 1;
    return [...run.jobs.flatMap((job) => ofJob(history, run, job)), ...intents(history, run)];
  });
}

function ofJob(history: History, run: Run, job: Job): string[] {
  const { facts, exited, requests, runs } = history;
  const fate = fateOf(history, run, job);
  if (fate.is === 'either') COUNTS.undecided += 1;
  const status = stateAt(job, facts.endMs)?.status ?? '';
  const isInProgress = !isFinal(status);
  const isWarned = warnings(history, job.id).length > 0;
  const found: string[] = [];
  if (fate.is === 'leave' && job.cancelledAt !== null && !isTakenOver(facts, job.id)) {
    found.push(`run ${job.id} was cancelled but should have been left running (${fate.why})`);
  }
  if (fate.is === 'cancel' && isInProgress && !isOrphanExcused(history, run, job)) {
    found.push(`run ${job.id} is still in progress (${status}) but should have been cancelled (${fate.why})`);
  }
  const sawEnd = requests.some(
    ({ request, observed }) =>
      request.on === 'post' && request.subject === job.id && observed.kind === 'row' && isFinal(observed.status),
  );
  if (isWarned && sawEnd) found.push(`post warns of run ${job.id}, although it has read the final status`);
  if (isWarned && fate.is === 'leave' && exited && !isUnreported(facts)) {
    found.push(`post warns of run ${job.id}, which should have been left running`);
  }
  const isTried = requests.some(({ request }) => request.call === 'cancel' && request.subject === job.id);
  // Post may have ended before the response to the trigger, in which case its warning names the pipeline.
  const isNamed = [facts, ...facts.neighbours].some((of) =>
    [job.id, run.pipeline.id].some((name) => warnings({ facts: of }, name).length > 0),
  );
  const isLost = fate.is === 'either' && isTried && isInProgress && !isNamed;
  if (isLost && !isUnreadable(facts, job.id) && couldReport(facts)) {
    found.push(`run ${job.id} is still in progress (${status}) after a cancel, but post does not warn of it`);
  }
  const isSeen = sawEnd || runs.some(({ ended }) => ended?.request.subject === job.id);
  const isReported = isSeen || isWarned;
  const must = fate.is === 'cancel' && !isReported && !isUnreadable(facts, job.id);
  if (must && (isInProgress || !isSettledByOthers(facts, job.id)) && couldReport(facts)) {
    found.push(`post does not warn of run ${job.id}, whose final status it has not read`);
  }
  return found;
}

/**
 * After several attempts, an error or warning names each run that is in progress. If main was killed or interrupted,
 * post must also have tried to cancel the run until no time was left.
 */
export function pursued(history: History): string[] {
  const { facts, policy, exited, interrupted, runs } = history;
  const isCut = !exited || interrupted !== undefined;
  const problems = [...facts.main.annotations, ...(facts.post?.annotations ?? [])].filter(
    (one) => one.level !== 'notice',
  );
  return runs.flatMap((run) =>
    run.jobs
      .filter((job) => !isFinal(stateAt(job, facts.endMs)?.status ?? ''))
      .filter(
        ({ id }) =>
          isCut || ![id, run.pipeline.id].some((name) => problems.some(({ message }) => message.includes(name))),
      )
      .filter((job) => !isLeftOnPurpose(policy) && !isOrphanExcused(history, run, job))
      .map(({ id }) => `run ${id} is still in progress, but was neither reported nor cancelled until no time was left`),
  );
}

/** Post reports the pipeline of each trigger whose response main never reported, and of no other trigger. */
function intents(history: History, run: Run): string[] {
  const { facts, exited } = history;
  const { pipeline, knowledge, jobs, triggers } = run;
  const reported = warnings(history, pipeline.id).filter((text) => !jobs.some(({ id }) => text.includes(id)));
  const isPending = knowledge.is === 'doubt' && knowledge.pending;
  const isForgotten = isResponseLost(facts, run);
  const isDue = isPending || isForgotten || isIntentUnseen(facts, run);
  if (reported.length > 0 && exited && !isDue && !isUnreported(facts)) {
    return [`post warns of ${pipeline.name} without a reason`];
  }
  // With `on-lost-response: retry`, a run may exist in addition to the one whose id main knows.
  const isHidden = knowledge.is === 'known' && triggers.some(({ observed }) => observed.kind === 'maybe_processed');
  const names = [pipeline.id, pipeline.name];
  const isTold = names.some((name) => warnings(history, name).some((text) => text.startsWith('Other runs')));
  const isLacking = (isPending && !exited) || isForgotten ? reported.length === 0 : isHidden && !exited && !isTold;
  return isLacking && !isUnreadable(facts, pipeline.id) && couldReport(facts) && !isBlind(facts)
    ? [`post does not warn of ${pipeline.name}, of which a run may exist that main does not know`]
    : [];
}

function warnings({ facts }: Pick<History, 'facts'>, what: string): readonly string[] {
  // A stop by fail-fast names the run whose failure caused it.
  const isAbout = (message: string): boolean =>
    message.replace(/because [0-9a-f-]{36} did not succeed/, '').includes(what);
  const all = facts.post?.annotations ?? [];
  return all.filter(({ level, message }) => level === 'warning' && isAbout(message)).map((one) => one.message);
}

/** A post step sends requests only about runs that need it, and prints nothing if there are none. */
export function silence(history: History): string[] {
  const { facts, exited, runs } = history;
  const { post } = facts;
  if (post === undefined || !exited) return [];
  const idle = runs.filter((run) => !hasTask(history, run));
  const isIdle = idle.length === runs.length;
  const sent = facts.requests.filter(
    ({ on, subject }) => on === 'post' && (isIdle || idle.some(({ jobs }) => jobs.some(({ id }) => id === subject))),
  ).length;
  const printed = isIdle ? post.lines.length + post.annotations.length : 0;
  if (sent + printed === 0 || isForAll(facts) || isBeside(facts)) return [];
  return sent > 0 || !isUnreported(facts)
    ? [`post sent ${sent} requests and printed ${printed} lines with nothing to do`]
    : [];
}

/** Whether post has to report or settle a run. */
function hasTask(history: History, run: Run): boolean {
  const { facts } = history;
  const { knowledge, ended, jobs } = run;
  const isOpen = ended === undefined && jobs.some((job) => fateOf(history, run, job).is !== 'leave');
  if (isResponseLost(facts, run) || isClaimRepeated(facts, run)) return true;
  return isSettledAgain(facts, run) || (knowledge.is === 'doubt' ? knowledge.pending : isOpen);
}
