// Tests the rules that make the model misbehave: the requests that they match and the effects that they have.
import { describe, expect, it } from 'vitest';
import {
  createWorld,
  FOREIGN_JOB_ID,
  type ModelEffect,
  type ModelRule,
  PIPELINE_IDS,
} from '../../../sandbox/model/index.ts';
import { client, exchange, parse } from './client.ts';

function worldWith(...rules: ModelRule[]) {
  const world = createWorld({ rules, minReadIntervalMs: 0 });
  return { world, ...client(world) };
}

/** Starts a run in a world with an effect on every request of one kind. */
function runUnder(kind: ModelRule['kind'], how: ModelEffect) {
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

  it('for a single pipeline or run counts only the requests for that pipeline or run', () => {
    const { world, run, status } = worldWith({ kind: 'trigger', of: 'slow', nth: 2, how: { do: 'null' } });
    const other = run(0, PIPELINE_IDS.orders);
    const first = run(0, PIPELINE_IDS.slow);
    expect(run(0, PIPELINE_IDS.slow)).toBeNull();
    expect(world.jobs).toHaveLength(2);
    world.rules.push({ kind: 'read', of: first, nth: 1, how: { do: 'empty' } });
    world.rules.push({ kind: 'any', of: PIPELINE_IDS.orders, how: { do: 'status', status: 'odd' } });
    expect([status(0, other), status(0, first), status(0, first)]).toEqual(['odd', undefined, 'queued']);
  });
});

describe('the effect', () => {
  it('`lag` shows an earlier state, in which a run or its cancellation may be missing', () => {
    const { id, status, cancel } = runUnder('read', { do: 'lag', byMs: 2_000 });
    expect(status(1_999, id)).toBeUndefined();
    cancel(8_000, id);
    expect([status(9_999, id), status(10_000, id)]).toEqual(['picked', 'cancelled']);
    expect(parse(cancel(9_000, id))).toEqual([]);
  });

  it('`status` changes the status in the responses to reads and cancels', () => {
    const { id, read, cancel } = runUnder('any', { do: 'status', status: 'odd', message: 'why' });
    const row = { id, job_status: 'odd', status_message: 'why' };
    expect([parse(read(0, id)), parse(cancel(0, id))]).toEqual([[row], [row]]);
  });

  it('`foreign-row` adds a row for another run or replaces the correct row', () => {
    const { run, read } = worldWith(
      { kind: 'read', nth: 1, how: { do: 'foreign-row' } },
      { kind: 'read', nth: 2, how: { do: 'foreign-row', instead: true } },
    );
    const id = run(0, PIPELINE_IDS.orders);
    expect([parse(read(0, id)), parse(read(0, id))]).toMatchObject([
      [{ id: FOREIGN_JOB_ID }, { id }],
      [{ id: FOREIGN_JOB_ID }],
    ]);
  });

  it('`empty` neither returns nor changes any rows', () => {
    const { world, id, cancel, list } = runUnder('any', { do: 'empty' });
    expect([parse(list(0)), parse(cancel(0, id))]).toEqual([[], []]);
    expect(world.jobs.map(({ cancelledAt }) => cancelledAt)).toEqual([null]);
  });

  it('`refuse-token` rejects a valid token and keeps the request from taking effect', () => {
    const { world, post } = worldWith({ kind: 'trigger', every: 2, how: { do: 'refuse-token' } });
    const statuses = [1, 2, 3, 4].map(() => post(0, { p_pipeline_id: PIPELINE_IDS.orders }).status);
    expect([statuses, world.jobs.length]).toEqual([[200, 401, 200, 401], 2]);
    expect(world.violations).toEqual([]);
  });

  it('`answer` replaces the response and lets the request take effect only if `commit` is set', () => {
    const away = { status: 503, headers: { 'retry-after': '5' }, body: 'gone' };
    const { world, post } = worldWith(
      { kind: 'trigger', nth: 1, how: { do: 'answer', ...away } },
      { kind: 'trigger', nth: 2, how: { do: 'answer', ...away, commit: true } },
      { kind: 'trigger', nth: 3, how: { do: 'answer', body: '{"ok":1}', commit: true } },
      { kind: 'exchange', from: 4, how: { do: 'answer', status: 502 } },
    );
    const trigger = () => post(0, { p_pipeline_id: PIPELINE_IDS.orders });
    expect([trigger(), world.jobs.length]).toEqual([away, 0]);
    expect([trigger(), world.jobs.length]).toEqual([away, 1]);
    expect(trigger()).toMatchObject({ status: 200, body: '{"ok":1}' });
    expect(exchange(world).status).toBe(502);
  });
});
