import type { Knowledge, ObservedRequest, Outline } from './history.ts';
import { isEnd } from './observed.ts';
import { TOLERANCE_MS } from './tolerance.ts';

/**
 * A run that existed before, if main took it: then there is nothing to trigger. Main takes it upon itself before it
 * asks for anything; the instant is that from which it awaits it, and never comes where it gets no token or no row.
 */
export function taken(
  { facts, policy, interrupted }: Outline,
  mains: readonly ObservedRequest[],
  id: string | undefined,
): Knowledge | undefined {
  if (id === undefined || facts.spec.mode === 'dry_run') return undefined;
  const claimed = facts.writes.some(({ process, text, failed }) => process === 'main' && !failed && text.includes(id));
  const isAttach = facts.spec.mode === 'attach';
  if (!claimed) return isAttach ? { is: 'none' } : undefined;
  const never: Knowledge = { is: 'known', id, atMs: Infinity, step: Infinity };
  if (isAttach) {
    const token = mains.find(({ observed }) => observed.kind === 'token');
    const isLate = token !== undefined && interrupted !== undefined && interrupted.step < token.step;
    return token === undefined || isLate ? never : { is: 'known', id, atMs: token.atMs, step: token.step };
  }
  const about = mains.filter(({ request }) => request.subject === id);
  const cancelled = about.find(({ request }) => request.call === 'cancel')?.request.step ?? Infinity;
  const seen = about.find(({ step, observed }) => observed.kind === 'row' && step < cancelled);
  if (seen?.observed.kind !== 'row') return never;
  const { status } = seen.observed;
  // A read that comes too soon after another one is the last one, at a time-out: what it tells is what it came to.
  const isLast = about.some(
    ({ request, observed }) =>
      observed.kind !== 'denied' &&
      request.step < seen.request.step &&
      seen.request.atMs - request.atMs < policy.pollMs - TOLERANCE_MS,
  );
  const isTaken = !isEnd(status) || policy.succeedOn.includes(status) || isLast;
  return isTaken ? { is: 'known', id, atMs: seen.atMs, step: seen.step } : undefined;
}

/** What the answers to its triggers told main of a run. */
export function knowledgeOf(triggers: readonly ObservedRequest[], lastWordStep: number): Knowledge {
  const known = triggers.find(({ observed }) => observed.kind === 'id');
  if (known?.observed.kind === 'id') return { is: 'known', id: known.observed.id, atMs: known.atMs, step: known.step };
  // What came after the last word was not known to it.
  const pending = triggers.some(({ observed, step }) => observed.kind === 'nothing' || step > lastWordStep);
  const doubt = triggers.some(({ observed }) => observed.kind === 'maybe_processed');
  return doubt || pending ? { is: 'doubt', pending } : { is: 'none' };
}
