/** Tests that replays repeat their scenarios and that invalid replays are rejected. */
import { expect, it } from 'vitest';
import { live, simulateAlone } from './model/simulate.ts';
import { alone } from './model/spec.ts';
import { randomSingle } from './scenarios/random-scenario.ts';
import { asReplay, ofReplay } from './scenarios/replay.ts';

it('a random scenario has the same log when it is replayed', async () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const { log } = await simulateAlone(randomSingle(seed));
    const again = await live(ofReplay(asReplay(alone(randomSingle(seed)))));
    expect(again.log).toEqual(log);
  }
});

it.each([
  ['{"fault":[]}', 'a member of the replay is "fault"'],
  ['{"inputs":{"on-cancl":"leave"}}', 'inputs is "on-cancl"'],
  ['{"disk":[{"file":"journal","from":1,"too":9,"part":0}]}', 'disk[0] is "too"'],
  ['{"faults":[{"on":"main","call":"read","what":"http_500"}]}', 'faults[0].from is undefined'],
  [
    '{"faults":[{"on":"main","call":"read","from":2,"to":1,"what":"http_500","commit":"never","ms":1,"retryAfter":null}]}',
    'ends at 1',
  ],
  ['{"outages":[{"fromMs":0,"toMs":9,"what":"refusd"}]}', 'outages[0].what is "refusd"'],
  ['{"executions":[{"crashes":[{"on":"post","kind":"power","at":{"ms":1}}]}]}', 'crashes[0].kind is "power"'],
  ['{"crashes":[{"on":"main","kind":"kill","at":{"ms":1,"when":"before"}}]}', 'at is "ms when"'],
  ['{"crashes":[{"on":"main","kind":"kill","at":{"ms":"5s"}}]}', 'crashes[0].at.ms is "5s"'],
  ['{"crashes":[{"on":"main","kind":"kill","at":{"fault":0,"plusMs":1}}]}', 'is missing'],
  ['{"executions":[{},{"keyRevokedAtMs":5000}]}', 'All executions share keyRevokedAtMs'],
  ['[]', 'the replay is []'],
])('an invalid replay such as %s is rejected', (json, error) => {
  expect(() => ofReplay(json)).toThrow(error);
});
