// A sample of what `npm run simulate` plays.
import { describe, expect, it } from 'vitest';
import { violationsIn } from './check/index.ts';
import { enumerated } from './enumerate.ts';
import { randomScenario } from './generate.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { replayCommand, storyOf } from './story.ts';

const RANDOM = 1_500;
const EVERY_NTH = 12;

/** Returns the shortest story that violates an invariant, with the command that replays it, or ''. */
async function firstViolation(scenarios: readonly Scenario[]): Promise<string> {
  for (const scenario of scenarios) {
    const [violation] = violationsIn(await play(scenario));
    if (violation === undefined) continue;
    const history = await play(await shrink(scenario, violation.invariant));
    const found = violationsIn(history).map(({ invariant, what }) => `${invariant}: ${what}`);
    return [...found, replayCommand(history), ...storyOf(history)].join('\n');
  }
  return '';
}

describe('main and post', () => {
  it('keep every promise in random scenarios', async () => {
    expect(await firstViolation(Array.from({ length: RANDOM }, (_, index) => randomScenario(index + 1)))).toBe('');
  });

  it('keep every promise when they are struck at any effect', async () => {
    const all = await enumerated();
    expect(await firstViolation(all.filter((_, index) => index % EVERY_NTH === 0))).toBe('');
  });
});
