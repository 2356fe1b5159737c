// Tests which responses to the token exchange are valid, and that the token remains secret.
import { describe, expect, it } from 'vitest';
import type { ConnectOutcome } from '../../../src/service/api.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB } from '../../support/service.ts';

const APP = 'https://app.example.test';
const LOOPBACK = 'http://127.0.0.1:8080';

function connect(fields: Readonly<Record<string, unknown>>, baseUrl = APP): Promise<ConnectOutcome> {
  const { service, clock } = bench({ exchange: () => answers(200, bootstrap(fields)), baseUrl });
  return clock.until(service.connect());
}

describe('an account', () => {
  it('has the region, the expiry and the address from the response', async () => {
    const fields = { region: 'eu-2', expires_at: 'soon', backend_url: 'https://api.example.test/prefix/' };
    expect(await connect(fields)).toEqual({
      kind: 'connected',
      account: { region: 'eu-2', apiUrl: new URL('https://api.example.test/prefix'), expiresAt: 'soon' },
    });
  });

  it('may have no region and no expiry', async () => {
    const account = { region: null, expiresAt: null };
    expect(await connect({ region: 7, expires_at: undefined })).toMatchObject({ account });
  });

  it('may have an http address on this machine if base-url is also on this machine', async () => {
    expect(await connect({ backend_url: 'http://localhost:1' }, LOOPBACK)).toMatchObject({ kind: 'connected' });
  });

  it.each([
    ['uses http on another machine, even if base-url is on this machine', LOOPBACK, 'http://api.example.test'],
    ['uses http on this machine although base-url is on another machine', APP, LOOPBACK],
    ['contains credentials', APP, 'https://user:password@api.example.test'],
    ['is a number', APP, 17],
  ])('is rejected if its address %s', async (_what, baseUrl, backend_url) => {
    const outcome = await connect({ backend_url }, baseUrl);
    const cause = expect.stringMatching(/^HTTP 200 .*backend_url/) as string;
    expect(outcome).toMatchObject({ kind: 'rejected', problem: { cause } });
    expect(JSON.stringify(outcome)).not.toMatch(/password|token-1/);
  });
});

describe('a token', () => {
  it.each([
    ['starts with white space', ' ab'],
    ['ends with white space', 'ab '],
    ['contains a line break', 'ab\r\ncd: e'],
    ['contains a non-ASCII character', 'abä'],
    ['has more than 16,384 characters', 'a'.repeat(16_385)],
    ['is empty', ''],
    ['is a number', 17],
    ['is null', null],
  ])('counts as a rejection of the API key if it %s', async (_how, token) => {
    expect(await connect({ token })).toMatchObject({ kind: 'key_refused' });
  });

  it.each([
    ['very short', 'ab'],
    ['full of characters that JSON escapes', 'a\\b"c\\d'],
    ['as long as the limit allows', 'a'.repeat(16_384)],
  ])('is masked, and does not appear in messages, even if it is %s', async (_how, token) => {
    const { service, clock, secrets } = bench({
      exchange: () => answers(200, bootstrap({ token })),
      call: () => answers(400, { message: `bad token <${token}>` }),
    });
    const outcome = await clock.until(service.read(JOB));
    expect(secrets).toEqual([token]);
    const cause = expect.stringMatching(/^HTTP 400 "bad token <\*\*\*>?"$/) as string;
    expect(outcome).toMatchObject({ problem: { cause } });
  });

  it.each<[string, readonly Step[]]>([
    ['two JSON documents', answers(200, `${JSON.stringify(bootstrap({ token: 'secret-token' }))}\n{}`)],
    ['an HTTP 500 error', answers(500, { error: 1, token: 'secret-token' })],
    ['an HTTP 502 error that is not JSON', answers(502, 'upstream said {"token": "secret-token", …')],
    ['cut off', [{ status: 200 }, { text: '{"token": "secret-token' }, { end: 'cut_off' }]],
  ])('is masked, and does not appear in messages, even if the response is %s', async (_what, script) => {
    const { service, clock, secrets } = bench({ exchange: () => script });
    const outcome = await clock.until(service.connect());
    expect(JSON.stringify(outcome)).not.toContain('secret-token');
    expect(outcome).toMatchObject({ kind: 'maybe_processed' });
    expect(secrets).toEqual(['secret-token']);
  });
});

describe('an anon key', () => {
  it.each(['anon', 'anon key  of eu'])('may be %j', async (backend_anon_key) => {
    expect(await connect({ backend_anon_key })).toMatchObject({ kind: 'connected' });
  });

  it.each([' anon', 'anon ', 'anon\r\nx: y', 'anoñ', 'anon kéy', '', 17, null, undefined])(
    'may not be %j',
    async (backend_anon_key) => {
      const cause = expect.stringContaining('backend_anon_key') as string;
      expect(await connect({ backend_anon_key })).toMatchObject({ kind: 'rejected', problem: { cause } });
    },
  );
});
