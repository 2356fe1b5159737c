// Computes the outcome of one call in which every request meets the same fault.
import { formatDuration } from '../../src/base/duration.ts';
import type { Call } from '../support/fault-scripts.ts';
import type { FaultName } from '../support/faults.ts';
import { meeting } from '../support/meeting.ts';
import { bench, HEALTHY } from '../support/service.ts';
import { type CallOutcome, make } from './call.ts';

export interface ServiceCell extends CallOutcome {
  readonly call: Call;
  /** The kind, followed by the retryability, the requested wait, the number of requests and the duration if unusual. */
  readonly text: string;
  readonly timersLeft: number;
}

export async function serviceCell(fault: FaultName, call: Call): Promise<ServiceCell> {
  const { service, clock, exchanges, calls } = bench({
    ...(call === 'exchange' && { exchange: () => meeting(fault, call)(HEALTHY.exchange) }),
    call: () => meeting(fault, call)(HEALTHY[call]),
  });
  const outcome = await clock.until(make(call, service));
  const requests = (call === 'exchange' ? exchanges() : calls()).length;
  const words = [
    outcome.kind,
    outcome.retryable === false && 'not retryable',
    outcome.retryAfterMs !== undefined && `wait ${formatDuration(outcome.retryAfterMs)}`,
    requests > 1 && `×${requests}`,
    clock.now() >= 1_000 && `after ${formatDuration(clock.now())}`,
  ];
  return { ...outcome, call, text: words.filter((word) => word !== false).join(' '), timersLeft: clock.pending };
}
