import type { Clock } from '../base/clock.ts';
import type { RequestTrace, Service } from './api.ts';
import type { Caller } from './call.ts';
import { cancel } from './cancel.ts';
import { createExchange } from './exchange.ts';
import { list } from './list.ts';
import { read } from './read.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { createSession } from './session.ts';
import { createTransport } from './transport.ts';
import { trigger } from './trigger.ts';
import type { Wire } from './wire.ts';

export interface ServiceParts {
  readonly wire: Wire;
  readonly clock: Clock;
  /** The application host, already checked. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Hears of each token before it is used, so that it can be masked. */
  readonly onSecret: (secret: string) => void;
  /** Hears of each request that has ended, for debug lines. */
  readonly onTrace?: (trace: RequestTrace) => void;
}

/** Builds the service from its parts. Nothing is sent before the first call. */
export function createService(parts: ServiceParts): Service {
  const { wire, clock, baseUrl, apiKey, onSecret, onTrace } = parts;
  const redactor = createRedactor(apiKey);
  const transport = createTransport({ wire: withoutSecrets(wire, redactor), clock, onTrace });
  const session = createSession(
    createExchange({ transport, clock, baseUrl, apiKey, redactor, onSecret }),
    clock,
  );
  const caller: Caller = { transport, session, clock, redactor, longMessages: new Set() };
  return {
    async connect(options) {
      const access = await session.access(options);
      return access.kind === 'access' ? { kind: 'connected', account: access.grant.account } : access;
    },
    list: (options) => list(caller, options),
    trigger: (order, options) => trigger(caller, order, options),
    read: (jobId, options) => read(caller, jobId, options),
    cancel: (jobId, options) => cancel(caller, jobId, options),
  };
}

/** The connection, with the secrets removed from the messages of its errors. */
function withoutSecrets(wire: Wire, redactor: Redactor): Wire {
  return (request, events) =>
    wire(request, {
      ...events,
      failed: (error) => events.failed({ ...error, message: redactor.redact(error.message) }),
    });
}
