// Tests the log of a step behind a pipe with a slow reader, such as a runner that is busy with other jobs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODES } from '../../sandbox/runner/index.ts';
import { type After, journalsIn, NODE, nodeInBash, playProcess, useAction } from '../support/e2e.ts';

const action = useAction();

const MANY = 400;
const NAMES = Array.from({ length: MANY }, (_, index) => `Pipeline ${index + 1}`);
const pipelines = (scenario: string) => NAMES.map((name) => ({ name, scenario }));

const reader = join(import.meta.dirname, '..', 'support', 'slow-reader.mjs');
/** Pipes Node.js to a 64 KB/s reader. A socket between two processes would buffer far more. */
const slowly = (after: After): string => nodeInBash(after, `| '${NODE}' '${reader}'`);

describe.skipIf(process.platform === 'win32').concurrent(`the log of ${MANY} runs, read at 64 KB/s`, () => {
  it('is complete when the step ends', async ({ onTestFinished: after }) => {
    const { main } = await playProcess(action, {
      service: { model: { pipelines: pipelines('broken') } },
      job: { node: slowly(after) },
      inputs: { pipeline: NAMES.join('\n'), 'poll-interval': '100ms' },
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'failed' } } });
    expect(main.annotations.filter(({ level }) => level === 'error')).toHaveLength(8);
    expect(main.lines.at(-1)).toMatch(`0 of ${MANY} runs`);
  });

  it('contains the errors and all runs in progress if a signal leaves no time for the rest', async ({
    onTestFinished: after,
  }) => {
    let temp = '';
    const { main, runs } = await playProcess(action, {
      service: { model: { pipelines: pipelines('endless'), speed: 1 } },
      rules: [{ kind: 'cancel', how: { do: 'silence', point: 'before-commit' } }],
      job: { node: slowly(after) },
      inputs: { pipeline: NAMES.join('\n') },
      step(job) {
        temp = job.temp;
        return {};
      },
      mode: { ...MODES.workflow, hears: 'nothing', post: 'skipped' },
      async when(_, { end }) {
        await end('trigger', MANY);
        const [journal = 'no journal'] = journalsIn({ temp });
        const [, pid] = /"pid":(\d+)/.exec(readFileSync(journal, 'utf8')) ?? [];
        process.kill(Number(pid), 'SIGINT');
      },
    });
    expect(main).toMatchObject({ exitCode: 1, files: { outputs: { outcome: 'cancelled' } } });
    expect(Object.keys(main.files.state)).toContain('run_pipeline_end');
    expect(main.annotations.filter(({ level }) => level === 'error')).toHaveLength(8);
    const open = main.lines.find((line) => line.startsWith('Runs that may still'));
    expect(runs).toHaveLength(MANY);
    for (const { id } of runs) expect(open).toContain(id);
  });
});
