import type { CallOptions, Service } from '../service/api.ts';
import { Gate } from './gate.ts';

/**
 * Requests about runs that are under way at once, at most. Hundreds of runs that are cancelled in one instant are
 * through in a second or two at this width, and no runner or gateway minds so many connections.
 */
const WIDTH = 50;

/** Whether nobody wants the answer any more, now that it is this call's turn. */
function isTooLate(options: CallOptions | undefined): boolean {
  return options?.signal?.aborted === true || (options?.withinMs?.() ?? Infinity) <= 0;
}

/** The service, with so many reads and cancels at once and no more. A trigger never waits: it goes alone. */
export function bounded(service: Service): Service {
  const gate = new Gate(WIDTH);
  const inTurn = <Outcome>(
    options: CallOptions | undefined,
    call: () => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: 'aborted' }> =>
    gate.through<Outcome | { readonly kind: 'aborted' }>(async () =>
      isTooLate(options) ? { kind: 'aborted' } : call(),
    );
  return {
    connect: (options) => service.connect(options),
    list: (options) => service.list(options),
    trigger: (order, options) => service.trigger(order, options),
    read: (jobId, options) => inTurn(options, () => service.read(jobId, options)),
    cancel: (jobId, options) => inTurn(options, () => service.cancel(jobId, options)),
  };
}
