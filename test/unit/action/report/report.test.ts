// Reports of a whole step: links to runs, the ids of runs at a stop, and a warning before a hosted runner ends the job.
import { describe, expect, it } from 'vitest';
import { answers } from '../../../support/scripted-wire.ts';
import { JOB, uuid } from '../../../support/service.ts';
import { playStep, STEP_FILES } from '../../../support/step.ts';

const HOUR = 3_600_000;

describe('a link to a run', () => {
  const inputs = { 'run-url': 'https://app.example.test/runs/{job-id}' };
  const LINK = `https://app.example.test/runs/${JOB}`;

  it('appears in the log once the id is known and again after the final status of a successful run', async () => {
    const { lines, annotations } = await playStep({ inputs });
    expect(lines).toContain(`[0s] Orders: run ${JOB} is queued: ${LINK}`);
    expect(lines.at(-1)).toMatch(new RegExp(`^Run ${JOB} .*\\. ${LINK}$`));
    expect(annotations).toEqual([]);
    const existing = await playStep({ inputs: { ...inputs, pipeline: '', 'job-id': JOB } });
    expect(existing.lines).toContain(`[0s] ${JOB}: is awaited: ${LINK}`);
  });

  it('is the last line of an annotation and is part of the summary', async () => {
    const { annotations, files } = await playStep({ inputs, statuses: ['failed'] });
    expect(annotations.map(({ message }) => message.split('\n').at(-1))).toEqual([LINK]);
    expect(files.text(STEP_FILES.summary)).toContain(`[\`${JOB}\`](${LINK})`);
  });

  it('does not appear anywhere without run-url', async () => {
    const { log, annotations, files } = await playStep({ statuses: ['failed'] });
    const all = [log, ...annotations.map(({ message }) => message), files.text(STEP_FILES.summary)];
    expect(all.join('\n')).not.toMatch(/runs\/|undefined/);
  });
});

describe('a stopped step', () => {
  it('writes the ids of its runs immediately, because a runner may soon read the outputs', async () => {
    const ids = [1, 2].map((nth) => uuid(`00000000-0000-4000-8000-00000000000${nth}`));
    let written: string | undefined;
    await playStep({
      inputs: { pipeline: ids.join('\n') },
      scripts: { trigger: (nth) => answers(200, JSON.stringify(ids[nth - 1])), cancel: () => [] },
      interruptAtMs: 300,
      watch: ({ clock, files }) => {
        clock.after(301, () => {
          written = files.text(STEP_FILES.output);
        });
      },
    });
    expect(written).toContain(ids.join('\n'));
  });

  it('fails even if the stop comes after its last run has finished', async () => {
    const { outputs, exitCode } = await playStep({ statuses: ['completed'], interruptAt: /queued → completed/ });
    expect([outputs['job-status'], exitCode]).toEqual(['completed', 1]);
  });
});

describe('half an hour before a job on a GitHub-hosted runner must end, a step', () => {
  /** Returns the warnings about the end of the job that a step prints while it waits for six hours. */
  async function warnings(inputs: Readonly<Record<string, string>>, runner = 'github-hosted') {
    const { annotations } = await playStep({
      inputs: { 'poll-interval': '1m', ...inputs },
      env: { RUNNER_ENVIRONMENT: runner },
      statuses: ['running'],
      interruptAtMs: 6 * HOUR,
      longestMs: 7 * HOUR,
    });
    return annotations.filter(({ title }) => title.includes('six hours'));
  }

  it.each([
    ['that its run will be cancelled', {}, /^GitHub ends this job in about 3[01]m.*; then the run is cancelled, /],
    ['that its run will keep running', { 'on-cancel': 'leave' }, /then the run is left running, /],
    ['early if it seldom reads the status', { 'poll-interval': '50m' }, /^GitHub ends this job in about 59m/],
  ])('warns once %s', async (_, inputs, message) => {
    expect(await warnings(inputs)).toEqual([
      { level: 'warning', title: 'run-pipeline: six hours', message: expect.stringMatching(message) as unknown },
    ]);
  });

  it.each([
    ['on a self-hosted runner', {}, 'self-hosted'],
    ['if its timeout is shorter', { timeout: '5h59m' }, 'github-hosted'],
  ])('does not warn %s', async (_, inputs, runner) => {
    expect(await warnings(inputs, runner)).toEqual([]);
  });
});
