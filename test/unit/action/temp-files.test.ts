// The names of a step's files in RUNNER_TEMP, and the mark with which the post step stops the main step.
import { describe, expect, it } from 'vitest';
import { isMarked, mark, newJournal } from '../../../src/action/temp-files.ts';
import type { Environment } from '../../../src/base/environment.ts';
import { fakeWorld } from '../../support/world.ts';

describe('the name of a journal', () => {
  const ENV = { GITHUB_RUN_ID: '1', GITHUB_JOB: 'load', GITHUB_ACTION: '__self', RUNNER_NAME: 'r1' };
  const hashOf = (env: Environment) => newJournal(fakeWorld({ env: { ...ENV, ...env } }).world).slice(0, -15);

  it('identifies its step and differs between the processes of the step', () => {
    const first = fakeWorld();
    const second = fakeWorld({ beside: first });
    expect(hashOf({})).toBe(hashOf({}));
    expect(newJournal(first.world)).not.toBe(newJournal(second.world));
    // In two containers, the process ids may be the same.
    expect(newJournal({ ...first.world, random: () => 0.25 })).not.toBe(newJournal(first.world));
  });

  it.each(['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB', 'GITHUB_ACTION', 'RUNNER_NAME', 'RUNNER_TRACKING_ID'])(
    'differs if %s differs',
    (name) => {
      expect(hashOf({ [name]: 'other' })).not.toBe(hashOf({}));
    },
  );
});

describe('the mark of a post step', () => {
  const stepWithJournal = () => {
    const { files, world } = fakeWorld();
    return { files, world, journal: newJournal(world) };
  };

  it('can be set twice and is visible to the main step', () => {
    const { world, journal } = stepWithJournal();
    expect(isMarked(world, journal)).toBe(false);
    expect([mark(world, journal), mark(world, journal)]).toEqual([undefined, undefined]);
    expect(isMarked(world, journal)).toBe(true);
  });

  it.each([
    ['on a full disk', true, 'ENOSPC'],
    ['without a journal', false, 'RUNNER_TEMP is not set'],
  ])('cannot be set %s', (_, hasJournal, why) => {
    const { world, files, journal } = stepWithJournal();
    files.refuse(`${journal}.mark`);
    expect(mark(world, hasJournal ? journal : '')).toContain(why);
  });

  it('is not a file in the workspace', () => {
    const { world, files } = stepWithJournal();
    files.create('.mark', '');
    expect(isMarked(world, '')).toBe(false);
  });
});
