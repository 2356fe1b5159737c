// Makes a call to the service by name.
import type { Problem, Service } from '../../src/service/api.ts';
import { JOB, ORDER } from '../support/service.ts';
import type { CallName } from './fault.ts';

/** The outcome of a call, reduced to the fields that the tests compare. */
export interface CallOutcome {
  readonly kind: string;
  readonly problem?: Problem;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

/** Makes the call with this name. */
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
