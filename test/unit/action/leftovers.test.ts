import { describe, expect, it } from 'vitest';
import { isAllSettled } from '../../../src/action/all-settled.ts';
import { type Chore, choreFor, leftoversOf } from '../../../src/action/leftovers.ts';
import type { StateRecord } from '../../../src/action/state-records.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { intent, JOB_ENV, JOURNAL, mainRecord, postEnv, TEMP, wrote } from '../../support/post.ts';
import { JOB } from '../../support/service.ts';

const queued: StateRecord = { kind: 'queued', run: 1, jobId: JOB };
const closed: StateRecord = { kind: 'closed' };

/** What a run has behind it when post looks at it. */
const LIVES: Readonly<Record<string, readonly StateRecord[]>> = {
  'about to be triggered': [intent()],
  'refused by the service': [intent(), { kind: 'refused', run: 1 }],
  'refused, and tried again': [intent(), { kind: 'refused', run: 1 }, intent()],
  'unknown, and told': [intent(), { kind: 'unknown', run: 1 }],
  queued: [intent(), queued],
  'queued after it had been unknown': [intent(), { kind: 'unknown', run: 1 }, intent(), queued],
  'taken from an earlier step': [{ kind: 'attached', run: 1, jobId: JOB }],
  'to be cancelled by a timeout': [intent(), queued, { kind: 'cancelling', run: 1 }],
  left: [intent(), queued, { kind: 'left', run: 1 }],
  'left, whatever came later': [intent(), queued, { kind: 'left', run: 1 }, { kind: 'cancelling', run: 1 }],
  'left by a timeout': [intent(), queued, { kind: 'cancelling', run: 1 }, { kind: 'left', run: 1 }],
  'not waited for': [intent(), queued, { kind: 'detached', run: 1 }],
  'over, and not waited for': [
    intent(),
    queued,
    { kind: 'detached', run: 1 },
    { kind: 'settled', run: 1, status: 'failed' },
  ],
  over: [intent(), queued, { kind: 'settled', run: 1, status: 'completed' }],
  'over, whatever came later': [intent(), queued, { kind: 'settled', run: 1, status: 'cancelled' }, queued],
};

type Life = keyof typeof LIVES;

function choreOf(life: Life, onCancel: 'cancel' | 'leave', before: string, now: string): Chore {
  const main = mainRecord({ onCancel, jobStatus: before });
  const [run] = leftoversOf([main, ...(LIVES[life] ?? [])]).runs;
  if (run === undefined) throw new Error(`nothing is known of a run that is ${life}`);
  return choreFor(run, main, now);
}

describe('what post is to do about a run', () => {
  const table: readonly (readonly [Life, Chore, Chore])[] = [
    ['about to be triggered', 'tell_intent', 'tell_intent'],
    ['refused by the service', 'none', 'none'],
    ['refused, and tried again', 'tell_intent', 'tell_intent'],
    ['unknown, and told', 'none', 'none'],
    ['queued', 'cancel', 'tell_left'],
    ['queued after it had been unknown', 'cancel', 'tell_left'],
    ['taken from an earlier step', 'cancel', 'tell_left'],
    ['to be cancelled by a timeout', 'cancel', 'cancel'],
    ['left', 'none', 'none'],
    ['left, whatever came later', 'none', 'none'],
    ['left by a timeout', 'none', 'none'],
    ['over, and not waited for', 'none', 'none'],
    ['over', 'none', 'none'],
    ['over, whatever came later', 'none', 'none'],
  ];

  it.each(table)('%s: %s, or with on-cancel: leave %s, however the job stands', (life, byCancel, byLeave) => {
    for (const before of ['success', 'failure', 'cancelled', '']) {
      for (const now of ['success', 'failure', 'cancelled', '']) {
        expect(choreOf(life, 'cancel', before, now)).toBe(byCancel);
        expect(choreOf(life, 'leave', before, now)).toBe(byLeave);
      }
    }
  });

  it.each([
    ['success', 'cancelled', 'cancel'],
    ['', 'cancelled', 'cancel'],
    ['failure', 'Cancelled', 'cancel'],
    ['cancelled', 'cancelled', 'none'],
    ['Cancelled', 'cancelled', 'none'],
    ['success', 'success', 'none'],
    ['success', 'failure', 'none'],
    ['success', '', 'none'],
    ['success', 'cancelled by somebody', 'none'],
  ] as const)('not waited for: when the job stood at %j and now stands at %j, %s', (before, now, chore) => {
    expect(choreOf('not waited for', 'cancel', before, now)).toBe(chore);
    expect(choreOf('not waited for', 'leave', before, now)).toBe('none');
  });
});

describe('records, read as a whole', () => {
  it('say of each run where it stands, in the order of the input', () => {
    const { runs } = leftoversOf([
      mainRecord(),
      intent(2, 'customers'),
      intent(1, 'orders'),
      { kind: 'settled', run: 7, status: 'failed' },
      queued,
    ]);
    expect(
      runs.map(({ run, standing, pipelineName, jobId }) => [run, standing, pipelineName, jobId]),
    ).toEqual([
      [1, 'open', 'orders', JOB],
      [2, 'intent', 'customers', undefined],
      [7, 'settled', null, undefined],
    ]);
  });
});

describe('the look by which most post steps end', () => {
  const over = [...(LIVES['over'] ?? []), closed];

  it.each<[string, readonly StateRecord[], boolean]>([
    ['main has ended, and its run', [mainRecord(), ...over], true],
    ['main has ended, and triggered nothing', [mainRecord(), closed], true],
    ['main has ended, and left its run', [mainRecord(), ...(LIVES['left'] ?? []), closed], true],
    ['main has not said that it has ended', [mainRecord(), ...(LIVES['over'] ?? [])], false],
    ['a run is open', [mainRecord(), ...(LIVES['queued'] ?? []), closed], false],
    [
      'a run is to be told of',
      [mainRecord({ onCancel: 'leave' }), ...(LIVES['queued'] ?? []), closed],
      false,
    ],
    ['an intent is open', [mainRecord(), intent(), closed], false],
    ['one of two runs is open', [mainRecord(), ...(LIVES['over'] ?? []), intent(2), closed], false],
  ])('%s', (_, records, settled) => {
    expect(isAllSettled(postEnv(records), memoryFiles())).toBe(settled);
  });

  it('sees that the job has been cancelled', () => {
    const records = [mainRecord(), ...(LIVES['not waited for'] ?? []), closed];
    expect(isAllSettled(postEnv(records), memoryFiles())).toBe(true);
    const env = postEnv(records, { 'INPUT_INTERNAL-JOB-STATUS': 'cancelled' });
    expect(isAllSettled(env, memoryFiles())).toBe(false);
  });

  it('goes by the journals of the job where the runner kept nothing', () => {
    const files = memoryFiles();
    expect(isAllSettled(JOB_ENV, files)).toBe(true);
    wrote(files, [mainRecord(), ...over], [JOURNAL]);
    expect(isAllSettled(JOB_ENV, files)).toBe(true);
    wrote(files, [mainRecord(), intent(), queued], [`${TEMP}/run-pipeline-77-1-load-99.journal`]);
    expect(isAllSettled(JOB_ENV, files)).toBe(false);
  });

  it('leaves journals of other jobs to them', () => {
    const files = memoryFiles();
    wrote(files, [mainRecord(), intent()], [`${TEMP}/run-pipeline-77-2-load-99.journal`]);
    wrote(files, [mainRecord(), intent()], [`${TEMP}/run-pipeline-77-1-load-99.txt`]);
    expect(isAllSettled(JOB_ENV, files)).toBe(true);
  });
});
