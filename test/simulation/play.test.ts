import { describe, expect, it } from 'vitest';
import { violationsIn } from './check/index.ts';
import { randomScenario } from './generate.ts';
import { play } from './play.ts';
import { parseScenario, type Sketch, scenario, sketchOf } from './scenario.ts';
import { replayCommand, storyOf } from './story.ts';

const playSketch = (sketch: Sketch) => play(scenario(sketch));

describe('a scenario', () => {
  it('has the same story each time', async () => {
    const first = storyOf(await play(randomScenario(7)));
    expect(storyOf(await play(randomScenario(7)))).toEqual(first);
  });

  it('can be replayed from the command in a report', async () => {
    const history = await play(randomScenario(11));
    const json = /--replay '(.*)'$/s.exec(replayCommand(history))?.[1] ?? '';
    expect(parseScenario(json)).toEqual(history.scenario);
  });

  it('is short in JSON if nearly everything is plain', () => {
    expect(sketchOf(scenario({ steps: [{ runner: { losesState: true } }] }))).toEqual({
      seed: 1,
      steps: [{ pipelines: [{}], runner: { losesState: true } }],
    });
  });

  it('ends with a success if nothing goes wrong', async () => {
    const history = await playSketch({});
    expect(history.steps[0]?.main?.end?.code).toBe(0);
    expect(history.steps[0]?.outputs['outcome']).toBe('succeeded');
    expect(violationsIn(history)).toEqual([]);
  });
});

describe('an incident', () => {
  it('that kills main prevents every later effect', async () => {
    const { steps, story } = await playSketch({
      steps: [{ incidents: [{ on: 'main', what: 'kill', at: { effect: 5, when: 'after' } }] }],
    });
    expect(steps[0]?.main?.end?.how).toBe('killed');
    expect(Math.max(...story.filter(({ who }) => who === 'main').map(({ effect }) => effect))).toBe(5);
  });

  it('that abandons main leaves post without state', async () => {
    const { steps } = await playSketch({
      steps: [{ incidents: [{ on: 'main', what: 'abandoned', at: { ms: 5_000 } }] }],
    });
    expect(steps[0]?.isStateKept).toBe(false);
    expect(steps[0]?.outputs).toEqual({});
  });

  it('that closes stdout is noticed at the next line', async () => {
    const { steps } = await playSketch({
      steps: [{ incidents: [{ on: 'main', what: 'stdout_closed', at: { ms: 3_000 } }] }],
    });
    expect(steps[0]?.main?.stops.map(({ by }) => by)).toEqual(['stdout']);
  });
});

describe('a request', () => {
  const triggerWith = (what: 'reset' | 'refused', processed: 'at_once' | 'never') =>
    playSketch({ steps: [{ faults: [{ on: 'main', call: 'trigger', from: 1, to: 1, what, processed, ms: 0 }] }] });

  it('may be processed although its response is lost', async () => {
    const { service, steps } = await triggerWith('reset', 'at_once');
    expect(service.jobs).toHaveLength(1);
    expect(steps[0]?.outputs['job-status']).toBe('unknown');
  });

  it('is not processed without a connection', async () => {
    const { service, steps } = await triggerWith('refused', 'never');
    // The second trigger is sent because the first one provably had no effect.
    expect(service.jobs).toHaveLength(1);
    expect(steps[0]?.outputs['outcome']).toBe('succeeded');
  });
});
