// Tests that nothing the service returns reveals the key or a token.
import { describe, expect, it } from 'vitest';
import { Secrets } from '../../../src/service/secrets.ts';
import type { Answer } from '../../../src/service/send.ts';
import {
  answered,
  bootstrap,
  type Call,
  client,
  JOB,
  make,
  type Network,
  PIPELINE,
  row,
  unanswered,
} from './client.ts';

// Its base64 differs from its base64url.
const KEY = 'ak_Zx81-Qw/7~~~~???"+Lm_95~Yb';
const TOKEN = 'eyJhbGciOi.Tk36_Vd84.Rn59-Gh';

const SPELLINGS: readonly (readonly [string, (secret: string) => string])[] = [
  ['in plain text', (secret) => secret],
  ['percent-encoded', encodeURIComponent],
  [
    'percent-encoded in lower case',
    (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ['JSON-escaped', (secret) => JSON.stringify(secret).slice(1, -1)],
  ['JSON-escaped, including slashes', (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
  ['in base64', (secret) => Buffer.from(secret).toString('base64')],
  ['in base64 without padding', (secret) => Buffer.from(secret).toString('base64').replaceAll('=', '')],
  ['in base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['in a header in base64', (secret) => Buffer.from(`Bearer ${secret}`).toString('base64')],
  ['in credentials in base64', (secret) => Buffer.from(`user:${secret}\n`).toString('base64')],
  ['in JSON in base64url', (secret) => Buffer.from(`{"key":"${secret}"}`).toString('base64url')],
];

const PLACES: readonly (readonly [string, Call, (text: string) => Answer])[] = [
  ['a status message', 'read', (text) => answered(200, [row({ status_message: text })])],
  ['the second line of a message', 'read', (text) => answered(200, [row({ status_message: `no\n${text}` })])],
  ['a status', 'read', (text) => answered(200, [row({ job_status: text })])],
  ['a pipeline name', 'list', (text) => answered(200, [{ pipeline_id: PIPELINE, pipeline_name: text }])],
  ['an error message', 'read', (text) => answered(400, { message: text })],
  ['an error code', 'trigger', (text) => answered(400, { message: 'no', code: text })],
  ['an error hint', 'list', (text) => answered(400, { message: 'no', hint: text })],
  ['an error that is a string', 'cancel', (text) => answered(400, JSON.stringify(text))],
  ['JSON of an unexpected shape', 'read', (text) => answered(503, `{"deep":[{"er":"${text}"}]}`)],
  ['plain text', 'read', (text) => answered(503, `odd: ${text}`)],
  ['a redirect', 'read', (text) => answered(302, '', { headers: { location: `https://x.test/${text}` } })],
  [
    'a content coding',
    'read',
    (text) => answered(500, 'x', { body: 'undecodable', headers: { 'content-encoding': text } }),
  ],
  ['a connection error', 'read', (text) => unanswered(true, 'ODD', text)],
  ['an error of the exchange', 'exchange', (text) => answered(500, `odd: ${text}`)],
];

/** Makes a call that receives this answer. Returns everything that a user could see of it. */
async function shown(call: Call, answer: Answer): Promise<string> {
  const { service, clock, lines } = client((sent) => {
    if (sent.call === call && (call !== 'exchange' || sent.nth > 1)) return answer;
    return sent.call === 'exchange' ? answered(200, bootstrap({ token: TOKEN, ttl_seconds: 1e-9 })) : undefined;
  }, KEY);
  await service.exchange();
  // The token has expired, so the call exchanges the key again.
  await clock.advance(1);
  return JSON.stringify([await make(service, call), lines]);
}

/** Returns the middle of an encoded secret, because its ends may depend on what surrounds it. */
function middleOf(spelling: string): string {
  const third = Math.ceil(spelling.length / 3);
  return JSON.stringify(spelling.slice(third, 2 * third)).slice(1, -1);
}

async function expectHidden(call: Call, answer: Answer, text: string): Promise<void> {
  const seen = await shown(call, answer);
  expect(seen, 'the user sees a secret').not.toMatch(/Zx81|Lm_95|Tk36|Rn59/);
  expect(seen, 'the user sees a secret').not.toContain(middleOf(text));
  expect(seen).toContain('***');
}

it.each(PLACES)('%s does not reveal the key or the token', async (_place, call, answerWith) => {
  for (const secret of [KEY, TOKEN]) await expectHidden(call, answerWith(secret), secret);
});

it.each(SPELLINGS)('the key and the token are removed if they are %s', async (_how, spell) => {
  for (const secret of [KEY, TOKEN]) {
    const text = spell(secret);
    await expectHidden('trigger', answered(400, { message: 'no', code: text }), text);
  }
});

describe('a secret', () => {
  // The cuts are in the middle of the key: after 60 % of 160 and of 16,384 characters.
  it.each([85, 9_820])('is removed before a text is shortened, even after %i characters', async (before) => {
    const message = `${'x'.repeat(before)} ${KEY} ${'y'.repeat(20_000)}`;
    expect(await shown('read', answered(200, [row({ status_message: message })]))).not.toContain('Zx81');
    expect(await shown('read', answered(500, message))).not.toContain('Zx81');
  });

  it('is masked before its first use', async () => {
    const order: string[] = [];
    const { service, masked } = client(({ call, headers }) => {
      order.push(`${call}: ${masked.includes(headers['authorization']?.slice('Bearer '.length) ?? '')}`);
      return undefined;
    }, KEY);
    await service.read(JOB);
    expect(order).toEqual(['exchange: true', 'read: true']);
    expect(masked).toEqual([KEY, 'api-token-1']);
  });

  it('that is a replaced token is removed, because it may still be valid', async () => {
    const { service } = client(({ call, nth }) =>
      call === 'cancel'
        ? answered(nth < 2 ? 401 : 200, [row({ status_message: 'api-token-1 api-token-2' })])
        : undefined,
    );
    expect(await service.cancel(JOB)).toMatchObject({ job: { message: '*** ***' } });
  });

  it('is never the anon key, which is public', async () => {
    expect(await shown('read', answered(200, [row({ status_message: 'anon-key' })]))).toContain('anon-key');
  });
});

/** Redacts a text with one secret. */
const redacted = (secret: string, text: string): string => new Secrets(secret, () => undefined).clean(text, Infinity);

it.each<[string, Call, (text: string) => Answer]>([
  ['a status message', 'read', (text) => answered(200, [row({ status_message: text })])],
  ['a status', 'read', (text) => answered(200, [row({ job_status: text })])],
  ['an error', 'trigger', (text) => answered(400, { message: text })],
])('a secret interrupted by invisible characters is not readable in %s', async (_, call, answerWith) => {
  for (const mark of ['\u001b[0m', '\0', '\b', '\v', '\u007f', '\u009f', '\u200b', '\ufeff', '\ue000', '\ud800']) {
    const text = await shown(call, answerWith(`${KEY.slice(0, 8)}${mark}${KEY.slice(8)}`));
    expect(text, 'the user sees a secret').not.toMatch(/Zx81|Lm_95/);
    expect(text).toContain('***');
  }
});

it('a secret between tabs and line breaks does not run into the text around it', () => {
  expect(redacted(KEY, `a\t${KEY}\r\nb\u2028${KEY}`)).toBe('a *** b ***');
});

describe('text without a secret', () => {
  it.each(['R&D 100 % \\o/', 'a%20b', '%41', '\\u0041 \\"', 'ak_', '売上'])('is unchanged: %j', (text) => {
    expect(redacted(KEY, text)).toBe(text);
  });
});

it.each([
  ['percent-encoded by RFC 3986', 'ak_Ab%21c%28d%29%2Ae%22f~g'],
  ['percent-encoded except for its letters', 'ak%5FAb%21c%28d%29%2ae%22f%7eg'],
  ['escaped for HTML in JSON', 'ak_Ab!c(d)*e\\u0022f~g'],
])('a secret %s is removed without changes to the text around it', (_, echoed) => {
  expect(redacted('ak_Ab!c(d)*e"f~g', `before ${echoed} after %41`)).toBe('before *** after %41');
});

it('a JSON-escaped secret that itself looks percent-encoded is removed', () => {
  expect(redacted('tok%2FAAAA/BBBB', 'a tok%2FAAAA\\/BBBB z')).toBe('a *** z');
});

it.each([
  ['begins with', 'sess.AAAA', 'sess.AAAA.BBBB', 'a sess.AAAA.BBBB z'],
  ['contains', 'AAAA', 'sess.AAAA.BBBB', 'a sess.AAAA.BBBB z'],
  ['overlaps', 'ak_AAAABBBB', 'BBBBCCCC', 'a ak_AAAABBBBCCCC z'],
])('a token that %s an older one is removed as a whole', (_, older, token, text) => {
  const secrets = new Secrets(older, () => undefined);
  secrets.add(token);
  expect(secrets.clean(text, Infinity)).toBe('a *** z');
});

it.each([
  [500, 'e'],
  [503, 'at JSON position 17'],
  [200, 'running'],
  [300, 'UnexpectedEndOfFile'],
])('a word in the "token" field of an exchange response with HTTP %i is not a secret: %j', async (status, token) => {
  const { clock, service, masked } = client(({ call, nth }) => {
    if (call === 'exchange') return nth === 1 ? answered(status, { token }) : undefined;
    return call === 'read'
      ? answered(200, [row({ status_message: `still running at JSON position 17: ${token}` })])
      : undefined;
  });
  await service.exchange();
  await clock.advance(1_000);
  expect(await service.read(JOB)).toMatchObject({ job: { message: `still running at JSON position 17: ${token}` } });
  expect(masked).not.toContain(token);
});

it('a text with very many encoded secrets is redacted', () => {
  const key = 'ak_0123456789';
  expect(redacted(key, `%${key.repeat(200_000)}`)).toBe(`%${'***'.repeat(200_000)}`);
});

it('tokens of one issuer, which begin alike, are removed as a whole', () => {
  const secrets = new Secrets(KEY, () => undefined);
  const tokens = Array.from({ length: 50 }, (_, nth) => `eyJhbGciOiJIUzI1NiJ9.${'eyJz'.repeat(nth)}.${nth}`);
  for (const token of tokens) secrets.add(token);
  expect(secrets.clean(tokens.join(' '), Infinity)).toBe(tokens.map(() => '***').join(' '));
});

it('a token within a text that begins like another secret is removed', () => {
  const secrets = new Secrets('ak_aaaaaaaaaaaaaaaaaaaaaaaaaaaab', () => undefined);
  secrets.add('aaaaaaaaaaaaaaaac');
  expect(secrets.clean(`ak_${'a'.repeat(30)}c!`, Infinity)).toBe(`ak_${'a'.repeat(14)}***!`);
});

it('a text in which a hostile service makes the search slow is hidden from there on', () => {
  const secrets = new Secrets(KEY, () => undefined);
  for (let nth = 0; nth < 100; nth += 1) secrets.add(`${'a'.repeat(16)}b${nth}`);
  expect(secrets.clean(`${'a'.repeat(262_144)} tail`, Infinity)).toMatch(/^a+\*\*\*$/);
});

it('only the newest tokens are removed, because each token slows the search', () => {
  const secrets = new Secrets(KEY, () => undefined);
  for (let nth = 0; nth <= 100; nth += 1) secrets.add(`token-${String(nth).padStart(3, '0')}`);
  expect(secrets.clean(`${KEY} token-000 token-001 token-100`, Infinity)).toBe('*** token-000 *** ***');
});

it.each([
  [{ data: { token: TOKEN }, message: `issued ${TOKEN}` }],
  [`{"token":"${TOKEN}"} and more`],
  [`token=${TOKEN}`],
  [`HTTP/1.1 200 OK\n\n{"token":"${TOKEN}"}`],
  [`issued ${TOKEN.replaceAll('_', '%5F')}`],
])('a token that the action cannot parse in an exchange error is not shown: %j', async (body) => {
  const { service } = client(({ call }) => (call === 'exchange' ? answered(400, body) : undefined));
  const result = await service.exchange();
  expect(result).toMatchObject({ problem: { cause: expect.stringContaining('HTTP 400') } });
  expect(JSON.stringify(result)).not.toContain('Tk36');
});

describe('the path in base-url', () => {
  const failed = async (status: number, body: unknown, baseUrl = 'https://app.example.test/v2/eu-west-1/') => {
    const network: Network = ({ call }) => (call === 'exchange' ? answered(status, body) : undefined);
    const result = await client(network, undefined, { baseUrl: new URL(baseUrl) }).service.exchange();
    return 'problem' in result ? result.problem : undefined;
  };

  it.each([
    'Invalid path: /v2/eu-west-1/api/cli/bootstrap.',
    'https://app.example.test/v2/eu-west-1/api/cli/bootstrap',
  ])('is shown if the service repeats the path of the request: %s', async (message) => {
    expect(await failed(404, { message })).toMatchObject({ cause: `HTTP 404 "${message}"` });
  });

  it('does not reveal a token next to it', async () => {
    const message = `No /v2/eu-west-1/api/cli/bootstrap${TOKEN}, ${TOKEN}`;
    expect(await failed(404, { message })).toMatchObject({ cause: 'HTTP 404 "No ***, ***"' });
  });

  it.each([{ message: 'Not found' }, '<html>', ''])('is blamed first for a 404 (%j)', async (body) => {
    expect((await failed(404, body))?.remedy).toMatch(/^Remove the path \/v2\/eu-west-1 from base-url\. /);
  });

  it('is blamed for no other error, and only if it is not empty', async () => {
    expect((await failed(400, { message: 'No' }))?.remedy).toMatch(/^Check that/);
    expect((await failed(404, { message: 'No' }, 'https://app.example.test/'))?.remedy).toMatch(/^Check that/);
  });
});

it.each([
  ['?token=', ''],
  ['#token=', ''],
  ['/', '/***'],
])('a token after %s in a redirect is not shown', async (before, shown) => {
  const headers = { location: `https://login.test/start${before}${TOKEN}` };
  const { service } = client(({ call }) => (call === 'exchange' ? answered(302, '', { headers }) : undefined));
  const cause = `HTTP 302, a redirect to https://login.test/start${shown}`;
  expect(await service.exchange()).toMatchObject({ problem: { cause } });
});

it.each([
  ['an unknown token', TOKEN, undefined],
  ['a key that contains a comma', 'ak_abcd,efghijklmnop', 'ak_abcd,efghijklmnop'],
])('%s in the name of an encoding is not shown', async (_, coding, apiKey) => {
  const answer = answered(200, 'x', { body: 'undecodable', headers: { 'content-encoding': coding } });
  const network: Network = ({ call }) => (call === 'exchange' ? answer : undefined);
  const { service } = client(network, undefined, { ...(apiKey !== undefined && { apiKey }) });
  expect(await service.exchange()).toMatchObject({
    problem: { cause: expect.stringContaining('(content-encoding: ***)') as string },
  });
});

it.each([200, 300, 403, 500, 503])('a token in an exchange with HTTP %i is masked and not shown', async (status) => {
  const { service, masked } = client(({ call }) =>
    call === 'exchange' ? answered(status, JSON.stringify({ token: TOKEN })) : undefined,
  );
  expect(JSON.stringify(await service.exchange())).not.toContain('Tk36');
  expect(masked).toContain(TOKEN);
});

it('a secret of 8192 characters is removed', () => {
  const token = Array.from({ length: 2_048 }, (_, nth) => `!${nth + 100}`)
    .join('')
    .slice(0, 8_192);
  expect(redacted(token, `${encodeURIComponent(token)} %2F ${token}`)).toBe('*** %2F ***');
});
