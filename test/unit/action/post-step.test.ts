// What the post step does with the runs of a main step that has exited, in each phase of a run.
import { describe, expect, it } from 'vitest';
import { inTurn, type RequestFault } from '../../../sandbox/faults.ts';
import {
  callsOf,
  ENDLESS,
  existingRun,
  killedAt,
  playMain,
  playPost,
  runsOf,
  sentBy,
  shownBy,
  withoutJournal,
  withoutState,
} from '../../support/steps.ts';
import { type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

const CANCELLED: FakeOptions = { inputs: { 'internal-job-status': 'cancelled' } };

describe('the post step sends no requests and prints nothing', () => {
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
    expect(await post.ended()).toBe(0);
  });

  it.each<[string, Record<string, string>]>([
    ['after wait: false and on-cancel: leave', { 'on-cancel': 'leave' }],
    ['after wait: false and on-cancel: leave for two pipelines', { pipeline: 'orders\nslow', 'on-cancel': 'leave' }],
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

it('the post step keeps trying if its runner dies just before the time after a signal is up', async () => {
  const main = await killedAt(5_000);
  const killed = main.clock.now();
  const faults: RequestFault[] = [{ call: 'cancel', fromMs: 0, forMs: killed + 20_000, what: 'http_503' }];
  const post = await playPost(main, { faults }, (it) => {
    it.at(killed + 1_500, () => it.signal('SIGINT'));
    it.at(killed + 10_350, () => it.orphan());
  });
  expect(runsOf(post)).toBe('cancelled');
});

describe('the post step names the pipelines to remove before the step runs again', () => {
  it.each([
    // While the second of three triggers is in flight. The run of the first pipeline is cancelled.
    [
      75,
      'endless\nOrders\nslow',
      /^This pipeline has, or may have, a run that .*: "Orders"\. To avoid a second run, start .* If the application shows no new run/m,
    ],
  ])('but never one whose run was cancelled or not triggered (killed after %i ms)', async (ms, pipeline, words) => {
    const post = await playPost(await killedAt(ms, { inputs: { pipeline } }));
    expect(shownBy(post)).toMatch(words);
    expect(shownBy(post)).not.toContain('slow');
    expect(post.summary).toContain('instead of re-running this job');
  });

  it('but does not announce another run if the only one was resumed', async () => {
    const { service, id } = existingRun('orders', 600_000);
    const main = await playMain({ service, inputs: { pipeline: 'orders', 'job-id': id } });
    const post = await playPost(main, withoutState(main));
    expect(shownBy(post)).toMatch(/^Run \S+ completed\.$/);
  });

  it('even if the main step has reported its success, when it cancels a lost run', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless\norders', 'max-outage': '1m' },
      faults: [{ call: 'read', about: 'endless', what: 'http_503' }],
    });
    expect(shownBy(await playPost(main, CANCELLED))).toMatch(/^This pipeline has a run that .*: "orders"\./m);
  });

  it('but not the only one, without which the step could not run', async () => {
    const post = await playPost(await killedAt(55, { inputs: { pipeline: 'endless' } }));
    expect(shownBy(post)).toContain('Re-running this job would trigger another run.');
    expect(shownBy(post)).not.toContain('pipeline input');
  });

  it('unless its run was cancelled', async () => {
    const post = await playPost(await killedAt(5_000));
    expect(shownBy(post)).not.toContain('instead of re-running this job');
  });
});

describe('after the main step was killed,', () => {
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
        /^warning .*may have triggered a run of Endless at 2026-01-05T12:00:00.040Z\. The step did not record/,
      );
    });

    it('reports the time of the POST that may have queued a run, not of one that did not', async () => {
      const main = await killedAt(5_000, { ...ENDLESS, faults: inTurn('trigger', ['refused'], 'silent') });
      expect(shownBy(await playPost(main, lose(main)))).toContain('a run of Endless at 2026-01-05T12:00:00.800Z');
    });

    it('reports the time of the first POST that may have queued a run', async () => {
      const faults = inTurn('trigger', ['refused', 'lost'], 'silent');
      const main = await killedAt(5_000, { inputs: { ...ENDLESS.inputs, 'on-lost-response': 'retry' }, faults });
      expect(shownBy(await playPost(main, lose(main)))).toContain('a run of Endless at 2026-01-05T12:00:00.800Z');
    });

    it('reports which attempt had no response to its trigger, but not the unknown maximum', async () => {
      const faults: RequestFault[] = [{ call: 'trigger', from: 2, times: 1, what: 'silent' }];
      const main = await killedAt(130_000, {
        inputs: { pipeline: 'broken', 'max-attempts': '3', 'retry-delay': '1s' },
        faults,
      });
      expect(shownBy(await playPost(main, lose(main)))).toContain('may have triggered a run of Broken (attempt 2)');
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
        faults: [{ call: 'cancel', what: 'reset' }],
      });
      const post = await playPost(main, lose(main));
      expect(runsOf(post)).toBe('cancelled running');
      expect(shownBy(post)).toMatch(/Cancelling run \S+ of Unpicked\.$/m);
    });

    it.each<[string, number, Readonly<Record<string, string>>, FakeOptions]>([
      ['whose trigger has no response', 55, {}, {}],
      ['that it leaves', 5_000, { 'on-cancel': 'leave' }, {}],
      ['that it cannot cancel', 5_000, {}, { faults: [{ call: 'cancel', what: 'reset' }] }],
    ])(
      'warns about the tables of a run with reset-target %s, even without its own inputs',
      async (_, ms, more, options) => {
        const inputs = { pipeline: 'endless', 'full-resync': 'true', 'reset-target': 'True', ...more };
        const main = await killedAt(ms, { inputs });
        const post = await playPost(main, { ...lose(main), ...options });
        expect(shownBy(post)).toMatch(
          /^warning .*\sBecause reset-target is true, the destination tables may be missing or incomplete/,
        );
        expect(shownBy(await playPost(await killedAt(ms), { inputs }))).not.toContain('destination tables');
      },
    );

    it('lets the run continue and says how to resume it with on-cancel: leave', async () => {
      const main = await killedAt(5_000, { inputs: { pipeline: 'endless', 'on-cancel': 'leave' } });
      const post = await playPost(main, lose(main));
      expect([runsOf(post), callsOf(post)]).toEqual([expect.stringMatching(/^(?:queued|picked)$/), '']);
      expect(shownBy(post)).toMatch(/was not cancelled \(on-cancel: leave\).*set job-id to/s);
    });
  });

  it('the post step says to remove the first of several pipelines if its trigger had no response', async () => {
    const post = await playPost(await killedAt(45, { inputs: { pipeline: 'endless\norders' } }));
    expect(shownBy(post)).toContain(
      'may still be running: "endless". To avoid a second run, start a new workflow run without it',
    );
    expect(shownBy(post)).not.toContain('with only "endless" in the pipeline input');
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
    main.start('main');
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

  it('the post step adds an empty mark and the time of its start to the files in RUNNER_TEMP', async () => {
    const { files } = await playPost(await killedAt(5_000));
    const names = files.list('/runner/temp');
    const textOf = (end: string) => files.read(`/runner/temp/${names.find((name) => name.endsWith(end))}`);
    expect([names.length, textOf('.mark'), textOf('-post')]).toEqual([3, '', `${Date.parse('2026-01-05T12:00:05Z')}`]);
  });

  it.each(['false', 'False'])('the post step does not write a job summary with summary: %s', async (summary) => {
    const main = await killedAt(5_000);
    const post = await playPost(main, { inputs: { summary } });
    expect([runsOf(post), post.summary]).toEqual(['cancelled', '']);
  });
});

describe('a run from job-id', () => {
  const inputs = { pipeline: 'endless', 'on-cancel': 'cancel' };

  it('that main could not find is cancelled by the post step of a cancelled job if it exists after all', async () => {
    const { service, id } = existingRun('endless');
    const faults = [{ on: 'main', call: 'read', what: 'empty' }] as const;
    const main = await playMain({ service, inputs: { ...inputs, 'job-id': id }, faults });
    const post = await playPost(main, CANCELLED);
    expect([main.outputs['outcome'], runsOf(post)]).toEqual(['lost', 'cancelled']);
  });

  it('that main could not find is given up by the post step after three reads in 15 s if it does not exist', async () => {
    const main = await playMain({ inputs: { ...inputs, 'job-id': '11111111-2222-4333-8444-555555555555' } });
    const post = await playPost(main, CANCELLED);
    const reads = sentBy(post, 'read').map(({ at }) => at);
    expect([reads.length, (reads[2] ?? 0) - (reads[0] ?? 0) < 20_000]).toEqual([3, true]);
    expect(shownBy(post)).toMatch(/^warning .* 1{8}\S+ .*Could not confirm its cancellation: .*no run with this id/);
  });

  it('that main could not find costs the post step only a few tries after a signal if it does not exist', async () => {
    const { service, id } = existingRun('endless');
    const both = { ...inputs, pipeline: '', 'job-id': `11111111-2222-4333-8444-555555555555\n${id}` };
    const main = await playMain({ service, inputs: both }, (it) => it.at(90_000, () => it.signal('SIGINT')));
    const post = await playPost(main, CANCELLED);
    expect([main.outputs['outcome'], runsOf(main)]).toEqual(['cancelled', 'cancelled']);
    const reads = sentBy(post, 'read').map((each) => each.at);
    expect([reads.length, (reads[2] ?? 0) - (reads[0] ?? 0) < 20_000]).toEqual([3, true]);
    expect(shownBy(post)).toMatch(/^warning .* 1{8}\S+ .*Could not confirm its cancellation: .*no run with this id/);
  });

  it.each([
    ['could not find', 'empty', 'http_503'],
    ['could not find', 'empty', 'reset'],
    ['could not read', 'http_503', 'http_503'],
    ['could not read', 'http_503', 'empty'],
  ] as const)('that main %s (%s) is cancelled once a cancel succeeds (%s before)', async (_, inMain, inPost) => {
    const { service, id } = existingRun('endless');
    const main = await playMain({
      service,
      inputs: { ...inputs, 'job-id': id, 'max-outage': '1m' },
      faults: [{ on: 'main', call: 'read', what: inMain }],
    });
    const faults = [
      { call: 'cancel', what: inPost, forMs: 40_000 },
      { call: 'read', what: 'empty', forMs: 40_000 },
    ] as const;
    const post = await playPost(main, { ...CANCELLED, faults });
    expect([main.outputs['outcome'], runsOf(post)]).toEqual(['lost', 'cancelled']);
  });

  it('that main could not find is cancelled once a cancel succeeds although failed cancels before it were slow', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain({
      service,
      inputs: { ...inputs, 'job-id': id },
      faults: [{ call: 'read', what: 'empty' }],
    });
    const slow503 = { connect: 'slow', response: [{ status: 503 }] } as const;
    const faults = [
      { call: 'cancel', what: slow503, ms: 6_000, forMs: 60_000 },
      { call: 'read', what: 'empty', forMs: 60_000 },
    ] as const;
    expect(runsOf(await playPost(main, { ...CANCELLED, faults }))).toBe('cancelled');
  });

  it('that main has looked for only once is cancelled although the service does not return it for some time', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain({
      service,
      inputs: { ...inputs, 'job-id': id, wait: 'false', timeout: '20s' },
      faults: [{ call: 'read', what: 'empty' }],
    });
    const faults = [{ call: ['cancel', 'read'], what: 'empty', forMs: 40_000 }] as const;
    const post = await playPost(main, { ...CANCELLED, faults });
    expect([sentBy(main, 'read').length < 3, runsOf(post)]).toEqual([true, 'cancelled']);
  });

  it('that main could not find is left alone unless the job is cancelled', async () => {
    const main = await playMain({ inputs: { ...inputs, 'job-id': '11111111-2222-4333-8444-555555555555' } });
    expect(callsOf(await playPost(main))).toBe('');
  });
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

  it.each<[string, (main: FakeWorld) => void]>([
    ['killed', (main) => main.kill()],
    ['interrupted', (main) => main.signal('SIGTERM')],
  ])('is cancelled if its step is %s during its report, even if the job continues', async (_, event) => {
    const inputs = { pipeline: 'endless', wait: 'false' };
    const main = await playMain({ inputs, flushMs: 4_000 }, (it) => it.at(1_000, () => event(it)));
    expect(runsOf(await playPost(main))).toBe('cancelled');
  });

  it('keeps running if its step began after the cancellation, even if only the journal says so', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless', wait: 'false', 'internal-job-status': 'cancelled' } });
    const post = await playPost(main, { ...withoutState(main), ...CANCELLED });
    expect([runsOf(post), callsOf(post)]).toEqual(['queued', '']);
  });
});

it.each<[string, FakeOptions, (post: FakeWorld) => void]>([
  ['an internal error', { faults: [{ what: 'bug' }] }, () => undefined],
  ['an uncaught error', {}, (post) => post.at(5_001, () => post.fail(new Error('bug')))],
])('%s in the post step causes a warning and does not fail the job', async (_, options, event) => {
  const main = await killedAt(5_000);
  const post = await playPost(main, options, event);
  expect(await post.ended()).toBe(0);
  expect(shownBy(post)).toMatch(/warning .*The post step failed: bug.*Check this workflow's pipeline runs/s);
});
