import { describe, expect, it } from 'vitest';
import { expectNoFindings } from './expect-none.ts';
import { live, liveAlone } from './life/life.ts';
import { alone } from './life/spec.ts';
import { lifeOf } from './seeds/random-life.ts';
import { asReplay, ofReplay } from './seeds/shrink.ts';

/** A sample; `npm run simulate` lives more. */
const LIVES = 1_000;
const AT_ONCE = 500;

function* lives(from: number, count: number): Generator<ReturnType<typeof lifeOf>> {
  for (let seed = from; seed < from + count; seed += 1) yield lifeOf(seed);
}

describe('lives of every kind', () => {
  it.each(Array.from({ length: LIVES / AT_ONCE }, (_, index) => index * AT_ONCE))(
    'seeds from %i on',
    async (from) => {
      expect(await expectNoFindings(lives(from, AT_ONCE))).toBe(AT_ONCE);
    },
  );

  it('are the same whenever they are lived', async () => {
    for (const spec of lives(0, 250)) {
      const first = await liveAlone(spec);
      const again = await liveAlone(spec);
      expect(again.log).toEqual(first.log);
    }
  });

  it('are the same from the replay that is printed', async () => {
    for (const spec of lives(0, 50)) {
      const replayed = await live(ofReplay(asReplay(alone(spec))));
      expect(replayed.digest()).toBe((await liveAlone(spec)).digest());
    }
  });
});
