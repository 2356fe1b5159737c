// Tests how the client reports Node's events and errors, and that reports stop once the caller has hung up.
import dns from 'node:dns';
import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { ConnectionError } from '../../../../src/service/http/connection.ts';
import { ConnectionEvents } from '../../../../src/service/http/connection-events.ts';
import { closed, rawHost } from '../../../support/hosts.ts';
import { send } from '../../../support/sending.ts';

/** Creates a request and a socket that emit no events of their own. */
function emitters() {
  const reported: string[] = [];
  const errors: ConnectionError[] = [];
  const destroyed: string[] = [];
  const events = new ConnectionEvents({
    connected: () => reported.push('connected'),
    head: () => reported.push('head'),
    chunk: () => reported.push('chunk'),
    end: (complete) => reported.push(`end ${complete}`),
    failed: (error) => errors.push(error),
  });
  const request = Object.assign(new EventEmitter(), { destroy: () => destroyed.push('request') });
  events.listenTo(request as unknown as ClientRequest, false);
  const socket = Object.assign(new EventEmitter(), { connecting: true });
  const message = Object.assign(new EventEmitter(), { statusCode: 200, headers: {}, complete: true });
  const emit = {
    socket: () => request.emit('socket', socket),
    connect: () => socket.emit('connect'),
    response: () => request.emit('response', message),
    data: () => message.emit('data', new Uint8Array(1)),
    messageError: () => message.emit('error', new Error('aborted')),
    end: () => message.emit('end'),
    messageClose: () => message.emit('close'),
    error: () => request.emit('error', new Error('reset')),
    close: () => request.emit('close'),
  };
  const play = (names: string): void => {
    for (const name of names.split(' ')) emit[name as keyof typeof emit]();
  };
  return { events, reported, errors, destroyed, play };
}

describe('Node events', () => {
  it.each([
    ['before the connection is established', 'socket', ''],
    ['in the middle of a response', 'socket connect response data', 'connected head chunk'],
  ])('are not reported after the caller has hung up %s', (_when, before, expected) => {
    const { events, reported, errors, destroyed, play } = emitters();
    play(before);
    events.hangUp();
    play('connect response data messageError end messageClose error close');
    expect([reported.join(' '), errors]).toEqual([expected, []]);
    expect(destroyed).toEqual(['request']);
  });

  it.each([
    ['one complete response', 'response end messageClose error close', 'head end true'],
    ['one truncated response', 'response messageError messageClose error', 'head end false'],
    ['a reset if the request closes early', 'socket connect close', 'connected ECONNRESET: the connection closed'],
  ])('are reported as %s', (_what, names, expected) => {
    const { reported, errors, destroyed, play } = emitters();
    play(names);
    expect([...reported, ...errors.map(({ code, message }) => `${code}: ${message}`)].join(' ')).toBe(expected);
    expect(destroyed).toEqual(['request']);
  });
});

describe('an error', () => {
  const coded = (error: Error, code: unknown): Error => Object.assign(error, { code });
  const refused = (address: string) => coded(new Error(`connect ECONNREFUSED ${address}`), 'ECONNREFUSED');

  it.each<[string, unknown, ConnectionError]>([
    ['its message', new Error('odd'), { message: 'odd' }],
    ['an empty message', new Error(), { message: '' }],
    ['its code and message', coded(new Error('no'), 'EPIPE'), { code: 'EPIPE', message: 'no' }],
    ['only its message if its code is a number', coded(new Error('no'), 7), { message: 'no' }],
    ['the text of a thrown string', 'just words', { message: 'just words' }],
    ['the text "null" for a thrown null', null, { message: 'null' }],
    [
      'the messages for all addresses of a host',
      coded(new AggregateError([refused('::1:9'), refused('127.0.0.1:9')]), 'ECONNREFUSED'),
      { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9' },
    ],
    ['the message of an aggregate error', new AggregateError([new Error('one')], 'all'), { message: 'all' }],
  ])('is reported once, with %s', (_what, thrown, error) => {
    const { events, errors } = emitters();
    events.fail(thrown);
    events.fail(new Error('too late'));
    expect(errors).toStrictEqual([error]);
  });
});

describe('hanging up', () => {
  it('twice destroys the request once', () => {
    const { events, destroyed } = emitters();
    events.hangUp();
    events.hangUp();
    expect(destroyed).toEqual(['request']);
  });

  it('destroys anything that is registered afterwards', () => {
    const { events, destroyed } = emitters();
    events.hangUp();
    events.onHangUp(() => destroyed.push('tunnel'));
    expect(destroyed).toEqual(['request', 'tunnel']);
  });

  it('during the DNS lookup prevents the connection', async () => {
    const { port, sockets } = await rawHost((socket) => socket.resume());
    const answers: (() => void)[] = [];
    const lookup = (_host: string, _options: object, done: (error: null, found: readonly object[]) => void): void => {
      answers.push(() => done(null, [{ address: '127.0.0.1', family: 4 }]));
    };
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
    const sending = send(`http://service.example.test:${port}/`);
    await vi.waitUntil(() => answers.length === 1);
    // Node assigns the socket to the request in the next tick.
    await setImmediate();
    sending.hangUp();
    answers[0]?.();
    const other = send(`http://127.0.0.1:${port}/`);
    await other.saw('connected');
    await vi.waitUntil(() => sockets.length > 0);
    other.hangUp();
    await closed(sockets[0]);
    expect(sockets).toHaveLength(1);
    expect(sending.report().events).toEqual([]);
  });
});
