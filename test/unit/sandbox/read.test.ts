import { describe, expect, it } from 'vitest';
import { createWorld, OTHER_KEY, PIPELINE_IDS } from '../../../sandbox/model/index.ts';
import { client, parse } from './client.ts';

const MINUTE = 60_000;

describe('read', () => {
  it.each([
    ['orders', ['queued', 'picked', 'running', 'completed']],
    ['customers', ['queued', 'picked', 'running', 'completed_with_warning']],
    ['broken', ['queued', 'picked', 'running', 'failed']],
    ['idle', ['queued', 'picked', 'skipped']],
    ['overrun', ['queued', 'picked', 'running', 'timed_out']],
    ['slow', ['queued', 'picked', 'running', 'completed']],
    ['endless', ['queued', 'picked', 'running']],
    ['unpicked', ['queued']],
  ] as const)('follows the timeline of %s', (name, statuses) => {
    const world = createWorld();
    const { run, status } = client(world);
    const id = run(1_000, PIPELINE_IDS[name]);
    const seen = Array.from({ length: 660 }, (_, second) => status(1_000 + second * 1_000, id));
    expect([...new Set(seen)]).toEqual(statuses);
  });

  it('divides all times by the speed', () => {
    const world = createWorld({ speed: 1_000 });
    const { run, status } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    expect([status(89, id), status(90, id)]).toEqual(['running', 'completed']);
  });

  it('answers the selected fields only', () => {
    const world = createWorld();
    const { run, read, call } = client(world);
    const id = run(0, PIPELINE_IDS.broken);
    expect(parse(read(MINUTE, id))).toEqual([
      { id, job_status: 'failed', status_message: expect.stringContaining('permission denied') as string },
    ]);
    expect(parse(call(2 * MINUTE, `GET /rest/v1/jobs?id=eq.${id}&select=id`))).toEqual([{ id }]);
    expect(parse(call(3 * MINUTE, `GET /rest/v1/jobs?select=*&id=eq.${id.toUpperCase()}`))).toHaveLength(1);
  });

  it('hides the rows of other workspaces, and knows no unknown ones', () => {
    const world = createWorld();
    const id = client(world).run(0, PIPELINE_IDS.orders);
    expect(parse(client(world, OTHER_KEY).read(0, id))).toEqual([]);
    expect(parse(client(world).read(0, 'b0b0b0b0-0000-4000-8000-000000000000'))).toEqual([]);
  });

  it.each([
    ['a malformed id', 'id=eq.123&select=id', '22P02'],
    ['an unknown column', 'id=eq.9a50bc2a-cb77-4ec3-b55d-44d6b0a89a07&select=id,pipeline', '42703'],
    ['an unknown filter', 'job=eq.1', '42703'],
    ['a select that ends in a comma', 'select=id,', 'PGRST100'],
    ['an unknown operator', 'job_status=like.run*', 'PGRST100'],
  ])('rejects %s', (_, query, code) => {
    const world = createWorld();
    const response = client(world).call(0, `GET /rest/v1/jobs?${query}`);
    expect([response.status, parse(response)]).toMatchObject([400, { code }]);
    expect(world.violations.map(({ kind }) => kind)).toEqual(['bad_request']);
  });

  it.each<[string, (id: string) => string, number]>([
    ['an id without hyphens', (id) => `id=eq.${id.replaceAll('-', '')}`, 1],
    ['an id in braces', (id) => `id=eq.{${id}}`, 1],
    ['an id in quotes', (id) => `id=in.("${id}")`, 1],
    ['no ids', () => 'id=in.()', 0],
    ['two filters that are both true', (id) => `id=eq.${id}&id=eq.${id}`, 1],
    ['two filters of which one is not', (id) => `id=eq.${id}&id=eq.b0b0b0b0-0000-4000-8000-000000000000`, 0],
  ])('takes %s', (_, filter, found) => {
    const world = createWorld();
    const { run, call } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    expect(parse(call(0, `GET /rest/v1/jobs?${filter(id)}&select=id`))).toHaveLength(found);
  });

  it('wants an id', () => {
    const world = createWorld();
    client(world).run(0, PIPELINE_IDS.orders);
    expect(parse(client(world).call(0, 'GET /rest/v1/jobs?select=id'))).toHaveLength(1);
    expect(world.violations.map(({ kind }) => kind)).toEqual(['read_without_id']);
  });
});

describe('pace', () => {
  it('keeps the instants of all reads, and notes those that come too soon', () => {
    const world = createWorld({ exemptReads: 0 });
    const { run, read } = client(world);
    const [a, b] = [run(0, PIPELINE_IDS.orders), run(0, PIPELINE_IDS.orders)];
    for (const at of [2_000, 32_000, 61_999, 91_999]) read(at, a);
    read(2_000, b);
    expect(world.jobs.map(({ reads }) => reads)).toEqual([[2_000, 32_000, 61_999, 91_999], [2_000]]);
    expect(world.violations).toEqual([
      { kind: 'read_too_soon', at: 61_999, detail: `job ${a} was read 29999 ms after its last read` },
    ]);
  });

  it('lets one read per job pass, and three after each PATCH, beside the others', () => {
    const world = createWorld();
    const { run, read, cancel } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    for (const at of [0, 1, 30_000]) read(at, id);
    cancel(30_001, id);
    for (const at of [30_002, 30_003, 30_004, 60_000]) read(at, id);
    expect(world.violations).toEqual([]);
    read(60_001, id);
    expect(world.violations).toHaveLength(1);
  });

  it('can be told another interval', () => {
    const world = createWorld({ exemptReads: 0, minReadIntervalMs: 10 });
    const { run, read } = client(world);
    const id = run(0, PIPELINE_IDS.orders);
    for (const at of [0, 10, 19]) read(at, id);
    expect(world.violations.map(({ at }) => at)).toEqual([19]);
  });
});
