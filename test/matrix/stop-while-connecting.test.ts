import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../support/scripted-wire.ts';
import { JOB, PIPELINE } from '../support/service.ts';
import { type PlayedStep, playStep, type StepOptions } from '../support/step.ts';

const SECOND = 1_000;
/** A connection that is established after so many milliseconds, and then answers at once. */
const connectingFor = (ms: number, answer: string): readonly Step[] =>
  answers(200, answer).map((step, index) => (index === 0 ? { ...step, ms } : step));

const kindsIn = (played: PlayedStep): readonly string[] =>
  [...played.files.text('/files/state').matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind ?? '');

function playTwo(options: StepOptions): Promise<PlayedStep> {
  const pipeline = `${PIPELINE}\n${PIPELINE.replace('9999', '7777')}`;
  return playStep({ ...options, inputs: { pipeline, ...options.inputs } });
}

describe('a stop while a trigger is connecting', () => {
  it('by a signal aborts the trigger, and no run is queued', async () => {
    const played = await playStep({
      interruptAtMs: 2 * SECOND,
      scripts: { trigger: (_nth, usual) => connectingFor(10 * SECOND, usual) },
    });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 2 * SECOND });
    expect(played.of('trigger').map(({ hungUpAtMs }) => hungUpAtMs)).toEqual([2 * SECOND]);
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'not_queued' });
    expect(kindsIn(played)).toEqual(['main', 'intent', 'refused', 'closed']);
    expect(played.lines.join('\n')).not.toContain('waits for its response');
  });

  it('by a signal leaves a trigger alone whose connection is established', async () => {
    const played = await playStep({
      interruptAtMs: 2 * SECOND,
      scripts: {
        trigger: (_nth, usual) => [{ connected: true, ms: SECOND }, ...connectingFor(3 * SECOND, usual).slice(1)],
      },
    });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled', 'job-id': JOB });
  });

  it('by timeout aborts the trigger', async () => {
    const played = await playStep({
      inputs: { timeout: '5s' },
      scripts: { trigger: (_nth, usual) => connectingFor(10 * SECOND, usual) },
    });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 5 * SECOND });
    expect(played.outputs).toMatchObject({ outcome: 'wait_timed_out', 'job-status': 'not_queued' });
  });

  it.each(['cancel', 'leave'])('by fail-fast with on-cancel: %s aborts the trigger', async (policy) => {
    const played = await playTwo({
      inputs: { 'fail-fast': 'true', 'on-cancel': policy },
      statuses: ['failed'],
      scripts: { trigger: (nth, usual) => (nth === 2 ? connectingFor(14 * SECOND, usual) : undefined) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'not_triggered', 'job-status': 'not_queued' });
    expect(kindsIn(played).filter((kind) => kind === 'refused')).toHaveLength(1);
    expect(played.of('trigger')[1]?.hungUpAtMs).toBeLessThan(14 * SECOND);
  });

  it('leaves the run unknown when an earlier POST of the same trigger may have been processed', async () => {
    const played = await playStep({
      inputs: { 'on-lost-response': 'retry' },
      interruptAtMs: 6 * SECOND,
      scripts: { trigger: (nth, usual) => (nth === 1 ? answers(503, 'away') : connectingFor(10 * SECOND, usual)) },
    });
    expect(played).toMatchObject({ exitCode: 1, endedAtMs: 6 * SECOND });
    expect(played.of('trigger')).toHaveLength(2);
    expect(played.outputs).toMatchObject({ outcome: 'unknown', 'job-status': 'unknown' });
    expect(kindsIn(played).at(-2)).toBe('unknown');
  });
});
