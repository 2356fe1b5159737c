import type { CallKind } from '../../../sandbox/model/index.ts';
import type { StepProcess } from '../../../sandbox/runner/index.ts';
import type { Rule, Sandbox } from '../../../sandbox/server/index.ts';

/** A moment in the life of a step, held still so that it can be struck exactly there. */
export interface Instant {
  readonly name: string;
  readonly rules?: readonly Rule[];
  readonly inputs?: Readonly<Record<string, string>>;
  readonly reached: (sandbox: Sandbox, main: StepProcess) => Promise<unknown>;
  /** The request that is held there, and let go when main has heard. */
  readonly held?: readonly [kind: CallKind, nth: number];
  /** Whether a process that is killed there can have told anybody the run's id. */
  readonly idKnown: 'no' | 'maybe_processed' | 'yes';
  /** A time-out is cancelling the run already, whatever `on-cancel` says. */
  readonly cancelling?: true;
}

function hold(kind: CallKind, point: 'before-commit' | 'after-commit', nth = 1): Rule {
  return { kind, nth, how: { do: 'hold', point } };
}

function busy(kind: CallKind): Rule {
  return { kind, nth: 1, how: { do: 'answer', status: 429, headers: { 'retry-after': '30' }, body: '' } };
}

/** So long that nothing is read unless a test wants it. */
const NEVER = { 'poll-interval': '1h' };

const BEFORE_THE_RUN: readonly Instant[] = [
  { name: 'before the exchange', reached: (_, main) => main.line(/add-mask/), idKnown: 'no' },
  {
    name: 'during the exchange',
    rules: [hold('exchange', 'before-commit')],
    reached: (sandbox) => sandbox.arrival('exchange'),
    held: ['exchange', 1],
    idKnown: 'no',
  },
  {
    name: 'in the pause before a second exchange',
    rules: [busy('exchange')],
    reached: (_, main) => main.line(/Retrying in 30s/),
    idKnown: 'no',
  },
  {
    name: 'during the look-up',
    rules: [hold('list', 'after-commit')],
    reached: (sandbox) => sandbox.arrival('list'),
    held: ['list', 1],
    idKnown: 'no',
  },
  {
    name: 'in the pause before a second trigger',
    rules: [busy('trigger')],
    reached: (_, main) => main.line(/Retrying in 30s/),
    idKnown: 'no',
  },
  {
    name: 'with the trigger on its way',
    rules: [hold('trigger', 'before-commit')],
    reached: (sandbox) => sandbox.arrival('trigger'),
    held: ['trigger', 1],
    idKnown: 'no',
  },
  {
    name: 'with the answer to the trigger on its way',
    rules: [hold('trigger', 'after-commit')],
    reached: (sandbox) => sandbox.commit('trigger'),
    held: ['trigger', 1],
    idKnown: 'no',
  },
];

const DURING_THE_RUN: readonly Instant[] = [
  {
    name: 'right after the answer to the trigger',
    inputs: NEVER,
    reached: (sandbox) => sandbox.end('trigger'),
    idKnown: 'maybe_processed',
  },
  { name: 'before the first poll', inputs: NEVER, reached: (_, main) => main.line(/is queued/), idKnown: 'yes' },
  {
    name: 'during a poll',
    rules: [hold('read', 'before-commit')],
    reached: (sandbox) => sandbox.arrival('read'),
    held: ['read', 1],
    idKnown: 'yes',
  },
  {
    name: 'between two polls',
    inputs: { 'poll-interval': '300ms' },
    reached: (sandbox) => sandbox.end('read'),
    idKnown: 'yes',
  },
  {
    name: 'while the renewal of the token stalls',
    rules: [
      { kind: 'read', nth: 1, how: { do: 'refuse-token' } },
      { kind: 'exchange', nth: 2, how: { do: 'silence', point: 'before-commit' } },
    ],
    reached: (sandbox) => sandbox.arrival('exchange', 2),
    idKnown: 'yes',
  },
  {
    name: 'during a cancel',
    rules: [hold('cancel', 'before-commit')],
    // Long enough for a connection: a trigger that is still connecting would be aborted.
    inputs: { ...NEVER, timeout: '1s' },
    reached: (sandbox) => sandbox.arrival('cancel'),
    held: ['cancel', 1],
    idKnown: 'yes',
    cancelling: true,
  },
];

export const INSTANTS: readonly Instant[] = [...BEFORE_THE_RUN, ...DURING_THE_RUN];
