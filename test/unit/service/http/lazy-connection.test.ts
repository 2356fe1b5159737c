import { describe, expect, it } from 'vitest';
import type {
  ConnectionError,
  ConnectionListener,
  HttpConnection,
  HttpRequest,
} from '../../../../src/service/http/connection.ts';
import { lazyConnection } from '../../../../src/service/http/connection.ts';
import { drain } from '../../../support/virtual-clock.ts';

const REQUEST: HttpRequest = { method: 'GET', url: new URL('https://api.example.com/'), headers: {} };

function listener(): ConnectionListener & { readonly failures: ConnectionError[] } {
  const failures: ConnectionError[] = [];
  const nothing = (): void => undefined;
  return {
    connected: nothing,
    head: nothing,
    chunk: nothing,
    end: nothing,
    failed: (e) => failures.push(e),
    failures,
  };
}

/** A wire that counts what goes over it, and a load that can be let through or fail. */
function bench() {
  const sent: HttpRequest[] = [];
  const hungUp: HttpRequest[] = [];
  const loads: { resolve(wire: HttpConnection): void; reject(error: Error): void }[] = [];
  const real: HttpConnection = (request) => {
    sent.push(request);
    return () => hungUp.push(request);
  };
  const wire = lazyConnection(() => new Promise((resolve, reject) => loads.push({ resolve, reject })));
  return { sent, hungUp, loads, real, wire };
}

describe('a wire that is loaded late', () => {
  it('is loaded by the first request, once for all that wait for it', async () => {
    const { sent, loads, real, wire } = bench();
    expect(loads).toHaveLength(0);
    wire(REQUEST, listener());
    wire(REQUEST, listener());
    expect(loads).toHaveLength(1);
    loads[0]?.resolve(real);
    await drain();
    expect(sent).toHaveLength(2);
  });

  it('sends at once when it is there: what was said to leave has left', async () => {
    const { sent, loads, real, wire } = bench();
    wire(REQUEST, listener());
    loads[0]?.resolve(real);
    await drain();
    wire(REQUEST, listener());
    expect(sent).toHaveLength(2);
  });

  it('sends nothing that was hung up in the meantime, and hangs up what was sent', async () => {
    const { sent, hungUp, loads, real, wire } = bench();
    const early = wire(REQUEST, listener());
    const late = wire(REQUEST, listener());
    early();
    loads[0]?.resolve(real);
    await drain();
    expect(sent).toHaveLength(1);
    late();
    expect(hungUp).toHaveLength(1);
  });

  it('fails like one that never connected when it cannot be loaded, and is loaded anew by the next request', async () => {
    const { sent, loads, real, wire } = bench();
    const events = listener();
    const unwanted = listener();
    wire(REQUEST, events);
    wire(REQUEST, unwanted)();
    loads[0]?.reject(new Error('no such file'));
    await drain();
    expect(events.failures).toEqual([{ message: 'no such file' }]);
    expect(unwanted.failures).toEqual([]);
    wire(REQUEST, listener());
    loads[1]?.resolve(real);
    await drain();
    expect(sent).toHaveLength(1);
  });
});
