import { describe, expect, it } from 'vitest';
import { type LedgerRecord, replay } from '../../../src/run/ledger.ts';
import { jobNumber, pipelineNumber } from './fake-service.ts';

/** Records of run 1 by their kind. */
function records(kinds: string): LedgerRecord[] {
  return kinds.split(' ').map((kind): LedgerRecord => {
    switch (kind) {
      case 'intent':
        return { kind, run: 1, pipelineId: pipelineNumber(1), pipelineName: 'orders', at: 5 };
      case 'queued':
      case 'attached':
        return { kind, run: 1, jobId: jobNumber(1) };
      case 'settled':
        return { kind, run: 1, status: 'cancelled' };
      case 'refused':
      case 'unknown':
      case 'cancelling':
      case 'left':
      case 'detached':
        return { kind, run: 1 };
      default:
        throw new Error(`${kind} is no kind of record`);
    }
  });
}

describe('the records of a run', () => {
  it.each([
    ['intent', 'intent'],
    ['intent refused', 'refused'],
    ['intent unknown', 'unknown'],
    ['intent queued', 'open'],
    ['attached', 'open'],
    ['intent refused intent', 'intent'],
    ['intent refused intent queued', 'open'],
    ['intent unknown intent', 'intent'],
    ['intent unknown intent unknown', 'unknown'],
    ['intent unknown intent queued', 'open'],
    // A repetition with a new token: two intents, one answer.
    ['intent intent queued', 'open'],
    ['intent queued detached', 'detached'],
    ['attached detached', 'detached'],
    ['intent queued left', 'left'],
    ['intent queued cancelling', 'cancelling'],
    ['intent queued cancelling settled', 'settled'],
    ['intent queued settled', 'settled'],
    ['intent queued detached settled', 'settled'],
    // What was left stays left, unless its end was seen.
    ['intent queued left cancelling', 'left'],
    ['intent queued left detached', 'left'],
    ['intent queued left settled', 'settled'],
    // What has ended has ended.
    ['intent queued settled cancelling', 'settled'],
    ['intent queued settled left', 'settled'],
    ['intent queued settled settled', 'settled'],
    ['refused', 'refused'],
  ])('%s mean that it is %s', (kinds, standing) => {
    expect(replay(records(kinds))).toMatchObject([{ run: 1, standing }]);
  });

  it('keep its id, its pipeline and the time of its last intent', () => {
    expect(replay(records('intent queued cancelling'))).toEqual([
      {
        run: 1,
        standing: 'cancelling',
        jobId: jobNumber(1),
        pipelineId: pipelineNumber(1),
        pipelineName: 'orders',
        intentAt: 5,
      },
    ]);
  });
});

it('keeps runs apart, and tells of them in the order of the input', () => {
  const mixed: LedgerRecord[] = [
    { kind: 'attached', run: 3, jobId: jobNumber(3) },
    { kind: 'attached', run: 1, jobId: jobNumber(1) },
    { kind: 'left', run: 3 },
    { kind: 'settled', run: 2, status: 'failed' },
  ];
  expect(replay(mixed).map(({ run, standing }) => [run, standing])).toEqual([
    [1, 'open'],
    [2, 'settled'],
    [3, 'left'],
  ]);
});

it('says nothing when nothing was recorded', () => {
  expect(replay([])).toEqual([]);
});
