// A scripted connection, which determines what happens to each request in virtual time.
import type { ConnectionError, HttpConnection, HttpRequest } from '../../src/service/http/connection.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The connection's next event, `ms` milliseconds after the previous one. With `atOnce`, it does not even wait for a task. */
export type Step = { readonly ms?: number; readonly atOnce?: true } & (
  | { readonly connected: true }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
  | { readonly end: 'complete' | 'cut_off' }
  | { readonly failed: ConnectionError }
);

/** A sent request. `hungUpAtMs` is the time at which the caller hung up before the response was complete. */
export interface Sent {
  readonly request: HttpRequest;
  readonly path: string;
  readonly atMs: number;
  hungUpAtMs?: number;
}

/** A connection that follows a separate script for each request. A script without an end stalls. */
export function scriptedWire(clock: VirtualClock, scriptFor: (sent: Sent, nth: number) => readonly Step[]) {
  const sent: Sent[] = [];
  const connection: HttpConnection = (request, events) => {
    const one: Sent = { request, path: request.url.pathname + request.url.search, atMs: clock.now() };
    sent.push(one);
    const script = scriptFor(one, sent.length);
    let over = false;
    let stopWaiting = (): void => undefined;
    const play = (at: number): void => {
      const step = script[at];
      if (step === undefined || over) return;
      const happen = (): void => {
        if ('connected' in step) events.connected();
        else if ('status' in step) events.head(step.status, step.headers ?? {});
        else if ('text' in step) events.chunk(new TextEncoder().encode(step.text));
        else if ('bytes' in step) events.chunk(step.bytes);
        else over = true;
        if ('end' in step) events.end(step.end === 'complete');
        else if ('failed' in step) events.failed(step.failed);
        else play(at + 1);
      };
      if (step.atOnce) happen();
      else stopWaiting = clock.after(step.ms ?? 0, happen);
    };
    play(0);
    return () => {
      if (over) return;
      over = true;
      one.hungUpAtMs = clock.now();
      stopWaiting();
    };
  };
  return { connection, sent };
}

/** The same steps, of which the first takes this many milliseconds. */
export function delayed(ms: number, script: readonly Step[]): Step[] {
  return script.map((step, at) => (at === 0 ? { ...step, ms } : step));
}

/** A complete response: `body` as JSON, or `body` itself if it is a string. */
export function answers(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [{ connected: true }, { status, headers }, { text }, { end: 'complete' }];
}
