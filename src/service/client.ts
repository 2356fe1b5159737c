import type { Service } from './api.ts';
import type { Caller } from './call.ts';
import { createExchange, type ExchangeParts } from './exchange.ts';
import type { HttpConnection } from './http/connection.ts';
import { createTransport, type TransportParts } from './http/transport.ts';
import { cancel, read } from './jobs.ts';
import { list } from './list.ts';
import { createRedactor } from './redact.ts';
import { createSession } from './session.ts';
import { trigger } from './trigger.ts';

type ServiceParts = Omit<ExchangeParts, 'transport' | 'redactor'> & TransportParts;

/** Creates a client for the service, which sends nothing before the first call. */
export function createService(parts: ServiceParts): Service {
  const { clock } = parts;
  const redactor = createRedactor(parts.apiKey);
  const connection: HttpConnection = (request, listener) =>
    parts.connection(request, {
      ...listener,
      failed: (error) => listener.failed({ ...error, message: redactor.redact(error.message) }),
    });
  const transport = createTransport({ ...parts, connection });
  const session = createSession(createExchange({ ...parts, transport, redactor }), clock);
  const caller: Caller = { transport, session, clock, redactor, longMessages: new Set() };
  return {
    async connect(options) {
      const grant = await session.grant(options);
      return grant.kind === 'granted' ? { kind: 'connected', account: grant.account } : grant;
    },
    list: (options) => list(caller, options),
    trigger: (order, options) => trigger(caller, order, options),
    read: (jobId, options) => read(caller, jobId, options),
    cancel: (jobId, options) => cancel(caller, jobId, options),
  };
}
