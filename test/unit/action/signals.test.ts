// External interruptions of a step, and whether the runner still reads its log.
import { describe, expect, it } from 'vitest';
import { listenForInterruption } from '../../../src/action/signals.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

/** Listens for a minute in which these events happen, with their times in ms. */
async function listen(...events: readonly (readonly [at: number, event: (process: FakeWorld) => void])[]) {
  const process = fakeWorld();
  const interruption = listenForInterruption(process.world);
  let isMarked = false;
  interruption.watch(() => isMarked);
  process.world.clock.after(60_000, () => undefined);
  for (const [at, event] of events) process.at(at, () => event(process));
  process.at(0, () => undefined);
  Object.assign(process, { mark: () => (isMarked = true) });
  await process.clock.advance(40_000);
  return { first: interruption.first, hasNoReader: interruption.hasNoReader, isAborted: interruption.signal.aborted };
}

const mark = (process: FakeWorld): void => (process as FakeWorld & { mark: () => void }).mark();

describe('a step', () => {
  it('is not interrupted if nothing happens', async () => {
    expect(await listen()).toEqual({ first: undefined, hasNoReader: false, isAborted: false });
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'])(
    'sets a deadline after %s, because the runner will soon kill it',
    async (name) => {
      const { first, hasNoReader, isAborted } = await listen([500, (it) => it.signal(name)]);
      expect({ first, hasNoReader, isAborted }).toEqual({
        first: { by: name, at: 500, endsBy: 9_500 },
        hasNoReader: false,
        isAborted: true,
      });
    },
  );

  it('considers its log unread once stdout is closed', async () => {
    const { first, hasNoReader } = await listen(
      [500, (it) => it.closeStdout()],
      [600, (it) => it.world.toolkit.info('a line')],
    );
    expect([first?.by, first?.endsBy, hasNoReader]).toEqual(['stdout was closed', 9_600, true]);
  });

  it.each<[string, (process: FakeWorld) => void, number, by: string]>([
    ['its post step has begun', mark, 2_000, 'its post step'],
    ['its runner has died', (it) => it.orphan(), 2_000, 'its runner died'],
  ])('notices without a signal that %s, and does not set a deadline', async (_, event, withinMs, by) => {
    const { first, hasNoReader } = await listen([12_500, event]);
    expect(first?.by).toContain(by);
    expect(first?.endsBy).toBe(Infinity);
    expect(first?.at).toBeLessThanOrEqual(12_500 + withinMs);
    expect(hasNoReader).toBe(true);
  });

  it('notices within 2 s that its runner died while its code was loading', async () => {
    const process = fakeWorld();
    const parentAtStart = process.world.host.parent();
    process.orphan();
    const interruption = listenForInterruption(process.world, parentAtStart);
    await process.clock.advance(2_000);
    expect(interruption.first).toMatchObject({ by: 'its runner died', endsBy: Infinity });
  });

  it.each<[string, (process: FakeWorld) => void]>([
    ['its post step has begun', mark],
    ['its runner has died', (it) => it.orphan()],
  ])('drops the deadline of a signal and considers its log unread once %s', async (_, event) => {
    const { first, hasNoReader } = await listen([500, (it) => it.signal('SIGINT')], [5_000, event]);
    expect([first, hasNoReader]).toEqual([{ by: 'SIGINT', at: 500, endsBy: Infinity }, true]);
  });

  it('does not set a deadline if a signal arrives after its post step has begun', async () => {
    const { first } = await listen([500, mark], [5_000, (it) => it.signal('SIGINT')]);
    expect(first?.endsBy).toBe(Infinity);
  });
});
