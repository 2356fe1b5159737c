// How a step runs as a process, with exactly one verdict and one exit.
import { describe, expect, it } from 'vitest';
import { type EntryWork, runProcess } from '../../../src/action/process.ts';
import { listenForInterruption } from '../../../src/action/signals.ts';
import { type FakeWorld, fakeWorld } from '../../support/world.ts';

/** Runs a step whose work ends with an exit code, and logs what the process does with it. */
async function play(
  work: () => Promise<number>,
  events: (process: FakeWorld) => void = () => undefined,
  codeOfFailure: 0 | 1 = 1,
  crash?: EntryWork['crash'],
  close?: EntryWork['close'],
) {
  const process = fakeWorld();
  const calls: string[] = [];
  let verdict = 1;
  const step: EntryWork = {
    async work() {
      verdict = await work();
    },
    report() {
      calls.push('report');
      return verdict;
    },
    crash(why) {
      if (crash !== undefined) return crash(why);
      calls.push(`crash: ${why}`);
      return undefined;
    },
    close:
      close ??
      ((isReported, code) => {
        calls.push(`close: ${isReported ? 'printed' : 'not printed'}`);
        return code;
      }),
  };
  process.start(({ world }) => runProcess(world, step, listenForInterruption(world), codeOfFailure));
  events(process);
  return { code: await process.ended(), calls, log: process.log, endedAt: process.clock.now() };
}

const never = () => new Promise<number>(() => undefined);
const bug = (): Promise<number> => Promise.reject(new Error('bug'));

describe('a process', () => {
  it.each([0, 1])("exits with its step's verdict %i after printing the log", async (code) => {
    expect(await play(() => Promise.resolve(code))).toMatchObject({
      code,
      calls: ['report', 'close: printed'],
      endedAt: 0,
    });
  });

  it('fails if its step throws', async () => {
    expect(await play(bug)).toMatchObject({ code: 1, calls: ['crash: bug', 'close: printed'] });
  });

  it('fails if its report throws', async () => {
    const calls: string[] = [];
    const report = (): never => {
      throw new Error('bug in the report');
    };
    const process = fakeWorld();
    const step = {
      work: () => Promise.resolve(),
      report,
      crash: (why: string) => void calls.push(why),
      close: (_: boolean, code: number) => code,
    };
    process.start(({ world }) => runProcess(world, step, listenForInterruption(world), 1));
    expect([await process.ended(), calls]).toEqual([1, ['bug in the report']]);
  });

  it('fails if it runs out of work before its step has finished', async () => {
    const { code, calls } = await play(never);
    expect(code).toBe(1);
    expect(calls).toEqual(['crash: the process ran out of work before the step had finished', 'close: printed']);
  });

  it('fails at the first uncaught error and ignores later ones', async () => {
    const { code, calls } = await play(never, (process) => {
      process.fail(new Error('first'));
      process.fail('second');
    });
    expect([code, calls[0]]).toEqual([1, 'crash: first']);
    expect(calls).not.toContain('crash: second');
  });

  it('fails after an uncaught error, even if its step then succeeds and a signal shortens the time for printing', async () => {
    const steps: ((code: number) => void)[] = [];
    const { calls, code } = await play(
      () => new Promise((resolve) => steps.push(resolve)),
      (process) => {
        process.jamStdout();
        process.fail(new Error('bug'));
        process.at(500, () => process.signal('SIGINT'));
        process.at(1_000, () => steps[0]?.(0));
      },
    );
    expect(code).toBe(1);
    expect(calls).not.toContain('report');
  });

  it('ends as a failure without a report if reporting fails, and the post step reports', async () => {
    const { code, calls, log } = await play(bug, undefined, 1, () => {
      throw new Error('another bug');
    });
    expect([code, calls]).toEqual([1, ['close: not printed']]);
    expect(log).toEqual(['Internal error in this action: bug. Please report this bug.']);
  });

  it.each([0, 1])(
    'ends with the verdict %i even if an error occurs while the report is being printed',
    async (code) => {
      const played = await play(
        () => Promise.resolve(code),
        (process) => {
          process.jamStdout();
          process.at(1_000, () => process.fail(new Error('bug')));
        },
      );
      expect(played).toMatchObject({ code, calls: ['report', 'close: not printed'] });
    },
  );

  it.each([0, 1])('ends with the verdict %i even if its last line causes an error', async (code) => {
    const close = (): number => {
      throw new Error('bug');
    };
    expect(await play(() => Promise.resolve(code), undefined, 1, undefined, close)).toMatchObject({ code });
  });

  it('does not fail a job in its post step', async () => {
    expect(await play(bug, undefined, 0)).toMatchObject({ code: 0 });
  });

  it.each([
    ['5 s for a stdout that accepts nothing', [], 5_000],
    ['a quarter of a second if the runner is about to kill it', ['SIGINT'], 250],
  ])('waits %s', async (_, signals, ms) => {
    let end: (code: number) => void = () => undefined;
    const { calls, endedAt } = await play(
      () => new Promise((resolve) => (end = resolve)),
      (process) => {
        process.jamStdout();
        process.world.clock.after(100, () => end(0));
        for (const signal of signals) process.signal(signal);
      },
    );
    expect([calls, endedAt]).toEqual([['report', 'close: not printed'], 100 + ms]);
  });
});
