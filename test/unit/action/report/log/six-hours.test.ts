import { describe, expect, it } from 'vitest';
import { playStep } from '../../../../support/step.ts';

const HOUR = 3_600_000;
const HOSTED = { RUNNER_ENVIRONMENT: 'github-hosted' };

/** The annotation about the six hours, of a step whose run never ends and that is cancelled after six hours. */
async function warningOf(inputs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = HOSTED) {
  const step = await playStep({
    inputs: { 'poll-interval': '1m', ...inputs },
    env,
    statuses: ['running'],
    interruptAtMs: 6 * HOUR,
    longestMs: 7 * HOUR,
  });
  return step.annotations.filter(({ title }) => title.includes('six hours'));
}

describe('half an hour before a job on a GitHub-hosted runner must end', () => {
  it('a warning says what will happen then, once', async () => {
    const [warning, ...more] = await warningOf({});
    expect(more).toEqual([]);
    expect(warning?.level).toBe('warning');
    expect(warning?.message).toMatch(
      /^GitHub ends this job in about (31m|30m \d+s), or sooner if it began well before this step; then the run is cancelled, because on-cancel is cancel\.\n/,
    );
    expect(warning?.message).toContain('set on-cancel: leave');
  });

  it('it is left that is to be left', async () => {
    const [warning] = await warningOf({ 'on-cancel': 'leave' });
    expect(warning?.message).toContain('then the run is left running, because on-cancel is leave.');
  });

  it('it comes in time where the status is seldom read', async () => {
    const [warning] = await warningOf({ 'poll-interval': '50m' });
    expect(warning?.message).toMatch(/^GitHub ends this job in about 59m/);
  });

  it.each([{ RUNNER_ENVIRONMENT: 'self-hosted' }, {}])('nothing is said elsewhere: %o', async (env) => {
    expect(await warningOf({}, env)).toEqual([]);
  });
});
