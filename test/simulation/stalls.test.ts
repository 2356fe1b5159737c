import { expect, it } from 'vitest';
import { PATHS } from './model/facts.ts';
import { PLAIN_PIPELINE, plainSingle } from './model/plain.ts';
import { examineAlone } from './scenarios/examine.ts';

const ENDLESS = { ...PLAIN_PIPELINE, timeline: PLAIN_PIPELINE.timeline.slice(0, 3) };
/** The record that a run is queued, which is written about 120 ms after the start. */
const RECORD = { file: 'state', from: 3, to: 3, ms: 6_000 } as const;

it('a signal that comes while a write blocks is heard when the write returns, and the run is cancelled at once', async () => {
  const { facts, violations } = await examineAlone(
    plainSingle({
      pipelines: [ENDLESS],
      stalls: [RECORD],
      crashes: [{ on: 'main', at: { ms: 1_000 }, kind: 'cancel' }],
    }),
  );
  expect(violations).toEqual([]);
  const [stall] = facts.stalls;
  expect(stall?.fromMs).toBeLessThan(1_000);
  expect(facts.main.observed[0]?.atMs).toBe(stall?.untilMs);
  const cancel = facts.requests.find(({ call }) => call === 'cancel');
  expect((cancel?.atMs ?? Infinity) - (stall?.untilMs ?? 0)).toBeLessThanOrEqual(1);
});

it('timers of a blocked process come when the write returns, and the service goes on meanwhile', async () => {
  const { facts } = await examineAlone(plainSingle({ stalls: [{ ...RECORD, ms: 20_000 }] }));
  const [stall] = facts.stalls;
  const [read] = facts.requests.filter(({ call }) => call === 'read');
  expect(read?.atMs).toBeGreaterThanOrEqual(stall?.untilMs ?? Infinity);
  // Its run was picked up and has started by then.
  expect(read?.text).toContain('running');
});

it('a process that is killed while a write blocks has written nothing', async () => {
  const { facts, violations } = await examineAlone(
    plainSingle({ pipelines: [ENDLESS], stalls: [RECORD], crashes: [{ on: 'main', at: { ms: 1_000 }, kind: 'kill' }] }),
  );
  expect(violations).toEqual([]);
  expect(facts.world.jobs).toHaveLength(1);
  expect(facts.files.get(PATHS.state)).not.toContain(facts.world.jobs[0]?.id);
  expect(facts.main.end?.atMs).toBe(1_000);
});
