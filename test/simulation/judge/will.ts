import { letGoBefore } from './let-go.ts';
import { isReadable } from './readable.ts';
import { isBefore } from './stop.ts';
import type { Job, RunStory, Story } from './story.ts';

/** What was to become of a run that was still going on when nobody waited for it any longer. */
export type Will =
  | { readonly is: 'cancel'; readonly why: string }
  | { readonly is: 'leave'; readonly why: string }
  /** Two things came at once, or nobody can say. */
  | { readonly is: 'either' };

/** Decides by what was asked and by what happened, before anything was done about it. */
export function willOf(story: Story, run: RunStory, job: Job): Will {
  const { knowledge, stop, ended, isTie, lost } = run;
  const { asked } = story;
  if (knowledge.is !== 'known' || knowledge.id !== job.id) return unheardOf(story, run, job);
  if (isTie) return { is: 'either' };
  const endsFirst = ended !== undefined && (stop === undefined || isBefore(ended, stop));
  if (endsFirst) {
    const isCutShort = story.facts.main.end?.step === ended.step && !story.exited;
    const isLost = story.facts.writes.some(({ failed }) => failed);
    return isCutShort || isLost ? { is: 'either' } : { is: 'leave', why: 'main has seen its end' };
  }
  if (lost.may && (stop === undefined || isBefore(lost, stop))) {
    // That it was left may be what the disk did not take.
    const isKnown = story.exited && !story.facts.writes.some(({ failed }) => failed);
    return isKnown ? { is: 'leave', why: 'contact was lost' } : { is: 'either' };
  }
  if (knowledge.step === Infinity && outOfReach(story, run)) return { is: 'either' };
  if (stop === undefined && knowledge.step === Infinity && story.exited) {
    if (story.facts.writes.some(({ failed }) => failed)) return { is: 'either' };
    return { is: 'leave', why: 'it was never in reach' };
  }
  const letGo = letGoBefore(story, stop);
  if (!asked.wait && letGo === 'perhaps') return { is: 'either' };
  if (stop !== undefined && (asked.wait || letGo === 'no')) return stopped(story, stop.why);
  return story.exited ? byItself(story) : killed(story, run);
}

/** Main has given it up, or may have: it was left then, whatever came in the same moment. */
function outOfReach({ facts, exited }: Story, { pipeline, stop }: RunStory): boolean {
  const isLeft = facts.writes.some(
    ({ process, text }) => process === 'main' && text.includes('"kind":"left"'),
  );
  const said = facts.main.outputs.get('outcome') === 'lost' || !exited;
  return pipeline.earlier !== undefined && isLeft && (stop === undefined ? !exited : said);
}

/** Nobody alive knows its id: only its first trigger's answer could tell it. */
function unheardOf({ asked }: Story, run: RunStory, job: Job): Will {
  if (job.id === run.pipeline.earlier) return { is: 'leave', why: 'it was not taken' };
  return run.knowledge.is === 'known' && !asked.always
    ? { is: 'either' }
    : { is: 'leave', why: 'nobody has its id' };
}

function stopped({ asked, exited, facts }: Story, why: string): Will {
  const policy = why === 'interrupted' || why === 'fail_fast' ? asked.onCancel : asked.onTimeout;
  // What a time-out asked for may be what the disk did not take; post then goes by on-cancel.
  const isForgotten = facts.writes.some(({ failed }) => failed) && asked.onCancel !== 'cancel';
  if (policy === 'cancel') return isForgotten ? { is: 'either' } : { is: 'cancel', why };
  // Killed before it could be written down that it is left.
  const isCutShort = !exited && facts.struck.length > 0;
  const isLost = isCutShort || facts.writes.some(({ failed }) => failed);
  return isLost && asked.onCancel === 'cancel'
    ? { is: 'either' }
    : { is: 'leave', why: `${why}, and the policy is leave` };
}

function byItself({ asked, facts }: Story): Will {
  // That it was let go of may be what the disk did not take.
  if (facts.writes.some(({ failed }) => failed) && asked.onCancel === 'cancel') return { is: 'either' };
  if (asked.wait) return { is: 'leave', why: 'main ended by itself' };
  return jobBecameCancelled(facts) && asked.onCancel === 'cancel'
    ? { is: 'cancel', why: 'the job was cancelled later' }
    : { is: 'leave', why: 'it was not waited for' };
}

function jobBecameCancelled({ spec, postEnv }: Story['facts']): boolean {
  return postEnv['INPUT_INTERNAL-JOB-STATUS'] === 'cancelled' && spec.runner.jobStatusAtStart !== 'cancelled';
}

function killed(story: Story, run: RunStory): Will {
  const { asked, facts } = story;
  if (asked.onCancel !== 'cancel') return { is: 'leave', why: 'on-cancel is leave' };
  if (!asked.wait) return { is: 'either' };
  if (run.knowledge.is !== 'known') return { is: 'either' };
  return isReadable(facts, run.knowledge.id)
    ? { is: 'cancel', why: 'main was killed' }
    : excusedLoss(story, run);
}

/** The kill came before the id could be on any disk, or the disk or the runner lost it. */
function excusedLoss({ facts }: Story, { knowledge }: RunStory): Will {
  const id = knowledge.is === 'known' ? knowledge.id : '';
  const isOnDisk = facts.writes.some(({ text, failed }) => !failed && text.includes(id));
  const cutShort = facts.main.end?.step === (knowledge.is === 'known' ? knowledge.step : 0);
  const isLost = isOnDisk || cutShort || facts.writes.some(({ failed }) => failed);
  return isLost
    ? { is: 'either' }
    : { is: 'cancel', why: 'main was killed, and its id was not written down' };
}
