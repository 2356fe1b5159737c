/** Checks that the checker finds wrong facts, in executions that are otherwise correct. */
import { expect, it } from 'vitest';
import { check } from './checker/check.ts';
import type { SingleFacts } from './model/facts.ts';
import { ENDLESS_PIPELINE, plainCrash, plainSingle } from './model/plain.ts';
import { simulateAlone } from './model/simulate.ts';
import type { SingleSpec } from './model/spec.ts';

const SUCCEEDS = {};
const CANCELLED = { pipelines: [ENDLESS_PIPELINE], crashes: [plainCrash(40_000, 'cancel')] };
const KILLED = { pipelines: [ENDLESS_PIPELINE], crashes: [plainCrash(40_000, 'kill')] };
const LEFT = { ...CANCELLED, inputs: { 'on-cancel': 'leave' } };
const TIMES_OUT = { pipelines: [ENDLESS_PIPELINE], inputs: { timeout: '40s' } };

/** Changes each of these facts. */
const each = <T extends object>(all: readonly T[], change: Partial<T>): void =>
  all.forEach((one) => void Object.assign(one, change));

const runOn = ({ world }: SingleFacts): void =>
  each(world.jobs, { cancelledAt: null, timeline: ENDLESS_PIPELINE.timeline });
const readsOf = ({ requests }: SingleFacts) => requests.filter(({ call }) => call === 'read');
const LATE = { atMs: 600_000 };
const FAILED = { code: 1 };

it.each<[string, string, Partial<SingleSpec>, (facts: SingleFacts) => unknown]>([
  ['a second run', 'one run per trigger', SUCCEEDS, ({ world }) => world.jobs.push(...structuredClone(world.jobs))],
  ['a trigger with other options', 'once', SUCCEEDS, ({ requests }) => each(requests, { body: '{}' })],
  ['a success without a final status', 'success was seen', SUCCEEDS, (facts) => each(readsOf(facts), { text: '' })],
  ['a wrong exit code', 'verdict', SUCCEEDS, ({ main: { end } }) => each([end ?? {}], FAILED)],
  ['a cancelled step whose run continues', 'settled', CANCELLED, runOn],
  ['a killed step whose run continues', 'settled', KILLED, runOn],
  ['a cancelled run that should continue', 'settled', LEFT, ({ world }) => each(world.jobs, { cancelledAt: 1 })],
  ['a cancel without another read', 'pace', TIMES_OUT, (facts) => each(readsOf(facts), { atMs: 2_000 })],
  [
    'late outputs',
    'verdict',
    CANCELLED,
    ({ main, writes }) => each([main.end ?? {}, ...writes], { ...LATE, text: '' }),
  ],
  ['a late exit after a signal', 'everything ends', CANCELLED, ({ main: { end } }) => each([end ?? {}], LATE)],
  ['a late exit of post', 'everything ends', KILLED, ({ post }) => each([post?.end ?? {}], LATE)],
  ['a post step that fails the job', 'everything ends', KILLED, ({ post }) => each([post?.end ?? {}], FAILED)],
  [
    'output of post after a success',
    'silent without work',
    SUCCEEDS,
    ({ post }) => each([post ?? {}], { lines: ['x'] }),
  ],
  ['an unmasked secret', 'no secret leaks', SUCCEEDS, ({ main }) => each([main], { masked: [] })],
])('the checker finds %s', async (_, invariant, changes, falsify) => {
  const facts = await simulateAlone(plainSingle(changes));
  expect(check(facts)).toEqual([]);
  falsify(facts);
  expect(check(facts).map((one) => one.invariant)).toContain(invariant);
});
