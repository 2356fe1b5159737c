// Makes a call by its name.
import type { Problem, Service } from '../../src/service/api.ts';
import type { Call } from '../support/fault-scripts.ts';
import { JOB, ORDER } from '../support/service.ts';

/** The outcome of a call, reduced to the fields that the tests compare. */
export interface CallOutcome {
  readonly kind: string;
  readonly problem?: Problem;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

export function make(call: Call, service: Service): Promise<CallOutcome> {
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
