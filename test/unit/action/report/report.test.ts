// Reports of a whole step: links, outputs and exit codes after a stop, and a warning before GitHub ends the job.
import { describe, expect, it } from 'vitest';
import { PartialWrite } from '../../../../src/base/file-errors.ts';
import { ends, pipelines } from '../../../support/fake-service.ts';
import { meets } from '../../../support/meeting.ts';
import { answers } from '../../../support/scripted-wire.ts';
import { JOB, uuid } from '../../../support/service.ts';
import { playStep, STEP_FILES } from '../../../support/step.ts';

const HOUR = 3_600_000;

it('a link to a run is the last line of an annotation and appears in the summary', async () => {
  const inputs = { 'run-url': 'https://app.example.test/runs/{job-id}' };
  const link = `https://app.example.test/runs/${JOB}`;
  const { annotations, files } = await playStep({ inputs, statuses: ['failed'] });
  expect(annotations.map(({ message }) => message.split('\n').at(-1))).toEqual([link]);
  expect(files.text(STEP_FILES.summary)).toContain(`[\`${JOB}\`](${link})`);
});

it.each([
  ['fails with an error if it cannot write its outputs', {}, 1, 'warning error'],
  ['succeeds with a warning if only an early write of its outputs fails', { fullUntilMs: 1_000 }, 0, 'warning'],
  [
    'fails with one error if part of an early write of its outputs remains',
    { fullUntilMs: 1_000, fullWith: new PartialWrite('EIO') },
    1,
    'error',
  ],
])('a step %s', async (_what, fault, exitCode, levels) => {
  const played = await playStep({ full: [STEP_FILES.output], ...fault });
  expect([played.exitCode, played.levels]).toEqual([exitCode, levels]);
});

it('a step writes each new status of a run to the outputs at once', async () => {
  const service = { existing: { [JOB]: ends(60_000, 'failed') }, life: () => ends(60_000) };
  const { files } = await playStep({ inputs: { 'job-id': JOB, 'max-attempts': '2' }, service });
  const statuses = files.text(STEP_FILES.output).match(/(?<=^job-status=).*/gm);
  expect(statuses?.join(' ')).toBe('running failed unknown queued running completed');
});

describe('a stopped step', () => {
  it('writes the ids of its runs immediately, because the runner may read the outputs soon', async () => {
    const ids = [1, 2].map((nth) => uuid(`00000000-0000-4000-8000-00000000000${nth}`));
    const written: string[] = [];
    await playStep({
      inputs: { pipeline: ids.join('\n') },
      scripts: { trigger: (nth) => answers(200, JSON.stringify(ids[nth - 1])), cancel: meets('no_response') },
      interruptAtMs: 300,
      watch: ({ clock, files }) => clock.after(301, () => written.push(files.text(STEP_FILES.output))),
    });
    expect(written[0]).toMatch(new RegExp(`^job-status=.*\njob-id<<.*\n${ids.join('\n')}\n`));
  });

  it('fails even if its last run finished before the stop', async () => {
    const { outputs, exitCode } = await playStep({ statuses: ['completed'], interruptAt: /queued → completed/ });
    expect([outputs['job-status'], exitCode]).toEqual(['completed', 1]);
  });
});

describe("the warning half an hour before GitHub ends a hosted runner's job", () => {
  /** Returns the warnings about the end of the job that a step prints while it waits for six hours. */
  async function warnings(inputs: Readonly<Record<string, string>>, runner = 'github-hosted') {
    const { annotations } = await playStep({
      inputs: { 'poll-interval': '1m', pipeline: pipelines(2), ...inputs },
      env: { RUNNER_ENVIRONMENT: runner },
      service: { life: (nth) => ends(nth === 2 ? HOUR : Infinity) },
      interruptAtMs: 6 * HOUR,
      longestMs: 7 * HOUR,
    });
    return annotations.filter(({ title }) => title.includes('six hours')).map(({ message }) => message);
  }

  it.each([
    ['once and mentions the policy', { 'on-cancel': 'leave', timeout: '6h' }, /in about 3[01]m.* is left running, /],
    ['with the number of runs in progress', { pipeline: pipelines(3) }, / the runs are cancelled, /],
    ['earlier if the step seldom reads the status', { 'poll-interval': '50m' }, /in about 59m/],
  ])('appears %s', async (_, inputs, message) => {
    expect(await warnings(inputs)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['on a self-hosted runner', {}, 'self-hosted'],
    ['if the timeout is shorter than six hours', { timeout: '5h59m' }, 'github-hosted'],
  ])('does not appear %s', async (_, inputs, runner) => {
    expect(await warnings(inputs, runner)).toEqual([]);
  });
});
