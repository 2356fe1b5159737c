// Tests the account that a response to the token exchange describes, and that the token remains secret.
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

  it.each([
    ['https', APP, 'https://api.example.test'],
    ['https for a base-url on this machine', LOOPBACK, 'https://api.example.test'],
    ['http on this machine if base-url is there too', LOOPBACK, 'http://localhost:1'],
    ['http at an IPv6 loopback address if base-url is on this machine', LOOPBACK, 'http://[::1]:1'],
  ])('may have an address with %s', async (_what, baseUrl, backend_url) => {
    expect(await connect({ backend_url }, baseUrl)).toMatchObject({ kind: 'connected' });
  });

  it.each([
    ['http elsewhere, for a base-url on this machine', LOOPBACK, 'http://api.example.test'],
    ['http on this machine, for a base-url elsewhere', APP, LOOPBACK],
    ['http elsewhere', APP, 'http://api.example.test'],
    ['another scheme', APP, 'ftp://api.example.test'],
    ['credentials', APP, 'https://user:password@api.example.test'],
    ['a query', APP, 'https://api.example.test/?a=b'],
    ['no host', APP, 'api.example.test'],
    ['a number', APP, 17],
    ['null', APP, null],
    ['nothing', APP, undefined],
  ])('is rejected if its address has %s', async (_what, baseUrl, backend_url) => {
    const outcome = await connect({ backend_url }, baseUrl);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      problem: { cause: expect.stringMatching(/^HTTP 200 .*backend_url/) as string },
    });
    expect(JSON.stringify(outcome)).not.toMatch(/password|token-1/);
  });
});

describe('a token', () => {
  it.each([
    ['has white space', 'a b'],
    ['has white space before it', ' ab'],
    ['has white space after it', 'ab '],
    ['has a line break', 'ab\r\ncd: e'],
    ['has a character beyond ASCII', 'abä'],
    ['has more than 16,384 characters', 'a'.repeat(16_385)],
    ['is empty', ''],
    ['is a number', 17],
    ['is null', null],
    ['is missing', undefined],
  ])('causes a refusal of the key if it %s', async (_how, token) => {
    expect(await connect({ token })).toMatchObject({ kind: 'key_refused' });
  });

  it.each([
    ['very short', 'ab'],
    ['full of characters that JSON escapes', 'a\\b"c\\d'],
    ['as long as the limit allows', 'a'.repeat(16_384)],
  ])('is masked, and kept out of messages, if it is %s', async (_how, token) => {
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
    ['two JSON texts', answers(200, `${JSON.stringify(bootstrap({ token: 'secret-token' }))}\n{}`)],
    ['a failure', answers(500, { error: 1, token: 'secret-token' })],
    ['a failure that is not JSON', answers(502, 'upstream said {"token": "secret-token", …')],
    ['half a response', [{ status: 200 }, { text: '{"token": "secret-token' }, { end: 'cut_off' }]],
  ])('is masked, and kept out of messages, if the response is %s', async (_what, script) => {
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
