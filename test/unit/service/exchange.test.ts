import { describe, expect, it } from 'vitest';
import type { ConnectOutcome } from '../../../src/service/api.ts';
import { answers } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, tokenOf } from '../../support/service.ts';

const LOOPBACK = 'http://127.0.0.1:8080';

async function connect(fields: Readonly<Record<string, unknown>>, baseUrl?: string): Promise<ConnectOutcome> {
  const made = bench({ exchange: () => answers(200, bootstrap(fields)), ...(baseUrl !== undefined && { baseUrl }) });
  return made.clock.until(made.service.connect());
}

describe('what an exchange grants', () => {
  it('is told as it came', async () => {
    expect(await connect({ region: 'eu-2', expires_at: 'soon' })).toEqual({
      kind: 'connected',
      account: { region: 'eu-2', apiUrl: new URL('https://api.example.test'), expiresAt: 'soon' },
    });
    expect(await connect({ region: 7, expires_at: null })).toMatchObject({
      account: { region: null, expiresAt: null },
    });
  });

  it.each([
    ['with white space', 'a b'],
    ['with white space before it', ' ab'],
    ['with white space behind it', 'ab '],
    ['with a line break', 'ab\ncd'],
    ['with a letter that no header takes', 'abä'],
    ['empty', ''],
    ['a number', 17],
    ['null', null],
  ])('is no token when that is %s', async (_how, token) => {
    expect(await connect({ token })).toMatchObject({
      kind: 'key_refused',
      problem: { cause: 'HTTP 200 without a usable token' },
    });
  });

  it.each([
    ['a word', 'anon', true],
    ['several words', 'anon key  of eu', true],
    ['with white space before it', ' anon', false],
    ['with white space behind it', 'anon ', false],
    ['with a line break', 'anon\nkey', false],
    ['with a letter that no header takes', 'anoñ', false],
    ['with such a letter in a later word', 'anon kéy', false],
    ['empty', '', false],
    ['missing', undefined, false],
  ])('has a backend_anon_key that is %s', async (_how, backend_anon_key, isUsable) => {
    expect(await connect({ backend_anon_key })).toMatchObject(
      isUsable
        ? { kind: 'connected' }
        : { kind: 'rejected', problem: { cause: 'HTTP 200 without a usable backend_anon_key' } },
    );
  });

  it.each([
    ['https', 'https://app.example.test', 'https://api.example.test', undefined],
    ['http on this machine, for a base-url there', LOOPBACK, 'http://localhost:1', undefined],
    ['http elsewhere, for a base-url on this machine', LOOPBACK, 'http://api.example.test', 'is not https'],
    ['http on this machine, for a base-url elsewhere', 'https://app.example.test', LOOPBACK, 'is not https'],
    ['missing', 'https://app.example.test', undefined, 'is not a URL'],
    ['a number', 'https://app.example.test', 17, 'is not a URL'],
  ])('has a backend_url that is %s', async (_how, baseUrl, backend_url, why) => {
    expect(await connect({ backend_url }, baseUrl)).toMatchObject(
      why === undefined
        ? { kind: 'connected' }
        : {
            kind: 'rejected',
            problem: { cause: expect.stringContaining(`HTTP 200 with a backend_url that ${why}`) as string },
          },
    );
  });

  it.each([
    [86_400, 86_400],
    [86_401, 3_600],
    ['60', 3_600],
    [60, 60],
  ])('lasts as long as ttl_seconds says, where that can be: %j', async (ttl_seconds, lasts) => {
    const { service, clock, calls } = bench({
      exchange: (nth) => answers(200, bootstrap({ token: `token-${nth}`, ttl_seconds })),
      call: () => answers(200, [{ id: JOB, job_status: 'running' }]),
    });
    await clock.until(service.connect());
    await clock.advance(lasts * 1_000 - 1);
    await clock.until(service.read(JOB));
    await clock.advance(1);
    await clock.until(service.read(JOB));
    expect(calls().map(tokenOf)).toEqual(['token-1', 'token-2']);
  });
});

describe('a secret that an exchange grants', () => {
  it.each([
    ['very short', 'ab'],
    ['full of what JSON escapes', 'a\\b"c\\d'],
  ])('is masked, and kept out of messages, when it is %s', async (_how, token) => {
    const { service, clock, secrets } = bench({
      exchange: () => answers(200, bootstrap({ token })),
      call: () => answers(400, { message: `bad token <${token}>` }),
    });
    const outcome = await clock.until(service.read(JOB));
    expect(secrets).toEqual([token]);
    expect(outcome).toMatchObject({ problem: { cause: 'HTTP 400 "bad token <***>"' } });
  });
});
