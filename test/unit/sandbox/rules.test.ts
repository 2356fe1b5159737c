import { describe, expect, it } from 'vitest';
import { createWorld, FOREIGN_JOB_ID, type ModelRule, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, exchange, parse } from './client.ts';

function worldWith(...rules: ModelRule[]) {
  const world = createWorld({ rules, minReadIntervalMs: 0 });
  return { world, ...client(world) };
}

describe('occasions', () => {
  it.each([
    [{ nth: 3 }, [3]],
    [{ every: 2 }, [2, 4, 6]],
    [{ from: 5 }, [5, 6]],
    [{ to: 2 }, [1, 2]],
    [{ from: 2, to: 4, every: 2 }, [2, 4]],
    [{}, [1, 2, 3, 4, 5, 6]],
  ])('%j', (when, hits) => {
    const { run, status } = worldWith({ kind: 'read', ...when, how: { do: 'empty' } });
    const id = run(0, PIPELINE_IDS.unpicked);
    expect([1, 2, 3, 4, 5, 6].filter(() => status(0, id) === undefined)).toEqual(hits);
  });

  it('count for a pipeline or a job alone', () => {
    const { world, run, status } = worldWith({ kind: 'trigger', of: 'slow', nth: 2, how: { do: 'null' } });
    const other = run(0, PIPELINE_IDS.orders);
    const first = run(0, PIPELINE_IDS.slow);
    expect(run(0, PIPELINE_IDS.slow)).toBeNull();
    world.rules.push({ kind: 'read', of: first, nth: 1, how: { do: 'empty' } });
    world.rules.push({ kind: 'any', of: PIPELINE_IDS.orders, how: { do: 'status', status: 'odd' } });
    expect([status(0, other), status(0, first), status(0, first)]).toEqual(['odd', undefined, 'queued']);
  });
});

describe('effects', () => {
  it('lag: a replica that is behind, so that time seems to go back', () => {
    const { run, status } = worldWith({ kind: 'read', nth: 2, how: { do: 'lag', byMs: 90_000 } });
    const id = run(0, PIPELINE_IDS.orders);
    expect([status(90_000, id), status(91_000, id), status(92_000, id)]).toEqual(['completed', 'queued', 'completed']);
  });

  it('lag: a job, or a cancel, that has not got there yet', () => {
    const { run, status, cancel } = worldWith({ kind: 'read', how: { do: 'lag', byMs: 2_000 } });
    const id = run(0, PIPELINE_IDS.orders);
    expect(status(1_999, id)).toBeUndefined();
    cancel(8_000, id);
    expect([status(9_999, id), status(10_000, id)]).toEqual(['picked', 'cancelled']);
    expect(parse(cancel(9_000, id))).toEqual([]);
  });

  it('status: in a read, and in the answer to a cancel', () => {
    const { run, read, cancel } = worldWith({ kind: 'any', how: { do: 'status', status: 'odd', message: 'why' } });
    const id = run(0, PIPELINE_IDS.orders);
    const row = { id, job_status: 'odd', status_message: 'why' };
    expect([parse(read(0, id)), parse(cancel(0, id))]).toEqual([[row], [row]]);
  });

  it('foreign-row: beside the right one, or instead of it', () => {
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

  it('null: no run', () => {
    const { world, post } = worldWith({ kind: 'trigger', nth: 1, how: { do: 'null' } });
    expect(parse(post(0, { p_pipeline_id: PIPELINE_IDS.orders }))).toBeNull();
    expect(world.jobs).toEqual([]);
  });

  it('empty: nothing is found, and nothing changes', () => {
    const { world, run, cancel, list } = worldWith({ kind: 'any', nth: 1, how: { do: 'empty' } });
    run(0, PIPELINE_IDS.orders);
    const id = run(0, PIPELINE_IDS.orders);
    expect([parse(list(0)), parse(cancel(0, id))]).toEqual([[], []]);
    expect(world.jobs.map(({ cancelledAt }) => cancelledAt)).toEqual([null]);
  });

  it('refuse-token: 401 for a fresh one, and nothing happens', () => {
    const { world, post } = worldWith({ kind: 'trigger', every: 2, how: { do: 'refuse-token' } });
    const statuses = [1, 2, 3, 4].map(() => post(0, { p_pipeline_id: PIPELINE_IDS.orders }).status);
    expect([statuses, world.jobs.length]).toEqual([[200, 401, 200, 401], 2]);
    expect(world.violations).toEqual([]);
  });

  it('answer: instead of the service, or after it', () => {
    const away = { status: 503, headers: { 'retry-after': '5' }, body: 'gone' };
    const { world, post } = worldWith(
      { kind: 'trigger', nth: 1, how: { do: 'answer', ...away } },
      { kind: 'trigger', nth: 2, how: { do: 'answer', ...away, commit: true } },
      { kind: 'trigger', nth: 3, how: { do: 'answer', body: '{"ok":1}', commit: true } },
    );
    const answers = [1, 2, 3].map(() => post(0, { p_pipeline_id: PIPELINE_IDS.orders }));
    expect(answers[0]).toEqual(away);
    expect(answers[1]).toEqual(away);
    expect(answers[2]).toMatchObject({ status: 200, body: '{"ok":1}' });
    expect(world.jobs).toHaveLength(2);
  });

  it('answer: for the exchange too', () => {
    const { world } = worldWith({ kind: 'exchange', nth: 2, how: { do: 'answer', status: 502, body: '<html>' } });
    expect([exchange(world).status, exchange(world).status, exchange(world).status]).toEqual([200, 502, 200]);
  });

  it('a read counts for its pace, whatever was answered, unless it was a 401', () => {
    const world = createWorld({ exemptReads: 0 });
    const { run, status } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    world.rules.push({ kind: 'read', nth: 1, how: { do: 'refuse-token' } });
    world.rules.push({ kind: 'read', nth: 2, how: { do: 'answer', status: 503 } });
    const read = (at: number) => client(world).read(at, id).status;
    expect([read(0), read(1), read(30_001)]).toEqual([401, 503, 200]);
    expect([world.jobs[0]?.reads, world.violations]).toEqual([[1, 30_001], []]);
    expect(status(60_000, id)).toBe('running');
    expect(world.violations).toHaveLength(1);
  });
});

describe('a world', () => {
  it('is plain data: it can be copied in the middle of a life', () => {
    const { world, run } = worldWith({ kind: 'read', nth: 2, how: { do: 'empty' } });
    const id = run(0, PIPELINE_IDS.orders);
    const copy = JSON.parse(JSON.stringify(world)) as typeof world;
    expect(copy).toEqual(world);
    client(copy).cancel(1, id);
    expect([client(world).status(2, id), client(copy).status(2, id)]).toEqual(['queued', 'cancelled']);
  });
});
