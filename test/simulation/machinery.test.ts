import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../support/imports.ts';
import { check } from './checker/check.ts';
import { PATHS } from './model/facts.ts';
import { PLAIN_PIPELINE, plainSingle } from './model/plain.ts';
import { createRandom } from './model/random.ts';
import { recordsOf } from './model/runner-state.ts';
import { simulateAlone } from './model/simulate.ts';
import { alone, type CrashKind } from './model/spec.ts';
import { examine } from './scenarios/examine.ts';
import { randomSingle } from './scenarios/random-scenario.ts';
import { shrink } from './scenarios/shrink.ts';

const HERE = import.meta.dirname;

function sources(folder: string): string[] {
  return readdirSync(join(HERE, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(HERE, folder, name));
}

describe('the check', () => {
  it('knows nothing of the action', () => {
    const values = sources('checker').flatMap((path) =>
      importsOf(readFileSync(path, 'utf8')).filter(({ typeOnly }) => !typeOnly),
    );
    const foreign = values.filter(({ specifier = '' }) => /\/src\//.test(specifier));
    expect(foreign).toEqual([]);
  });

  it('finds a run that goes on although it was to be cancelled', async () => {
    const facts = await simulateAlone(plainSingle({ crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'cancel' }] }));
    expect(check(facts)).toEqual([]);
    for (const job of facts.world.jobs) Object.assign(job, { cancelledAt: null, timeline: [[0, 'running', null]] });
    expect(check(facts).map(({ invariant }) => invariant)).toContain('settled');
  });

  it('finds an exit code that is a lie', async () => {
    const facts = await simulateAlone(plainSingle());
    const { end } = facts.main;
    const lied = { ...facts, main: { ...facts.main, end: end && { ...end, code: 1 } } };
    expect(check(lied).map(({ invariant }) => invariant)).toContain('verdict');
  });
});

describe('a simulated process', () => {
  const KILLS: readonly CrashKind[] = ['kill', 'power', 'kill_lost'];

  it.each(KILLS)('does nothing any more after %s', async (kind) => {
    const whole = await simulateAlone(plainSingle());
    for (const effect of [5, 22, 30, 41]) {
      const facts = await simulateAlone(
        plainSingle({ crashes: [{ on: 'main', at: { effect, when: 'after' }, kind }] }),
      );
      const ours = (lines: readonly string[]): string[] => lines.filter((line) => / main #/.test(line));
      expect(ours(facts.log)).toEqual(ours(whole.log).slice(0, ours(facts.log).length));
      expect(ours(facts.log).length).toBeLessThanOrEqual(effect);
    }
  });

  it('leaves half a record behind when it is killed in the middle of a write', async () => {
    const whole = await simulateAlone(plainSingle());
    const write = whole.writes.find(({ path, text }) => path === PATHS.state && text.includes('queued'));
    const effect = write?.effect ?? 0;
    const facts = await simulateAlone(
      plainSingle({ crashes: [{ on: 'main', at: { effect, when: 'torn' }, kind: 'kill' }] }),
    );
    const text = facts.files.get(PATHS.state) ?? '';
    expect(text.endsWith('\n')).toBe(false);
    expect(text.length).toBeLessThan(whole.files.get(PATHS.state)?.length ?? 0);
  });

  it('is taken for one whose loop has drained when a timer never comes', async () => {
    const ends: unknown[] = [];
    for (let lostTimer = 1; lostTimer <= 12; lostTimer += 1) {
      const { main } = await simulateAlone(plainSingle({ lostTimer }));
      if (main.drained) ends.push([main.end?.how, main.end?.code, main.outputs.get('outcome')]);
    }
    expect(ends.length).toBeGreaterThan(0);
    expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set(['["exited",1,"lost"]']));
  });
});

describe('the runner', () => {
  it('reads records up to a line that it cannot read', () => {
    expect(recordsOf('a=1\nb<<X\n2\n3\nX\nc\nd=4\n')).toEqual({
      records: new Map([
        ['a', '1'],
        ['b', '2\n3'],
      ]),
      torn: true,
    });
  });

  it('gives post the state that main has written', async () => {
    const facts = await simulateAlone(plainSingle({ crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'kill' }] }));
    expect(Object.keys(facts.postEnv).filter((key) => key.startsWith('STATE_')).length).toBeGreaterThan(2);
    expect(facts.postEnv['INPUT_INTERNAL-JOB-STATUS']).toBe('cancelled');
  });
});

describe('a scenario that violates an invariant', () => {
  it('is shrunk to what it takes', async () => {
    // Nobody can cancel without the key: taken for a break of the invariant that post says nothing.
    const spec = {
      ...randomSingle(11),
      ...plainSingle(),
      crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'power' } as const],
    };
    const broken = alone({ ...spec, latencyMs: 200, inputs: { 'poll-interval': '45s' } });
    const neighbour = alone(plainSingle()).executions;
    const several = { ...broken, executions: [...broken.executions, ...neighbour] };
    const smallest = await shrink({ ...(await examine(several)), violations: [] });
    const [left, ...others] = smallest.spec.executions;
    expect(others).toEqual([]);
    expect(left?.crashes).toEqual([]);
    expect(left?.inputs).toEqual({});
    expect(smallest.spec.service).toEqual(alone(plainSingle()).service);
  });
});

describe('random numbers', () => {
  it('are the same for the same seed, and spread', () => {
    const draw = (seed: number): number[] => {
      const random = createRandom(seed);
      return Array.from({ length: 1_000 }, () => random.below(10));
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const counts = Array.from({ length: 10 }, (_, n) => draw(7).filter((drawn) => drawn === n).length);
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(PLAIN_PIPELINE.timeline.length).toBeGreaterThan(2);
  });
});
