import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arrival, answer, arrive, type ModelRequest, occurs, type World } from '../model/index.ts';
import type { Connections } from './connections.ts';
import { deliver, deliverWith } from './deliver.ts';
import type { Gates } from './gates.ts';
import type { Moments } from './moments.ts';
import type { Point, WireEffect, WireRule } from './rules.ts';
import type { RequestRecord } from './types.ts';

export interface HandlerParts {
  readonly world: World;
  readonly now: () => number;
  readonly rules: readonly WireRule[];
  readonly requests: RequestRecord[];
  readonly moments: Moments;
  readonly gates: Gates;
  readonly connections: Connections;
  /** Aborted when the sandbox closes. After that, no request takes effect. */
  readonly closing: AbortSignal;
  readonly onEnd: (record: RequestRecord) => void;
}

/** Handles a request from arrival to end. Records it, applies its effect, and responds, as far as the rules allow. */
export async function handle(
  parts: HandlerParts,
  request: ModelRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { world, now, moments, connections } = parts;
  const arrival = arrive(world, request);
  const effects = parts.rules.filter((rule) => occurs(rule, arrival)).map((rule) => rule.how);
  const record = recordOf(parts, request, arrival, req);
  const fault = { ours: false };
  res.once('close', () => end(parts, record, res, fault.ours));
  moments.report('arrived', record);

  const reset = () => {
    fault.ours = true;
    connections.reset(req.socket);
  };
  if ((await pauseAt('before-commit', parts, arrival, effects, reset)) === 'over') return;
  // The client may have disconnected. A real service does not notice, so a request that it has read takes effect.
  const response = answer(world, request, now(), arrival);
  record.committedAt = now();
  moments.report('committed', record);
  if ((await pauseAt('after-commit', parts, arrival, effects, reset)) === 'over') return;

  const faulty = effects.find(isFaultyDelivery);
  if (faulty === undefined) {
    record.answeredStatus = response.status;
    deliver(res, response);
  } else {
    fault.ours = faulty.do !== 'stall' && faulty.do !== 'endless';
    if (deliverWith(faulty, req.socket, response, reset)) record.answeredStatus = response.status;
  }
}

/** Applies the rules for a point. Returns `over` if the request gets no response. */
async function pauseAt(
  point: Point,
  { gates, closing }: HandlerParts,
  { kind, nth }: Arrival,
  effects: readonly WireEffect[],
  reset: () => void,
): Promise<'on' | 'over'> {
  for (const effect of effects) {
    if (effect.do === 'delay' && (effect.point ?? 'before-commit') === point) {
      await sleep(effect.ms, undefined, { signal: closing }).catch(() => undefined);
    } else if (effect.do === 'hold' && effect.point === point) {
      await Promise.race([gates.hold(kind, nth), aborted(closing)]);
    } else if (effect.do === 'silence' && effect.point === point) {
      return 'over';
    } else if (effect.do === 'reset' && effect.point === point) {
      reset();
      return 'over';
    }
  }
  return closing.aborted ? 'over' : 'on';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

type Faulty = Parameters<typeof deliverWith>[0];

function isFaultyDelivery(effect: WireEffect): effect is Faulty {
  if (effect.do === 'reset') return effect.point === 'after-headers' || effect.point === 'mid-body';
  return effect.do !== 'delay' && effect.do !== 'hold' && effect.do !== 'silence';
}

function recordOf(
  { now, requests, connections }: HandlerParts,
  { method, path, headers, body }: ModelRequest,
  { kind, nth }: Arrival,
  req: IncomingMessage,
): RequestRecord {
  const { number, reused } = connections.use(req.socket);
  const record: RequestRecord = {
    at: now(),
    kind,
    nth,
    method,
    path,
    headers,
    body,
    connection: number,
    reused,
    committedAt: null,
    answeredStatus: null,
    aborted: false,
    endedAt: null,
  };
  requests.push(record);
  return record;
}

function end({ now, moments, onEnd }: HandlerParts, record: RequestRecord, res: ServerResponse, ours: boolean): void {
  record.endedAt = now();
  record.aborted = !res.writableFinished && !ours;
  moments.report('ended', record);
  onEnd(record);
}
