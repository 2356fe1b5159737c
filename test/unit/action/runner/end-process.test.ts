import { describe, expect, it } from 'vitest';
import { endProcess, type ProcessControl } from '../../../../src/action/runner/process.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

interface Scene {
  readonly code: number;
  /** When stdout has taken the rest of the log, in ms; Infinity: never. */
  readonly flushedAtMs: number;
  /** Stdout takes nothing, and says so. */
  readonly isBroken?: boolean;
  /** Until when a lookup hangs, in ms. */
  readonly pendingUntilMs?: number;
  /** When a signal arrives, in ms; negative: before the end of the step. */
  readonly signalAtMs?: number;
}

/** Ends a process in virtual time; returns how and when. */
async function end({ code, flushedAtMs, isBroken = false, pendingUntilMs = 0, signalAtMs }: Scene): Promise<string> {
  const clock = new VirtualClock();
  const controller = new AbortController();
  let first: { readonly by: string; readonly at: number } | undefined;
  const interrupt = (at: number): void => {
    first = { by: 'SIGINT', at };
    controller.abort();
  };
  if (signalAtMs !== undefined) {
    if (signalAtMs < 0) interrupt(signalAtMs);
    else clock.after(signalAtMs, () => interrupt(signalAtMs));
  }
  const ends: string[] = [];
  const printed: boolean[] = [];
  let verdict: number | undefined;
  const note = (how: string) => (): void => {
    ends.push(`${how} with ${verdict} at ${clock.now()}${printed[0] === true ? '' : ', unprinted'}`);
  };
  const control: ProcessControl = {
    setInitialCode: () => undefined,
    setFinalCode(value) {
      verdict = value;
    },
    onError: () => undefined,
    onDrained: () => undefined,
    onFlushed: (listener) => {
      if (flushedAtMs !== Infinity) clock.after(flushedAtMs, () => listener(!isBroken));
    },
    isThreadPoolBusy: () => clock.now() < pendingUntilMs,
    exit: note('exits'),
    exitNow: note('exits without listeners'),
    kill: note('kills itself'),
  };
  const interruption = {
    look: () => undefined,
    signal: controller.signal,
    get first() {
      return first;
    },
  };
  endProcess(code, { control, clock, interruption }, (isPrinted) => {
    printed.push(isPrinted);
  });
  await clock.advance(60_000);
  return ends.join(', ');
}

describe('a process that has its verdict', () => {
  it.each([
    ['as soon as stdout has taken everything', 0, 130, 'exits with 0 at 130'],
    ['as soon as stdout has taken everything, also when it fails', 1, 3_333, 'exits without listeners with 1 at 3333'],
    ['after 5 s if stdout takes nothing', 0, Infinity, 'exits with 0 at 5000, unprinted'],
    [
      'after 5 s if stdout takes nothing, also when it fails',
      1,
      Infinity,
      'exits without listeners with 1 at 5000, unprinted',
    ],
  ])('exits %s', async (_, code, flushedAtMs, expected) => {
    expect(await end({ code, flushedAtMs })).toBe(expected);
  });

  it.each([
    [-1_000, 0, 'exits with 0 at 250, unprinted'],
    [-1_000, 1, 'exits without listeners with 1 at 250, unprinted'],
    [1_000, 0, 'exits with 0 at 1250, unprinted'],
    [1_000, 1, 'exits without listeners with 1 at 1250, unprinted'],
    [4_900, 0, 'exits with 0 at 5000, unprinted'],
  ])('gives stdout 250 ms from a signal at %d ms, and keeps exit code %d', async (signalAtMs, code, how) => {
    expect(await end({ code, flushedAtMs: Infinity, signalAtMs })).toBe(how);
  });

  it('knows that nobody could read it if stdout is broken', async () => {
    expect(await end({ code: 1, flushedAtMs: 40, isBroken: true })).toBe(
      'exits without listeners with 1 at 40, unprinted',
    );
  });

  it('does not wait for stdout that has taken everything before the 250 ms are over', async () => {
    expect(await end({ code: 1, flushedAtMs: 10, signalAtMs: -9_300 })).toBe('exits without listeners with 1 at 10');
  });

  it.each([
    ['with a lookup that ends in time exits with 1', 100, 'exits without listeners with 1 at 100'],
    ['with a lookup that hangs kills itself after 250 ms', 20_000, 'kills itself with 1 at 250'],
  ])('%s, if it fails after a signal', async (_, pendingUntilMs, expected) => {
    expect(await end({ code: 1, flushedAtMs: 0, pendingUntilMs, signalAtMs: -5 })).toBe(expected);
  });

  it('kills itself in time if stdout takes nothing and a lookup hangs', async () => {
    const scene = { code: 1, flushedAtMs: Infinity, pendingUntilMs: 20_000, signalAtMs: -9_300 };
    expect(await end(scene)).toBe('kills itself with 1 at 250, unprinted');
  });

  it('waits for a lookup up to 5 s, or 250 ms from a signal, if it fails without one', async () => {
    const scene = { code: 1, flushedAtMs: 0, pendingUntilMs: 20_000 };
    expect(await end(scene)).toBe('kills itself with 1 at 5000');
    expect(await end({ ...scene, pendingUntilMs: 1_000 })).toBe('exits without listeners with 1 at 1000');
    expect(await end({ ...scene, signalAtMs: 1_000 })).toBe('kills itself with 1 at 1250');
  });

  it('leaves a hanging lookup to Node if it succeeds, because a kill would be a failure', async () => {
    const scene = { code: 0, flushedAtMs: 7, pendingUntilMs: 20_000 };
    expect(await end(scene)).toBe('exits with 0 at 7');
    expect(await end({ ...scene, signalAtMs: -1 })).toBe('exits with 0 at 7');
  });
});
