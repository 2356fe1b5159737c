// Names the calls of the service, and makes a call by name.
import type { Problem, Service } from '../../src/service/api.ts';
import { JOB, ORDER } from '../support/service.ts';

/** The calls of the service, in the order in which a step makes them. */
export const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;
export type CallName = (typeof CALLS)[number];

/** The outcome of a call, reduced to the fields that the tests compare. */
export interface CallOutcome {
  readonly kind: string;
  readonly problem?: Problem;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

export function make(call: CallName, service: Service): Promise<CallOutcome> {
  switch (call) {
    case 'exchange':
      return service.connect();
    case 'list':
      return service.list();
    case 'trigger':
      return service.trigger(ORDER, { onSend: () => undefined });
    case 'read':
      return service.read(JOB);
    case 'cancel':
      return service.cancel(JOB);
  }
}
