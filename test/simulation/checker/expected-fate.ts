import type { History, Job, RunHistory } from './history.ts';
import { letGoBefore } from './let-go.ts';
import { isReadable } from './readable.ts';
import { isKilledInWrite } from './stalls.ts';
import { isBefore } from './stop.ts';

/** What was to become of a run that was still going on when nobody waited for it any longer. */
export type Fate =
  | { readonly is: 'cancel'; readonly why: string }
  | { readonly is: 'leave'; readonly why: string }
  /** Two things came at once, or nobody can say. */
  | { readonly is: 'either' };

/** Decides by what was asked and by what happened, before anything was done about it. */
export function fateOf(history: History, run: RunHistory, job: Job): Fate {
  const { main, post, spec } = history.facts;
  const fate = fateBefore(history, run, job);
  const isBeside = post !== undefined && (main.end?.step ?? Infinity) > post.startedStep;
  // Post decides for a main that it cannot see, which may decide for itself, and be killed at the end of the job.
  const areTwo = spec.runner.sight !== 'all' && isBeside && (fate.is === 'leave' || !history.exited);
  return areTwo ? { is: 'either' } : fate;
}

function fateBefore(history: History, run: RunHistory, job: Job): Fate {
  const { knowledge, stop, ended, isTie, lost } = run;
  const { policy } = history;
  if (knowledge.is !== 'known' || knowledge.id !== job.id) return unheardOf(history, run, job);
  if (isTie) return { is: 'either' };
  const endsFirst = ended !== undefined && (stop === undefined || isBefore(ended, stop));
  if (endsFirst) {
    const isCutShort = history.facts.main.end?.step === ended.step && !history.exited;
    const isLost = history.facts.writes.some(({ failed }) => failed);
    return isCutShort || isLost ? { is: 'either' } : { is: 'leave', why: 'main has seen its end' };
  }
  if (lost.may && (stop === undefined || isBefore(lost, stop))) {
    // That it was left may be what the disk did not take.
    const isKnown = history.exited && !history.facts.writes.some(({ failed }) => failed);
    return isKnown ? { is: 'leave', why: 'contact was lost' } : { is: 'either' };
  }
  if (knowledge.step === Infinity && outOfReach(history, run)) return { is: 'either' };
  if (stop === undefined && knowledge.step === Infinity && history.exited) {
    if (history.facts.writes.some(({ failed }) => failed)) return { is: 'either' };
    return { is: 'leave', why: 'it was never in reach' };
  }
  const letGo = letGoBefore(history, stop);
  if (!policy.wait && letGo === 'maybe_processed') return { is: 'either' };
  if (stop !== undefined && (policy.wait || letGo === 'no')) return stopped(history, stop.why);
  return history.exited ? byItself(history) : killed(history, run);
}

/** Main has given it up, or may have: it was left then, whatever came in the same moment. */
function outOfReach({ facts, exited }: History, { pipeline, stop }: RunHistory): boolean {
  const isLeft = facts.writes.some(({ process, text }) => process === 'main' && text.includes('"kind":"lost"'));
  const said = facts.main.outputs.get('outcome') === 'lost' || !exited;
  return pipeline.earlier !== undefined && isLeft && (stop === undefined ? !exited : said);
}

/** Nobody alive knows its id: only its first trigger's answer could tell it. */
function unheardOf({ policy, facts }: History, run: RunHistory, job: Job): Fate {
  if (job.id === run.pipeline.earlier) {
    // Main does not begin if a disk reports an error, but the record may be on the disk as a whole.
    const isRecorded = facts.writes.some(({ failed, text }) => failed && text.includes(job.id));
    return isRecorded ? { is: 'either' } : { is: 'leave', why: 'it was not taken' };
  }
  return run.knowledge.is === 'known' && !policy.always ? { is: 'either' } : { is: 'leave', why: 'nobody has its id' };
}

function stopped({ policy, exited, facts }: History, why: string): Fate {
  const wanted = why === 'interrupted' || why === 'fail_fast' ? policy.onCancel : policy.onTimeout;
  // What a time-out asked for may be what the disk did not take; post then goes by on-cancel.
  const isForgotten = facts.writes.some(({ failed }) => failed) && policy.onCancel !== 'cancel';
  if (wanted === 'cancel') return isForgotten ? { is: 'either' } : { is: 'cancel', why };
  // Killed before it could be written down that it is left.
  const isCutShort = !exited && facts.crashed.length > 0;
  const isLost = isCutShort || facts.writes.some(({ failed }) => failed);
  return isLost && policy.onCancel === 'cancel'
    ? { is: 'either' }
    : { is: 'leave', why: `${why}, and the policy is leave` };
}

function byItself({ policy, facts }: History): Fate {
  // That it was let go of may be what the disk did not take.
  if (facts.writes.some(({ failed }) => failed) && policy.onCancel === 'cancel') return { is: 'either' };
  if (policy.wait) return { is: 'leave', why: 'main ended by itself' };
  return jobBecameCancelled(facts) && policy.onCancel === 'cancel'
    ? { is: 'cancel', why: 'the job was cancelled later' }
    : { is: 'leave', why: 'it was not waited for' };
}

function jobBecameCancelled({ spec, postEnv }: History['facts']): boolean {
  return postEnv['INPUT_INTERNAL-JOB-STATUS'] === 'cancelled' && spec.runner.jobStatusAtStart !== 'cancelled';
}

function killed(history: History, run: RunHistory): Fate {
  const { policy, facts } = history;
  if (policy.onCancel !== 'cancel') return { is: 'leave', why: 'on-cancel is leave' };
  if (!policy.wait) return { is: 'either' };
  if (run.knowledge.is !== 'known') return { is: 'either' };
  return isReadable(facts, run.knowledge.id) ? { is: 'cancel', why: 'main was killed' } : exemptLoss(history, run);
}

/** The kill came before the id could be on any disk, or the disk or the runner lost it. */
function exemptLoss({ facts }: History, { knowledge }: RunHistory): Fate {
  const id = knowledge.is === 'known' ? knowledge.id : '';
  const isOnDisk = facts.writes.some(({ text, failed }) => !failed && text.includes(id));
  const cutShort = facts.main.end?.step === (knowledge.is === 'known' ? knowledge.step : 0);
  const isLost = isOnDisk || cutShort || isKilledInWrite(facts) || facts.writes.some(({ failed }) => failed);
  return isLost ? { is: 'either' } : { is: 'cancel', why: 'main was killed, and its id was not written down' };
}
