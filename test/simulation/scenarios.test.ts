// A sample of what `npm run simulate` plays.
import { describe, expect, it } from 'vitest';
import { violationsIn } from './check/index.ts';
import { enumerated } from './enumerate.ts';
import { randomScenario } from './generate.ts';
import { play } from './play.ts';
import { parseScenario, type Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { replayCommand, reportOf, traceOf } from './trace.ts';

const RANDOM = 350;
const EVERY_NTH = 48;

/**
 * Returns the first violation, with the trace of the smallest scenario that shows it and the command that replays it,
 * or ''.
 */
async function firstViolation(scenarios: readonly Scenario[]): Promise<string> {
  for (const scenario of scenarios) {
    const [violation] = violationsIn(await play(scenario));
    if (violation === undefined) continue;
    return `${violation.what}\n${reportOf(await play(await shrink(scenario, violation.invariant)))}`;
  }
  return '';
}

describe('a scenario', () => {
  it('has the same trace each time, including when it is replayed with the command in a report', async () => {
    const history = await play(randomScenario(11));
    const json = /--replay '(.*)'$/s.exec(replayCommand(history))?.[1] ?? '';
    expect(traceOf(await play(parseScenario(json)))).toEqual(traceOf(history));
  });
});

describe('the main and post steps', () => {
  it('keep every promise in random scenarios', async () => {
    expect(await firstViolation(Array.from({ length: RANDOM }, (_, index) => randomScenario(index + 1)))).toBe('');
  });

  it('keep every promise with an incident at any effect', async () => {
    const all = await enumerated();
    expect(await firstViolation(all.filter((_, index) => index % EVERY_NTH === 0))).toBe('');
  });
});
