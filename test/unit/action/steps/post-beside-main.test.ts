import { describe, expect, it } from 'vitest';
import { encode } from '../../../../src/action/state/records.ts';
import { rowOf } from '../../../support/fake-service.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import {
  closed,
  intent,
  JOURNAL,
  mainRecord,
  OPEN,
  over,
  PID,
  postBench,
  postEnv,
  queued,
  STATE_FILE,
  warningsOf,
  wrote,
} from '../../../support/post.ts';
import { JOB } from '../../../support/service.ts';

const SECOND = 1_000;

describe('a post step while main is still alive', () => {
  it('tells it to stop, and believes what it wrote meanwhile', async () => {
    const files = memoryFiles();
    wrote(files, OPEN, [STATE_FILE, JOURNAL]);
    const bench = postBench(postEnv(OPEN), {
      files,
      obeys: () => {
        files.append(STATE_FILE, `\nrun_pipeline_0004=${encode(over('cancelled'))}\n`);
        return 2 * SECOND;
      },
    });
    expect(await bench.run()).toBe(2 * SECOND);
    expect(bench.signals).toEqual([`0 SIGTERM ${PID}`]);
    expect(bench.printed).toEqual([expect.stringContaining(`(${PID}) is still running`)]);
    expect(bench.opened).toEqual([]);
  });

  it('cancels a run of which it hears only after main has ended', async () => {
    const files = memoryFiles();
    wrote(files, [mainRecord(), intent()], [STATE_FILE, JOURNAL]);
    const bench = postBench(postEnv([mainRecord(), intent()]), {
      files,
      obeys: () => {
        files.append(JOURNAL, `\nrun_pipeline_0003=${encode(queued)}\n`);
        return 9 * SECOND;
      },
    });
    await bench.run();
    expect(bench.calls.map(({ call, atMs }) => [call, atMs])).toEqual([['cancel', 9 * SECOND]]);
    expect(bench.toolkit.annotations).toEqual([]);
  });

  it('ends it when it does not end by itself in ten seconds', async () => {
    const bench = postBench(postEnv(OPEN), { obeys: (name) => (name === 'SIGKILL' ? 0 : 'never') });
    await bench.run();
    expect(bench.signals).toEqual([`0 SIGTERM ${PID}`, `10000 SIGKILL ${PID}`]);
    expect(bench.calls.map(({ call, atMs }) => [call, atMs])).toEqual([['cancel', 10 * SECOND]]);
  });

  it('says so when it cannot be ended, and cancels all the same', async () => {
    const bench = postBench(postEnv(OPEN), { obeys: () => 'never' });
    await bench.run();
    expect(warningsOf(bench)).toEqual([expect.stringContaining(`(${PID}) has not ended`)]);
    expect(bench.calls.map(({ call, atMs }) => [call, atMs])).toEqual([['cancel', 20 * SECOND]]);
  });

  it('leaves it alone when it has said that it is through', async () => {
    const bench = postBench(postEnv([...OPEN, over('completed'), closed('nothing')]), { obeys: () => 0 });
    await bench.run();
    expect(bench.signals).toEqual([]);
  });

  it('leaves another process alone that has its number', async () => {
    const bench = postBench(postEnv([mainRecord({ startedAt: 'ticks:2' }), intent(), queued]), { obeys: () => 0 });
    await bench.run();
    expect(bench.signals).toEqual([]);
    expect(bench.calls).toHaveLength(1);
  });
});

describe('a post step that gets a signal itself', () => {
  it.each([0, 5_000, 61_234])('ends within 6.5 s, with a warning, when it comes after %d ms', async (afterMs) => {
    const bench = postBench(postEnv(OPEN), { script: { cancel: () => 'stalls' } });
    bench.clock.after(afterMs, () => bench.interrupt());
    const took = await bench.run();
    expect(took).toBeGreaterThan(afterMs + 4 * SECOND);
    expect(took).toBeLessThanOrEqual(afterMs + 6_500);
    expect(warningsOf(bench)).toHaveLength(1);
    const hurried = bench.calls.filter(({ atMs }) => atMs > afterMs);
    expect(hurried.length).toBeGreaterThanOrEqual(2);
    const ends = hurried.map(({ atMs, withinMs = Infinity }) => atMs + withinMs);
    expect(Math.max(...ends)).toBeLessThanOrEqual(afterMs + 6_500);
  });

  it('still cancels what can be cancelled', async () => {
    const bench = postBench(postEnv(OPEN), {
      script: { cancel: (nth) => (nth < 3 ? 'stalls' : rowOf(JOB, 'cancelled')) },
    });
    bench.clock.after(1_000, () => bench.interrupt());
    await bench.run();
    expect(bench.toolkit.annotations).toEqual([]);
    expect(bench.printed).toHaveLength(1);
  });

  it('does not spend that time on a main that never ends', async () => {
    const bench = postBench(postEnv(OPEN), { script: { cancel: () => 'stalls' }, obeys: () => 'never' });
    bench.clock.after(1_000, () => bench.interrupt());
    const took = await bench.run();
    expect(took).toBeLessThanOrEqual(7_500);
    expect(bench.signals).toEqual([`0 SIGTERM ${PID}`, `4000 SIGKILL ${PID}`]);
    expect(bench.calls[0]).toMatchObject({ call: 'cancel', atMs: 4_500 });
  });
});

describe('a post step on a system that does not tell whether main is alive', () => {
  it('sends main no signal, waits for its end, then settles its run and warns', async () => {
    const bench = postBench(postEnv(OPEN), { isUnknown: true });
    await bench.run();
    expect(bench.signals).toEqual([]);
    expect(bench.calls.map(({ call, atMs }) => [call, atMs])).toEqual([['cancel', 10 * SECOND]]);
    expect(warningsOf(bench)).toEqual([expect.stringContaining(`(${PID}) may still be running`)]);
  });

  it('goes on at once when main has ended by itself', async () => {
    const files = memoryFiles();
    const bench = postBench(postEnv(OPEN), { files, isUnknown: true });
    bench.clock.after(2 * SECOND, () => wrote(files, [...OPEN, over('cancelled'), closed('nothing')], [STATE_FILE]));
    expect(await bench.run()).toBe(2 * SECOND);
    expect([bench.calls, warningsOf(bench)]).toEqual([[], []]);
  });
});
