import { stateAt } from '../../../../sandbox/model/index.ts';
import { isExempt } from '../exemptions.ts';
import { type Fate, fateOf } from '../expected-fate.ts';
import type { History, Job, RunHistory } from '../history.ts';
import { isEnd } from '../observed.ts';
import { endSeenByPost, warnings } from '../post-warnings.ts';
import { isReadable } from '../readable.ts';
import { isRead } from '../stdout-read.ts';

/** Nothing goes on that was to be cancelled, nothing is cancelled that was to be left, and post says what it could not do. */
export function settled(history: History): string[] {
  return history.runs.flatMap((run) => [
    ...run.jobs.flatMap((job) => ofJob(history, run, job)),
    ...intents(history, run),
  ]);
}

function ofJob(history: History, run: RunHistory, job: Job): string[] {
  const { facts } = history;
  const fate = fateOf(history, run, job);
  const status = stateAt(job, facts.endMs)?.status ?? '';
  const goesOn = !isEnd(status);
  const warned = warnings(history, job.id).length > 0;
  const found: string[] = [];
  // Without a state, a post step may take the run of another use of this action in the same composite.
  const isTakenOver =
    facts.hasNeighbours &&
    facts.spec.placement.action === '__composite' &&
    !facts.requests.some(({ call, subject }) => call === 'cancel' && subject === job.id);
  if (fate.is === 'leave' && job.cancelledAt !== null && !isTakenOver) {
    found.push(`run ${job.id} was cancelled, but was to be left: ${fate.why}`);
  }
  if (fate.is === 'cancel' && goesOn && !isExempt(history, run, job)) {
    found.push(`run ${job.id} goes on (${status}), but was to be cancelled: ${fate.why}`);
  }
  const sawEnd = endSeenByPost(history, job);
  if (warned && sawEnd) found.push(`post warns of run ${job.id}, although it has seen its end`);
  // Main was to say that it goes on, and could not.
  const isTold = !history.exited || !isRead(facts, 'main') || facts.writes.some(({ failed }) => failed);
  if (warned && fate.is === 'leave' && !isTold) found.push(`post warns of run ${job.id}, which was to be left`);
  // The post step of another execution may have seen to it.
  const isSettledElsewhere = facts.hasNeighbours && !goesOn;
  if (mustWarn(history, fate, job) && !sawEnd && !warned && !isSettledElsewhere) {
    found.push(`post says nothing of run ${job.id}, whose end it has not seen`);
  }
  return found;
}

/** Post has to speak when it was to cancel a run, had its time and has seen no end. */
function mustWarn({ facts, runs }: History, fate: Fate, job: Job): boolean {
  const { post } = facts;
  if (fate.is !== 'cancel' || post?.end?.how !== 'exited') return false;
  if (!isRead(facts, 'post')) return false;
  const seenByMain = runs.some(
    ({ ended, knowledge }) => ended !== undefined && knowledge.is === 'known' && knowledge.id === job.id,
  );
  return !seenByMain && isReadable(facts, job.id);
}

/** A trigger whose answer never reached a process that was alive: post says which pipeline, and nothing else. */
function intents(history: History, run: RunHistory): string[] {
  const { facts } = history;
  const { post, main } = facts;
  const said = warnings(history, run.pipeline.id).filter((text) => !run.jobs.some(({ id }) => text.includes(id)));
  const isUnsure = run.knowledge.is === 'doubt' && run.knowledge.pending;
  const failed = facts.writes.some((write) => write.failed);
  if (said.length > 0 && history.exited && isRead(facts, 'main') && !isUnsure && !failed)
    return [`post warns of ${run.pipeline.name} without need`];
  const readable = [...facts.files].some(
    ([path, text]) =>
      (path === facts.paths.state || path.endsWith('.journal')) &&
      // A line that is torn tells nobody anything.
      text.split('\n').some((line) => line.includes(run.pipeline.id) && line.endsWith('}')),
  );
  const must = isUnsure && main.end?.how === 'killed' && post?.end?.how === 'exited' && readable;
  const crashed = facts.crashed.some(({ on }) => on === 'post');
  const inEnv = Object.values(facts.postEnv).some((value) => value.includes(run.pipeline.id));
  return must && !crashed && said.length === 0 && (inEnv || !facts.spec.runner.noTemp)
    ? [`post says nothing of ${run.pipeline.name}, whose trigger was never answered`]
    : [];
}
