import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../src/run/state/outcome.ts';
import { FAILED, stage } from './stage.ts';

describe('queue-timeout', () => {
  it('is over at its very last instant: a run that is still queued then is not waited for', async () => {
    const all = stage({
      plan: { queueTimeoutMs: 62_000, onTimeout: 'leave' },
      script: { life: () => [[0, 'queued']] },
    });
    await all.play();
    expect(all.of('read').map(({ at }) => at)).toEqual([2_000, 32_000, 62_000]);
    expect(all.run.stop).toMatchObject({ reason: { kind: 'queue_timeout' }, at: 62_000 });
    expect(outcomeOf(all.run, all.parts.plan)).toBe('wait_timed_out');
  });
});

describe('contact that is back', () => {
  it('is told once, and not again with every good answer', async () => {
    const all = stage({
      script: {
        life: () => [
          [0, 'running'],
          [200_000, 'completed'],
        ],
        read: (nth) => (nth === 2 || nth === 3 ? FAILED.perhaps : undefined),
      },
    });
    await all.play();
    expect(all.of('read')).toHaveLength(8);
    expect(all.told('contact_again')).toMatchObject([{ afterMs: 90_000 }]);
  });
});
