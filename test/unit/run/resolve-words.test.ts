import { describe, expect, it } from 'vitest';
import { resolve } from '../../../src/run/resolve.ts';
import type { Pipeline, Problem } from '../../../src/service/api.ts';
import { pipelineNumber } from '../../support/fake-service.ts';
import { stage } from './stage.ts';

/** What is said to one name, in a workspace of some pipelines given by API name and name. */
async function said(given: string, ...names: readonly (readonly [string, string | null])[]): Promise<Problem> {
  const pipelines = names.map(([apiName, name], index): Pipeline => ({ id: pipelineNumber(index + 1), apiName, name }));
  const { clock, parts, runs } = stage({
    targets: [{ kind: 'pipeline', pipeline: given }],
    script: { list: () => ({ kind: 'pipelines', pipelines, mayBeTruncated: false }) },
  });
  const resolution = await clock.until(resolve(runs, parts));
  const [problem] = resolution.problems;
  if (problem === undefined) throw new Error(`It is ${resolution.kind}.`);
  return problem;
}

const OF_THIS_KEY = 'Use an API name, a name or a UUID from the workspace of this API key.';

describe('what is said to a name that no pipeline has, word for word', () => {
  it.each([
    ['sales', OF_THIS_KEY],
    ['ordres', `Did you mean "orders"? ${OF_THIS_KEY}`],
    ['a, b', `Write several pipelines on separate lines, not with commas. ${OF_THIS_KEY}`],
    ['orders,', `Did you mean "orders"? Write several pipelines on separate lines, not with commas. ${OF_THIS_KEY}`],
  ])('%s', async (given, remedy) => {
    expect(await said(given, ['orders', null])).toEqual({
      attempted: `find the pipeline "${given}"`,
      cause: 'no pipeline has that API name, name or UUID (pipelines in the workspace of this API key: 1)',
      remedy,
    });
  });
});

it.each([
  ['orders\u200B', 'orders', '"orders\\u200B"', '"orders"'],
  ['orders', 'orders\u200B', '"orders"', '"orders\\u200B"'],
  ['my orders', 'my\u00A0orders', '"my orders"', '"my\\u00A0orders"'],
])('shows what tells %j from %j', async (given, name, shownGiven, shownName) => {
  expect(await said(given, [name, null])).toMatchObject({
    attempted: `find the pipeline ${shownGiven}`,
    remedy: `Did you mean ${shownName}? ${OF_THIS_KEY}`,
  });
});

it('tells pipelines of one API name apart although one has no name', async () => {
  expect(await said('orders', ['orders', 'Orders'], ['orders', null])).toMatchObject({
    cause: `2 pipelines have that name: "Orders", API name "orders", UUID ${pipelineNumber(1)}; "", API name "orders", UUID ${pipelineNumber(2)}`,
  });
});
