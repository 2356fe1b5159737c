// Stops steps while a trigger is connecting. The step aborts the trigger only if the service cannot have processed it.
import { describe, expect, it } from 'vitest';
import { meeting } from '../../support/meeting.ts';
import { answers, delayed, type Step } from '../../support/scripted-wire.ts';
import { JOB, PIPELINE } from '../../support/service.ts';
import { playStep, type Script } from '../../support/step.ts';

const SECOND = 1_000;

/** The steps of a connection that takes this many milliseconds to establish, followed by an immediate response. */
const connectingFor = (ms: number, answer: string): readonly Step[] => delayed(ms, answers(200, answer));

describe('a trigger that is connecting', () => {
  it.each([
    ['a signal', 0, 2, 'intent refused', 'cancelled', { interruptAtMs: 2 * SECOND }],
    ['a signal on its retry after a 401', 1, 2, 'intent intent refused', 'cancelled', { interruptAtMs: 2 * SECOND }],
    ['the timeout', 0, 5, 'intent stopped refused', 'wait_timed_out', { inputs: { timeout: '5s' } }],
  ])('is aborted by %s, so that no run is queued', async (_why, rejections, seconds, facts, outcome, options) => {
    const trigger: Script = (nth, good) =>
      nth > rejections ? connectingFor(10 * SECOND, good) : meeting('denied', 'trigger')(good);
    const played = await playStep({ ...options, scripts: { trigger } });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: seconds * SECOND, facts });
    expect(played.of('trigger').slice(rejections)).toMatchObject([{ hungUpAtMs: seconds * SECOND }]);
    expect(played.outputs).toMatchObject({ outcome, 'job-status': 'not_queued' });
    expect(played.log).not.toContain('awaits the response');
  });

  it.each([
    ['the connection', 0],
    ['the connection for its retry after a 401', 1],
  ])('is not aborted by a signal once %s is established', async (_when, rejections) => {
    const established = (good: string) => connectingFor(SECOND, good).map((step) => ({ ms: SECOND, ...step }));
    const trigger: Script = (nth, good) => (nth > rejections ? established(good) : meeting('denied', 'trigger')(good));
    const played = await playStep({ interruptAtMs: 2 * SECOND, scripts: { trigger } });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled', 'job-id': JOB });
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

  it('is reported as unknown if the service may have processed an earlier attempt', async () => {
    const played = await playStep({
      inputs: { 'on-lost-response': 'retry' },
      interruptAtMs: 6 * SECOND,
      scripts: { trigger: (nth, good) => (nth === 1 ? meeting('http_503')(good) : connectingFor(10 * SECOND, good)) },
    });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 6 * SECOND, facts: 'intent unknown intent unknown' });
    expect(played.of('trigger')).toHaveLength(2);
    expect(played.outputs).toMatchObject({ outcome: 'unknown', 'job-status': 'unknown' });
  });
});
