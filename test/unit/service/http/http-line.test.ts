import http from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ConnectionError } from '../../../../src/service/http/connection.ts';
import { ConnectionEvents } from '../../../../src/service/http/connection-events.ts';
import { rawHost } from '../../../support/hosts.ts';

function lineTo(failed: (error: ConnectionError) => void): ConnectionEvents {
  const nothing = (): void => undefined;
  return new ConnectionEvents({ connected: nothing, head: nothing, chunk: nothing, end: nothing, failed });
}

/** What a line reports of something that went wrong. */
function reported(thrown: unknown): readonly ConnectionError[] {
  const failures: ConnectionError[] = [];
  const line = lineTo((error) => failures.push(error));
  line.fail(thrown);
  line.fail(new Error('too late'));
  return failures;
}

const coded = (error: Error, code: unknown): Error => Object.assign(error, { code });

describe('what went wrong', () => {
  it.each<[string, unknown, ConnectionError]>([
    ['an error', new Error('odd'), { message: 'odd' }],
    ['an error without words', new Error(), { message: '' }],
    ['an error with a code', coded(new Error('no'), 'EPIPE'), { code: 'EPIPE', message: 'no' }],
    ['an error with a code that is a number', coded(new Error('no'), 7), { message: 'no' }],
    ['a text', 'just words', { message: 'just words' }],
    ['nothing', null, { message: 'null' }],
    [
      'what Node makes of all addresses of a host',
      coded(
        new AggregateError([
          coded(new Error('connect ECONNREFUSED ::1:9'), 'ECONNREFUSED'),
          coded(new Error('connect ECONNREFUSED 127.0.0.1:9'), 'ECONNREFUSED'),
        ]),
        'ECONNREFUSED',
      ),
      { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9' },
    ],
    ['several errors that have words of their own', new AggregateError([new Error('one')], 'all'), { message: 'all' }],
  ])('is told once, with what can be known of it: %s', (_what, thrown, error) => {
    expect(reported(thrown)).toStrictEqual([error]);
  });

  it('is heard of by the line itself, whoever else listens to the request', async () => {
    const { port } = await rawHost((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const request = http.request({ host: '127.0.0.1', port, agent: false });
    const failure = new Promise((resolve) => lineTo(resolve).listenTo(request, false));
    request.end();
    expect(await failure).toEqual({ code: 'ECONNRESET', message: 'read ECONNRESET' });
  });
});
