// What the simulation must do for its checks to be meaningful.
import { describe, expect, it } from 'vitest';
import { play } from './play.ts';
import { type Incident, type StepSketch, scenario } from './scenario.ts';

const playStep = async (step: StepSketch) => {
  const history = await play(scenario({ steps: [step] }));
  return { ...history, step: history.steps[0] };
};

describe('an incident', () => {
  const playIncident = (what: Incident['what'], at: Incident['at']) =>
    playStep({ incidents: [{ on: 'main', what, at }] });

  it('that kills the main process prevents every later effect', async () => {
    const { step, story } = await playIncident('kill', { effect: 5, when: 'after' });
    expect(step?.main?.end?.how).toBe('killed');
    expect(Math.max(...story.filter(({ who }) => who === 'main').map(({ effect }) => effect))).toBe(5);
  });

  it('that abandons the main process leaves the post step without state', async () => {
    const { step } = await playIncident('abandoned', { ms: 5_000 });
    expect(step?.isStateKept).toBe(false);
    expect(step?.outputs).toEqual({});
  });

  it('that closes stdout is noticed at the next line', async () => {
    const { step } = await playIncident('stdout_closed', { ms: 3_000 });
    expect(step?.main?.stops.map(({ by }) => by)).toEqual(['stdout']);
  });
});

describe('a request', () => {
  const triggerWith = (what: 'reset' | 'refused') =>
    playStep({ faults: [{ on: 'main', call: 'trigger', times: 1, what, processed: 'yes' }] });

  it('may be processed although its response is lost', async () => {
    const { service, step } = await triggerWith('reset');
    expect(service.jobs).toHaveLength(1);
    expect(step?.outputs['job-status']).toBe('unknown');
  });

  it('is not processed without a connection', async () => {
    const { service, step } = await triggerWith('refused');
    // The second trigger is sent because the first one provably had no effect.
    expect(service.jobs).toHaveLength(1);
    expect(step?.outputs['outcome']).toBe('succeeded');
  });
});
