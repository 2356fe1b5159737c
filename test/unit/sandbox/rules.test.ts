// Tests the rules that make the model misbehave: the requests that they match and the effects that they have.
import { describe, expect, it } from 'vitest';
import { createWorld, type ModelRule, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, parse } from './client.ts';

function worldWith(...rules: ModelRule[]) {
  const world = createWorld({ rules, minReadIntervalMs: 0 });
  return { world, ...client(world) };
}

/** Starts a run in a world with an effect on every request of one kind. */
function runUnder(kind: ModelRule['kind'], how: ModelRule['how']) {
  const stage = worldWith();
  const id = stage.run(0, PIPELINE_IDS.orders);
  stage.world.rules.push({ kind, how });
  return { ...stage, id };
}

describe('a rule', () => {
  it.each([
    [{ nth: 3 }, [3]],
    [{ every: 2 }, [2, 4, 6]],
    [{ from: 5 }, [5, 6]],
    [{ to: 2 }, [1, 2]],
    [{ from: 2, to: 4, every: 2 }, [2, 4]],
    [{}, [1, 2, 3, 4, 5, 6]],
  ])('with the condition %j applies to requests %j of 6', (when, hits) => {
    const { run, status } = worldWith({ kind: 'read', ...when, how: { do: 'empty' } });
    const id = run(0, PIPELINE_IDS.unpicked);
    expect([1, 2, 3, 4, 5, 6].filter(() => status(0, id) === undefined)).toEqual(hits);
  });

  it('for a pipeline counts only the triggers of that pipeline', () => {
    const { world, run } = worldWith({ kind: 'trigger', of: 'slow', nth: 2, how: { do: 'null' } });
    const { orders, slow } = PIPELINE_IDS;
    expect([orders, slow, slow].map((id) => run(0, id) === null)).toEqual([false, false, true]);
    expect(world.jobs).toHaveLength(2);
  });

  it.each([
    ['run counts only the reads of that run', 'run', { kind: 'read', nth: 1, how: { do: 'empty' } }, undefined],
    ['pipeline applies to its runs', PIPELINE_IDS.slow, { kind: 'any', how: { do: 'status', status: 'odd' } }, 'odd'],
  ] as const)('for a %s', (_what, of, rule, expected) => {
    const { world, run, status } = worldWith();
    const [other, one] = [run(0, PIPELINE_IDS.orders), run(0, PIPELINE_IDS.slow)];
    world.rules.push({ of: of === 'run' ? one : of, ...rule });
    expect([status(0, other), status(0, one)]).toEqual(['queued', expected]);
  });
});

describe('the effect', () => {
  it('`lag` hides a new run from reads', () => {
    const { id, status } = runUnder('read', { do: 'lag', byMs: 2_000 });
    expect([status(1_999, id), status(2_000, id)]).toEqual([undefined, 'queued']);
  });

  it('`lag` hides a cancellation from reads, but not from other cancels', () => {
    const { id, status, cancel } = runUnder('read', { do: 'lag', byMs: 2_000 });
    cancel(8_000, id);
    expect([status(9_999, id), status(10_000, id)]).toEqual(['picked', 'cancelled']);
    expect(parse(cancel(9_000, id))).toEqual([]);
  });

  it.each(['read', 'cancel'] as const)('`status` changes the status in the response to a %s', (call) => {
    const { id, ...calls } = runUnder('any', { do: 'status', status: 'odd', message: 'why' });
    expect(parse(calls[call](0, id))).toEqual([{ id, job_status: 'odd', status_message: 'why' }]);
  });

  it('`empty` prevents a cancel and returns no rows', () => {
    const { world, id, cancel } = runUnder('any', { do: 'empty' });
    expect(parse(cancel(0, id))).toEqual([]);
    expect(world.jobs.map(({ cancelledAt }) => cancelledAt)).toEqual([null]);
  });

  it('`refuse-token` rejects a valid token and keeps the request from taking effect', () => {
    const { world, post } = worldWith({ kind: 'trigger', every: 2, how: { do: 'refuse-token' } });
    const statuses = [1, 2, 3, 4].map(() => post(0, { p_pipeline_id: PIPELINE_IDS.orders }).status);
    expect([statuses, world.jobs.length]).toEqual([[200, 401, 200, 401], 2]);
    expect(world.violations).toEqual([]);
  });

  const USUAL = { status: 200, headers: expect.anything() as unknown };
  const away = { status: 503, headers: { 'retry-after': '5' }, body: 'gone' };

  it.each([
    ['prevents a trigger', away, away, 0],
    ['with `commit` does not prevent a trigger', { ...away, commit: true }, away, 1],
    ['without a status keeps the usual one', { body: '{}', commit: true }, { ...USUAL, body: '{}' }, 1],
  ])('`answer` replaces the response, and %s', (_what, how, response, runs) => {
    const { world, post } = worldWith({ kind: 'trigger', how: { do: 'answer', ...how } });
    expect(post(0, { p_pipeline_id: PIPELINE_IDS.orders })).toEqual(response);
    expect(world.jobs).toHaveLength(runs);
  });
});
