import type { Random } from '../model/random.ts';
import { type Crash, type Fault, MAIN_CRASHES, type Moment, type PipelineSpec, POST_CRASHES } from '../model/spec.ts';
import { HOUR, MINUTE } from './durations.ts';
import { ENDS } from './random-pipeline.ts';

/** What crashes the processes of a scenario, and when; the last of them comes to every scenario that is still going on. */
export function crashesOf(random: Random, faults: readonly Fault[], pipelines: readonly PipelineSpec[]): Crash[] {
  const crashes: Crash[] = [];
  if (random.chance(0.65)) {
    crashes.push({ on: 'main', at: momentOf(random, faults), kind: random.pick(MAIN_CRASHES) });
  }
  if (random.chance(0.1)) {
    crashes.push({ on: 'post', at: momentOfPost(random), kind: random.pick(POST_CRASHES) });
  }
  return [...crashes, lastResort(random, pipelines)];
}

/** Somebody loses patience in the end: no scenario goes on for ever. */
function lastResort(random: Random, pipelines: readonly PipelineSpec[]): Crash {
  const longest = Math.max(...pipelines.map(({ timeline }) => timeline.at(-1)?.[0] ?? 0));
  const endless = pipelines.some(({ timeline }) => !ENDS.includes(timeline.at(-1)?.[1] ?? ''));
  const patience = endless ? random.between(2 * MINUTE, 12 * MINUTE) : 3 * HOUR;
  return { on: 'main', at: { ms: longest + patience }, kind: 'cancel' };
}

function momentOf(random: Random, faults: readonly Fault[]): Moment {
  const hit = faults.findIndex(({ on }) => on === 'main');
  if (hit >= 0 && random.chance(0.5)) return momentNear(random, hit);
  if (random.chance(0.3)) return { ms: random.below(4 * MINUTE) };
  if (random.chance(0.3)) return momentOfRequest(random, 12);
  return { effect: random.between(1, 90), when: random.pick(['before', 'after', 'torn']) };
}

function momentOfPost(random: Random): Moment {
  if (random.chance(0.3)) return momentOfRequest(random, 5);
  return { effect: random.between(1, 30), when: random.pick(['before', 'after', 'torn']) };
}

/** At one of the first requests, or at its response. */
function momentOfRequest(random: Random, last: number): Moment {
  const number = random.between(1, last);
  return random.chance(0.5) ? { request: number } : { response: number };
}

/** At the request that a fault crashes, at one of its events, or in the pause after it. */
function momentNear(random: Random, fault: number): Moment {
  if (random.chance(0.3)) return { fault, plusMs: random.pick([1, 15, 300, 1_500, 8_000, 20_000]) };
  if (random.chance(0.3)) return { fault, before: random.pick(['request', 'response']) };
  return { fault, plus: random.between(0, 6), when: random.pick(['before', 'after']) };
}
