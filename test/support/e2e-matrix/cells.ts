// The cases of the cancel matrix: when and how a runner stops a step, and how the service behaves from then on.
import type { CallKind } from '../../../sandbox/model/index.ts';
import { MODES, type Mode, type StepProcess } from '../../../sandbox/runner/index.ts';
import type { Rule, Sandbox } from '../../../sandbox/server/index.ts';

/** A moment at which the runner stops a step. The service may hold a request so that the stop happens exactly then. */
export interface Instant {
  readonly name: string;
  readonly rules?: readonly Rule[];
  readonly inputs?: Readonly<Record<string, string>>;
  readonly reached: (sandbox: Sandbox, main: StepProcess) => Promise<unknown>;
  /** The service holds the first request of this kind. */
  readonly held?: CallKind;
  /** Whether a process that is killed at this moment has recorded the run's id. */
  readonly idKnown: 'no' | 'maybe' | 'yes';
  /** Whether a timeout is already cancelling the run, regardless of `on-cancel`. */
  readonly cancelling?: true;
  /** Main waits for a response longer than the post step. */
  readonly stalls?: true;
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

function at(
  name: string,
  idKnown: Instant['idKnown'],
  reached: Instant['reached'],
  inputs: Instant['inputs'] = {},
): Instant {
  return { name, idKnown, reached, inputs };
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
  at('before the exchange', 'no', (_, main) => main.line(/add-mask/)),
  during('during the exchange', 'exchange'),
  paused('exchange'),
  during('during the pipeline lookup', 'list', 'after-commit'),
  paused('trigger'),
  during('while the trigger is in flight', 'trigger'),
  during('while the response to the trigger is in flight', 'trigger', 'after-commit'),
  at('right after the response to the trigger', 'maybe', (sandbox) => sandbox.end('trigger'), NEVER),
  at('before the first poll', 'yes', (_, main) => main.line(/is queued/), NEVER),
  during('during a poll', 'read'),
  at('between two polls', 'yes', (sandbox) => sandbox.end('read'), { 'poll-interval': '300ms' }),
  {
    name: 'while a token renewal stalls',
    rules: [
      { kind: 'read', nth: 1, how: { do: 'refuse-token' } },
      { kind: 'exchange', nth: 2, how: { do: 'silence', point: 'before-commit' } },
    ],
    reached: (sandbox) => sandbox.arrival('exchange', 2),
    idKnown: 'yes',
    stalls: true,
  },
  // The timeout leaves time for a connection, because main would abort a trigger that is still connecting.
  { ...during('during a cancel', 'cancel'), inputs: { ...NEVER, timeout: '1s' }, cancelling: true },
];

interface Stop {
  readonly name: string;
  readonly mode: Mode;
}

const ALIVE: Mode = { ...MODES.container, waitsMs: 0 };

const SIGINT = { name: 'SIGINT', mode: MODES.workflow };
const SIGKILL = { name: 'SIGKILL', mode: MODES['act-host'] };
const NO_SIGNAL = { name: 'a parallel post step', mode: ALIVE };
const STOPS: readonly Stop[] = [
  SIGINT,
  { name: 'SIGINT to a background step of a continuing job', mode: MODES.background },
  { name: 'SIGTERM alone', mode: MODES.terminated },
  SIGKILL,
  { name: 'SIGKILL with a loss of state', mode: { ...MODES['act-host'], post: 'state lost' } },
  NO_SIGNAL,
  { name: 'a parallel post step of a failed job', mode: MODES.forgejo },
  { name: 'a parallel post step without state', mode: { ...ALIVE, post: 'state lost' } },
];
/** Stops after which different processes send requests: main, post, or both. */
const TALKERS: readonly Stop[] = [SIGINT, SIGKILL, NO_SIGNAL];

/** The behaviour of the service after the stop. */
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
  name: 'fails once in each call',
  turn({ world, misbehave }) {
    for (const kind of CALLS) {
      const nth = (world.counts[kind] ?? 0) + 1;
      misbehave({ kind, nth, how: { do: 'answer', status: 503, body: 'upstream unavailable' } });
    }
  },
};

const IS_GONE: Service = { name: 'is permanently unreachable', turn: (sandbox) => void sandbox.away(), gone: true };

export interface Cell {
  readonly instant: Instant;
  readonly stop: Stop;
  readonly service: Service;
  readonly policy: 'cancel' | 'leave';
}

export function nameOf({ instant, stop, service, policy }: Cell): string {
  return `${stop.name} ${instant.name} if the service ${service.name} and on-cancel is ${policy}`;
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

/** Every instant with every stop. At each instant, some stops also meet a slow or failing service, or `leave`. */
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
