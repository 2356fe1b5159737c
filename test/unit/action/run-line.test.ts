// The line of a run, which contains what the post step needs and has a limited length.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginningOf, decodeRun, encodeRun } from '../../../src/action/run-line.ts';
import { asObject, parseJson } from '../../../src/base/json.ts';
import * as state from '../../../src/run/state.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const PIPELINE = { id: '22222222-2222-4333-8444-555555555555', name: 'Orders', apiName: 'orders' };
const PROBLEM = { attempted: 'trigger the run', cause: 'HTTP 503', remedy: 'Wait.' };
const STOP = { why: 'timeout', policy: 'cancel', at: 900, detail: '5m' } as const;

function runAfter(...transitions: readonly state.Transition[]): state.RunState {
  const run = state.resolved(PIPELINE)(state.planned({ pipeline: 'orders' }));
  return transitions.reduce((each, next) => next(each), run);
}

const sent = state.triggering(10, 1_000, false);
const sentAgain = state.triggering(10, 1_000, true);
const queued = state.queued(ID, 20);
const seen = (status: string) => state.seen({ status, message: 'm' }, 30);
const textOf = (run: state.RunState, count = 1) => JSON.stringify(encodeRun(run, count) ?? null);
const restored = (run: state.RunState) => decodeRun(asObject(parseJson(textOf(run))));

describe('the post step restores', () => {
  it.each<[string, state.RunState, object]>([
    [
      'an intent',
      runAfter(sent),
      { phase: { at: 'triggering' }, triggeredAt: 1_000, pipeline: PIPELINE, jobId: undefined },
    ],
    [
      'an unfinished run',
      runAfter(sent, queued, seen('running')),
      { phase: { at: 'in_progress' }, jobId: ID, status: undefined, history: [], isSeen: false },
    ],
    [
      'a run that is being cancelled',
      runAfter(sent, queued, state.unsettled(PROBLEM)),
      { phase: { at: 'in_progress' }, jobId: ID },
    ],
    ['a finished run', runAfter(sent, queued, seen('failed')), { phase: { at: 'finished' }, status: 'failed' }],
    ['a lost run', runAfter(sent, queued, state.lost(PROBLEM)), { phase: { at: 'lost', problem: PROBLEM } }],
    [
      'which call failed',
      runAfter(state.claimed(ID, 0), state.lost({ ...PROBLEM, call: 'read' })),
      { phase: { problem: { call: 'read' } } },
    ],
    ['an unknown run', runAfter(sent, state.unknown(PROBLEM)), { phase: { at: 'unknown', problem: PROBLEM } }],
    [
      'a run that was not queued',
      runAfter(sent, state.notQueued(PROBLEM)),
      { phase: { at: 'not_queued', problem: PROBLEM }, stop: undefined },
    ],
    ['a detached run', runAfter(sent, queued, state.detached), { phase: { at: 'detached' }, jobId: ID }],
    [
      'a run that keeps running',
      runAfter(sent, queued, state.stopped({ ...STOP, policy: 'leave' })),
      { phase: { at: 'left' } },
    ],
    [
      'the last status of a run that keeps running',
      runAfter(sent, queued, seen('succeeded'), state.stopped({ ...STOP, policy: 'leave' })),
      { status: 'succeeded', history: [{ status: 'succeeded', at: 0 }] },
    ],
    [
      'the last status of a lost run',
      runAfter(sent, queued, seen('succeeded'), state.lost(PROBLEM)),
      { status: 'succeeded', history: [{ status: 'succeeded', at: 0 }] },
    ],
    ['a stopped run', runAfter(sent, queued, state.stopped(STOP)), { stop: { ...STOP, at: 0 }, status: 'queued' }],
    [
      'why the last status check before a timeout failed',
      runAfter(sent, queued, state.stopped({ ...STOP, problem: PROBLEM })),
      { stop: { ...STOP, at: 0, problem: PROBLEM } },
    ],
    [
      'a trigger that was not processed and not repeated yet',
      runAfter(sent, state.postponed),
      { phase: { at: 'not_queued', problem: undefined }, stop: { why: 'main_gone' } },
    ],
    [
      'a trigger that was not processed and not repeated after an interruption',
      runAfter(sent, state.postponed, state.stopped({ ...STOP, why: 'interruption' })),
      { phase: { at: 'not_queued' }, stop: { why: 'interruption' } },
    ],
    [
      'a repeated trigger that was not processed after a lost response',
      runAfter(sent, sentAgain),
      { phase: { at: 'triggering' }, mayHaveTwin: true, stop: undefined },
    ],
    [
      'an existing run without a pipeline',
      state.claimed(ID, 0)(state.planned({ jobId: ID })),
      { target: { jobId: ID }, pipeline: undefined },
    ],
    [
      'an existing run, which the main step may have seen',
      runAfter(state.claimed(ID, 0)),
      { isGiven: true, isSeen: true, jobId: ID, target: { pipeline: 'orders' } },
    ],
    [
      'that an existing run was not seen before it was lost',
      runAfter(state.claimed(ID, 0), state.lost(PROBLEM)),
      { isGiven: true, isSeen: false },
    ],
    [
      'that an existing run was seen before it was lost',
      runAfter(state.claimed(ID, 0), seen('running'), state.lost(PROBLEM)),
      { isGiven: true, isSeen: true, status: 'running' },
    ],
    [
      'that a resumed run was seen before the step stopped waiting for it',
      runAfter(state.claimed(ID, 0), seen('running'), state.detached),
      { phase: { at: 'detached' }, isGiven: true, isSeen: true },
    ],
    ['a second attempt', runAfter(sent, queued, seen('failed'), state.again, sent), { attempt: 2, jobId: undefined }],
    ['a possible second run', runAfter(sent, sentAgain), { mayHaveTwin: true }],
  ])('%s', (_, run, expected) => {
    expect({ jobId: undefined, pipeline: undefined, status: undefined, ...restored(run) }).toMatchObject(expected);
  });
});

it.each([
  ['before its first intent', runAfter()],
  ['that a stop ended before its first intent', runAfter(state.stopped(STOP), state.notQueued())],
  ['in a dry run', runAfter(state.dryRunPassed())],
])('a run %s has no line', (_, run) => {
  expect(encodeRun(run, 1)).toBeUndefined();
});

it.each<[string, state.Transition, state.RunState?]>([
  ['a status that is not final', seen('running')],
  ['a stop by an interruption', state.stopped({ ...STOP, why: 'interruption' })],
  ['a stop by an interruption during the trigger', state.stopped({ ...STOP, why: 'interruption' }), runAfter(sent)],
  [
    'a stop by an interruption during a cancellation',
    state.stopped({ ...STOP, why: 'interruption' }),
    runAfter(sent, queued, state.unsettled(PROBLEM)),
  ],
  ['a failed cancellation', state.unsettled(PROBLEM)],
])('%s does not change the line of a run, so nothing is written', (_, transition, run = runAfter(sent, queued)) => {
  expect(encodeRun(transition(run), 1)).toEqual(encodeRun(run, 1));
});

describe('a line has at most 4 KB, even if every text is long and consists of', () => {
  const bytesOf = (character: string, isLeft: boolean): number => {
    const long = character.repeat(140_000);
    const run = state.planned({ pipeline: long, jobId: ID });
    const pipeline = state.resolved({ ...PIPELINE, name: long, apiName: long });
    const problem = { attempted: long, cause: long, remedy: long };
    const stop = state.stopped(
      isLeft ? { ...STOP, policy: 'leave', detail: long, problem } : { ...STOP, detail: long },
    );
    const failed = isLeft ? [] : [state.notQueued(problem)];
    const last = [pipeline, sent, queued, seen('語'.repeat(100)), stop, ...failed].reduce(
      (each, next) => next(each),
      run,
    );
    return Buffer.byteLength(textOf(last));
  };

  it.each([
    ['letters', 'x'],
    ['quotation marks', '"'],
    ['Chinese', '語'],
  ])('%s', (_, character) => {
    expect(bytesOf(character, false)).toBeLessThanOrEqual(4_096);
    expect(bytesOf(character, true)).toBeLessThanOrEqual(4_096);
  });
});

it.each([
  [`Check the key. ${'Pass it on. '.repeat(20)}`, /^Check the key\. (?:Pass it on\. ?){11,12}$/],
  ['z'.repeat(300), /^$/],
])('a line contains only whole sentences of a remedy such as %s', (remedy, words) => {
  const line = encodeRun(runAfter(sent, state.unknown({ ...PROBLEM, remedy })), 1);
  expect(line?.problem?.remedy).toMatch(words);
});

it('a line is shorter in a step with more than 20 runs, because the post step receives all lines in its environment', () => {
  const run = runAfter(
    sent,
    state.unknown({ attempted: 'x'.repeat(300), cause: 'y'.repeat(300), remedy: 'z'.repeat(300) }),
  );
  expect([20, 21].map((count) => textOf(run, count).length < 600)).toEqual([false, true]);
});

it('docs/architecture.md says for each phase that a line can have what the post step does', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/architecture.md'), 'utf8');
  const [, diagram = ''] = /stateDiagram-v2\n(.*?)```/s.exec(page) ?? [];
  const phases = [...new Set([...diagram.matchAll(/--> (\w+)/g)].map(([, at]) => at))];
  const runs = new Map(phases.map((at) => [at, decodeRun({ at, jobId: ID })]));
  const onDisk = phases.filter((at) => runs.get(at) !== undefined);
  const postIn = (at?: string): string => {
    const run = runs.get(at);
    return run === undefined ? 'nothing' : state.partOfPost(run);
  };
  const [, table = ''] = page.split('| Phase on disk | Post step |');
  const rows = [...table.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = '']) =>
    [...cell.matchAll(/\w+/g)].map(([at]) => at),
  );
  expect(rows.flat().sort()).toEqual(onDisk.sort());
  expect(rows.map((row) => [...new Set(row.map(postIn))])).toEqual([
    ['waits'],
    ['takes over'],
    ['takes over if cancelled'],
    ['reports'],
  ]);
});

it('a line that is cut off after the id still has the phase and the possible second run', () => {
  const run = runAfter(sentAgain, queued);
  expect(parseJson(`${beginningOf(textOf(run))}}`)).toMatchObject({ at: 'in_progress', mayHaveTwin: true, jobId: ID });
});

it.each([{}, { at: 'waiting' }, { at: 'constructor' }, { at: 'in_progress' }, { at: 'detached', jobId: '../x' }])(
  'a line such as %j is not a run',
  (value) => {
    expect(decodeRun(value)).toBeUndefined();
  },
);
