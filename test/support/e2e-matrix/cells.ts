// The cases of the cancel matrix: when and how a step is stopped, and what the service does from then on.
import type { CallKind } from '../../../sandbox/model/index.ts';
import { MODES, type Mode, type StepProcess } from '../../../sandbox/runner/index.ts';
import type { Rule, Sandbox } from '../../../sandbox/server/index.ts';

/** A moment of a step at which the service holds a request, so that the stop happens exactly there. */
export interface Instant {
  readonly name: string;
  readonly rules?: readonly Rule[];
  readonly inputs?: Readonly<Record<string, string>>;
  readonly reached: (sandbox: Sandbox, main: StepProcess) => Promise<unknown>;
  /** The service holds the first request of this kind. */
  readonly held?: CallKind;
  /** Whether a process killed at this moment may have recorded the run's id. */
  readonly idKnown: 'no' | 'maybe' | 'yes';
  /** Whether a timeout is already cancelling the run, regardless of `on-cancel`. */
  readonly cancelling?: true;
}

type Point = 'before-commit' | 'after-commit';

function during(name: string, held: CallKind, point: Point = 'before-commit'): Instant {
  return {
    name,
    held,
    rules: [{ kind: held, nth: 1, how: { do: 'hold', point } }],
    reached: (sandbox) => (point === 'after-commit' ? sandbox.commit(held) : sandbox.arrival(held)),
    idKnown: held === 'read' || held === 'cancel' ? 'yes' : 'no',
  };
}

function paused(kind: CallKind): Instant {
  return {
    name: `in the pause before the second ${kind}`,
    rules: [{ kind, nth: 1, how: { do: 'answer', status: 429, headers: { 'retry-after': '30' }, body: '' } }],
    reached: (_, main) => main.line(/Retrying in 30s/),
    idKnown: 'no',
  };
}

/** An interval that is long enough to prevent any read. */
const NEVER = { 'poll-interval': '1h' };

const INSTANTS: readonly Instant[] = [
  { name: 'before the exchange', reached: (_, main) => main.line(/add-mask/), idKnown: 'no' },
  during('during the exchange', 'exchange'),
  paused('exchange'),
  during('during the look-up', 'list', 'after-commit'),
  paused('trigger'),
  during('with the trigger in flight', 'trigger'),
  during('with the response to the trigger in flight', 'trigger', 'after-commit'),
  {
    name: 'right after the response to the trigger',
    inputs: NEVER,
    reached: (sandbox) => sandbox.end('trigger'),
    idKnown: 'maybe',
  },
  { name: 'before the first poll', inputs: NEVER, reached: (_, main) => main.line(/is queued/), idKnown: 'yes' },
  during('during a poll', 'read'),
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
  // The timeout leaves time for a connection, because main would abort a trigger that is still connecting.
  { ...during('during a cancel', 'cancel'), inputs: { ...NEVER, timeout: '1s' }, cancelling: true },
];

/** A way to stop a step from outside. */
interface Stop {
  readonly name: string;
  readonly mode: Mode;
}

const ALIVE: Mode = { ...MODES.container, waitsMs: 0 };

const SIGINT = { name: 'SIGINT', mode: MODES.workflow };
const SIGKILL = { name: 'SIGKILL', mode: MODES['act-host'] };
const NO_SIGNAL = { name: 'no signal, alive beside post', mode: ALIVE };
const STOPS: readonly Stop[] = [
  SIGINT,
  { name: 'SIGINT to a step in the background, in a job that continues', mode: MODES.background },
  { name: 'SIGTERM only', mode: MODES.terminated },
  SIGKILL,
  { name: 'SIGKILL, its state lost', mode: { ...MODES['act-host'], post: 'state lost' } },
  NO_SIGNAL,
  { name: 'no signal, alive beside post, in a job that has failed', mode: MODES.forgejo },
  { name: 'no signal, alive beside post, its state lost', mode: { ...ALIVE, post: 'state lost' } },
];
/** Instants that differ in which process talks to the service: main, post, or both. */
const TALKERS: readonly Stop[] = [SIGINT, SIGKILL, NO_SIGNAL];

/** What the service does after the stop. */
interface Service {
  readonly name: string;
  readonly turn: (sandbox: Sandbox) => void;
  readonly gone?: true;
}

const RESPONDS: Service = { name: 'responds', turn: () => undefined };

const IS_SLOW: Service = {
  name: 'is slow',
  turn: (sandbox) => void sandbox.misbehave({ kind: 'any', how: { do: 'delay', ms: 300 } }),
};

/** Every call except the trigger, whose failures have separate tests. */
const CALLS: readonly CallKind[] = ['exchange', 'list', 'read', 'cancel'];

const FAILS_ONCE: Service = {
  name: 'fails once at each call',
  turn({ world, misbehave }) {
    for (const kind of CALLS) {
      const nth = (world.counts[kind] ?? 0) + 1;
      misbehave({ kind, nth, how: { do: 'answer', status: 503, body: 'upstream unavailable' } });
    }
  },
};

const IS_GONE: Service = { name: 'is gone for good', turn: (sandbox) => void sandbox.away(), gone: true };

/** One case of the matrix. */
export interface Cell {
  readonly instant: Instant;
  readonly stop: Stop;
  readonly service: Service;
  readonly policy: 'cancel' | 'leave';
}

export function nameOf({ instant, stop, service, policy }: Cell): string {
  return `${stop.name}, ${instant.name}; the service ${service.name}; on-cancel: ${policy}`;
}

/** The nth element of a list that repeats. */
function nthOf<T>(all: readonly T[], nth: number): T {
  const one = all[nth % all.length];
  if (one === undefined) throw new Error('An empty list has no elements.');
  return one;
}

function combine(stops: readonly Stop[], rest: (instant: number, stop: number) => Pick<Cell, 'service' | 'policy'>) {
  return INSTANTS.flatMap((instant, nth) => stops.map((stop, at): Cell => ({ instant, stop, ...rest(nth, at) })));
}

/** Every instant with every stop. A slow or failing service and the other policy meet each instant and each stop. */
export const CELLS: readonly Cell[] = [
  ...combine(STOPS, () => ({ service: RESPONDS, policy: 'cancel' })),
  ...combine(TALKERS, (instant, stop) => ({ service: nthOf([IS_SLOW, FAILS_ONCE], instant + stop), policy: 'cancel' })),
  ...INSTANTS.flatMap((instant, nth) =>
    [2 * nth, 2 * nth + 1].map((at): Cell => ({ instant, stop: nthOf(STOPS, at), service: RESPONDS, policy: 'leave' })),
  ),
];

/** Cases in which main waits until its own deadline. */
export const CELLS_WITHOUT_SERVICE: readonly Cell[] = combine(TALKERS, (instant, stop) => ({
  service: IS_GONE,
  policy: nthOf(['cancel', 'leave'] as const, instant + stop),
}));
