import { describe, expect, it } from 'vitest';
import type { Plan, Target } from '../../../src/run/plan.ts';
import { type Resolution, resolve } from '../../../src/run/resolve.ts';
import type { ListOutcome, Pipeline, Problem } from '../../../src/service/api.ts';
import { listing, pipelineNumber } from '../../support/fake-service.ts';
import { JOB } from '../../support/service.ts';
import { FAILED, type Stage, stage } from './stage.ts';

const id = pipelineNumber;

function pipeline(nth: number, apiName: string | null, name: string | null): Pipeline {
  return { id: id(nth), apiName, name };
}

const WORKSPACE: readonly Pipeline[] = [
  pipeline(1, 'orders', 'Orders, daily'),
  pipeline(2, 'customers', 'Customers'),
  pipeline(3, 'returns_eu', 'Returns'),
  pipeline(4, 'returns_us', 'Returns'),
  pipeline(5, null, 'Nameless'),
  pipeline(6, 'silent', null),
];

interface Resolved extends Stage {
  readonly resolution: Resolution;
}

async function resolving(
  given: readonly (string | Target)[],
  plan: Partial<Plan> = {},
  list: (nth: number) => ListOutcome = () => ({ kind: 'pipelines', pipelines: WORKSPACE, mayBeTruncated: false }),
): Promise<Resolved> {
  const targets = given.map((one): Target => (typeof one === 'string' ? { kind: 'pipeline', pipeline: one } : one));
  const all = stage({ targets, plan, script: { list } });
  return Object.assign(all, { resolution: await all.clock.until(resolve(all.runs, all.parts)) });
}

const cut = (): ListOutcome => ({ kind: 'pipelines', pipelines: WORKSPACE, mayBeTruncated: true });
const empty = (): ListOutcome => ({ kind: 'pipelines', pipelines: [], mayBeTruncated: false });

function pipelinesOf(resolution: Resolution) {
  if (resolution.kind !== 'resolved') throw new Error(`It is ${resolution.kind}.`);
  return resolution.lookups.map(({ pipeline }) => pipeline);
}

function problems({ resolution }: Resolved): readonly Problem[] {
  if (resolution.kind !== 'unresolved') throw new Error(`It is ${resolution.kind}.`);
  return resolution.problems;
}

/** The sentences of the only problem. */
async function onlyProblem(...args: Parameters<typeof resolving>): Promise<Problem> {
  const [problem, another] = problems(await resolving(...args));
  if (problem === undefined || another !== undefined) throw new Error('There is not one problem.');
  return problem;
}

describe('a pipeline is found', () => {
  it.each([
    ['by its API name', 'orders', 1, 'Orders, daily'],
    ['by its name, commas included', 'Orders, daily', 1, 'Orders, daily'],
    ['by its name where it has no API name', 'Nameless', 5, 'Nameless'],
    ['by its API name where it has no name', 'silent', 6, 'silent'],
    ['by the API name of one of two with one name', 'returns_us', 4, 'Returns'],
  ])('%s', async (_, given, nth, name) => {
    const { resolution } = await resolving([given]);
    expect(pipelinesOf(resolution)).toEqual([{ id: id(nth), name }]);
  });

  it('by its UUID without any look-up', async () => {
    const { resolution, calls } = await resolving([id(9), id(8).toUpperCase()]);
    expect(pipelinesOf(resolution)).toEqual([
      { id: id(9), name: null },
      { id: id(8), name: null },
    ]);
    expect(calls).toEqual([]);
  });

  it('by one look-up for all of them, in the order of the input', async () => {
    const { resolution, calls } = await resolving(['customers', id(9), 'orders']);
    expect(pipelinesOf(resolution)).toMatchObject([{ id: id(2) }, { id: id(9) }, { id: id(1) }]);
    expect(calls).toHaveLength(1);
  });

  it('for a run that is resumed, and none for a run that is awaited', async () => {
    const { resolution } = await resolving([
      { kind: 'resume', pipeline: 'orders', jobId: JOB },
      { kind: 'job', jobId: JOB },
    ]);
    expect(pipelinesOf(resolution)).toMatchObject([{ id: id(1) }, undefined]);
  });

  it('in a list that was cut off', async () => {
    const { resolution } = await resolving(['orders'], {}, cut);
    expect(resolution.kind).toBe('resolved');
  });
});

describe('a dry run', () => {
  it('checks UUIDs too', async () => {
    const { resolution, calls } = await resolving([id(1)], { dryRun: true });
    expect(pipelinesOf(resolution)).toEqual([{ id: id(1), name: 'Orders, daily' }]);
    expect(calls).toHaveLength(1);
  });

  it('refuses a UUID that no pipeline has', async () => {
    const { attempted } = await onlyProblem([id(9)], { dryRun: true });
    expect(attempted).toContain(id(9));
  });

  it('does not refuse one that the list may have left out', async () => {
    const { resolution } = await resolving([id(9)], { dryRun: true }, cut);
    expect(pipelinesOf(resolution)).toEqual([{ id: id(9), name: null }]);
  });
});

describe('nothing is resolved', () => {
  it('when one of many is wrong; each that is wrong is told', async () => {
    const all = problems(await resolving(['orders', 'ordres', 'customers', 'Returns']));
    expect(all.map(({ attempted }) => attempted)).toEqual([
      'find the pipeline "ordres"',
      'find the pipeline "Returns"',
    ]);
  });

  it('when a name is that of two; both are told apart', async () => {
    const { cause: came, remedy } = await onlyProblem(['Returns']);
    expect(came).toBe(
      `2 pipelines have that name: "Returns", API name "returns_eu", UUID ${id(3)}; "Returns", API name "returns_us", UUID ${id(4)}`,
    );
    expect(remedy).toContain('UUID');
  });

  it.each([
    ['an API name and a name', ['orders', 'Orders, daily'], 1],
    ['a name and a UUID', ['customers', id(2)], 2],
    ['two spellings of a UUID', [id(9).toUpperCase(), id(9)], 9],
  ])('when %s are the same pipeline', async (_, given, nth) => {
    const { cause: came } = await onlyProblem(given);
    expect(came).toBe(`"${given[0]}" and "${given[1]}" are the same pipeline (${id(nth)})`);
  });

  it('when reset-target is given a name and the list may have been cut off', async () => {
    const { remedy } = await onlyProblem(['orders'], { resetTarget: true, fullResync: true }, cut);
    expect(remedy).toContain('reset-target drops tables');
    const byId = await resolving([id(1)], { resetTarget: true, fullResync: true }, cut);
    expect(byId.resolution.kind).toBe('resolved');
  });

  it.each([FAILED.rejected, FAILED.keyRefused, FAILED.notRetryable])('when the list fails: %j', async (failure) => {
    expect(await onlyProblem(['orders'], {}, () => failure)).toBe(failure.problem);
  });

  it('when the list fails again and again', async () => {
    const all = await resolving(['orders'], {}, () => FAILED.perhaps);
    expect(problems(all)).toMatchObject([{ cause: expect.stringContaining('HTTP 503') as string }]);
    expect(all.of('list')).toHaveLength(8);
  });

  it('but when it fails for a while', async () => {
    const { resolution, told } = await resolving(['orders'], {}, (nth) => (nth < 3 ? FAILED.perhaps : cut()));
    expect(resolution.kind).toBe('resolved');
    expect(told('retry')).toHaveLength(2);
  });

  it('when the step is interrupted', async () => {
    const all = stage({ script: { list: () => 'stalls' } });
    all.clock.after(1_000, () => all.interrupt());
    expect(await all.clock.until(resolve(all.runs, all.parts))).toEqual({
      kind: 'unresolved',
      lookups: [],
      problems: [],
    });
    expect(all.clock.now()).toBe(1_000);
  });
});

describe('what is said to a name that no pipeline has', () => {
  it.each([
    ['ordres', 'Did you mean "orders"?'],
    ['Order', 'Did you mean "orders"?'],
    ['ORDERS', 'Did you mean "orders"?'],
    ['returns', 'Did you mean "Returns" or "Returns"?'],
    ['returns-eu', 'Did you mean "returns_eu" or "Returns"?'],
    ['custmers', 'Did you mean "customers"?'],
  ])('%s: %s', async (given, hint) => {
    const { remedy } = await onlyProblem([given]);
    expect(remedy).toContain(hint);
  });

  it('names at most three, and none that are far off', async () => {
    const { remedy } = await onlyProblem(['pipeline-'], {}, () => listing(50));
    expect(remedy?.match(/"/g)).toHaveLength(6);
    expect((await onlyProblem(['something else entirely'])).remedy).not.toContain('Did you mean');
  });

  it('hints at commas', async () => {
    expect((await onlyProblem(['orders, customers'])).remedy).toContain('on separate lines');
    expect((await onlyProblem(['ordres'])).remedy).not.toContain('on separate lines');
  });

  it('says that the list may have been cut off', async () => {
    expect((await onlyProblem(['nothing'], {}, cut)).remedy).toMatch(/may be incomplete/);
    expect((await onlyProblem(['nothing'])).remedy).not.toMatch(/may be incomplete/);
  });

  it('says that the key sees nothing at all', async () => {
    expect((await onlyProblem(['orders'], {}, empty)).remedy).toContain('right workspace');
  });

  it('shows what was given as text', async () => {
    const { attempted } = await onlyProblem(['::error::\u202e"x"\r\n']);
    expect(attempted).not.toMatch(/[\r\n\u202e]/);
  });
});
