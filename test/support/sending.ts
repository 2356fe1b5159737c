// Sends a request over a real connection, and records the events that the connection reports.
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import type { ConnectionError, HttpRequest } from '../../src/service/http/connection.ts';
import { createHttpConnection } from '../../src/service/http/node-http.ts';

const connection = createHttpConnection({ userAgent: 'run-pipeline/test', env: process.env });

/** The events that a connection reported, in order, up to the last one. */
export interface Report {
  readonly events: readonly string[];
  readonly text: string;
  readonly error?: ConnectionError;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Sends a request. If `hangUpOn` is set, hangs up during the first event of that name. */
export function send(url: string, request: Partial<HttpRequest> = {}, hangUpOn?: string) {
  const events: string[] = [];
  const waiting = new Map<string, () => void>();
  let text = '';
  let error: ConnectionError | undefined;
  let headers: Report['headers'] = {};
  const report = (): Report => ({ events: [...events], text, headers, ...(error && { error }) });
  const { promise: over, resolve } = Promise.withResolvers<Report>();
  const note = (event: string): void => {
    events.push(event);
    waiting.get(event)?.();
    if (event === hangUpOn) hangUp();
  };
  const hangUp = connection(
    { method: 'GET', url: new URL(url), headers: {}, ...request },
    {
      connected: () => note('connected'),
      head(status, came) {
        headers = came;
        note(`head ${status}`);
      },
      chunk(bytes) {
        text += new TextDecoder().decode(bytes);
        if (events.at(-1) !== 'chunk') note('chunk');
      },
      end(complete) {
        note(complete ? 'complete' : 'cut off');
        resolve(report());
      },
      failed(cause) {
        error = cause;
        note('failed');
        resolve(report());
      },
    },
  );
  /** Resolves when the first event of that name occurs. */
  const saw = (event: string): Promise<void> =>
    new Promise((seen) => (events.includes(event) ? seen() : waiting.set(event, seen)));
  return { over, hangUp, report, saw };
}

/** Trusts a certificate until the test has finished. */
export function trust(cert: string): void {
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, cert]);
  onTestFinished(() => tls.setDefaultCACertificates(usual));
}
