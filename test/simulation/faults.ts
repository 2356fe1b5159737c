/* What each fault of a request does: to its connection, to the service, and to the response. */
import type { ModelEffect } from '../../sandbox/model/index.ts';
import type { Answered } from '../../src/service/send.ts';
import { JSON_TYPE } from '../support/answers.ts';
import type { Random } from './random.ts';
import type { Call, Fault, FaultKind } from './scenario.ts';

export interface FaultEffect {
  /** The calls that can have the fault. By default, all. */
  readonly calls?: readonly Call[];
  /** Without this, the connection is established as usual. */
  readonly connect?: 'refused' | 'hangs' | 'slow';
  /** Whether the service processes the request. `maybe` leaves this to the scenario. */
  readonly processed: 'yes' | 'no' | 'maybe';
  /** Makes the service itself misbehave. */
  readonly service?: (random: Random, fault: Pick<Fault, 'ms'>) => ModelEffect;
  /** What the process receives instead of the service's response. */
  readonly response?: 'reset' | 'silent' | 'slow' | ((right: Answered, random: Random) => Answered);
}

const PAGE_TYPE = { 'content-type': 'text/html; charset=utf-8' };
/** Text that must not act as anything but text. */
export const HOSTILE = 'no\n::error title=forged::CANARY ##[error]CANARY <b>CANARY</b> \u001b[2K\u202e | x';

const error = (status: number, headers: Record<string, string> = {}, code = `E${status}`) => {
  return (): Answered => ({
    kind: 'answered',
    status,
    headers: { ...JSON_TYPE, ...headers },
    text: JSON.stringify({ code, message: `The service says ${HOSTILE}`, hint: 'Try something else' }),
    body: 'complete',
  });
};
const page = (status: number, headers: Record<string, string> = {}) => {
  return (): Answered => ({
    kind: 'answered',
    status,
    headers: { ...PAGE_TYPE, ...headers },
    text: '<!doctype html><title>Log in</title><h1>Log in</h1>',
    body: 'complete',
  });
};
const json = (...texts: readonly string[]) => {
  return (right: Answered, random: Random): Answered => ({
    ...right,
    status: 200,
    headers: JSON_TYPE,
    text: random.pick(texts),
    body: 'complete',
  });
};
const stalled = (right: Answered, random: Random): Answered => {
  const part = random.pick([0, 0.3, 0.7, 1]);
  return { ...right, text: right.text.slice(0, Math.floor(right.text.length * part)), body: 'stalled' };
};

/** In response to a trigger, a complete `null` says that no run was queued. One that was cut off says nothing. */
const nonsense = (right: Answered, random: Random): Answered => {
  const answer = json('{}', '7', '"no id"', '[[]]', '[{}]', 'true', '', '[null]', 'null')(right, random);
  return answer.text === 'null' ? { ...answer, body: 'cut off' } : answer;
};

const ABOUT_RUNS: readonly Call[] = ['read', 'cancel'];

export const FAULT_EFFECTS: Readonly<Record<FaultKind, FaultEffect>> = {
  refused: { connect: 'refused', processed: 'no' },
  connect_hangs: { connect: 'hangs', processed: 'no' },
  connect_slow: { connect: 'slow', processed: 'yes' },
  reset: { processed: 'maybe', response: 'reset' },
  silent: { processed: 'maybe', response: 'silent' },
  slow: { processed: 'yes', response: 'slow' },
  stalled: { processed: 'yes', response: stalled },
  http_400: { processed: 'no', response: error(400) },
  http_401: { calls: ['list', 'trigger', 'read', 'cancel'], processed: 'no', response: error(401) },
  http_403: { processed: 'no', response: error(403) },
  // Codes of PostgREST.
  token_code: { calls: ['list', 'trigger', 'read', 'cancel'], processed: 'no', response: error(400, {}, 'PGRST301') },
  too_early: { processed: 'no', response: error(503, {}, 'PGRST002') },
  connection_lost: { processed: 'maybe', response: error(503, {}, 'PGRST001') },
  unknown_schema: { processed: 'no', response: error(404, {}, 'PGRST202') },
  http_429: { processed: 'no', response: error(429, { 'retry-after': '7' }) },
  http_500: { processed: 'maybe', response: error(500) },
  http_503: { processed: 'maybe', response: page(503, { 'retry-after': '3' }) },
  page_403: { processed: 'no', response: page(403) },
  page_200: { processed: 'no', response: page(200) },
  redirect: { processed: 'no', response: page(302, { location: 'https://login.example.test/?from=app' }) },
  nonsense: { processed: 'maybe', response: nonsense },
  null: { calls: ['trigger'], processed: 'yes', service: () => ({ do: 'null' }) },
  empty: { calls: ABOUT_RUNS, processed: 'yes', service: () => ({ do: 'empty' }) },
  foreign_row: { calls: ABOUT_RUNS, processed: 'yes', service: () => ({ do: 'foreign-row' }) },
  stale: { calls: ['read'], processed: 'yes', service: (_random, { ms }) => ({ do: 'lag', byMs: ms }) },
  odd_status: {
    calls: ['read'],
    processed: 'yes',
    service: (random) => ({
      do: 'status',
      status: random.pick(['paused', 'Completed', ' completed', 'completed\u200b', '', 'completed\n', 'success']),
      message: HOSTILE,
    }),
  },
  no_token: { calls: ['exchange'], processed: 'no', response: json('{"token":null}', '{}', '{"token":"two words"}') },
};
