import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import { triggerRun } from '../../../src/run/trigger.ts';
import type { Service } from '../../../src/service/api.ts';
import { pipelineNumber } from '../../support/fake-service.ts';
import { FAILED, type Stage, type StageOptions, stage } from './stage.ts';

interface Kept extends Stage {
  /** How often the service was asked to trigger, whether a POST left or not. */
  readonly asked: () => number;
  readonly stop: () => void;
  readonly end: () => Promise<void>;
}

/** A trigger by a service that needs `tokenMs` to get a token, unless it is stopped first. */
function triggering(options: StageOptions = {}, tokenMs = 0): Kept {
  let asked = 0;
  const all = stage({
    ...options,
    around: (service, clock): Service => ({
      ...service,
      trigger: async (order, given) => {
        asked += 1;
        await pause(clock, tokenMs, given.signal);
        return given.signal?.aborted === true ? { kind: 'aborted' } : service.trigger(order, given);
      },
    }),
  });
  const pipeline = { id: pipelineNumber(1), name: null };
  return Object.assign(all, {
    asked: () => asked,
    stop: () => all.stopAll({ reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel' }),
    end: () => all.clock.until(triggerRun(all.run, pipeline, all.parts)),
  });
}

describe('a stop', () => {
  it('that came before keeps the service from being asked at all', async () => {
    const all = triggering();
    all.stop();
    await all.end();
    expect(all.asked()).toBe(0);
  });

  it('in the pause before a retry keeps it from being asked again', async () => {
    const all = triggering({ script: { trigger: () => FAILED.busy } });
    all.clock.after(700, all.stop);
    await all.end();
    expect(all.asked()).toBe(1);
  });

  it('ends the wait for a token, and surely there is no run', async () => {
    const all = triggering({}, 20_000);
    all.clock.after(500, all.stop);
    await all.end();
    expect(all.clock.now()).toBe(500);
    expect(all.calls).toEqual([]);
    expect(all.run).toMatchObject({ jobId: undefined, stop: { reason: { by: 'SIGINT' } } });
    expect(all.run.phase).toEqual({ at: 'not_queued' });
    expect(all.records).toEqual([{ kind: 'refused', run: 1 }]);
  });
});
