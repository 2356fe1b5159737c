// The model's responses to status requests that test/parity does not compare with an independent service.
import { describe, expect, it } from 'vitest';
import { createWorld, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, parse, UNKNOWN_ID, violationsOf } from './client.ts';

describe('a status request', () => {
  it.each([
    ['orders', ['queued', 'picked', 'running', 'completed']],
    ['customers', ['queued', 'picked', 'running', 'completed_with_warning']],
    ['broken', ['queued', 'picked', 'running', 'failed']],
    ['flaky', ['queued', 'picked', 'running', 'failed']],
    ['idle', ['queued', 'picked', 'skipped']],
    ['overrun', ['queued', 'picked', 'running', 'timed_out']],
    ['slow', ['queued', 'picked', 'running', 'completed']],
    ['endless', ['queued', 'picked', 'running']],
    ['unpicked', ['queued']],
  ] as const)('shows each status in the timeline of the pipeline %s', (name, statuses) => {
    const { run, status } = client(createWorld());
    const id = run(1_000, PIPELINE_IDS[name]);
    const seen = Array.from({ length: 660 }, (_, second) => status(1_000 + second * 1_000, id));
    expect([...new Set(seen)]).toEqual(statuses);
  });

  it('sees all times divided by the speed', () => {
    const { run, status } = client(createWorld({ speed: 1_000 }));
    const id = run(0, PIPELINE_IDS.orders);
    expect([status(89, id), status(90, id)]).toEqual(['running', 'completed']);
  });

  it.each([
    ['a malformed id', 'id=eq.123&select=id', '22P02'],
    ['an unknown column', `id=eq.${UNKNOWN_ID}&select=id,pipeline`, '42703'],
    ['an unknown filter', 'job=eq.1', '42703'],
    ['a select that ends in a comma', 'select=id,', 'PGRST100'],
    ['an unknown operator', 'job_status=like.run*', 'PGRST100'],
  ])('with %s fails and leaves a violation on record', (_, query, code) => {
    const world = createWorld();
    const response = client(world).call(0, `GET /rest/v1/jobs?${query}`);
    expect([response.status, parse(response)]).toMatchObject([400, { code }]);
    expect(violationsOf(world)).toEqual(['bad_request']);
  });

  it.each<[string, (id: string) => string, number]>([
    ['an id without hyphens', (id) => `id=eq.${id.replaceAll('-', '')}&select=*`, 1],
    ['an id in braces', (id) => `id=eq.{${id}}`, 1],
    ['no ids', () => 'id=in.()', 0],
    ['two filters that both match', (id) => `id=eq.${id}&id=eq.${id}`, 1],
    ['two filters of which one matches', (id) => `id=eq.${UNKNOWN_ID}&id=eq.${id}`, 0],
  ])('may contain %s', (_, filter, found) => {
    const { run, call } = client(createWorld());
    const id = run(0, PIPELINE_IDS.orders);
    expect(parse(call(0, `GET /rest/v1/jobs?${filter(id)}`))).toHaveLength(found);
  });

  it('without an id returns all runs and leaves a violation on record', () => {
    const world = createWorld();
    client(world).run(0, PIPELINE_IDS.orders);
    expect(parse(client(world).call(0, 'GET /rest/v1/jobs?select=id'))).toHaveLength(1);
    expect(violationsOf(world)).toEqual(['read_without_id']);
  });
});

describe('the minimum interval between status requests', () => {
  it('applies to each run separately and makes an early request a violation', () => {
    const world = createWorld({ exemptReads: 0, minReadIntervalMs: 10 });
    const { run, read } = client(world);
    const [a, b] = [run(0, PIPELINE_IDS.orders), run(0, PIPELINE_IDS.orders)];
    for (const at of [2, 12, 21, 31]) read(at, a);
    read(2, b);
    expect(world.jobs.map(({ reads }) => reads)).toEqual([[2, 12, 21, 31], [2]]);
    expect(world.violations).toEqual([
      { kind: 'read_too_soon', at: 21, detail: `job ${a} was read 9 ms after its last read` },
    ]);
  });

  it('exempts one request per run, and three after each PATCH', () => {
    const world = createWorld();
    const { run, read, cancel } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    for (const at of [0, 1, 30_000]) read(at, id);
    cancel(30_001, id);
    for (const at of [30_002, 30_003, 30_004, 60_000]) read(at, id);
    expect(world.violations).toEqual([]);
    read(60_001, id);
    expect(violationsOf(world)).toEqual(['read_too_soon']);
  });
});
