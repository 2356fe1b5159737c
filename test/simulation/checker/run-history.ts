import { lostContact } from './contact.ts';
import type { ObservedRequest, Outline, RunHistory, Stopped } from './history.ts';
import { knowledgeOf, taken } from './knowledge.ts';
import { isEnd } from './observed.ts';
import { stopOf } from './stop.ts';

/** Tells one run from what main sent and heard of it. A run that failed may have stopped it: `failed`. */
export function runHistory(base: Outline, pipeline: RunHistory['pipeline'], failed: Stopped | undefined): RunHistory {
  const { facts, observedRequests, policy } = base;
  const mains = observedRequests.filter(({ request }) => request.on === 'main');
  const triggers = mains.filter(({ request }) => request.call === 'trigger' && request.subject === pipeline.id);
  const knowledge = taken(base, mains, pipeline.earlier) ?? knowledgeOf(triggers, lastWordOf(facts));
  const about = (call: string): ObservedRequest[] =>
    knowledge.is === 'known'
      ? mains.filter(({ request }) => request.call === call && request.subject === knowledge.id)
      : [];
  const reads = about('read');
  const cancels = about('cancel');
  const rows = [...reads, ...cancels].filter(({ observed }) => observed.kind === 'row').sort((a, b) => a.step - b.step);
  const end = rows.find(({ observed }) => observed.kind === 'row' && isEnd(observed.status));
  const ended = end?.observed.kind === 'row' ? { ...end, status: end.observed.status } : undefined;
  const { stop, isTie } = stopOf(base, { pipeline, reads, cancels, knowledge, ended, failed });
  const contact = { reads, mains, knowledge, isAttached: facts.spec.mode === 'attach' };
  const lost = lostContact({ ...contact, stop }, policy);
  // What failed first may have lost contact as this one did, and an instant later than it seems from here.
  const isLostToo = stop?.why === 'fail_fast' && lostContact({ ...contact, stop: undefined }, policy).may;
  return {
    pipeline,
    jobs: facts.world.jobs.filter((job) => job.pipelineId === pipeline.id),
    triggers,
    reads,
    cancels,
    knowledge,
    ended,
    stop,
    isTie: isTie || isLostToo || (stop !== undefined && lost.may && lost.step === stop.step),
    lost: isLostToo ? { ...lost, may: true } : lost,
  };
}

/** The event in which main had told everything, before it ended. */
function lastWordOf({ writes }: Outline['facts']): number {
  const closed = writes.find(({ process, text }) => process === 'main' && text.includes('"kind":"closed"'));
  return closed?.step ?? Infinity;
}
