// The post step settles and reports the runs that the main step left, even if the main step was killed or its state lost.
import { describe, expect, it } from 'vitest';
import { createWorld, revokeKey, SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { mainStep } from '../../../src/action/main-step.ts';
import { runProcess } from '../../../src/action/process.ts';
import { listenForInterruption } from '../../../src/action/signals.ts';
import { FORBIDDEN, fatesOf, json, type Network, NO_ROWS, UNAUTHORIZED, UNAVAILABLE } from '../../support/answers.ts';
import {
  callsOf,
  existingRun,
  journalsOf,
  playMain,
  playPost,
  resultOf,
  runsOf,
  sentBy,
  shownBy,
  startMain,
  withoutState,
} from '../../support/steps.ts';
import { BASE_URL, type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

const ENDLESS: FakeOptions = { inputs: { pipeline: 'endless' } };
const CANCELLED: FakeOptions = { inputs: { 'internal-job-status': 'cancelled' } };

/** Plays a main step that is killed after this time. */
const killedAt = (ms: number, options = ENDLESS) => playMain(options, (it) => it.at(ms, () => it.kill()));
function withoutJournal(main: FakeWorld): FakeOptions {
  for (const path of journalsOf(main)) main.files.texts.delete(path);
  return {};
}
/** Pretends that a process lives on, for example because its id was reused. */
const revive = ({ machine, world }: FakeWorld): void => void machine.pids.set(world.host.pid, true);

describe('the post step sends no request and prints nothing', () => {
  it.each<[string, FakeOptions, FakeOptions]>([
    ['after a success', {}, {}],
    ['after a success in a job that was cancelled later', {}, CANCELLED],
    ['after a failure', { inputs: { pipeline: 'broken' } }, {}],
    ['after wait: false', { inputs: { wait: 'false' } }, {}],
    ['after a rejected trigger', { inputs: { pipeline: 'inactive' } }, CANCELLED],
    ['after rejected inputs', { inputs: { wait: 'maybe' } }, CANCELLED],
    ['after on-timeout: leave', { inputs: { pipeline: 'endless', timeout: '40s', 'on-timeout': 'leave' } }, CANCELLED],
  ])('%s', async (_, options, postOptions) => {
    const main = await playMain(options);
    const post = await playPost(main, postOptions);
    expect(`${callsOf(post)}${shownBy(post)}${post.summary}`).toBe('');
    // The entry ends before it loads the step.
    expect(await post.ended()).toBeUndefined();
  });

  it.each<[string, Record<string, string>]>([
    ['after wait: false and on-cancel: leave', { 'on-cancel': 'leave' }],
    ['after wait: false in a step that began after the cancellation', { 'internal-job-status': 'cancelled' }],
  ])('in a cancelled job %s', async (_, inputs) => {
    const post = await playPost(await playMain({ inputs: { wait: 'false', ...inputs } }), CANCELLED);
    expect(`${callsOf(post)}${shownBy(post)}${post.summary}`).toBe('');
  });

  it('if the main step was killed before its first intent', async () => {
    const post = await playPost(await killedAt(30));
    expect(`${callsOf(post)}${shownBy(post)}`).toBe('');
  });
});

describe('after the main step was killed', () => {
  const KEPT: readonly (readonly [string, (main: FakeWorld) => FakeOptions])[] = [
    ['kept the state', () => ({})],
    ['lost the state', withoutState],
    ['lost the journal', withoutJournal],
  ];

  describe.each(KEPT)('and the runner %s, the post step', (_, lose) => {
    it('cancels the run and says so', async () => {
      const main = await killedAt(5_000);
      const post = await playPost(main, lose(main));
      expect([runsOf(post), await post.ended(), callsOf(post)]).toEqual(['cancelled', 0, 'exchange cancel']);
      expect(shownBy(post)).toMatch(/The step ended early: run \S+ of Endless was cancelled/);
      expect(shownBy(post)).toContain('The step ended before its runs finished. Cancelling run');
      expect(post.summary).toMatch(/^### Pipeline runs after the job\n/);
      expect(post.summary).toContain(main.service.jobs[0]?.id);
      expect(post.service.violations).toEqual([]);
    });

    it.each([45, 55])('warns about a trigger that was sent at 40 ms and had no response by %i ms', async (ms) => {
      const main = await killedAt(ms);
      const post = await playPost(main, lose(main));
      expect(callsOf(post)).toBe('');
      expect(shownBy(post)).toMatch(
        /^warning .*A run of Endless may be in progress\. .* sent at 2026-01-05T12:00:00.040Z, but the step ended/,
      );
    });

    it('reports the time of the first POST if a trigger was repeated', async () => {
      const main = await killedAt(5_000, { ...ENDLESS, network: fatesOf('trigger', ['refused'], 'silent') });
      expect(shownBy(await playPost(main, lose(main)))).toContain('it was sent at 2026-01-05T12:00:00.040Z');
    });

    it('reports which attempt had no response to its trigger, but not the unknown maximum', async () => {
      const network = fatesOf('trigger', ['service', 'silent']);
      const main = await killedAt(130_000, {
        inputs: { pipeline: 'broken', 'max-attempts': '3', 'retry-delay': '1s' },
        network,
      });
      expect(shownBy(await playPost(main, lose(main)))).toContain('A run of Broken (attempt 2) may be in progress');
    });

    it('cancels all runs', async () => {
      const main = await killedAt(5_000, { inputs: { pipeline: 'endless\nslow\nunpicked' } });
      const post = await playPost(main, lose(main));
      expect(runsOf(post)).toBe('cancelled cancelled cancelled');
      expect(shownBy(post)).toMatch(/Cancelling run \S+ of Endless, run \S+ of Slow and run \S+ of Unpicked\.$/m);
    });

    it('cancels a run that reached queue-timeout, but not another run with on-cancel: leave', async () => {
      const main = await killedAt(95_000, {
        inputs: { pipeline: 'unpicked\nendless', 'queue-timeout': '90s', 'on-cancel': 'leave' },
        network: ({ call }) => (call === 'cancel' ? 'reset' : 'service'),
      });
      expect(runsOf(await playPost(main, lose(main)))).toBe('cancelled running');
    });

    it('warns about tables that a run may be dropping after a trigger with reset-target and no response', async () => {
      const inputs = { pipeline: 'endless', 'full-resync': 'true', 'reset-target': 'True' };
      const main = await killedAt(55, { inputs });
      expect(shownBy(await playPost(main, { ...lose(main), inputs }))).toContain('The run may be dropping tables now.');
      expect(shownBy(await playPost(main, lose(main)))).not.toContain('dropping tables');
    });

    it('leaves the run in progress and says how to wait for it with on-cancel: leave', async () => {
      const main = await killedAt(5_000, { inputs: { pipeline: 'endless', 'on-cancel': 'leave' } });
      const post = await playPost(main, lose(main));
      expect([runsOf(post), callsOf(post)]).toEqual(['queued', '']);
      expect(shownBy(post)).toMatch(/was left in progress \(on-cancel: leave\).*set the job-id input to/s);
    });
  });

  it('the post step says that nothing was recorded if both records are gone', async () => {
    const main = await killedAt(5_000);
    main.files.texts.delete(journalsOf(main)[0] ?? '');
    const post = await playPost(main, withoutState(main));
    expect(shownBy(post)).toMatch(
      /^warning .*left no record.*\sCheck this workflow's pipeline runs in the application\./,
    );
    expect(post.clock.now()).toBeLessThan(11_000);
  });

  it('the post step warns that a run may not be on record only if the journal is gone', async () => {
    const shown = [];
    for (const lose of [withoutJournal, withoutState]) {
      const main = await killedAt(5_000);
      shown.push(shownBy(await playPost(main, lose(main))).includes('may have triggered a run that is not on record'));
    }
    expect(shown).toEqual([true, false]);
  });

  it('the post step cancels an existing run if the main step was killed between the writes to its two files', async () => {
    const { service, id } = existingRun('endless');
    const main = fakeWorld({
      service,
      inputs: { pipeline: 'endless', 'job-id': id },
      onEffect: (effect) => {
        if (effect === `append ${main.world.env['GITHUB_STATE']}`) main.kill();
      },
    });
    const interruption = listenForInterruption(main.world);
    runProcess(main.world, mainStep(main.world, interruption), interruption, 1);
    await main.ended();
    expect(runsOf(await playPost(main))).toBe('cancelled');
  });

  it('the post step leaves an existing run alone if the main step could not write its first lines', async () => {
    const { service, id } = existingRun('endless');
    const beside = fakeWorld({ service });
    beside.files.refuse('/runner/102/GITHUB_STATE');
    const main = await playMain({ inputs: { pipeline: 'endless', 'job-id': id }, beside, random: Math.random });
    expect(shownBy(main)).toContain('could not write the files');
    const post = await playPost(main);
    expect([callsOf(post), runsOf(post)]).toEqual(['', 'running']);
  });

  it('the post step does not wait for itself if its process id is that of the main step', async () => {
    const main = await killedAt(5_000);
    const [journal = ''] = journalsOf(main);
    main.files.texts.set(journal, (main.files.read(journal) ?? '').replace('"pid":101', '"pid":102'));
    const post = await playPost(main, withoutState(main));
    expect([post.world.host.pid, runsOf(post), post.clock.now() < 10_000]).toEqual([102, 'cancelled', true]);
  });

  it('the post step lists the pipelines and runs in its inputs if nothing was recorded', async () => {
    const inputs = { pipeline: 'orders\n \ncustomers', 'job-id': 'x' };
    const post = await playPost(fakeWorld(), { inputs });
    expect(shownBy(post)).toContain('Check the runs of "orders", "customers" and "x" in the application.');
  });

  it('the post step says that the record is unreadable if its first line is cut off', async () => {
    const main = await killedAt(5_000);
    main.files.texts.delete(journalsOf(main)[0] ?? '');
    const post = await playPost(main, { env: { STATE_run_pipeline: '{"n":1,"pid' } });
    expect(shownBy(post)).toMatch(/^warning .*cannot be read\. A run may be in progress/);
  });

  it('the post step uses the journal if the first line of the state is cut off', async () => {
    const main = await killedAt(5_000);
    const { env } = withoutState(main);
    expect(runsOf(await playPost(main, { env: { ...env, STATE_run_pipeline: '{"n":1,"pid' } }))).toBe('cancelled');
  });

  it('the post step reports a finished run whose result was not printed', async () => {
    let end = (): void => undefined;
    const onEffect = (effect: string): void => {
      if (effect === 'output outcome') end();
    };
    const main = await playMain({ inputs: { pipeline: 'broken' }, onEffect }, (it) => {
      end = () => it.kill();
    });
    const post = await playPost(main);
    expect(callsOf(post)).toBe('');
    expect(shownBy(post)).toMatch(/^warning .*run \S+ of Broken failed/i);
  });

  it('the post step writes no job summary with summary: false', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, { inputs: { summary: 'false' } });
    expect([runsOf(post), post.summary]).toEqual(['cancelled', '']);
  });
});

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

describe('with only the journal, the post step', () => {
  // The runner may have abandoned the main step and never shown its log.
  it.each([
    ['reports a failed run', { pipeline: 'broken' }, /^warning .*Run \S+ of Broken failed/],
    [
      'reports a run that was cancelled after a timeout',
      { pipeline: 'endless', timeout: '40s' },
      /Step timed out after 40s: run \S+ of Endless was cancelled/,
    ],
    ['reports a success', {}, /^Run \S+ of Orders completed\.$/],
    ['does not report rejected inputs', { wait: 'maybe' }, /^$/],
    ['reports a detached run', { wait: 'false' }, /^Run \S+ of Orders is queued/],
  ])('%s', async (_, inputs, words) => {
    const main = await playMain({ inputs });
    const post = await playPost(main, withoutState(main));
    expect(shownBy(post)).toMatch(words);
    expect(callsOf(post)).toBe('');
  });

  it.each(['', 'endless'])(
    'reports that the step lost contact with an existing run (pipeline "%s")',
    async (pipeline) => {
      const { service, id } = existingRun('endless');
      const inputs = { pipeline, 'job-id': id };
      const main = await playMain({ service, inputs, network: fatesOf('read', ['service'], FORBIDDEN) });
      const post = await playPost(main, withoutState(main));
      expect(shownBy(post)).toMatch(/^warning .*Lost contact with run .*To continue waiting, run this step again/s);
    },
  );

  it('repeats a report that only the journal confirms, because the runner may have abandoned the step earlier', async () => {
    const main = await playMain({ inputs: { pipeline: 'broken' } });
    const post = await playPost(main, { env: { ...main.state, STATE_run_pipeline_end: undefined } });
    expect([callsOf(post), shownBy(post)]).toEqual(['', expect.stringMatching(/^warning .*Run \S+ of Broken failed/)]);
  });

  it('takes the address from its own base-url input', async () => {
    const main = await killedAt(5_000);
    const elsewhere = { 'base-url': 'https://other.example.test' };
    const kept = await playPost(main, { inputs: elsewhere });
    const again = await killedAt(5_000);
    const lost = await playPost(again, { ...withoutState(again), inputs: elsewhere });
    expect(kept.requests[0]?.url.origin).toBe(BASE_URL);
    expect(lost.requests[0]?.url.origin).toBe('https://other.example.test');
  });

  it('gives up after three reads if a different service does not have the run', async () => {
    const main = await killedAt(5_000);
    const inputs = { 'base-url': 'https://other.example.test' };
    const network: Network = ({ call }) => (call === 'exchange' ? 'service' : NO_ROWS);
    const post = await playPost(main, { ...withoutState(main), inputs, network });
    expect(sentBy(post, 'read')).toHaveLength(3);
    expect(shownBy(post)).toMatch(/^warning .*may still be in progress/);
  });

  it('reports the run but cannot cancel it if base-url is empty', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, { ...withoutState(main), inputs: { 'base-url': '' } });
    expect(callsOf(post)).toBe('');
    expect(shownBy(post)).toMatch(
      new RegExp(`^warning .*${main.service.jobs[0]?.id}.*base-url.*Composite action`, 's'),
    );
  });

  it('settles the runs of every main process of its step, but of no other step', async () => {
    const first = await killedAt(5_000);
    const second = await playMain({ ...ENDLESS, beside: first }, (it) => it.at(10_000, () => it.kill()));
    await playMain({ ...ENDLESS, beside: first, env: { GITHUB_ACTION: '__other' } }, (it) =>
      it.at(15_000, () => it.kill()),
    );
    expect(journalsOf(first)).toHaveLength(3);
    const post = await playPost(second, withoutState(second));
    expect(runsOf(post)).toBe('cancelled cancelled queued');
    const again = await playPost(second, withoutState(second));
    expect(`${callsOf(again)}${shownBy(again)}${again.summary}`).toBe('');
  });

  it.each([
    ['is unreadable', /^run_pipeline=.*/, 'run_pipeline={"n":1,"pid', /cannot be read/],
    ['causes an error', /"target":\{[^}]*\}/g, '"target":null', /The post step failed: Cannot read/],
  ])('settles a run even if another journal %s', async (_, whole, damaged, warning) => {
    const first = await killedAt(5_000);
    const [journal = ''] = journalsOf(first);
    const text = first.files.read(journal) ?? '';
    first.files.texts.set(journal, text.replace(whole, damaged));
    const second = await playMain({ ...ENDLESS, beside: first }, (it) => it.at(10_000, () => it.kill()));
    const post = await playPost(second, withoutState(second));
    expect(runsOf(post)).toBe('picked cancelled');
    expect(shownBy(post)).toMatch(warning);
  });

  it('cancels a run at once even if the run in another journal cannot be cancelled', async () => {
    const first = await killedAt(5_000);
    const second = await playMain({ ...ENDLESS, beside: first }, (it) => it.at(10_000, () => it.kill()));
    const [stuck, other] = first.service.jobs.map(({ id }) => id);
    const network: Network = ({ url }) => (url.href.includes(stuck ?? '-') ? UNAVAILABLE : 'service');
    const post = await playPost(second, { ...withoutState(second), network });
    expect(runsOf(post)).toBe('running cancelled');
    expect(sentBy(post, 'cancel').find(({ url }) => url.href.includes(other ?? '-'))?.at).toBeLessThan(11_000);
  });
});

it('a post step leaves a run that it could not cancel to the next post step', async () => {
  const main = await killedAt(70_000, { inputs: { pipeline: 'broken\nendless' } });
  await playPost(main, { ...withoutState(main), inputs: { 'api-key': '' } });
  expect(runsOf(await playPost(main, withoutState(main)))).toBe('failed cancelled');
});

it('the post step does not repeat the report of one run when it cancels another', async () => {
  const service = createWorld();
  const isSecond = (href: string): boolean => href.includes(service.jobs[1]?.id ?? '-');
  const main = await playMain({
    service,
    inputs: { pipeline: 'broken\nendless', 'max-outage': '1m' },
    network: ({ call, url }) => (call === 'read' && isSecond(url.href) ? 'reset' : 'service'),
  });
  const post = await playPost(main, CANCELLED);
  expect(runsOf(post)).toBe('failed cancelled');
  expect(shownBy(post)).not.toContain('Broken');
});

describe('a detached run', () => {
  it.each([
    ['success', 'running'],
    ['failure', 'running'],
    ['', 'running'],
    ['cancelled', 'cancelled'],
  ])('in a job with the status "%s" is %s after the post step', async (status, runs) => {
    const main = await playMain({ inputs: { pipeline: 'endless', wait: 'false' } });
    await main.clock.advance(60_000);
    const post = await playPost(main, { inputs: { 'internal-job-status': status } });
    expect(runsOf(post)).toBe(runs);
    expect(post.annotations).toEqual([]);
  });

  it('is left in progress if its step began after the cancellation, even if only the journal says so', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless', wait: 'false', 'internal-job-status': 'cancelled' } });
    const post = await playPost(main, { ...withoutState(main), ...CANCELLED });
    expect([runsOf(post), callsOf(post)]).toEqual(['queued', '']);
  });
});

describe('while the main step is still alive, the post step', () => {
  it('stops the main step, waits for it, and sends no request of its own', async () => {
    const main = startMain(ENDLESS);
    await main.clock.advance(5_000);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled', '']);
    expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
    expect(main.clock.now()).toBeLessThan(7_000);
    expect(shownBy(post)).toMatch(/run \S+ of Endless was cancelled/i);
  });

  it.each<[string, number, Network, main: string, runs: string]>([
    ['before its first trigger', 30, fatesOf('list', ['silent']), 'cancelled (not_queued)', ''],
    ['while it cannot connect', 500, fatesOf('trigger', [], 'unreachable'), 'cancelled (not_queued)', ''],
    [
      'while it waits 30 s for an id',
      500,
      fatesOf('trigger', [], { lateMs: 30_000 }),
      'cancelled (cancelled)',
      'cancelled',
    ],
    ['if it never gets an id', 500, fatesOf('trigger', [], 'silent'), 'unknown (unknown)', 'running'],
  ])('lets the main step exit by itself %s', async (_, ms, network, result, runs) => {
    const main = startMain({ ...ENDLESS, network });
    await main.clock.advance(ms);
    const post = await playPost(main);
    expect(await resultOf(main)).toBe(`exit 1: ${result}`);
    expect(runsOf(post)).toBe(runs);
    expect(callsOf(post)).toBe('');
    expect(shownBy(post)).toMatch(
      result.startsWith('unknown')
        ? /may be in progress/
        : runs === ''
          ? /^$|no run of Endless was triggered/
          : /was cancelled/,
    );
  });

  it('waits for the id of one run even if another run has one', async () => {
    const options = {
      inputs: { pipeline: 'endless\nslow' },
      network: fatesOf('trigger', ['service'], { lateMs: 30_000 }),
    };
    const main = startMain(options);
    await main.clock.advance(500);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled cancelled', '']);
    expect(shownBy(post)).not.toContain('may be in progress');
  });

  it('does not wait for a process that has written its last line, even if its id was reused', async () => {
    const main = await playMain(
      { inputs: { pipeline: 'broken\nendless' }, network: fatesOf('cancel', [], 'reset') },
      (it) => it.at(70_000, () => it.signal('SIGINT')),
    );
    const endedAt = main.clock.now();
    revive(main);
    const post = await playPost(main, withoutJournal(main));
    expect([runsOf(post), post.clock.now() - endedAt < 1_000]).toEqual(['failed cancelled', true]);
    expect(shownBy(post)).not.toContain('not on record');
  });

  it('waits 135 s for a dead process whose id was reused, and keeps 45 s to cancel its runs', async () => {
    const main = await killedAt(5_000);
    revive(main);
    const post = await playPost(main);
    expect([runsOf(post), callsOf(post)]).toEqual(['cancelled', 'exchange cancel']);
    expect(Math.round((post.clock.now() - 5_000) / 1_000)).toBe(135);
    expect(shownBy(post)).not.toContain('not on record');
  });

  it('settles the runs and warns about the main step if it can neither stop it nor see it exit', async () => {
    const main = await killedAt(5_000);
    revive(main);
    main.files.refuse(`${journalsOf(main)[0]}.stop`);
    const post = await playPost(main);
    expect(runsOf(post)).toBe('cancelled');
    expect(shownBy(post)).toContain('may have triggered a run that is not on record');
  });

  it('settles runs that appear later, even if it cannot write its mark', async () => {
    const main = startMain({ ...ENDLESS, network: fatesOf('trigger', [], { lateMs: 60_000 }) });
    await main.clock.advance(20_000);
    main.files.refuse(`${journalsOf(main)[0]}.stop`);
    const post = await playPost(main);
    expect(runsOf(post)).toBe('cancelled');
    expect(await resultOf(main)).toBe('exit 1: failed (cancelled)');
  });
});

describe('while the main step is alive and cannot be stopped, the post step', () => {
  it('cancels the run of another attempt that starts meanwhile', async () => {
    // Main sees its first run fail after the post step has started, and is killed while its second run is in progress.
    const main = startMain({
      service: createWorld({ pipelines: [{ name: 'Load', scenario: 'flaky' }] }),
      inputs: { pipeline: 'Load', 'max-attempts': '2', 'retry-delay': '1s', 'poll-interval': '60s' },
    });
    await main.clock.advance(25_000);
    main.files.refuse(`${journalsOf(main)[0]}.stop`);
    main.at(70_000, () => main.kill());
    expect(runsOf(await playPost(main))).toBe('failed cancelled');
  });

  it('does not try to cancel a run again once its time is up', async () => {
    const main = await killedAt(5_000);
    revive(main);
    main.files.refuse(`${journalsOf(main)[0]}.stop`);
    const post = await playPost(main, { network: ({ call }) => (call === 'exchange' ? 'service' : UNAVAILABLE) });
    expect(post.clock.now()).toBeLessThanOrEqual(185_000);
  });
});

describe("the post step's key", () => {
  it('is masked before anything else', async () => {
    const main = await killedAt(5_000);
    const effects: string[] = [];
    const post = await playPost(main, { onEffect: (effect) => effects.push(effect) });
    expect([effects.find((effect) => effect !== 'exit code'), post.masked[0]]).toEqual(['mask', SANDBOX_KEY]);
  });

  it.each<[string, string, RegExp]>([
    ['is empty', '', /Could not cancel the run: the api-key input is empty.*Composite action/s],
    [
      'does not begin with ak_',
      'password',
      /Could not cancel the run: the api-key input does not begin with ak_.*Composite action/s,
    ],
  ])("causes a warning with the run's id if it %s", async (_, key, words) => {
    const main = await killedAt(5_000);
    const post = await playPost(main, { inputs: { 'api-key': key } });
    expect([callsOf(post), runsOf(post), await post.ended()]).toEqual(['', 'queued', 0]);
    expect(post.masked).toEqual(key === '' ? [] : [key]);
    expect(shownBy(post)).toMatch(new RegExp(`^warning .*${main.service.jobs[0]?.id}`));
    expect(shownBy(post)).toMatch(words);
  });

  it("stops the attempts after a minute and causes a warning with the run's id if it was revoked", async () => {
    const main = await killedAt(5_000);
    revokeKey(main.service, SANDBOX_KEY);
    const post = await playPost(main);
    expect(post.clock.now()).toBeGreaterThan(65_000);
    expect(post.clock.now()).toBeLessThan(90_000);
    expect(shownBy(post)).toMatch(new RegExp(`^warning .*${main.service.jobs[0]?.id}.*not confirmed.*API key`, 's'));
    expect(shownBy(post)).toContain('cancel it there');
    expect(shownBy(post)).toMatch(/Composite action.*input named api-key at every level/);
  });

  it.each([400, 403, 404])('may belong to another composite action if it is rejected with HTTP %d', async (status) => {
    const main = await killedAt(5_000);
    const rejected = json({ message: 'Invalid key' }, status);
    const post = await playPost(main, { network: ({ call }) => (call === 'exchange' ? rejected : 'service') });
    expect(shownBy(post)).toMatch(/Invalid key.*Check that the API key is valid.*Composite action/s);
  });

  it.each<[string, Network]>([
    ['the service is unavailable', ({ call }) => (call === 'exchange' ? UNAVAILABLE : 'service')],
    ['the service accepts the key, but rejects the cancel', ({ call }) => (call === 'cancel' ? FORBIDDEN : 'service')],
  ])('is not blamed on a composite action if %s', async (_, network) => {
    const post = await playPost(await killedAt(5_000), { network });
    expect(shownBy(post)).toMatch(/^warning .*not confirmed/);
    expect(shownBy(post)).not.toContain('Composite action');
  });

  it('can be rejected for half a minute without preventing the cancel', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, {
      network: ({ call, at }) => (call === 'exchange' && at < 40_000 ? UNAUTHORIZED : 'service'),
    });
    expect(runsOf(post)).toBe('cancelled');
  });
});

it('the post step looks for a run in its own service until a replica shows it', async () => {
  const main = await killedAt(5_000);
  const network: Network = ({ call, at }) => (call !== 'exchange' && at < 150_000 ? NO_ROWS : 'service');
  expect(runsOf(await playPost(main, { network }))).toBe('cancelled');
});

describe("the post step's time limit", () => {
  const DOWN: FakeOptions = { network: ({ call }) => (call === 'cancel' || call === 'read' ? UNAVAILABLE : 'service') };

  it('is three minutes, followed by a warning with the run and the cause', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, DOWN);
    expect(post.clock.now()).toBeGreaterThan(175_000);
    expect(post.clock.now()).toBeLessThan(187_000);
    expect(await post.ended()).toBe(0);
    expect(shownBy(post)).toMatch(
      /^warning .*may still be in progress.*HTTP 503.*Check the run in the application, and cancel it there/s,
    );
    expect(shownBy(post)).not.toContain('Composite action');
    expect(post.service.violations).toEqual([]);
  });

  it.each<[string, number, at: number]>([
    ['is shared by the post steps of a job, which have 4:45 together', 0, 286_000],
    ['is not shortened by a wall clock that was set back', -86_400_000, 372_000],
    ['is not shortened by a wall clock that was set forward', 86_400_000, 372_000],
  ])('%s', async (_, shiftMs, endsBy) => {
    const first = await killedAt(5_000);
    const second = await playMain({ ...ENDLESS, beside: first, env: { GITHUB_ACTION: 'b' } }, (it) =>
      it.at(10_000, () => it.kill()),
    );
    await playPost(first, DOWN);
    first.clock.shiftWall(shiftMs);
    const post = await playPost(second, { ...DOWN, env: { ...second.state, GITHUB_ACTION: 'b' } });
    expect(post.clock.now()).toBeGreaterThan(endsBy - 15_000);
    expect(post.clock.now()).toBeLessThan(endsBy);
  });

  it('is a few seconds after a signal', async () => {
    const main = await killedAt(5_000);
    const post = await playPost(main, DOWN, (it) => it.at(30_000, () => it.signal('SIGTERM')));
    expect(post.clock.now()).toBeLessThanOrEqual(39_500);
    expect(shownBy(post)).toMatch(/may still be in progress/);
  });

  it('is a few seconds after a signal, even if the main step is alive and cannot be stopped', async () => {
    const main = await killedAt(5_000);
    revive(main);
    main.files.refuse(`${journalsOf(main)[0]}.stop`);
    const post = await playPost(main, {}, (it) => it.at(30_000, () => it.signal('SIGTERM')));
    expect([runsOf(post), post.clock.now() < 39_500]).toEqual(['cancelled', true]);
  });
});

it.each<[string, FakeOptions, (post: FakeWorld) => void]>([
  [
    'an internal error',
    {
      network: () => {
        throw new Error('bug');
      },
    },
    () => undefined,
  ],
  ['an uncaught error', {}, (post) => post.throwUncaught(new Error('bug'))],
])('%s in the post step causes a warning and does not fail the job', async (_, options, event) => {
  const main = await killedAt(5_000);
  const post = await playPost(main, options, event);
  expect(await post.ended()).toBe(0);
  expect(shownBy(post)).toMatch(/warning .*The post step failed: bug.*Check this workflow's pipeline runs/s);
});
