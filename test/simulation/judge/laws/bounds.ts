import { GRAIN_MS } from '../grain.ts';
import type { Story } from '../story.ts';

const MAIN_ENDS_WITHIN_MS = 9_300;
const POST_ENDS_WITHIN_MS = 180_000;
/** The shortest pause between two cancels, which may be under way. */
const LAST_PAUSE_MS = 300;
/** Post may have to wait for a main that does not end. */
const POST_HEARS_WITHIN_MS = 9_900;

/** Everything ends when it should. */
export function bounds(story: Story): string[] {
  const { facts } = story;
  const { main, post, spec } = facts;
  const slack = spec.runner.flushMs + GRAIN_MS;
  const found: string[] = [];
  if (facts.ended === 'too_long') found.push('the life did not come to an end');
  const frozen = facts.struck.some(({ kind }) => kind === 'beside_frozen');
  if (main.end === undefined && !frozen) found.push('main did not end');
  const signal = main.heard[0];
  if (signal !== undefined && main.end !== undefined) {
    const took = main.end.atMs - signal.atMs;
    if (took > MAIN_ENDS_WITHIN_MS + slack) found.push(`main took ${took} ms to end after ${signal.name}`);
  }
  found.push(...atOnce(story, slack));
  if (post === undefined) return found;
  if (post.end === undefined) return [...found, 'post did not end'];
  const lived = post.end.atMs - post.startedAtMs;
  if (lived > POST_ENDS_WITHIN_MS + slack + LAST_PAUSE_MS) found.push(`post took ${lived} ms`);
  const heard = post.heard[0];
  if (heard !== undefined && post.end.atMs - heard.atMs > POST_HEARS_WITHIN_MS + slack) {
    found.push(`post took ${post.end.atMs - heard.atMs} ms to end after ${heard.name}`);
  }
  if (post.end.how === 'exited' && post.end.code !== 0) found.push('post failed the job');
  return found;
}

/** An interrupted step whose runs are all seen to ends in that moment, whatever else it was about to do. */
function atOnce(story: Story, slack: number): string[] {
  const { interrupted, facts, exited, runs } = story;
  const { end } = facts.main;
  if (interrupted === undefined || end === undefined || !exited) return [];
  const moments = runs.map(({ knowledge, ended, triggers }) => {
    const asked = Math.max(0, ...triggers.map(({ atMs }) => atMs));
    if (knowledge.is === 'known') return ended?.atMs ?? Infinity;
    return asked;
  });
  const over = Math.max(interrupted.atMs, ...moments);
  return end.atMs > over + slack
    ? [`main went on for ${Math.round(end.atMs - over)} ms with nothing left to see to`]
    : [];
}
