import { formatDuration } from '../../src/base/duration.ts';
import type { Problem } from '../../src/service/api.ts';
import { answers } from '../support/scripted-wire.ts';
import { bench, bootstrap, JOB, PIPELINE } from '../support/service.ts';
import { make } from './call.ts';
import type { CallName } from './fault.ts';
import { FAULTS, type FaultName } from './faults.ts';

/** What a service without faults answers to each call. */
const GOOD: Readonly<Record<CallName, string>> = {
  exchange: JSON.stringify(bootstrap()),
  list: JSON.stringify([{ pipeline_id: PIPELINE, pipeline_name: 'Orders', pipeline_api_name: 'orders' }]),
  trigger: JSON.stringify(JOB),
  read: JSON.stringify([{ id: JOB, job_status: 'running', status_message: null }]),
  cancel: JSON.stringify([{ id: JOB, job_status: 'cancelled', status_message: null }]),
};

export interface ServiceCell {
  /** `kind`, then `not retryable`, `wait <Retry-After>`, `×<requests>`, and how long it took, where there is such a thing. */
  readonly text: string;
  readonly problem: Problem | undefined;
  /** Timers that were left when the call had ended. */
  readonly timersLeft: number;
}

/** How one call ends whose every request meets this fault. */
export async function serviceCell(fault: FaultName, call: CallName): Promise<ServiceCell> {
  const { service, clock, exchanges, calls } = bench({
    exchange: (nth) =>
      call === 'exchange' ? FAULTS[fault](GOOD.exchange) : answers(200, bootstrap({ token: `token-${nth}` })),
    call: () => FAULTS[fault](GOOD[call]),
  });
  const outcome = await clock.until(make(call, service));
  const sent = call === 'exchange' ? exchanges().length : calls().length;
  const words = [
    outcome.kind,
    outcome.retryable === false ? 'not retryable' : '',
    outcome.retryAfterMs === undefined ? '' : `wait ${formatDuration(outcome.retryAfterMs)}`,
    sent === 1 ? '' : `×${sent}`,
    clock.now() < 1_000 ? '' : `after ${formatDuration(clock.now())}`,
  ];
  return { text: words.filter((word) => word !== '').join(' '), problem: outcome.problem, timersLeft: clock.pending };
}
