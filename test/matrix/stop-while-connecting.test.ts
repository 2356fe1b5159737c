// Stops a step while a trigger is connecting. The trigger is aborted only if it cannot have been processed.
import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../support/scripted-wire.ts';
import { JOB, PIPELINE } from '../support/service.ts';
import { playStep } from '../support/step.ts';

const SECOND = 1_000;

/** A connection that takes this many milliseconds to establish, and then responds immediately. */
const connectingFor = (ms: number, answer: string): readonly Step[] =>
  answers(200, answer).map((step, index) => (index === 0 ? { ...step, ms } : step));
const trigger = (_nth: number, good: string) => connectingFor(10 * SECOND, good);

describe('a trigger that is connecting', () => {
  it('is aborted by a signal, and no run is queued', async () => {
    const played = await playStep({ interruptAtMs: 2 * SECOND, scripts: { trigger } });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 2 * SECOND, facts: 'intent refused' });
    expect(played.of('trigger').map(({ hungUpAtMs }) => hungUpAtMs)).toEqual([2 * SECOND]);
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'not_queued' });
    expect(played.log).not.toContain('waits for its response');
  });

  it('is not aborted by a signal once its connection is established', async () => {
    const played = await playStep({
      interruptAtMs: 2 * SECOND,
      scripts: { trigger: (_nth, good) => connectingFor(SECOND, good).map((step) => ({ ms: SECOND, ...step })) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled', 'job-id': JOB });
  });

  it('is aborted by the timeout', async () => {
    const played = await playStep({ inputs: { timeout: '5s' }, scripts: { trigger } });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 5 * SECOND });
    expect(played.outputs).toMatchObject({ outcome: 'wait_timed_out', 'job-status': 'not_queued' });
  });

  it.each(['cancel', 'leave'])('is aborted by fail-fast with on-cancel: %s', async (policy) => {
    const pipeline = `${PIPELINE}\n${PIPELINE.replace('9999', '7777')}`;
    const played = await playStep({
      inputs: { pipeline, 'fail-fast': 'true', 'on-cancel': policy },
      statuses: ['failed'],
      scripts: { trigger: (nth, good) => (nth === 2 ? connectingFor(14 * SECOND, good) : undefined) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'not_triggered', 'job-status': 'not_queued' });
    expect(played.facts.match(/refused/g)).toHaveLength(1);
    expect(played.of('trigger')[1]?.hungUpAtMs).toBeLessThan(14 * SECOND);
  });

  it('leaves the run unknown if an earlier POST may have been processed', async () => {
    const played = await playStep({
      inputs: { 'on-lost-response': 'retry' },
      interruptAtMs: 6 * SECOND,
      scripts: { trigger: (nth, good) => (nth === 1 ? answers(503, 'away') : connectingFor(10 * SECOND, good)) },
    });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 6 * SECOND, facts: 'intent unknown intent unknown' });
    expect(played.of('trigger')).toHaveLength(2);
    expect(played.outputs).toMatchObject({ outcome: 'unknown', 'job-status': 'unknown' });
  });
});
