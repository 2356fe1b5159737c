// What the post step does while the main step is still alive.
import { describe, expect, it } from 'vitest';
import type { Fault, RequestFault } from '../../../sandbox/faults.ts';
import { createWorld } from '../../../sandbox/model/index.ts';
import {
  callsOf,
  ENDLESS,
  journalsOf,
  killedAt,
  playMain,
  playPost,
  resultOf,
  revive,
  runsOf,
  shownBy,
  startMain,
  withoutJournal,
  withoutState,
} from '../../support/steps.ts';
import { type FakeOptions, fakeWorld } from '../../support/world.ts';

/** The post step can write neither its mark nor to the journal. */
const UNWRITABLE: readonly Fault[] = [
  { file: 'mark', what: 'full_disk' },
  { file: 'journal', what: 'full_disk' },
];

it('the post step finds and stops a main step that starts a moment later', async () => {
  const machine = fakeWorld();
  let main = machine;
  const post = await playPost(machine, {}, (it) =>
    it.at(1_000, () => {
      main = startMain({ ...ENDLESS, beside: machine });
    }),
  );
  await main.ended();
  expect(runsOf(post)).toMatch(/^(?:cancelled)?$/);
  expect(shownBy(post)).not.toContain('left no record');
});

it('the post step does not wait for itself if its process id is that of the main step', async () => {
  const main = await killedAt(5_000);
  const [journal = ''] = journalsOf(main);
  main.files.texts.set(journal, (main.files.read(journal) ?? '').replace('"pid":101', '"pid":102'));
  const post = await playPost(main, withoutState(main));
  expect([post.world.host.pid, runsOf(post), post.clock.now() < 12_000]).toEqual([102, 'cancelled', true]);
});

describe('while the main step is still alive, the post step', () => {
  it('stops the main step, waits for it, and sends no requests of its own', async () => {
    const main = startMain(ENDLESS);
    await main.clock.advance(5_000);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled', '']);
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
    expect(main.clock.now()).toBeLessThan(7_000);
    expect(shownBy(post)).toMatch(/run \S+ of Endless was cancelled/i);
  });

  it.each<[string, number, RequestFault[], main: string, runs: string]>([
    ['before its first trigger', 30, [{ call: 'list', times: 1, what: 'silent' }], 'cancelled (not_queued)', ''],
    ['while it cannot connect', 500, [{ call: 'trigger', what: 'unreachable' }], 'cancelled (not_queued)', ''],
    [
      'while it waits 30 s for an id',
      500,
      [{ call: 'trigger', what: 'slow', ms: 30_000 }],
      'cancelled (cancelled)',
      'cancelled',
    ],
    ['if it never gets an id', 500, [{ call: 'trigger', what: 'silent' }], 'unknown (unknown)', 'running'],
  ])('lets the main step exit on its own %s', async (_, ms, faults, result, runs) => {
    const main = startMain({ ...ENDLESS, faults });
    await main.clock.advance(ms);
    const post = await playPost(main);
    expect(await resultOf(main)).toBe(`exit 1: ${result}`);
    expect(runsOf(post)).toBe(runs);
    expect(callsOf(post)).toBe('');
    expect(shownBy(post)).toMatch(
      result.startsWith('unknown')
        ? /may have triggered/
        : runs === ''
          ? /^$|no run of Endless was triggered/
          : /was cancelled/,
    );
  });

  it('waits for the id of one run even if another run has one', async () => {
    const options: FakeOptions = {
      inputs: { pipeline: 'endless\nslow' },
      faults: [{ call: 'trigger', from: 2, what: 'slow', ms: 30_000 }],
    };
    const main = startMain(options);
    await main.clock.advance(500);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled cancelled', '']);
    expect(shownBy(post)).not.toMatch(/may have triggered a run of \w+/);
  });

  it('does not wait for a process that has written its last line, even if its id was reused', async () => {
    const main = await playMain(
      { inputs: { pipeline: 'broken\nendless' }, faults: [{ call: 'cancel', what: 'reset' }] },
      (it) => it.at(70_000, () => it.signal('SIGINT')),
    );
    const endedAt = main.clock.now();
    revive(main);
    const post = await playPost(main, withoutJournal(main));
    expect([runsOf(post), post.clock.now() - endedAt < 1_000]).toEqual(['failed cancelled', true]);
    expect(shownBy(post)).not.toContain('not on record');
  });

  it('waits only for the last line of the main step, even if another process then gets its id', async () => {
    const main = startMain({ ...ENDLESS, reusesPid: true });
    await main.clock.advance(5_000);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled', '']);
    expect(post.clock.now()).toBeLessThan(7_000);
  });

  it('cancels a run after 12 s if the main step, which was told to stop, does not react', async () => {
    const main = await killedAt(5_000);
    revive(main);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled', 'exchange cancel']);
    expect(Math.round((post.clock.now() - 5_000) / 1_000)).toBe(12);
    expect(shownBy(post)).not.toContain('not on record');
  });

  it('waits 135 s for the response to a trigger, and keeps 45 s to cancel the runs', async () => {
    const faults: RequestFault[] = [{ call: 'trigger', from: 2, times: 1, what: 'silent' }];
    const main = await killedAt(5_000, { inputs: { pipeline: 'endless\nslow' }, faults });
    revive(main);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled running', 'exchange cancel']);
    expect(Math.round((post.clock.now() - 5_000) / 1_000)).toBe(135);
    expect(shownBy(post)).toContain('may have triggered a run of Slow');
  });

  it('waits for the main step even if other post steps have used up most of the time', async () => {
    const first = await killedAt(5_000);
    await playPost(first);
    await first.clock.advance(250_000);
    const faults: RequestFault[] = [{ call: 'trigger', times: 1, what: 'slow', ms: 5_000 }];
    const main = startMain({ ...ENDLESS, beside: first, env: { GITHUB_ACTION: 'b' }, faults });
    await main.clock.advance(500);
    const post = await playPost(main, { env: { ...main.state, GITHUB_ACTION: 'b' } });
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled cancelled', '']);
    expect(shownBy(post)).not.toMatch(/may have triggered a run of \w+/);
  });

  it('cancels the runs of a main step even if the machine sleeps for hours while it waits', async () => {
    const main = await killedAt(5_000);
    revive(main);
    const post = await playPost(main, {}, (it) => it.at(60_000, () => it.clock.sleep(7_200_000)));
    expect(runsOf(post)).toBe('cancelled');
  });

  it('settles the runs and warns about the main step if it can neither stop it nor see it exit', async () => {
    const main = await killedAt(5_000);
    revive(main);
    const post = await playPost(main, { faults: UNWRITABLE });
    expect(runsOf(post)).toBe('cancelled');
    expect(shownBy(post)).toMatch(
      /may have triggered a run that is not on record.* could not create a file next to the journal: ENOSPC/,
    );
  });

  it('retries writing its mark if the disk is full, so that the main step triggers no more runs', async () => {
    const main = startMain({ inputs: { pipeline: 'endless\norders', 'max-parallel': '1' } });
    await main.clock.advance(20_000);
    const post = await playPost(main, { faults: [{ file: 'mark', times: 4, what: 'full_disk' }] });
    expect(runsOf(post)).toBe('cancelled');
    expect(shownBy(post)).not.toContain('not on record');
  });

  it('writes its mark into the journal if it cannot create a file, so that the main step triggers no more runs', async () => {
    const main = startMain({ inputs: { pipeline: 'endless\norders', 'max-parallel': '1' } });
    await main.clock.advance(20_000);
    const post = await playPost(main, { faults: [{ file: 'mark', what: 'full_disk' }] });
    await main.ended();
    expect(runsOf(post)).toBe('cancelled');
    expect(shownBy(post)).not.toContain('not on record');
  });

  it('settles runs that appear later, even if it cannot write its mark', async () => {
    const main = startMain({ ...ENDLESS, faults: [{ call: 'trigger', what: 'slow', ms: 60_000 }] });
    await main.clock.advance(20_000);
    const post = await playPost(main, { faults: UNWRITABLE });
    expect(runsOf(post)).toBe('cancelled');
    expect(await resultOf(main)).toBe('exit 1: failed (cancelled)');
  });
});

describe('while the main step is alive and cannot be stopped, the post step', () => {
  it('cancels the run of another attempt that starts meanwhile', async () => {
    // Main sees its first run fail after the post step has started, and is killed before its second run has finished.
    const main = startMain({
      service: createWorld({ pipelines: [{ name: 'Load', scenario: 'flaky' }] }),
      inputs: { pipeline: 'Load', 'max-attempts': '2', 'retry-delay': '1s', 'poll-interval': '60s' },
    });
    await main.clock.advance(25_000);
    main.at(70_000, () => main.kill());
    expect(runsOf(await playPost(main, { faults: UNWRITABLE }))).toBe('failed cancelled');
  });

  it('does not try to cancel a run again once its time is up', async () => {
    const main = await killedAt(5_000);
    revive(main);
    const post = await playPost(main, { faults: [...UNWRITABLE, { call: ['read', 'cancel'], what: 'http_503' }] });
    expect(post.clock.now()).toBeLessThanOrEqual(185_000);
  });
});
