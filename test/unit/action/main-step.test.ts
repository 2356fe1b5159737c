// The main step as a process: its files, its outputs and its exit code, including after faults of its machine.
import { describe, expect, it } from 'vitest';
import { json, type RequestFault, statusIs } from '../../../sandbox/faults.ts';
import { SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import type { Environment } from '../../../src/base/environment.ts';
import {
  callsOf,
  existingRun,
  outcomesOf,
  playMain,
  playPost,
  resultOf,
  runsOf,
  shownBy,
  startMain,
} from '../../support/steps.ts';
import { type FakeOptions, type FakeWorld, fakeWorld } from '../../support/world.ts';

/** A process on a machine where these files of the next process, 102, cannot be written. */
function spoiled(...names: readonly string[]): FakeWorld {
  const before = fakeWorld();
  for (const name of names) before.files.refuse(`/runner/102/${name}`);
  return before;
}

describe('the main step', () => {
  it('sets a failing exit code and masks the key before anything else', async () => {
    const effects: string[] = [];
    const main = startMain({ onEffect: (effect) => effects.push(effect) });
    expect([main.exitCode, effects]).toEqual([1, ['exit code']]);
    await main.ended();
    expect(effects.find((effect) => effect !== 'exit code')).toBe('mask');
    expect(main.masked[0]).toBe(SANDBOX_KEY);
  });

  it('announces the same effects of inputs on existing runs that it has', async () => {
    const { service, id } = existingRun('orders');
    const other = existingRun('orders', 20_000, service);
    const inputs = { pipeline: '', 'job-id': `${id}\n${other.id}`, 'max-parallel': '1', 'fail-fast': 'true' };
    const { log } = await playMain({ service, inputs });
    expect(log).toContain('Input max-parallel has no effect because the pipeline input is empty.');
    expect(log).toContain('After a run has failed, the step stops waiting for the others (fail-fast).');
    expect(log.join()).not.toMatch(/At most|triggers no more runs/);
  });

  it('reports all invalid inputs at once, sends no requests, and leaves nothing for the post step', async () => {
    const main = await playMain({ inputs: { 'api-key': 'secret-but-wrong', timeout: '5', wait: 'maybe' } });
    expect(await resultOf(main)).toBe('exit 1: not_triggered (not_queued)');
    expect(main.requests).toEqual([]);
    expect(main.annotations.map(({ message }) => message)).toEqual([
      expect.stringContaining('Input api-key does not begin with ak_'),
      expect.stringContaining('Input wait is "maybe"'),
      expect.stringContaining('Input timeout is "5", which has no unit'),
    ]);
    expect(main.outputs['results']).toBe('[]');
    expect(`${shownBy(main)}${JSON.stringify(main.outputs)}`).not.toContain('secret-but-wrong');
    const post = await playPost(main, { inputs: { 'internal-job-status': 'cancelled' } });
    expect(`${shownBy(post)}${callsOf(post)}`).toBe('');
  });

  it('mentions an input without effect only once', async () => {
    const main = await playMain({ inputs: { 'fail-fast': 'true' } });
    expect(
      main.log.filter((line) => line === 'Input fail-fast has no effect because the step has only one run.'),
    ).toHaveLength(1);
  });

  it('mentions an unrecognized entry in no_proxy only once', async () => {
    const main = await playMain({ inputs: { pipeline: 'orders\nidle' }, env: { no_proxy: 'a.test 10.*' } });
    expect(
      main.log.filter((line) =>
        line.includes('The action does not recognize "10.*" in the no_proxy environment variable.'),
      ),
    ).toHaveLength(1);
  });

  it.each<[string, object, FakeOptions, (main: FakeWorld) => void]>([
    [
      'it rejects its inputs',
      { idle: 'always', isHandled: true, isReported: true },
      { inputs: { wait: 'maybe' } },
      () => undefined,
    ],
    ['its run has finished', { idle: 'always', isHandled: false, isReported: true }, {}, () => undefined],
    [
      'it leaves its run',
      { idle: 'unless_cancelled', isHandled: false, isReported: true },
      { inputs: { wait: 'false' } },
      () => undefined,
    ],
    [
      // The response may arrive while the process exits.
      'a trigger is in flight',
      { idle: 'never', isHandled: false, isReported: true },
      { faults: [{ call: 'trigger', times: 1, what: 'silent' }] },
      (it) => it.at(1_000, () => it.signal('SIGTERM')),
    ],
    [
      'nothing reads its report',
      { idle: 'never', isHandled: false, isReported: false },
      {},
      (it) => it.at(5_000, () => it.closeStdout()),
    ],
  ])('says in its last line what the post step has to do if %s: %j', async (_, end, options, events) => {
    const main = await playMain(options, events);
    expect(JSON.parse(main.state['STATE_run_pipeline_end'] ?? '')).toMatchObject(end);
  });

  it('says why it fails if a signal arrives after its run has completed', async () => {
    const main = await playMain({}, (it) => it.at(92_140, () => it.signal('SIGTERM')));
    expect([await main.ended(), main.outputs['outcome']]).toEqual([1, 'succeeded']);
    expect(shownBy(main)).toMatch(
      /^notice .*The step fails because it was interrupted \(SIGTERM\) after it had finished its work/m,
    );
  });

  it('lets the post step cancel and report a run whose response arrived after the report said that it may exist', async () => {
    const slow = { call: 'trigger', times: 1, what: 'slow', ms: 9_960 } as const;
    const main = await playMain({ inputs: { pipeline: 'unpicked' }, faults: [slow], flushMs: 200 }, (it) =>
      it.at(1_000, () => it.signal('SIGTERM')),
    );
    expect(shownBy(main)).toContain('may have triggered a run of Unpicked at');
    const post = await playPost(main);
    expect(runsOf(post)).toBe('cancelled');
    expect(shownBy(post)).toContain('was cancelled');
  });

  it.each([
    ['GITHUB_OUTPUT', 'its outputs'],
    ['GITHUB_STATE', 'the files that it needs to cancel runs'],
  ])('sends no requests if %s cannot be written', async (name, what) => {
    const main = await playMain({ beside: spoiled(name) });
    expect(await main.ended()).toBe(1);
    expect(main.requests).toEqual([]);
    expect(shownBy(main)).toMatch(/ENOSPC.*Free up disk space on the runner/);
    expect(shownBy(main)).toContain(`The step could not write ${what}: ENOSPC`);
    expect(shownBy(main).match(/ENOSPC/g)).toHaveLength(1);
  });

  it('reports why the journal could not be created, not that it does not exist', async () => {
    const before = await playMain();
    const journal = before.files.list('/runner/temp')[0]?.replace('-101-', '-102-') ?? '';
    before.files.refuse(`/runner/temp/${journal}`, new Error(`EACCES: permission denied, open '${journal}'`));
    const main = await playMain({ beside: before });
    expect(shownBy(main)).toMatch(/could not write the files that it needs to cancel runs: EACCES/);
    expect(shownBy(main)).not.toContain('ENOENT');
  });

  it.each<[string, Environment, string]>([
    ['GITHUB_STATE', { GITHUB_STATE: undefined }, 'cancelled'],
    ['RUNNER_TEMP', { RUNNER_TEMP: undefined }, 'cancelled'],
  ])('works without %s, because one record is enough', async (_, env, runs) => {
    const main = await playMain({ inputs: { pipeline: 'endless' }, env }, (it) => it.at(5_000, () => it.kill()));
    expect(runsOf(await playPost(main, { env }))).toBe(runs);
    // Without RUNNER_TEMP, no file may appear in the workspace.
    expect([...main.files.texts.keys()].filter((path) => !path.startsWith('/runner/'))).toEqual([]);
  });

  it('sends no requests if neither GITHUB_STATE nor RUNNER_TEMP is set', async () => {
    const main = await playMain({ env: { GITHUB_STATE: undefined, RUNNER_TEMP: undefined } });
    expect([await resultOf(main), callsOf(main)]).toEqual(['exit 1: not_triggered (not_queued)', '']);
    expect(shownBy(main)).toContain(
      'GITHUB_STATE and RUNNER_TEMP are not set. Check that the runner sets both variables.',
    );
  });

  it('mentions that its last line could not be saved', async () => {
    // The first line, the intent, the id and the final status are saved before.
    const main = await playMain({ faults: [{ file: 'state', from: 5, what: 'full_disk' }] });
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(shownBy(main)).toContain("Could not save the state of the runs to the runner's GITHUB_STATE file: ENOSPC");
  });

  it('fails if it could not save that its runs should continue, because its post step will cancel them', async () => {
    const faults: FakeOptions['faults'] = [
      { file: 'state', from: 5, what: 'full_disk', on: 'main' },
      { file: 'journal', from: 6, what: 'full_disk', on: 'main' },
    ];
    const main = await playMain({ inputs: { pipeline: 'endless', wait: 'false' }, faults });
    expect(await resultOf(main)).toBe('exit 1: triggered (queued)');
    expect(shownBy(main)).toMatch(/^error .*could not save its last record, so the post step will cancel its runs/m);
    expect(runsOf(await playPost(main))).toBe('cancelled');
  });

  it('does not say that its post step will cancel a run whose id it could not save', async () => {
    const faults: FakeOptions['faults'] = [
      { file: 'state', from: 3, what: 'full_disk', on: 'main' },
      { file: 'journal', from: 4, what: 'full_disk', on: 'main' },
    ];
    const main = await playMain({ inputs: { pipeline: 'endless', wait: 'false' }, faults });
    expect(shownBy(main)).toMatch(/^error .*will try to cancel its runs .*\nCheck the runs in the application/m);
    expect(runsOf(await playPost(main))).toBe('queued');
  });

  it('saves what it could not save before, even if a signal during its report leaves the runs to its post step', async () => {
    const faults: FakeOptions['faults'] = [
      { file: 'state', from: 3, times: 2, what: 'full_disk', on: 'main' },
      { file: 'journal', from: 4, times: 2, what: 'full_disk', on: 'main' },
    ];
    const inputs = { pipeline: 'endless', wait: 'false' };
    const main = await playMain({ inputs, flushMs: 4_000, faults }, (it) => it.at(1_000, () => it.signal('SIGTERM')));
    expect(shownBy(main)).toContain('was interrupted during its report, so the post step will cancel its runs');
    expect(runsOf(await playPost(main))).toBe('cancelled');
  });

  it('works without GITHUB_OUTPUT', async () => {
    const main = await playMain({ env: { GITHUB_OUTPUT: undefined } });
    expect([await main.ended(), runsOf(main)]).toEqual([0, 'completed']);
    expect(main.log.filter((line) => line.includes('GITHUB_OUTPUT'))).toHaveLength(1);
    expect(shownBy(main)).not.toContain('::set-output');
  });

  it.each<[string, FakeOptions]>([
    ['an input is invalid', { inputs: { wait: 'maybe' } }],
    ['its state cannot be written', { beside: spoiled('GITHUB_STATE') }],
  ])('mentions once that GITHUB_OUTPUT is not set if %s', async (_, options) => {
    const main = await playMain({ ...options, env: { GITHUB_OUTPUT: undefined } });
    expect(main.log.filter((line) => line.includes('GITHUB_OUTPUT'))).toHaveLength(1);
  });

  it('mentions that GITHUB_OUTPUT cannot be written if an input is invalid', async () => {
    const main = await playMain({ inputs: { wait: 'maybe' }, beside: spoiled('GITHUB_OUTPUT') });
    expect(shownBy(main)).toContain('Could not write the outputs: ENOSPC');
  });

  it('fails if the outputs cannot be written, even if the run succeeded', async () => {
    const main = await playMain({}, (it) => it.at(80_000, () => it.files.refuse(it.world.env['GITHUB_OUTPUT'] ?? '')));
    expect([await main.ended(), runsOf(main)]).toEqual([1, 'completed']);
    expect(shownBy(main)).toMatch(/Could not write the outputs: ENOSPC.*so this step fails/);
  });

  it.each([
    ['writes a', 'true', 'Orders'],
    ['writes no', 'false', ''],
  ])('%s job summary with summary: %s', async (_, summary, words) => {
    const main = await playMain({ inputs: { summary } });
    expect(summary === 'true' ? main.summary : main.summary.trim()).toContain(words);
    expect(main.summary === '').toBe(summary === 'false');
  });
});

describe('a step without its runner or its log', () => {
  it('triggers nothing if its runner dies while the rest of the code loads', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.orphan());
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: cancelled (not_queued)', '']);
    expect(main.clock.now()).toBeLessThan(2_000);
  });

  it('stops within seconds of its first line after stdout is closed, and the post step reports the unread result', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.at(5_000, () => it.closeStdout()));
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: cancelled (cancelled)', 'cancelled']);
    // At 32 s, the second status check shows a change.
    expect(main.clock.now()).toBeLessThan(32_000 + 9_300);
    const post = await playPost(main);
    expect(callsOf(post)).toBe('');
    expect(shownBy(post)).toMatch(/run \S+ of Endless was cancelled/i);
  });

  it.each<[string, (main: FakeWorld) => void]>([
    ['its parent changes', (it) => it.at(20_000, () => it.orphan())],
    [
      'its parent changes just before it would have to report after a signal',
      (it) => {
        it.at(20_500, () => it.signal('SIGINT'));
        it.at(29_400, () => it.orphan());
      },
    ],
  ])('starts to cancel its run within 10 s and may keep trying for longer if %s', async (_, events) => {
    const main = await playMain(
      { inputs: { pipeline: 'endless' }, faults: [{ call: 'cancel', fromMs: 0, forMs: 60_000, what: 'reset' }] },
      events,
    );
    expect(main.requests.find(({ call }) => call === 'cancel')?.at).toBeLessThan(30_000);
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: cancelled (cancelled)', 'cancelled']);
  });

  it('keeps its verdict if stdout stops accepting output, and the post step reports the run', async () => {
    const main = await playMain({}, (it) => it.at(90_000, () => it.jamStdout()));
    expect(await resultOf(main)).toBe('exit 0: succeeded (completed)');
    expect(main.clock.now()).toBeLessThan(98_000);
    expect(shownBy(await playPost(main))).toMatch(/run \S+ of Orders completed/i);
  });
});

describe('an uncaught error', () => {
  const SILENT: FakeOptions = { faults: [{ call: 'trigger', what: 'silent' }] };

  it.each<[string, number, string, string, FakeOptions?]>([
    ['before the trigger', 30, 'not_triggered (not_queued)', ''],
    ['while the trigger connects', 45, 'not_triggered (not_queued)', ''],
    ['during the trigger', 55, 'lost (queued)', 'queued'],
    ['during a trigger without a response', 1_000, 'unknown (unknown)', 'queued', SILENT],
    ['during the wait', 5_000, 'lost (queued)', 'queued'],
  ])('%s ends the step with a report about every run', async (_, at, result, runs, options = {}) => {
    const main = await playMain({ inputs: { pipeline: 'unpicked' }, ...options }, (it) =>
      it.at(at, () => it.fail(new Error('oops\n::error::x'))),
    );
    expect([await resultOf(main), runsOf(main)]).toEqual([`exit 1: ${result}`, runs]);
    expect(shownBy(main)).toMatch(/^error .*internal error in this action \(oops.*\)/);
    expect(shownBy(main)).not.toMatch(/^::/m);
    expect(main.summary).toContain('internal error in this action');
  });

  it('is the reason why a pipeline whose turn has not come is not triggered', async () => {
    const inputs = { pipeline: 'unpicked\norders', wait: 'false' };
    const main = await playMain({ inputs }, (it) => it.at(55, () => it.fail(new Error('oops'))));
    expect([outcomesOf(main), runsOf(main)]).toEqual(['lost not_triggered', 'queued']);
    expect(shownBy(main)).toMatch(/^error .*Orders.*internal error in this action \(oops/m);
  });

  it('prevents the POST of a trigger that is still connecting, even while stdout is blocked', async () => {
    const main = await playMain({}, (it) => {
      it.at(45, () => it.jamStdout());
      it.at(45, () => it.fail(new Error('oops')));
    });
    expect([await resultOf(main), runsOf(main)]).toEqual(['exit 1: not_triggered (not_queued)', '']);
  });

  it('ends the step without a request if it occurs before the step begins', async () => {
    const onEffect = (effect: string): void => {
      if (effect === 'mask') throw new Error('bug');
    };
    const main = await playMain({ onEffect });
    expect([await resultOf(main), callsOf(main)]).toEqual(['exit 1: not_triggered (not_queued)', '']);
    expect(shownBy(main)).toMatch(/^error .*Internal error in this action: bug\. Please report this bug\./);
  });
});

it('the job summary also shows a cancellation that was confirmed after the summary was written', async () => {
  const main = await playMain(
    { inputs: { pipeline: 'endless' }, faults: [{ call: 'cancel', fromMs: 0, forMs: 13_000, what: 'refused' }] },
    (it) => it.at(5_000, () => it.signal('SIGINT')),
  );
  expect(await resultOf(main)).toBe('exit 1: cancelled (cancelled)');
  expect(main.summary).toMatch(/may still be running[\s\S]*### At the end of the step[\s\S]*was cancelled/);
});

describe('a long message from the service', () => {
  const FRAMES = Array.from({ length: 60 }, (_, nth) => `  File "/app/load.py", line ${nth}, in step_${nth}`);
  const MESSAGE = [...FRAMES, '::error::x', 'psycopg.errors.DiskFull: No space left on device'].join('\n');

  it('is shown in full by the post step, and its cause also in the report', async () => {
    const main = await playMain({ inputs: { pipeline: 'endless' } }, (it) => it.at(5_000, () => it.kill()));
    const failed: RequestFault = { call: 'read', what: statusIs('failed', MESSAGE) };
    const post = await playPost(main, { faults: [{ call: 'cancel', what: 'empty' }, failed] });
    expect(post.log.filter((line) => line.startsWith('  '))).toHaveLength(62);
    expect(shownBy(post)).not.toMatch(/^\s*::/m);
    expect(shownBy(post)).toMatch(/failed before the step could cancel it: .*No space left on device/);
  });

  it('in an error from the service shows its cause, even before a long hint', async () => {
    const error = { message: MESSAGE, hint: 'hint '.repeat(200) };
    const main = await playMain({ faults: [{ call: 'trigger', times: 1, what: json(error, 400) }] });
    expect(main.outputs['message']).toContain('No space left on device');
    expect(main.annotations[0]?.message).toContain('No space left on device');
  });
});
