// Tests that messages reveal no part of the API key or a token, in any encoding and any place in a response.
import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { API_KEY, answersRow, bench, bootstrap, JOB, row } from '../../support/service.ts';

const KEY = 'ak_Zx81-Qw/72+Lm_95~Yb';
const TOKEN = 'eyJhbGciOi.Tk36_Vd84.Rn59-Gh';
const UUID = '0190a5b2-c3d4-4abc-8def-0123456789ab';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const percent = (text: string): string =>
  Array.from(text, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`).join('');
const escaped = (text: string, before: string): string =>
  Array.from(text, (mark) => before + mark.charCodeAt(0).toString(16)).join('');
const between = (secret: string, mark: string): string => Array.from(secret).join(mark);

/** The encodings in which a service may return a secret. */
const SPELLINGS: readonly (readonly [string, (secret: string) => string])[] = [
  ['in plain text', (secret) => secret],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['encoded with HTML entities', (secret) => secret.replace(/[^\w.]/g, (mark) => `&#${mark.charCodeAt(0)};`)],
  ['encoded with hexadecimal HTML entities', (secret) => secret.replace(/\W/g, (mark) => escaped(mark, '&#x'))],
  ['percent-encoded throughout', percent],
  ['JSON-escaped', (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
  ['base64-encoded', base64],
  ['base64-encoded after one other byte', (secret) => base64(`a${secret}`)],
  ['base64-encoded after two other bytes', (secret) => base64(`ab${secret}z`)],
  ['base64url-encoded', (secret) => Buffer.from(secret).toString('base64url')],
  ['in line-wrapped base64', (secret) => between(base64(`some user:${secret}`), '\n')],
  ['in percent-encoded base64', (secret) => encodeURIComponent(base64(`user:${secret}`))],
  ['interrupted by colour codes', (secret) => between(secret, '\u001B[31m')],
  ['interrupted by terminal links', (secret) => between(secret, '\u001B]8;;https://a.test\u0007')],
  ['interrupted by zero-width spaces', (secret) => between(secret, '\u200B')],
  ['percent-encoded and interrupted by colour codes', (secret) => percent(secret).replaceAll('%', '%\u001B[m')],
  ['interrupted by percent-encoded zero-width spaces', (secret) => between(secret, '%E2%80%8B')],
  ['interrupted by short escape sequences', (secret) => between(secret, '\u001B7\u001B=\u001B#8')],
  ['interrupted by short escape sequences and zero-width spaces', (secret) => between(secret, '\u001B7\u200B')],
  ['interrupted by ESC characters', (secret) => between(secret, '\u001B')],
  ['interrupted by colours', (secret) => secret.replace(/.../g, '$&\u001B').replace(/.{9}/g, '$&\u001B[0m\u200B')],
  ['JSON-escaped, then percent-encoded', (secret) => escaped(secret, '%5Cu00')],
  ['percent-encoded, then JSON-escaped', (secret) => percent(secret).replaceAll('%', '\\u0025')],
  ['percent-encoded and interrupted by escaped spaces', (secret) => percent(secret).replaceAll('%', '%\\u200b')],
  ['interrupted by characters that look like spaces', (secret) => between(secret, '\u3164\u2800')],
];

/** The places from which the step shows external text, each with a script that puts `text` there. */
const PLACES: readonly (readonly [string, (text: string) => readonly Step[]])[] = [
  ['a status message', (text) => answersRow({ status_message: text })],
  ['a status', (text) => answersRow({ job_status: text })],
  ['an error message', (text) => answers(400, { message: text })],
  ['an error code', (text) => answers(400, { message: 'no', code: text })],
  ['an error hint', (text) => answers(400, { message: 'no', hint: text })],
  ['an error that is a string', (text) => answers(400, JSON.stringify(text))],
  ['a member name', (text) => answers(400, { [text]: 1 })],
  ['JSON of an unexpected shape', (text) => answers(200, { deep: [{ er: text }] })],
  ['a plain-text body', (text) => answers(400, `odd: ${text}`)],
  ['a page title', (text) => answers(502, `<html><title>${text}</title>`)],
  ['a redirect', (text) => answers(302, '', { location: `https://x.test/?key=${text}` })],
  ['a connection error', (text) => [{ failed: { message: `odd: ${text}` } }]],
];

/** Runs a read with this script, and returns its result and traces as JSON. */
async function shown(script: readonly Step[], token = TOKEN): Promise<string> {
  const exchange = () => answers(200, bootstrap({ token }));
  const { service, clock, traces } = bench({ apiKey: KEY, exchange, call: () => script });
  return JSON.stringify([await clock.until(service.read(JOB)), traces]);
}

/** Returns the middle third of an encoded secret, because its ends may depend on the surrounding text. */
function middleOf(spelling: string): string {
  const third = Math.ceil(spelling.length / 3);
  return JSON.stringify(spelling.slice(third, 2 * third)).slice(1, -1);
}

describe.each(PLACES)('%s', (_place, scriptFor) => {
  describe.each([
    ['key', KEY, /Zx81|Lm_95/],
    ['token', TOKEN, /Tk36|Rn59/],
  ])('does not reveal the %s', (_what, secret, parts) => {
    it.each(SPELLINGS)('that is %s', async (_how, spell) => {
      const text = await shown(scriptFor(spell(secret)));
      expect(text).toContain('***');
      expect(text).not.toMatch(parts);
      expect(text).not.toContain(middleOf(spell(secret)));
    });
  });
});

describe.each([
  ['in capitals', UUID, UUID.toUpperCase()],
  ['in lower case', UUID.toUpperCase(), UUID],
])('a token that is a UUID and appears %s', (_how, token, spelling) => {
  it.each([
    ['status message', answersRow({ status_message: spelling })],
    ['error message', answers(400, { message: spelling })],
  ])('is redacted if it is an entire %s', async (_place, script) => {
    const text = await shown(script, token);
    expect(text).toContain('"***');
    expect(text.toLowerCase()).not.toContain('0190a5b2');
  });
});

describe('an account', () => {
  const connect = async (fields: Readonly<Record<string, unknown>>): Promise<string> => {
    const exchange = () => answers(200, bootstrap({ token: TOKEN, ...fields }));
    const { service, clock } = bench({ apiKey: KEY, exchange });
    return JSON.stringify(await clock.until(service.connect()));
  };

  it.each([KEY, TOKEN])('does not reveal the secret %s in its region or expiry', async (secret) => {
    const text = await connect({ region: `eu ${secret}`, expires_at: base64(secret) });
    expect(text).toMatch(/"region":"eu \*\*\*"/);
    expect(text).not.toContain(base64(secret).slice(0, 12));
    expect(text).not.toContain(secret.slice(0, 12));
  });

  it.each([
    ['the API key in its path', TOKEN, `https://api.example.test/${encodeURIComponent(KEY)}`],
    ['the token in its path', TOKEN, `https://api.example.test/${encodeURIComponent(TOKEN)}`],
    ['the token in capitals as its host name', 'at_abcdefghijklmnop', 'https://AT_ABCDEFGHIJKLMNOP.test'],
  ])('is rejected if its address contains %s', async (_where, token, backend_url) => {
    const text = await connect({ token, backend_url });
    expect(text).toContain('contains a secret');
    expect(text.toLowerCase()).not.toContain(token.slice(0, 12).toLowerCase());
    expect(text).not.toContain(KEY.slice(0, 12));
  });

  it.each([
    ['the token', { token: `x${KEY}` }],
    ['the anon key', { backend_anon_key: `anon ${KEY}` }],
  ])('is rejected if %s contains the API key, which must not reach the API host', async (_what, fields) => {
    expect(await connect(fields)).toContain('"kind":"rejected"');
  });
});

describe('a pipeline', () => {
  const list = (names: Readonly<Record<string, string>>) => {
    const exchange = () => answers(200, bootstrap({ token: TOKEN }));
    const call = () => answers(200, [{ pipeline_id: JOB, ...names }]);
    const { service, clock } = bench({ apiKey: KEY, exchange, call });
    return clock.until(service.list());
  };

  it('is listed with the secrets in its names redacted', async () => {
    expect(await list({ pipeline_name: `orders ${KEY}`, pipeline_api_name: TOKEN })).toMatchObject({
      pipelines: [{ id: JOB, name: 'orders ***', apiName: '***' }],
    });
  });

  it.each(['R&D 100 % \\o/', 'a%20b', '売上\u3000日次', 'a\u200Bb', '\u001B[1mx'])(
    'keeps the name %j, which contains no secret',
    async (name) => {
      expect(await list({ pipeline_name: name })).toMatchObject({ pipelines: [{ name }] });
    },
  );
});

describe('a secret', () => {
  it.each(Array.from({ length: 33 }, (_, code) => String.fromCharCode(code === 32 ? 0x7f : code)))(
    'is redacted wherever it is interrupted by the control character %j',
    async (mark) => {
      const interrupted = Array.from(KEY.slice(1), (_, at) => `${KEY.slice(0, at + 1)}${mark}${KEY.slice(at + 1)}`);
      const text = await shown(answersRow({ status_message: interrupted.join(' ') }));
      expect(text).toContain(`"statusMessage":"${interrupted.map(() => '***').join(' ')}"`);
    },
  );

  it.each([990, 65_530])('is redacted after %i characters of a message that is then shortened', async (before) => {
    const text = await shown(answersRow({ status_message: 'x'.repeat(before) + KEY }));
    expect(text).not.toContain('ak_');
  });

  it.each([6, 7, 12, 21].flatMap((length) => ['', '\n', ' \u200B\n'].map((end) => [length, end] as const)))(
    'is redacted even if the connection closes after %i of its characters and %j',
    async (length, end) => {
      const text = `odd: ${KEY.slice(0, length)}${end}`;
      const script: Step[] = [{ connected: true }, { status: 503 }, { text }, { end: 'cut_off' }];
      expect(await shown(script)).toMatch(/HTTP 503 \\"odd: \*\*\*\\"/);
    },
  );

  it('is redacted if it is interrupted by escape sequences in truncated JSON', async () => {
    const escapes = between(KEY, '\\u001b[1m').replace('ak', '\\u0061k');
    expect(await shown(answers(500, `{"message":"${escapes}"`))).not.toContain('Zx');
  });

  it.each([
    ['all of', ''],
    ['part of', 'https://x.test/ü?key='],
  ])('is redacted if it is %s a header that is encoded as UTF-8', async (_how, before) => {
    const location = Buffer.from(before + between(KEY, '\u200B')).toString('latin1');
    const text = await shown(answers(302, '', { location }));
    expect(text).toContain(before);
    expect(text).not.toMatch(/Z.{0,12}x.{0,12}8.{0,12}1/);
  });

  it('is redacted each time if it appears in three different forms', async () => {
    const [first, second] = [KEY.slice(0, 12), KEY.slice(12)];
    const message = `${KEY.slice(0, 5)}\u200B${KEY.slice(5)} ${first}\u001B[0m${second} ${percent(KEY)}`;
    expect(await shown(answersRow({ status_message: message }))).toContain('"statusMessage":"*** *** ***"');
  });

  it('that is part of an id leaves the id unchanged', async () => {
    expect(await shown(answersRow({}), JOB.slice(0, 8))).toContain(`"id":"${JOB}"`);
  });

  it('is redacted if it appears as a number', async () => {
    const number = '8412345678901234';
    const text = await shown(answers(403, `{"message":"no","code":${number}}`), number);
    expect(text).toContain('***');
    expect(text).not.toContain('84123');
  });

  it('is redacted if it is a replaced token, which may still be valid', async () => {
    const rows = [row({ status_message: `token-1 token-2 token-3 ${API_KEY}` })];
    const { service, clock } = bench({ call: (_sent, nth) => answers(nth % 3 === 0 ? 200 : 401, rows) });
    expect(await clock.until(service.cancel(JOB))).toMatchObject({ job: { statusMessage: '*** *** *** ***' } });
  });

  it('is never the anon key, which is public', async () => {
    expect(await shown(answersRow({ status_message: 'anon-key' }))).toContain('"statusMessage":"anon-key"');
  });
});
