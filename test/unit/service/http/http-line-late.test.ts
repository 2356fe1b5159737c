import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ConnectionEvents } from '../../../../src/service/http/connection-events.ts';

/** A line to a request that does nothing but what a test has it say. */
function late() {
  const told: string[] = [];
  const destroyed: string[] = [];
  const line = new ConnectionEvents({
    connected: () => told.push('connected'),
    head: () => told.push('head'),
    chunk: () => told.push('chunk'),
    end: (complete) => told.push(`end ${complete}`),
    failed: ({ message }) => told.push(`failed ${message}`),
  });
  const request = Object.assign(new EventEmitter(), { destroy: () => destroyed.push('request') });
  line.listenTo(request as unknown as ClientRequest, false);
  const socket = Object.assign(new EventEmitter(), { connecting: true });
  const message = Object.assign(new EventEmitter(), { statusCode: 200, headers: {}, complete: true });
  return {
    line,
    told,
    destroyed,
    socket: () => request.emit('socket', socket),
    connects: () => socket.emit('connect'),
    answers: () => request.emit('response', message),
    data: () => message.emit('data', new Uint8Array(1)),
    breaks: () => message.emit('error', new Error('aborted')),
    ends: () => message.emit('end'),
    closes: () => message.emit('close'),
    fails: () => request.emit('error', new Error('reset')),
  };
}

describe('what node says after a line was hung up', () => {
  it('is told to nobody: neither a connection nor an answer nor a failure', () => {
    const all = late();
    all.socket();
    all.line.hangUp();
    for (const say of [all.connects, all.answers, all.data, all.ends, all.closes, all.fails]) say();
    expect(all.told).toEqual([]);
    expect(all.destroyed).toEqual(['request']);
  });

  it('is told to nobody in the middle of an answer', () => {
    const all = late();
    all.socket();
    all.connects();
    all.answers();
    all.data();
    all.line.hangUp();
    for (const say of [all.data, all.breaks, all.ends, all.closes]) say();
    expect(all.told).toEqual(['connected', 'head', 'chunk']);
  });

  it('has what comes about only then destroyed at once', () => {
    const all = late();
    all.line.hangUp();
    all.line.onHangUp(() => all.destroyed.push('tunnel'));
    expect(all.destroyed).toEqual(['request', 'tunnel']);
  });
});

describe('an answer that breaks off', () => {
  it('is told once, by its close, and its error ends no process', () => {
    const all = late();
    all.answers();
    all.breaks();
    all.closes();
    all.fails();
    expect(all.told).toEqual(['head', 'end false']);
  });
});
