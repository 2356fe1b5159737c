import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../../src/action/inputs/input-table.ts';
import { isAllSettled } from '../../../../src/action/state/all-settled.ts';
import { prepareMain } from '../../../../src/action/steps/main-step.ts';
import { environment, keptToolkit } from '../../../support/action.ts';
import { interruptible } from '../../../support/interruption.ts';
import { memoryFiles, recordsOf } from '../../../support/memory-files.ts';
import { inState, JOB_ENV, JOURNAL, PID, STATE_FILE, SUMMARY_FILE } from '../../../support/post.ts';
import { API_KEY } from '../../../support/service.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const OUTPUT_FILE = '/runner/output';

/** A main step that must not get as far as the service. */
function bench(env: Environment, files = memoryFiles()) {
  const toolkit = keptToolkit();
  const printed: string[] = [];
  const step = prepareMain({
    env: {
      ...JOB_ENV,
      GITHUB_OUTPUT: OUTPUT_FILE,
      GITHUB_STATE: STATE_FILE,
      GITHUB_STEP_SUMMARY: SUMMARY_FILE,
      ...env,
    },
    pid: PID,
    startedAt: 'ticks:1',
    host: 'machine',
    clock: new VirtualClock(),
    random: () => 0.5,
    files,
    toolkit,
    print: (line) => printed.push(line),
    interruption: interruptible().interruption,
    openService: () => {
      throw new Error('The service was opened.');
    },
  });
  return { step, toolkit, printed, files };
}

describe('a step with wrong inputs', () => {
  it('reports a proxy that cannot be used together with them, and does not show its password', async () => {
    const proxies = { HTTPS_PROXY: 'http://user:s%C3%A9cret@proxy:99999' };
    const { step, toolkit, printed, files } = bench({ ...environment({ timeout: '45' }), ...proxies });
    expect(await step.run()).toBe(1);
    expect(toolkit.annotations.map(({ message }) => message)).toEqual([
      'The environment variable HTTPS_PROXY is not a valid address. Write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with the special characters of the password percent-encoded.',
      'Input timeout is "45", without a unit. Write 45s, 45m or 45h.',
    ]);
    const shown = JSON.stringify([toolkit.annotations, printed, files.text(OUTPUT_FILE)]);
    expect(shown).not.toMatch(/s%C3%A9cret|sécret/);
  });

  it('fails with all mistakes at once, sends nothing, and leaves nothing for post', async () => {
    const env = environment({ pipeline: '', timeout: '45', 'on-cancel': 'stop' });
    const { step, toolkit, printed, files } = bench(env);
    expect(await step.run()).toBe(1);
    const mistakes = [
      "Input pipeline is empty. Set it to a pipeline's API name, name or UUID, or set job-id to await an existing run.",
      'Input timeout is "45", without a unit. Write 45s, 45m or 45h.',
      'Input on-cancel is "stop". Write cancel or leave.',
    ];
    expect(toolkit.annotations).toEqual(
      mistakes.map((message) => ({ level: 'error', title: 'run-pipeline: nothing was triggered', message })),
    );
    expect(printed).toEqual(['The step sent nothing to the service.']);
    const kept = inState(files.text(STATE_FILE));
    expect(isAllSettled(kept)).toBe(true);
    expect(recordsOf(files.text(OUTPUT_FILE))).toEqual({
      'job-status': 'not_queued',
      outcome: 'not_triggered',
      message: `Nothing was triggered. ${mistakes.join(' ')}`,
      results: '[]',
    });
  });

  it('masks the key before all else, and never shows it', async () => {
    const key = 'ak_Zq81 Zq82';
    const { step, toolkit, printed, files } = bench(environment({ 'api-key': key }));
    expect(await step.run()).toBe(1);
    expect(toolkit.masked).toEqual([key]);
    const seen = JSON.stringify([toolkit.annotations, printed, toolkit.debugged, files.text(OUTPUT_FILE)]);
    expect(seen).not.toContain('Zq8');
  });

  it('fails as well when the outputs cannot be written', async () => {
    const files = memoryFiles();
    files.refuse(OUTPUT_FILE);
    const { step, printed } = bench(environment({ pipeline: '' }), files);
    expect(await step.run()).toBe(1);
    expect(printed.at(-1)).toMatch(/^Could not write the outputs: ENOSPC.* Free disk space on the runner\.$/);
  });

  it('takes no name of an input that the runner did not make', async () => {
    const env = { ...environment({ 'api-key': '' }), INPUT_API_KEY: API_KEY, API_KEY };
    expect(await bench(env).step.run()).toBe(1);
  });
});

describe('a step that can write nothing down', () => {
  it('triggers nothing, and says why', async () => {
    const files = memoryFiles();
    for (const path of [STATE_FILE, JOURNAL]) files.refuse(path);
    const { step, toolkit } = bench(environment(), files);
    expect(await step.run()).toBe(1);
    expect(toolkit.annotations.map(({ message }) => message)).toEqual([
      "Nothing was triggered, because the action could not save its state in GITHUB_STATE or RUNNER_TEMP (ENOSPC: no space left on device, write '/runner/state'). Without it, a cancelled workflow could not cancel the run. Free disk space on the runner.",
    ]);
  });
});

describe('a step that fails by itself before it has begun', () => {
  it('says so, and fails', () => {
    const { step, toolkit } = bench(environment());
    expect(step.crash('TypeError: x is\nnot a function')).toBe(1);
    expect(toolkit.annotations).toEqual([
      {
        level: 'error',
        title: 'run-pipeline: nothing was triggered',
        message:
          'Internal error of this action: TypeError: x is not a function. This is a bug: please report it, with the log of a run with debug logging.',
      },
    ]);
  });
});
