import type { Facts } from '../../model/facts.ts';
import type { History } from '../history.ts';
import { heldByLookupsMs } from '../lookups.ts';
import { stalledMs } from '../stalls.ts';
import { TOLERANCE_MS } from '../tolerance.ts';

const MAIN_ENDS_WITHIN_MS = 9_300;
/** After the end of its runner, main has two minutes for a trigger in flight, and one for its cancels. */
const UNHURRIED_MS = 185_000;
/** The longest flush without a signal of a runner that is alive. */
const UNHURRIED_FLUSH_MS = 5_000;
const POST_ENDS_WITHIN_MS = 180_000;
/** The shortest pause between two cancels, which may be under way. */
const LAST_PAUSE_MS = 300;
/** Post may have to wait for a main that does not end. */
const POST_HEARS_WITHIN_MS = 9_900;

/** Everything ends when it should. */
export function bounds(history: History): string[] {
  const { facts } = history;
  const { main, post, spec } = facts;
  const slack = spec.runner.flushMs + TOLERANCE_MS + heldByLookupsMs(facts, 'main');
  const found: string[] = [];
  if (facts.ended === 'too_long') found.push('the scenario did not come to an end');
  const frozen = facts.crashed.some(({ kind }) => kind === 'beside_frozen');
  if (main.end === undefined && !frozen) found.push('main did not end');
  const signal = main.observed[0];
  if (signal !== undefined && main.end !== undefined) {
    const took = main.end.atMs - signal.atMs - stalledMs(facts, 'main', signal.atMs, main.end.atMs);
    if (took > (isUnhurried(facts) ? UNHURRIED_MS : MAIN_ENDS_WITHIN_MS) + slack)
      found.push(`main took ${took} ms to end after ${signal.name}`);
  }
  found.push(...atOnce(history, slack));
  if (post === undefined) return found;
  if (post.end === undefined) return [...found, 'post did not end'];
  const stalled = stalledMs(facts, 'post', post.startedAtMs, post.end.atMs) + heldByLookupsMs(facts, 'post');
  const lived = post.end.atMs - post.startedAtMs - stalled;
  if (lived > POST_ENDS_WITHIN_MS + slack + LAST_PAUSE_MS) found.push(`post took ${lived} ms`);
  const observed = post.observed[0];
  if (observed !== undefined && post.end.atMs - observed.atMs > POST_HEARS_WITHIN_MS + slack + stalled) {
    found.push(`post took ${post.end.atMs - observed.atMs} ms to end after ${observed.name}`);
  }
  if (post.end.how === 'exited' && post.end.code !== 0) found.push('post failed the job');
  return found;
}

/** An interrupted step whose runs are all seen to ends in that moment, whatever else it was about to do. */
function atOnce(history: History, slack: number): string[] {
  const { interrupted, facts, exited, runs } = history;
  const { end } = facts.main;
  if (interrupted === undefined || end === undefined || !exited) return [];
  const moments = runs.map(({ knowledge, ended, triggers }) => {
    const policy = Math.max(0, ...triggers.map(({ atMs }) => atMs));
    if (knowledge.is === 'known') return ended?.atMs ?? Infinity;
    return policy;
  });
  const over = Math.max(interrupted.atMs, ...moments);
  // Whether the thread pool is still busy is looked at by timers, which may be late twice.
  const late = 2 * facts.spec.clocks.main.timerLateMs + (isUnhurried(facts) ? UNHURRIED_FLUSH_MS : 0);
  return end.atMs > over + slack + late + stalledMs(facts, 'main', over, end.atMs)
    ? [`main went on for ${Math.round(end.atMs - over)} ms with nothing left to see to`]
    : [];
}

/** The runner has died, so nobody kills main. */
function isUnhurried({ crashed }: Facts): boolean {
  return crashed.some(({ kind }) => kind === 'worker_killed');
}
