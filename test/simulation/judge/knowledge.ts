import { isEnd } from './heard.ts';
import type { Knowledge, Outline, Told } from './story.ts';

/** A run that existed before, if main took it: then there is nothing to trigger. */
export function taken(
  { facts, asked, interrupted }: Outline,
  mains: readonly Told[],
  id: string | undefined,
): Knowledge | undefined {
  if (id === undefined) return undefined;
  if (facts.spec.mode === 'attach') {
    const token = mains.find(({ heard }) => heard.kind === 'token');
    const isLate = token !== undefined && interrupted !== undefined && interrupted.step < token.step;
    if (token === undefined || isLate) return { is: 'none' };
    return { is: 'known', id, atMs: token.atMs, step: token.step };
  }
  const seen = mains.find(({ request, heard }) => request.subject === id && heard.kind === 'row');
  if (seen?.heard.kind !== 'row') return undefined;
  const { status } = seen.heard;
  const isTaken = !isEnd(status) || asked.succeedOn.includes(status);
  return isTaken ? { is: 'known', id, atMs: seen.atMs, step: seen.step } : undefined;
}

/** What the answers to its triggers told main of a run. */
export function knowledgeOf(triggers: readonly Told[]): Knowledge {
  const known = triggers.find(({ heard }) => heard.kind === 'id');
  if (known?.heard.kind === 'id')
    return { is: 'known', id: known.heard.id, atMs: known.atMs, step: known.step };
  const pending = triggers.some(({ heard }) => heard.kind === 'nothing');
  const doubt = triggers.some(({ heard }) => heard.kind === 'perhaps');
  return doubt || pending ? { is: 'doubt', pending } : { is: 'none' };
}
