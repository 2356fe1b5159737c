import { describe, expect, it } from 'vitest';
import { JOB, ORDER } from '../support/service.ts';
import { expectAuthorized, network } from './network.ts';

const net = network();
const unauthorized = { status: 401, body: { code: 'PGRST301', message: 'JWT expired' } };
const running = { body: [{ id: JOB, job_status: 'running', status_message: null }] };
const onSend = (): void => {};

describe('a 401', () => {
  it('is followed by an exchange and the same request with the new token', async () => {
    net.reply(unauthorized, running);
    expect(await net.service().cancel(JOB)).toMatchObject({ kind: 'job' });
    const [exchange, first, again, second] = net.seen;
    expect(net.seen).toHaveLength(4);
    expect(exchange?.line).toBe(again?.line);
    expect(first).toMatchObject({ line: second?.line, body: second?.body });
    expectAuthorized(first, 'token-1');
    expectAuthorized(second, 'token-2');
  });

  it('twice is followed by a third try, of a trigger too', async () => {
    net.reply(unauthorized, unauthorized, { body: `"${JOB}"` });
    expect(await net.service().trigger(ORDER, { onSend })).toEqual({ kind: 'queued', jobId: JOB });
    expect(net.calls()).toHaveLength(3);
  });

  it.each([
    ['list', 3],
    ['read', 2],
    ['cancel', 3],
  ] as const)('without end ends a %s after %i tries', async (name, tries) => {
    net.reply(unauthorized);
    const service = net.service();
    const outcome = await (name === 'list' ? service.list() : service[name](JOB));
    expect(outcome).toMatchObject({
      kind: 'unauthorized',
      problem: { cause: 'HTTP 401 "JWT expired" (code PGRST301)' },
    });
    expect(net.calls()).toHaveLength(tries);
  });

  it('of an exchange in the middle is the end', async () => {
    net.reply(unauthorized);
    const service = net.service();
    await service.connect();
    net.grant({ status: 401, body: { message: 'This API key was revoked' } });
    expect(await service.read(JOB)).toMatchObject({
      kind: 'key_refused',
      problem: { cause: 'HTTP 401 "This API key was revoked"' },
    });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed: the headers of a call go nowhere else', async (status) => {
    net.reply({ status, headers: { location: 'https://elsewhere.example.test/rest/v1/jobs' } });
    expect(await net.service().read(JOB)).toMatchObject({
      kind: 'rejected',
      problem: { cause: expect.stringMatching(`^HTTP ${status}`) as string },
    });
    expect(net.seen.map(({ line }) => new URL(line.split(' ')[1] ?? '').host)).toEqual([
      'app.example.test',
      'api.example.test',
    ]);
  });
});

describe('Retry-After', () => {
  it.each<[number, Record<string, string>, number | undefined]>([
    [429, { 'retry-after': '3' }, 3_000],
    [429, { 'retry-after': '900' }, 60_000],
    [429, { 'retry-after': 'Mon, 05 Jan 2026 12:00:30 GMT', date: 'Mon, 05 Jan 2026 12:00:20 GMT' }, 10_000],
    [429, { 'retry-after': 'Mon, 05 Jan 2026 12:00:30 GMT', date: 'Mon, 05 Jan 2026 12:00:40 GMT' }, 0],
    [503, { 'retry-after': '3' }, 3_000],
    [429, { 'retry-after': '-3' }, undefined],
    [429, { 'retry-after': 'in a while' }, undefined],
    [429, {}, undefined],
  ])('of %i with %j', async (status, headers, ms) => {
    net.reply({ status, headers });
    const outcome = await net.service().read(JOB);
    expect('retryAfterMs' in outcome ? outcome.retryAfterMs : undefined).toBe(ms);
  });
});

describe('these tests', () => {
  it('fail for a request that nobody foresaw', async () => {
    const service = net.service();
    expect(await service.connect()).toMatchObject({ kind: 'connected' });
    const outcome = await service.read(JOB);
    expect(outcome.kind).not.toBe('job');
    expect(net.unforeseen.splice(0)).toEqual([expect.stringContaining('/rest/v1/jobs?id=eq.')]);
  });
});
