import { describe, expect, it } from 'vitest';
import { expectNoViolations } from './expect-none.ts';
import { live, simulateAlone } from './model/simulate.ts';
import { alone } from './model/spec.ts';
import { randomSingle } from './scenarios/random-scenario.ts';
import { asReplay, ofReplay } from './scenarios/replay.ts';

/** A sample; `npm run simulate` runs more. */
const LIVES = 1_000;
const AT_ONCE = 500;

function* scenarios(from: number, count: number): Generator<ReturnType<typeof randomSingle>> {
  for (let seed = from; seed < from + count; seed += 1) yield randomSingle(seed);
}

describe('scenarios of every kind', () => {
  it.each(Array.from({ length: LIVES / AT_ONCE }, (_, index) => index * AT_ONCE))('seeds from %i on', async (from) => {
    expect(await expectNoViolations(scenarios(from, AT_ONCE))).toBe(AT_ONCE);
  });

  it('are the same whenever they are lived', async () => {
    for (const spec of scenarios(0, 250)) {
      const first = await simulateAlone(spec);
      const again = await simulateAlone(spec);
      expect(again.log).toEqual(first.log);
    }
  });

  it('are the same from the replay that is printed', async () => {
    for (const spec of scenarios(0, 50)) {
      const replayed = await live(ofReplay(asReplay(alone(spec))));
      expect(replayed.digest()).toBe((await simulateAlone(spec)).digest());
    }
  });

  it.each([
    ['{"fault":[]}', 'a member of the replay is "fault"'],
    ['{"inputs":{"on-cancl":"leave"}}', 'inputs is "on-cancl"'],
    ['{"disk":[{"file":"journal","from":1,"too":9,"part":0}]}', 'disk[0] is "too"'],
    ['{"faults":[{"on":"main","call":"read","what":"s500"}]}', 'faults[0].from is undefined'],
    ['{"outages":[{"fromMs":0,"toMs":9,"what":"refusd"}]}', 'outages[0].what is "refusd"'],
    ['{"executions":[{"crashes":[{"on":"post","kind":"power","at":{"ms":1}}]}]}', 'crashes[0].kind is "power"'],
    ['{"crashes":[{"on":"main","kind":"kill","at":{"ms":1,"when":"before"}}]}', 'at is "ms when"'],
    ['{"crashes":[{"on":"main","kind":"kill","at":{"ms":"5s"}}]}', 'crashes[0].at.ms is "5s"'],
    ['{"executions":[{},{"keyRevokedAtMs":5000}]}', 'All executions share keyRevokedAtMs'],
    ['[]', 'the replay is []'],
  ])('are not replayed if they are mistyped: %s', (json, error) => {
    expect(() => ofReplay(json)).toThrow(error);
  });
});
