import { stateAt } from '../../../../sandbox/model/index.ts';
import { isExcused } from '../excuses.ts';
import { isEnd } from '../heard.ts';
import { endSeenByPost, warnings } from '../post-told.ts';
import { isReadable } from '../readable.ts';
import { isHeard } from '../stdout-heard.ts';
import type { Job, RunStory, Story } from '../story.ts';
import { type Will, willOf } from '../will.ts';

/** Nothing goes on that was to be cancelled, nothing is cancelled that was to be left, and post says what it could not do. */
export function settled(story: Story): string[] {
  return story.runs.flatMap((run) => [
    ...run.jobs.flatMap((job) => ofJob(story, run, job)),
    ...intents(story, run),
  ]);
}

function ofJob(story: Story, run: RunStory, job: Job): string[] {
  const { facts } = story;
  const will = willOf(story, run, job);
  const status = stateAt(job, facts.endMs)?.status ?? '';
  const goesOn = !isEnd(status);
  const warned = warnings(story, job.id).length > 0;
  const found: string[] = [];
  if (will.is === 'leave' && job.cancelledAt !== null) {
    found.push(`run ${job.id} was cancelled, but was to be left: ${will.why}`);
  }
  if (will.is === 'cancel' && goesOn && !isExcused(story, run, job)) {
    found.push(`run ${job.id} goes on (${status}), but was to be cancelled: ${will.why}`);
  }
  const sawEnd = endSeenByPost(story, job);
  if (warned && sawEnd) found.push(`post warns of run ${job.id}, although it has seen its end`);
  // Main was to say that it goes on, and could not.
  const isTold = !story.exited || facts.writes.some(({ failed }) => failed);
  if (warned && will.is === 'leave' && !isTold)
    found.push(`post warns of run ${job.id}, which was to be left`);
  if (mustWarn(story, will, job) && !sawEnd && !warned) {
    found.push(`post says nothing of run ${job.id}, whose end it has not seen`);
  }
  return found;
}

/** Post has to speak when it was to cancel a run, had its time and has seen no end. */
function mustWarn({ facts, runs }: Story, will: Will, job: Job): boolean {
  const { post } = facts;
  if (will.is !== 'cancel' || post?.end?.how !== 'exited') return false;
  if (!isHeard(facts, 'post')) return false;
  const seenByMain = runs.some(
    ({ ended, knowledge }) => ended !== undefined && knowledge.is === 'known' && knowledge.id === job.id,
  );
  return !seenByMain && isReadable(facts, job.id);
}

/** A trigger whose answer never reached a process that was alive: post says which pipeline, and nothing else. */
function intents(story: Story, run: RunStory): string[] {
  const { facts } = story;
  const { post, main } = facts;
  const said = warnings(story, run.pipeline.id).filter(
    (text) => !run.jobs.some(({ id }) => text.includes(id)),
  );
  const isUnsure = run.knowledge.is === 'doubt' && run.knowledge.pending;
  const failed = facts.writes.some((write) => write.failed);
  if (said.length > 0 && story.exited && !isUnsure && !failed)
    return [`post warns of ${run.pipeline.name} without need`];
  const readable = [...facts.files].some(
    ([path, text]) =>
      (path === facts.paths.state || path.endsWith('.journal')) &&
      // A line that is torn tells nobody anything.
      text.split('\n').some((line) => line.includes(run.pipeline.id) && line.endsWith('}')),
  );
  const must = isUnsure && main.end?.how === 'killed' && post?.end?.how === 'exited' && readable;
  const struck = facts.struck.some(({ on }) => on === 'post');
  const inEnv = Object.values(facts.postEnv).some((value) => value.includes(run.pipeline.id));
  return must && !struck && said.length === 0 && (inEnv || !facts.spec.runner.noTemp)
    ? [`post says nothing of ${run.pipeline.name}, whose trigger was never answered`]
    : [];
}
