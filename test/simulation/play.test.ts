// What the simulation must do for its checks to be meaningful.
import { describe, expect, it } from 'vitest';
import { play } from './play.ts';
import { type Incident, scenario } from './scenario.ts';

describe('an incident', () => {
  const playIncident = async (what: Incident['what'], at: Incident['at']) => {
    const { steps, trace } = await play(scenario({ steps: [{ incidents: [{ on: 'main', what, at }] }] }));
    return { step: steps[0], trace };
  };

  it('that kills the main process prevents every later effect', async () => {
    const { step, trace } = await playIncident('kill', { effect: 5, when: 'after' });
    expect(step?.main?.end?.how).toBe('killed');
    expect(Math.max(...trace.filter(({ who }) => who === 'main').map(({ effect }) => effect))).toBe(5);
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
