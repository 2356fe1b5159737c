import { recordsOf } from '../../model/runner-state.ts';
import type { History } from '../history.ts';

/** A dry run does everything but the one thing, and says what it is. */
export function dry({ facts, observedRequests, interrupted, exited }: History): string[] {
  const found = observedRequests
    .filter(({ request: { on, call } }) => on === 'main' && (call === 'trigger' || call === 'cancel'))
    .map(({ request }) => `a dry run sent a ${request.call}`);
  if (!exited || facts.writes.some(({ failed }) => failed)) return found;
  const outcome = recordsOf(facts.files.get(facts.paths.output) ?? '').records.get('outcome') ?? '';
  const { code } = facts.main.end ?? {};
  const isConnected = observedRequests.some(({ observed }) => observed.kind === 'token');
  // UUIDs are looked up too: whether they exist is what a dry run is to tell.
  const isListed = observedRequests.some(({ observed }) => observed.kind === 'list');
  const isWhole = isConnected && isListed && interrupted === undefined;
  if ((outcome === 'dry_run') !== isWhole) found.push(`a dry run ended as ${outcome}`);
  if ((code === 0) !== (outcome === 'dry_run')) found.push(`a dry run that is ${outcome} ended with ${code}`);
  return found;
}
