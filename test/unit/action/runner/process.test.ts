// The end of a process: its exit code, its waits for stdout and name lookups, and the effect of an error.
import { describe, expect, it, vi } from 'vitest';
import { controlOf, endProcess, type ProcessControl, runMain, runPost } from '../../../../src/action/runner/process.ts';
import { interruptible } from '../../../support/interruption.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

interface Scene {
  /** The time in milliseconds at which stdout has processed the rest of the log. Default: never. */
  readonly flushedAtMs?: number;
  /** False if stdout fails instead of accepting the log. */
  readonly isAccepted?: boolean;
  /** The time in milliseconds until which a name lookup keeps the thread pool busy. */
  readonly busyUntilMs?: number;
  /** The time in milliseconds at which a signal arrives. A negative time is before the step ends. */
  readonly signalAtMs?: number;
}

/** Simulates a process in virtual time. `ends` lists each exit with its kind, code and time. */
function bench({ flushedAtMs = Infinity, isAccepted = true, busyUntilMs = 0, signalAtMs = Infinity }: Scene = {}) {
  const clock = new VirtualClock();
  const { interruption, interrupt } = interruptible(clock);
  const begin = Math.max(0, -signalAtMs);
  if (signalAtMs < Infinity) clock.after(begin + signalAtMs, interrupt);
  const ends: string[] = [];
  const codes: number[] = [];
  const listeners = { error: (_: unknown) => {}, drained: () => {} };
  const note = (how: string) => (): void => void ends.push(`${how} ${codes.at(-1)} at ${clock.now() - begin}`);
  const control: ProcessControl = {
    setInitialCode: (code) => codes.push(code),
    setFinalCode: (code) => codes.push(code),
    onError: (listener) => Object.assign(listeners, { error: listener }),
    onDrained: (listener) => Object.assign(listeners, { drained: listener }),
    onFlushed(listener) {
      if (flushedAtMs < Infinity) clock.after(flushedAtMs, () => listener(isAccepted));
    },
    isThreadPoolBusy: () => clock.now() - begin < busyUntilMs,
    exit: note('exit'),
    exitNow: note('exitNow'),
    kill: note('kill'),
  };
  return { clock, begin, ends, codes, listeners, parts: { control, clock, interruption } };
}

/** Ends a process with this code. Returns how it ended, and whether it printed everything. */
async function end(code: number, scene: Scene): Promise<string> {
  const { clock, begin, ends, parts } = bench(scene);
  await clock.advance(begin);
  endProcess(code, parts, (isPrinted) => void ends.push(isPrinted ? 'printed' : 'cut off'));
  await clock.advance(60_000);
  return ends.join(', ');
}

const hangs = { busyUntilMs: 20_000 };

it.each<[string, number, Scene, string]>([
  ['exits once stdout has accepted everything', 0, { flushedAtMs: 130 }, 'printed, exit 0 at 130'],
  ['skips exit listeners if it fails', 1, { flushedAtMs: 3_333 }, 'printed, exitNow 1 at 3333'],
  ['waits at most 5 s for stdout', 0, {}, 'cut off, exit 0 at 5000'],
  ['waits 250 ms for stdout if a signal has already arrived', 1, { signalAtMs: -9_300 }, 'cut off, exitNow 1 at 250'],
  ['waits another 250 ms for stdout if a signal arrives', 1, { signalAtMs: 1_000 }, 'cut off, exitNow 1 at 1250'],
  ['waits no longer than 5 s even if a signal arrives at 4.9 s', 0, { signalAtMs: 4_900 }, 'cut off, exit 0 at 5000'],
  ['stops waiting once stdout is done', 1, { flushedAtMs: 10, signalAtMs: -9_300 }, 'printed, exitNow 1 at 10'],
  ['does not wait for a broken stdout', 1, { flushedAtMs: 40, isAccepted: false }, 'cut off, exitNow 1 at 40'],
  ['waits for a lookup before it fails', 1, { flushedAtMs: 0, busyUntilMs: 1_000 }, 'printed, exitNow 1 at 1000'],
  ['kills itself if a lookup hangs for 5 s', 1, { flushedAtMs: 0, ...hangs }, 'printed, kill 1 at 5000'],
  ['kills itself if stdout and a lookup hang', 1, { ...hangs, signalAtMs: -9_300 }, 'cut off, kill 1 at 250'],
  ['does not kill itself if it succeeds', 0, { flushedAtMs: 7, ...hangs, signalAtMs: -1 }, 'printed, exit 0 at 7'],
])('a process with a final exit code %s', async (_, code, scene, expected) => {
  expect(await end(code, scene)).toBe(expected);
});

describe('a main process', () => {
  /** Runs a step as a process, calls `happens`, and returns the exit codes, exits and reports. */
  async function play(run: () => Promise<number>, happens: (bench_: ReturnType<typeof bench>) => void = () => {}) {
    const scene = bench({ flushedAtMs: 0 });
    const reports: string[] = [];
    const crash = (why: string): number => {
      reports.push(why);
      if (why.includes('unreportable')) throw new Error(why);
      return 3;
    };
    const step = { run, crash, close: (isPrinted: boolean) => void reports.push(`closed ${isPrinted}`) };
    runMain(step, (stack) => void reports.push(stack.slice(0, 9)), scene.parts);
    happens(scene);
    await scene.clock.advance(10_000);
    return { codes: scene.codes.join(' '), ends: scene.ends, reports };
  }

  const endless = (): Promise<number> => new Promise(() => {});
  const bug = new TypeError('a bug');

  it('has the exit code 1 until the step returns another code', async () => {
    expect(await play(async () => 0)).toEqual({ codes: '1 0', ends: ['exit 0 at 0'], reports: ['closed true'] });
  });

  it('reports only the first of several errors and exits once', async () => {
    const { ends, reports } = await play(endless, ({ listeners }) => {
      listeners.error(bug);
      listeners.error(new Error('another bug'));
      listeners.drained();
    });
    expect([ends, reports]).toEqual([['exitNow 3 at 0'], ['TypeError', 'TypeError: a bug', 'closed true']]);
  });

  it.each<[string, () => Promise<number>, (scene: ReturnType<typeof bench>) => void, string, RegExp]>([
    ['its event loop runs empty', endless, (scene) => scene.listeners.drained(), '1 3', /^nothing was left /],
    ['other code throws null', endless, (scene) => scene.listeners.error(null), '1 3', /^null$/m],
    ['reporting an error fails', () => Promise.reject(new Error('unreportable')), () => {}, '1 1', /unreportable/],
  ])('fails if %s', async (_, run, happens, codes, report) => {
    const seen = await play(run, happens);
    expect(seen.codes).toBe(codes);
    expect(seen.reports.join('\n')).toMatch(report);
  });
});

const never = (): Promise<void> => new Promise(() => {});
const resolving = async (): Promise<void> => {};

it.each<[string, () => Promise<void>, 'error' | 'drained' | undefined, unknown[]]>([
  ['its step resolves', resolving, undefined, []],
  ['its step rejects', () => Promise.reject(new TypeError('a bug')), undefined, ['warn TypeError: a bug']],
  ['other code throws', resolving, 'error', ['stray Error: not ours']],
  ['its event loop runs empty', never, 'drained', [expect.stringMatching(/^warn nothing was left /)]],
])('a post process exits with 0 if %s', async (_, post, event, reports) => {
  const { parts, codes, listeners, clock } = bench({ flushedAtMs: 0 });
  const reported: string[] = [];
  const note = (what: string) => (why: string) => void reported.push(`${what} ${why}`);
  runPost(post, { warn: note('warn'), onStray: note('stray') }, parts);
  if (event !== undefined) listeners[event](new Error('not ours'));
  await clock.advance(0);
  expect([reported, codes]).toEqual([reports, [0, 0]]);
});

describe('the process control', () => {
  function guarded() {
    const guard = { code: 9, earlyExitCommand: '::error::early', exitNow: vi.fn(), endWith: vi.fn() };
    return { guard, control: controlOf(guard) };
  }

  it('keeps the command for an early exit until the final exit code is set', () => {
    const { guard, control } = guarded();
    control.setInitialCode(1);
    expect(guard).toMatchObject({ code: 1, earlyExitCommand: '::error::early' });
    control.setFinalCode(0);
    expect(guard).toMatchObject({ code: 0, earlyExitCommand: undefined });
  });

  it('exits even if an exit listener from other code throws', () => {
    const { guard, control } = guarded();
    vi.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('not ours');
    });
    expect(() => control.exit()).toThrow('not ours');
    expect(guard.exitNow).toHaveBeenCalledOnce();
  });

  const pooled = { GetAddrInfoReqWrap: true, FSReqCallback: true, FileHandleCloseReq: true };
  const resources = Object.entries({ ...pooled, TCPSocketWrap: false, Timeout: false });

  it.each(resources)('given the resource %s, reports whether the thread pool is busy: %s', (resource, isBusy) => {
    vi.spyOn(process, 'getActiveResourcesInfo').mockReturnValue(['PipeWrap', resource]);
    expect(guarded().control.isThreadPoolBusy()).toBe(isBusy);
  });

  it('listens for errors and for an empty event loop', () => {
    const on = vi.spyOn(process, 'on').mockReturnThis();
    const { control } = guarded();
    control.onError(() => {});
    control.onDrained(() => {});
    expect(on.mock.calls.map(([event]) => event)).toEqual(['uncaughtException', 'unhandledRejection', 'beforeExit']);
  });

  it.each([
    ['has accepted the log', undefined],
    ['has accepted the log', null],
    ['has failed', new Error('EPIPE')],
  ])('reports that stdout %s if the last write to it ends with %s', (_, error) => {
    const write = (text: string, done: (error?: Error | null) => void): boolean => {
      done(error);
      return text === '';
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(write as typeof process.stdout.write);
    const flushed = vi.fn();
    guarded().control.onFlushed(flushed);
    expect(flushed.mock.calls).toEqual([[!error]]);
  });

  it('can kill the process', () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    guarded().control.kill();
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGKILL']]);
  });
});
