// A run from the plan to its end: attempts, existing and resumed runs, and several runs side by side.
import { describe, expect, it } from 'vitest';
import { type RequestFault, statusIs, type What } from '../../../sandbox/faults.ts';
import { createWorld, naturalEnd, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import {
  callsOf,
  existingRun,
  outcomesOf,
  playMain,
  playPost,
  resultOf,
  resultsOf,
  runsOf,
  sentBy,
  shownBy,
} from '../../support/steps.ts';
import type { FakeWorld } from '../../support/world.ts';

describe('max-attempts', () => {
  const ATTEMPTS = { 'max-attempts': '3', 'retry-delay': '45s' };

  it('triggers another run after retry-delay and reports both attempts', async () => {
    const main = await playMain({ inputs: { pipeline: 'flaky', ...ATTEMPTS } });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(runsOf(main)).toBe('failed completed');
    const [first, second] = main.service.jobs;
    expect(second?.createdAt).toBeGreaterThanOrEqual((first?.createdAt ?? 0) + 30_000 + 45_000);
    expect(main.outputs['job-id']).toBe(second?.id);
    expect(resultsOf(main)[0]?.['attempts']).toMatchObject([
      { 'job-id': first?.id, 'job-status': 'failed' },
      { 'job-id': second?.id, 'job-status': 'completed' },
    ]);
    expect(shownBy(main)).toMatch(/^notice .*\(attempt 2 of 3\) completed/);
    expect(shownBy(main)).toContain('Attempt 2 of 3 starts in 45s.');
  });

  it('cancels the runs of wait: false that are already queued if a later trigger fails with fail-fast', async () => {
    const inputs = { pipeline: 'endless\ninactive', wait: 'false', 'fail-fast': 'true' };
    const main = await playMain({ inputs });
    expect([runsOf(main), callsOf(main).endsWith('cancel')]).toEqual(['cancelled', true]);
  });

  it('does not mention successful runs in a step with wait: false', async () => {
    const faults = [{ call: 'trigger', times: 1, what: 'lost' }] as const;
    const main = await playMain({
      inputs: { pipeline: 'endless\norders', wait: 'false', 'fail-fast': 'true' },
      faults,
    });
    expect(main.outputs['message']).toMatch(/^0 of 2 entries succeeded; /);
  });

  it('gives the same advice in results as in the annotations', async () => {
    const faults = [{ call: 'trigger', from: 2, what: 'http_429' }] as const;
    const main = await playMain({ inputs: { pipeline: 'orders\nslow', 'max-outage': '1m' }, faults });
    expect(resultsOf(main)[1]?.['error']).toContain('start a new workflow run with only "slow"');
    expect(resultsOf(main)[1]?.['error']).not.toContain('Try again later');
  });

  it('says that an attempt may start later if max-parallel can delay it', async () => {
    const inputs = { pipeline: 'flaky\nslow', 'max-parallel': '1', ...ATTEMPTS };
    const main = await playMain({ inputs });
    expect(shownBy(main)).toContain('Attempt 2 of 3 starts in 45s or later (max-parallel).');
    expect(shownBy(main)).toMatch(/^\[10m 34s\] Flaky: run .* is queued \(attempt 2 of 3\)$/m);
  });

  it.each([
    ['flakier', {}, 'exit 0: succeeded (completed)', 'failed failed completed', /\(attempt 3 of 3\)/],
    ['broken', {}, 'exit 1: failed (failed)', 'failed failed failed', /\(attempt 3 of 3\)/],
    [
      'overrun',
      { 'retry-on': 'failed' },
      'exit 1: failed (timed_out)',
      'timed_out',
      /retry-on does not contain "timed_out"\./,
    ],
  ])('for the pipeline %s with %j leads to "%s" and the runs "%s"', async (pipeline, inputs, result, runs, words) => {
    const main = await playMain({ inputs: { pipeline, ...ATTEMPTS, ...inputs } });
    expect(await resultOf(main)).toBe(result);
    expect(runsOf(main)).toBe(runs);
    expect(resultsOf(main)[0]?.['attempts']).toMatchObject(runs.split(' ').map((each) => ({ 'job-status': each })));
    expect(shownBy(main)).toMatch(words);
  });

  it.each<[string, What, string, runs: string, RegExp]>([
    ['is rejected', 'http_403', 'exit 1: failed (failed)', 'failed', /Attempt 2 of 3 did not start.*"not yours"/],
    ['is refused a connection', 'refused', 'exit 1: failed (failed)', 'failed', /Attempt 2 of 3 did not start/],
    [
      'loses its response',
      'lost',
      'exit 1: unknown (unknown)',
      'failed completed',
      /may have triggered a run of .* \(attempt 2 of 3\)/,
    ],
  ])('does not allow a third attempt if the second trigger %s', async (_, what, result, runs, words) => {
    const main = await playMain(
      { inputs: { pipeline: 'flaky', ...ATTEMPTS }, faults: [{ call: 'trigger', from: 2, what }] },
      (it) => it.at(600_000, () => undefined),
    );
    expect(await resultOf(main)).toBe(result);
    await main.clock.advance(120_000);
    expect(runsOf(main)).toBe(runs);
    expect(shownBy(main)).toMatch(words);
  });

  it.each([
    ['the run is lost', 'http_403', 'exit 1: lost (queued)'],
    ['the run is cancelled in the application', 'cancelled', 'exit 1: failed (cancelled)'],
  ] as const)('does not allow a second attempt if %s', async (_, what, result) => {
    const main = await playMain(
      { inputs: { pipeline: 'endless', ...ATTEMPTS }, faults: what === 'cancelled' ? [] : [{ call: 'read', what }] },
      (it) => {
        if (what !== 'cancelled') return;
        it.at(20_000, () => {
          for (const job of it.service.jobs) job.cancelledAt = it.clock.now();
        });
      },
    );
    expect(await resultOf(main)).toBe(result);
    expect(main.service.jobs).toHaveLength(1);
  });

  it('triggers nothing after a signal during retry-delay', async () => {
    const main = await playMain({ inputs: { pipeline: 'broken', ...ATTEMPTS } }, (it) =>
      it.at(70_000, () => it.signal('SIGINT')),
    );
    expect(await resultOf(main)).toBe('exit 1: cancelled (failed)');
    expect(runsOf(main)).toBe('failed');
    expect(main.clock.now()).toBeLessThan(70_500);
  });

  it('first reads the run of the next attempt 2 s after its trigger', async () => {
    const main = await playMain({ inputs: { pipeline: 'flaky', ...ATTEMPTS } });
    const [, second] = sentBy(main, 'trigger');
    const read = sentBy(main, 'read').find(({ at }) => at > (second?.at ?? Infinity));
    expect(Math.floor(((read?.at ?? 0) - (second?.at ?? 0)) / 1_000)).toBe(2);
  });

  it('does not make a second attempt at a run that fails while the step cancels it', async () => {
    const main = await playMain({
      inputs: { pipeline: 'unpicked', 'queue-timeout': '1m', ...ATTEMPTS },
      faults: [
        { call: 'cancel', what: 'empty' },
        { call: 'read', from: 4, what: statusIs('failed') },
      ],
    });
    expect(await resultOf(main)).toBe('exit 1: wait_timed_out (failed)');
    expect(shownBy(main)).not.toContain('Attempt 2');
  });

  it('leaves the failed attempt to post if the process is killed during retry-delay', async () => {
    const main = await playMain({ inputs: { pipeline: 'broken', ...ATTEMPTS } }, (it) =>
      it.at(70_000, () => it.kill()),
    );
    expect(shownBy(await playPost(main))).toMatch(/^warning .* failed\.\n/);
  });
});

describe('job-id', () => {
  const FINISHED = 600_000;

  it.each([
    ['orders', 20_000, 'exit 0: succeeded (completed)'],
    ['broken', FINISHED, 'exit 1: failed (failed)'],
  ])(
    'alone waits for a run of %s that is %i ms old, triggers nothing, and leads to "%s"',
    async (pipeline, agoMs, result) => {
      const { service, id } = existingRun(pipeline, agoMs);
      const main = await playMain({ service, inputs: { pipeline: '', 'job-id': id } });
      expect(await resultOf(main)).toBe(result);
      expect(callsOf(main)).toMatch(/^exchange read(×\d+)?$/);
      expect(main.outputs['job-id']).toBe(id);
      expect(service.violations).toEqual([]);
    },
  );

  it('alone waits for all runs simultaneously regardless of max-parallel, because it triggers none', async () => {
    const { service, id } = existingRun('orders');
    const other = existingRun('orders', 20_000, service);
    const inputs = { pipeline: '', 'job-id': `${id}\n${other.id}`, 'max-parallel': '1' };
    const main = await playMain({ service, inputs });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    const [first, second] = sentBy(main, 'read');
    expect(second?.at).toBeLessThan(100);
    expect([first?.url.search, second?.url.search]).toEqual([
      expect.stringContaining(id),
      expect.stringContaining(other.id),
    ]);
  });

  it.each([
    [{}, 'running', 'exit 1: cancelled (running)'],
    [{ 'on-cancel': 'cancel' }, 'cancelled', 'exit 1: cancelled (cancelled)'],
  ])('alone, with %j, leads to a run with the status %s after a signal', async (inputs, runs, result) => {
    const { service, id } = existingRun('endless');
    const main = await playMain({ service, inputs: { pipeline: '', 'job-id': id, ...inputs } }, (it) =>
      it.at(10_000, () => it.signal('SIGTERM')),
    );
    expect([await resultOf(main), runsOf(main)]).toEqual([result, runs]);
  });

  it.each([
    ['waits for an unfinished run', 'orders', 20_000, 'exit 0: succeeded (completed)', 'completed'],
    ['accepts a successful run', 'orders', FINISHED, 'exit 0: succeeded (completed)', 'completed'],
    ['replaces a failed run and logs why', 'flaky', FINISHED, 'exit 0: succeeded (completed)', 'failed completed'],
  ])('with pipeline %s', async (_, pipeline, agoMs, result, runs) => {
    const { service, id } = existingRun(pipeline, agoMs);
    const main = await playMain({ service, inputs: { pipeline, 'job-id': id } });
    expect([await resultOf(main), runsOf(main)]).toEqual([result, runs]);
    expect(main.outputs['job-id']).toBe(service.jobs.at(-1)?.id);
    const [status, another] = runs.split(' ');
    const reason = `Run ${id} finished with the status "${status}", so the step triggers a new run.`;
    const reasons = main.log.filter((line) => line.includes('triggers a new run'));
    expect(reasons).toEqual(another === undefined ? [] : [expect.stringContaining(reason)]);
    expect(service.violations).toEqual([]);
  });

  it('says why it triggers no new run if the timeout expires before it has read the failed one', async () => {
    const { service, id } = existingRun('broken', 600_000);
    const inputs = { pipeline: 'broken', 'job-id': id, timeout: '10s' };
    const main = await playMain({ service, inputs, faults: [{ call: 'read', times: 1, what: 'refused' }] });
    expect([await resultOf(main), service.jobs.length]).toEqual(['exit 1: failed (failed)', 1]);
    expect(shownBy(main)).toContain('The step triggers no new run, because the timeout has expired.');
  });

  it('with pipeline and wait: false reads the run once and does not trigger another', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain({ service, inputs: { pipeline: 'endless', 'job-id': id, wait: 'false' } });
    expect(await resultOf(main)).toBe('exit 0: triggered (running)');
    expect(callsOf(main)).toBe('exchange list read');
  });

  it.each<[string, What]>([
    ['the reads are rejected', 'http_403'],
    ['the reads do not find the run', 'empty'],
  ])('with pipeline does not trigger a run if %s', async (_, what) => {
    const { service, id } = existingRun('broken', FINISHED);
    const inputs = { pipeline: 'broken', 'job-id': id };
    const main = await playMain({ service, inputs, faults: [{ call: 'read', what }] });
    expect(await resultOf(main)).toMatch(/^exit 1: lost/);
    expect(shownBy(main)).toMatch(/so the step did not trigger another one.*remove the job-id input/s);
    expect(service.jobs).toHaveLength(1);
  });

  it('with pipeline does not trigger a run after a signal during the first read, and cancels the existing run', async () => {
    const { service, id } = existingRun('endless');
    const main = await playMain(
      { service, inputs: { pipeline: 'endless', 'job-id': id }, faults: [{ call: 'read', times: 1, what: 'silent' }] },
      (it) => it.at(1_000, () => it.signal('SIGINT')),
    );
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: cancelled (cancelled)', 'cancelled']);
  });
});

describe('wait: false', () => {
  it('ends the step once the run is queued, without a read, and leaves nothing for the post step', async () => {
    const main = await playMain({ inputs: { wait: 'false' } });
    expect(await resultOf(main)).toBe('exit 0: triggered (queued)');
    expect(callsOf(main)).toBe('exchange list trigger');
    expect(main.clock.now()).toBeLessThan(1_000);
    expect(callsOf(await playPost(main))).toBe('');
  });

  it('with several pipelines fails the step if one trigger fails, but detaches the other runs', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless\ninactive\norders', wait: 'false' } });
    expect(await resultOf(main)).toBe('exit 1: failed (queued)');
    expect(outcomesOf(main)).toBe('triggered not_triggered triggered');
    expect(runsOf(main)).toBe('queued queued');
  });

  it('with fail-fast triggers nothing more after a failed trigger and cancels the earlier runs', async () => {
    const main = await playMain({
      inputs: { pipeline: 'endless\ninactive\norders', wait: 'false', 'max-parallel': '1', 'fail-fast': 'true' },
    });
    expect(outcomesOf(main)).toBe('cancelled not_triggered not_triggered');
    expect(runsOf(main)).toBe('cancelled');
  });

  it('with fail-fast and on-cancel: leave triggers nothing more after a failed trigger, but does not cancel any runs', async () => {
    const inputs = { pipeline: 'endless\ninactive\norders', wait: 'false', 'fail-fast': 'true', 'on-cancel': 'leave' };
    const main = await playMain({ inputs });
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: failed (queued)', 'queued']);
  });

  it.each([
    ['cancel', 'exit 1: triggered (queued)', 'cancelled'],
    ['leave', 'exit 0: triggered (queued)', 'queued'],
  ])('with on-cancel: %s leads to "%s" if it cannot be saved', async (policy, result, runs) => {
    let main: FakeWorld | undefined;
    const spoil = (effect: string): void => {
      const { GITHUB_STATE: state = '', RUNNER_TEMP: temp = '' } = main?.world.env ?? {};
      if (effect !== 'output job-id') return;
      for (const path of [state, ...(main?.files.list(temp) ?? []).map((name) => `${temp}/${name}`)])
        main?.files.refuse(path);
    };
    const inputs = { pipeline: 'endless', wait: 'false', 'on-cancel': policy };
    main = await playMain({ inputs, onEffect: spoil }, (it) => {
      main = it;
    });
    expect(await resultOf(main)).toBe(result);
    if (policy === 'cancel')
      expect(shownBy(main)).toMatch(
        /wait: false.*could not record that this run should continue.*post step may cancel/s,
      );
    expect(runsOf(await playPost(main))).toBe(runs);
  });
});

describe('several pipelines', () => {
  it('run in parallel, are triggered one at a time, and are reported in input order', async () => {
    const main = await playMain({ inputs: { pipeline: 'slow\norders\nidle' } });
    expect(await resultOf(main)).toBe('exit 0: succeeded (skipped)');
    expect(resultsOf(main)).toMatchObject([
      { pipeline: 'slow', 'job-status': 'completed' },
      { pipeline: 'orders', 'job-status': 'completed' },
      { pipeline: 'idle', 'job-status': 'skipped' },
    ]);
    expect(main.outputs['job-id']?.split('\n')).toEqual(main.service.jobs.map(({ id }) => id));
    const triggers = sentBy(main, 'trigger');
    expect(triggers.map(({ at }) => at)).toEqual([40, 60, 80]);
  });

  it('continue if one of them fails', async () => {
    const main = await playMain({ inputs: { pipeline: 'broken\ninactive\norders' } });
    expect(await resultOf(main)).toBe('exit 1: failed (failed)');
    expect(outcomesOf(main)).toBe('failed not_triggered succeeded');
  });

  it.each([1, 2, 3])('start in order with max-parallel: %i and never exceed this limit', async (maxParallel) => {
    const names = Array.from({ length: 7 }, (_, nth) => `P ${nth}`);
    const service = createWorld({ pipelines: names.map((name) => ({ name, scenario: 'idle' })) });
    const inputs = { pipeline: names.join('\n'), 'max-parallel': String(maxParallel) };
    const main = await playMain({ service, inputs });
    expect(await resultOf(main)).toBe('exit 0: succeeded (skipped)');
    const starts = service.jobs.map(({ createdAt }) => createdAt);
    const lasts = naturalEnd(service.jobs[0]?.timeline ?? []) ?? 0;
    const most = Math.max(...starts.map((at) => starts.filter((other) => other <= at && at < other + lasts).length));
    expect(most).toBe(maxParallel);
    expect(service.jobs.map(({ pipelineId }) => service.pipelines.find(({ id }) => id === pipelineId)?.name)).toEqual(
      names,
    );
  });

  it('wait for a free max-parallel slot before each further attempt', async () => {
    const inputs = { pipeline: 'flaky\nslow', 'max-parallel': '1', 'max-attempts': '2', 'retry-delay': '1s' };
    const { service } = await playMain({ inputs });
    const [, slow, again] = service.jobs;
    expect(again?.createdAt).toBeGreaterThan((slow?.createdAt ?? 0) + (naturalEnd(slow?.timeline ?? []) ?? 0));
  });

  it('free their max-parallel slots between attempts', async () => {
    const inputs = { pipeline: 'flaky\nidle', 'max-parallel': '1', 'max-attempts': '2', 'retry-delay': '10m' };
    const main = await playMain({ inputs });
    expect(await resultOf(main)).toBe('exit 0: succeeded (skipped)');
    expect(runsOf(main)).toBe('failed skipped completed');
  });
});

it('a step that is interrupted during retry-delay still shows the message and the link of its last run', async () => {
  const inputs = { pipeline: 'broken', 'max-attempts': '2', 'retry-delay': '5m', 'run-url': 'https://x.test/{job-id}' };
  const main = await playMain({ inputs }, (it) => it.at(70_000, () => it.signal('SIGINT')));
  expect(main.outputs['status-message']).toMatch(/^Load failed/);
  expect(main.outputs['message']).toContain(`https://x.test/${main.service.jobs[0]?.id}`);
  expect(resultsOf(main)).toMatchObject([{ attempts: [{ 'job-status': 'failed' }, { 'job-status': 'not_queued' }] }]);
});

describe('fail-fast', () => {
  const FAST = { 'fail-fast': 'true' };

  it('cancels the other runs, triggers no more, and shows which run failed first', async () => {
    const main = await playMain({ inputs: { pipeline: 'broken\nendless\norders', 'max-parallel': '2', ...FAST } });
    expect(await resultOf(main)).toBe('exit 1: failed (failed)');
    expect(outcomesOf(main)).toBe('failed cancelled not_triggered');
    expect(runsOf(main)).toBe('failed cancelled');
    expect(shownBy(main)).toMatch(
      /Step stopped by fail-fast \(pipeline "Broken" did not succeed\): run \S+ of Endless was cancelled/,
    );
  });

  it('names the pipeline that failed first by its UUID if its name is unknown', async () => {
    const { broken, endless } = PIPELINE_IDS;
    const faults: RequestFault[] = [{ call: 'list', what: 'http_403' }];
    const main = await playMain({ faults, inputs: { pipeline: `${broken}\n${endless}`, ...FAST } });
    expect(shownBy(main)).toContain(`Step stopped by fail-fast (pipeline "${broken}" did not succeed)`);
  });

  it('names the run that failed first if the step only waits for existing runs', async () => {
    const { service, id } = existingRun('broken');
    const other = existingRun('endless', 20_000, service);
    const inputs = { pipeline: '', 'job-id': `${id}\n${other.id}`, 'on-cancel': 'cancel', ...FAST };
    const main = await playMain({ service, inputs });
    expect(shownBy(main)).toContain(`Step stopped by fail-fast (run ${id} did not succeed)`);
  });

  it('lets the other runs continue with on-cancel: leave', async () => {
    const main = await playMain({ inputs: { pipeline: 'broken\nendless', 'on-cancel': 'leave', ...FAST } });
    expect([outcomesOf(main), runsOf(main)]).toEqual(['failed cancelled', 'failed running']);
  });

  it('also stops the other runs if the cancellation of the run that failed is not confirmed', async () => {
    const main = await playMain({
      inputs: { pipeline: 'unpicked\nendless', 'queue-timeout': '1m', timeout: '20m', ...FAST },
      faults: [{ call: 'cancel', fromMs: 0, forMs: 180_000, what: 'refused' }],
    });
    expect(outcomesOf(main)).toBe('wait_timed_out cancelled');
    expect(main.clock.now()).toBeLessThan(200_000);
  });

  it('waits for the last attempt', async () => {
    const inputs = { pipeline: 'flaky\nslow', 'max-attempts': '2', 'retry-delay': '1s', ...FAST };
    const main = await playMain({ inputs });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(runsOf(main)).toBe('failed completed completed');
  });

  it('prevents the next trigger after one that is rejected', async () => {
    const main = await playMain({ inputs: { pipeline: 'inactive\norders', ...FAST } });
    expect(outcomesOf(main)).toBe('not_triggered not_triggered');
    expect(main.service.jobs).toEqual([]);
  });

  it('does not apply after a run that succeeds with a warning or is skipped', async () => {
    const main = await playMain({ inputs: { pipeline: 'idle\ncustomers\nslow', ...FAST } });
    expect(outcomesOf(main)).toBe('succeeded succeeded succeeded');
  });
});

describe('a stop', () => {
  it('cancels a run with wait: false while a later trigger has no response yet', async () => {
    const main = await playMain(
      {
        inputs: { pipeline: 'endless\norders', wait: 'false' },
        faults: [{ call: 'trigger', from: 2, times: 1, what: 'silent' }],
      },
      (it) => it.at(1_000, () => it.signal('SIGTERM')),
    );
    const cancels = sentBy(main, 'cancel');
    expect(cancels[0]?.at).toBeLessThan(2_000);
    expect(main.service.jobs.map(({ id }) => id)).toContain(/eq\.([0-9a-f-]+)/.exec(cancels[0]?.url.search ?? '')?.[1]);
  });
});

it('an internal error after a run has finished appears in the log', async () => {
  const main = await playMain({}, (it) => {
    const { info } = it.world.toolkit;
    Object.assign(it.world.toolkit, {
      info(line: string) {
        if (line.includes('→ completed')) throw new Error('bug');
        info(line);
      },
    });
  });
  expect(main.log.join('\n')).toContain('Orders: Internal error in this action: bug. Please report this bug.');
});
