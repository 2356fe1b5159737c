// Checks that no part of the API key or of a token is shown, in any encoding and at any place in a response.
import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { API_KEY, bench, bootstrap, JOB } from '../../support/service.ts';

const KEY = 'ak_Zx81-Qw/72+Lm_95~Yb';
const TOKEN = 'eyJhbGciOi.Tk36_Vd84.Rn59-Gh';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const percent = (text: string): string =>
  Array.from(text, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`).join('');
const escaped = (text: string, before: string): string =>
  Array.from(text, (mark) => before + mark.charCodeAt(0).toString(16)).join('');
const between = (secret: string, mark: string): string => Array.from(secret).join(mark);

/** The encodings in which a service may return a secret. */
const SPELLINGS: readonly (readonly [string, (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded in lower case', (secret) => encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase())],
  ['percent-encoded twice', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['with HTML entities', (secret) => secret.replace(/[^\w.]/g, (mark) => `&#${mark.charCodeAt(0)};`)],
  ['with hexadecimal entities', (secret) => secret.replace(/\W/g, (mark) => escaped(mark, '&#x'))],
  ['percent-encoded in every character', percent],
  ['JSON-escaped', (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
  ['in base64', base64],
  ['in base64 behind one byte', (secret) => base64(`a${secret}`)],
  ['in base64 behind two bytes', (secret) => base64(`ab${secret}z`)],
  ['in base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['in the base64 of a user and a password', (secret) => `Basic ${base64(`user:${secret}`)}`],
  ['in base64 that is wrapped', (secret) => between(base64(`some user:${secret}`), '\n')],
  ['in percent-encoded base64', (secret) => encodeURIComponent(base64(`user:${secret}`))],
  ['interrupted by line breaks', (secret) => between(secret, '\r\n')],
  ['interrupted by colours', (secret) => between(secret, '\u001B[31m')],
  ['interrupted by links', (secret) => between(secret, '\u001B]8;;https://a.test\u0007')],
  ['interrupted by spaces of no width', (secret) => between(secret, '\u200B')],
  ['percent-encoded, with colours in it', (secret) => percent(secret).replaceAll('%', '%\u001B[m')],
  ['percent-encoded, with spaces of no width in it', (secret) => percent(secret).replaceAll('%', '%\u200B')],
  ['in percent-encoded base64 with colours in it', (secret) => between(percent(base64(secret)), '\u009B1m')],
  ['interrupted by percent-encoded spaces of no width', (secret) => between(secret, '%E2%80%8B')],
  ['interrupted by percent-encoded hyphens', (secret) => percent(between(secret, '|')).replaceAll('%7C', '%C2%AD')],
  ['in base64 with percent-encoded byte order marks', (secret) => between(base64(secret), '%EF%BB%BF')],
  ['interrupted by choices of a character set', (secret) => between(secret, '\u001B(B\u001B[m')],
  ['interrupted by short escape sequences', (secret) => between(secret, '\u001B7\u001B=\u001B#8')],
  ['interrupted by device control strings', (secret) => between(secret, '\u001BPq\u001B\\')],
  ['interrupted by titles of the terminal', (secret) => between(secret, '\u009D0;t\u0007')],
  ['interrupted by colours with control characters in them', (secret) => between(secret, '\u001B[0\u000Bm')],
  ['interrupted by an ESC that swallows a character', (secret) => between(secret, '\u001B')],
  ['interrupted by ESC and by colours', (secret) => secret.replace(/.../g, '$&\u001B').replace(/.{9}/g, '$&\u001B[0m')],
  ['JSON-escaped and percent-encoded', (secret) => escaped(secret, '%5Cu00')],
  ['percent-encoded and JSON-escaped', (secret) => percent(secret).replaceAll('%', '\\u0025')],
  ['percent-encoded, with entities', (secret) => percent(secret).replaceAll('%', '&#37;')],
  ['percent-encoded, with escaped spaces of no width', (secret) => percent(secret).replaceAll('%', '%\\u200b')],
  ['interrupted by blanks that are letters', (secret) => between(secret, '\u3164\u2800')],
  ['interrupted by joiners that show nothing', (secret) => between(secret, '\u034F\uFE0F\u00AD')],
];

/** The places in a response from which the step shows texts, each with a response that has `text` there. */
const PLACES: readonly (readonly [string, (text: string) => readonly Step[]])[] = [
  ['a message', (text) => rowOf({ status_message: text })],
  ['a status', (text) => rowOf({ job_status: text })],
  ['the message of an error', (text) => answers(400, { message: text })],
  ['the nested message of an error', (text) => answers(400, { error: { message: text } })],
  ['the code of an error', (text) => answers(400, { message: 'no', code: text })],
  ['the hint of an error', (text) => answers(400, { message: 'no', hint: text })],
  ['an error that is a string', (text) => answers(400, JSON.stringify(text))],
  ['the name of a member', (text) => answers(400, { [text]: 1 })],
  ['JSON of another shape', (text) => answers(200, { deep: [{ er: text }] })],
  ['a text', (text) => answers(400, `odd: ${text}`)],
  ['a title', (text) => answers(502, `<html><title>${text}</title>`)],
  ['a redirect', (text) => answers(302, '', { location: `https://x.test/?key=${text}` })],
  ['an error of the connection', (text) => [{ failed: { message: `odd: ${text}` } }]],
];

function rowOf(fields: Readonly<Record<string, string>>): Step[] {
  return answers(200, [{ id: JOB, job_status: 'running', status_message: null, ...fields }]);
}

/** Returns the result and the traces of a read with this script. */
async function shown(script: readonly Step[], token = TOKEN): Promise<string> {
  const exchange = () => answers(200, bootstrap({ token }));
  const { service, clock, traces } = bench({ apiKey: KEY, exchange, call: () => script });
  return JSON.stringify([await clock.until(service.read(JOB)), traces]);
}

/** The middle of an encoded secret, because its ends may depend on the surrounding text. */
function middleOf(spelling: string): string {
  const third = Math.ceil(spelling.length / 3);
  return JSON.stringify(spelling.slice(third, 2 * third)).slice(1, -1);
}

describe.each(PLACES)('%s', (_place, scriptFor) => {
  it.each(SPELLINGS)('does not show the API key %s', async (_how, spell) => {
    const text = await shown(scriptFor(spell(KEY)));
    expect(text).toContain('***');
    expect(text).not.toMatch(/Zx81|Lm_95/);
    expect(text).not.toContain(middleOf(spell(KEY)));
  });

  it.each(SPELLINGS)('does not show the token %s', async (_how, spell) => {
    const text = await shown(scriptFor(spell(TOKEN)));
    expect(text).not.toMatch(/Tk36|Rn59/);
    expect(text).not.toContain(middleOf(spell(TOKEN)));
  });
});

describe('an account', () => {
  const connect = async (fields: Readonly<Record<string, unknown>>): Promise<string> => {
    const exchange = () => answers(200, bootstrap({ token: TOKEN, ...fields }));
    const { service, clock } = bench({ apiKey: KEY, exchange });
    return JSON.stringify(await clock.until(service.connect()));
  };

  it.each([KEY, TOKEN])('does not show %s in its region or expiry', async (secret) => {
    const text = await connect({ region: `eu ${secret}`, expires_at: base64(secret) });
    expect(text).toMatch(/"region":"eu \*\*\*"/);
    expect(text).not.toContain(base64(secret).slice(0, 12));
    expect(text).not.toContain(secret.slice(0, 12));
  });

  it.each([
    ['in its path (the key)', TOKEN, `https://api.example.test/${encodeURIComponent(KEY)}`],
    ['in its path', TOKEN, `https://api.example.test/${encodeURIComponent(TOKEN)}`],
    ['as its host in capitals', 'at_0123456789abcdef', 'https://AT_0123456789ABCDEF.test'],
  ])('is rejected if its address has a secret %s (%s)', async (_where, token, backend_url) => {
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
    const { service, clock } = bench({
      apiKey: KEY,
      exchange,
      call: () => answers(200, [{ pipeline_id: JOB, ...names }]),
    });
    return clock.until(service.list());
  };

  it('has names without secrets', async () => {
    expect(await list({ pipeline_name: `orders ${KEY}`, pipeline_api_name: TOKEN })).toMatchObject({
      pipelines: [{ id: JOB, name: 'orders ***', apiName: '***' }],
    });
  });

  it.each(['R&D 100 % \\o/', 'a%20b', '売上\u3000日次', 'a\u200Bb', '\u001B[1mx'])(
    'keeps a name without a secret unchanged (%j)',
    async (name) => {
      expect(await list({ pipeline_name: name })).toMatchObject({ pipelines: [{ name }] });
    },
  );
});

describe('a secret', () => {
  it.each(Array.from({ length: 33 }, (_, code) => String.fromCharCode(code === 32 ? 0x7f : code)))(
    'is found if it is interrupted by the control character %j',
    async (mark) => {
      for (let at = 1; at < KEY.length; at += 1) {
        const text = await shown(rowOf({ status_message: `${KEY.slice(0, at)}${mark}${KEY.slice(at)}` }));
        expect(text).toContain('"statusMessage":"***"');
      }
    },
  );

  it.each([990, 65_530])('is found after %i characters, before the message is shortened', async (before) => {
    const text = await shown(rowOf({ status_message: 'x'.repeat(before) + KEY }));
    expect(text).not.toContain('ak_');
  });

  it.each(['cut_off', 'stalled', 'too_large'])('is not shown in part by a body that is %s', async (how) => {
    const text = how === 'too_large' ? `${'odd '.repeat(65_534)}${KEY}` : `odd: ${KEY.slice(0, 12)}`;
    const end: Step[] = how === 'stalled' ? [] : [{ end: how === 'cut_off' ? 'cut_off' : 'complete' }];
    const outcome = await shown([{ connected: true }, { status: 503 }, { text }, ...end]);
    expect(outcome).toContain('HTTP 503 \\"odd');
    expect(outcome).not.toContain('ak_');
  });

  it.each([6, 7, 12, 21])('does not show its first %i characters at the end of a cut-off body', async (length) => {
    for (const end of ['', '\n', ' \u200B\n']) {
      const text = `odd: ${KEY.slice(0, length)}${end}`;
      const script: Step[] = [{ connected: true }, { status: 503 }, { text }, { end: 'cut_off' }];
      expect(await shown(script)).toMatch(/HTTP 503 \\"odd: \*\*\*\\"/);
    }
  });

  it('is found in the escapes of half a JSON text', async () => {
    const escapes = between(KEY, '\\u001b[1m').replace('ak', '\\u0061k');
    expect(await shown(answers(500, `{"message":"${escapes}"`))).not.toContain('Zx');
  });

  it('is found in the UTF-8 of a header', async () => {
    const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
    expect(await shown(answers(302, '', { location: latin1('https://x.test/ü') }))).toContain('https://x.test/ü');
    const key = latin1(between(KEY, '\u200B'));
    for (const location of [`https://x.test/ü?key=${key}`, key]) {
      expect(await shown(answers(302, '', { location }))).not.toMatch(/Z.{0,12}x.{0,12}8.{0,12}1/);
    }
  });

  it('is found each time even if it is interrupted in different ways', async () => {
    const [first, second] = [KEY.slice(0, 12), KEY.slice(12)];
    const message = `${KEY.slice(0, 5)}\u200B${KEY.slice(5)} ${first}\u001B[0m${second} ${percent(KEY)}`;
    expect(await shown(rowOf({ status_message: message }))).toContain('"statusMessage":"*** *** ***"');
  });

  it('does not change an id that contains it', async () => {
    expect(await shown(rowOf({}), JOB.slice(0, 8))).toContain(`"id":"${JOB}"`);
  });

  it('is found if it is a number', async () => {
    const number = '8412345678901234';
    const text = await shown(answers(403, `{"message":"no","code":${number}}`), number);
    expect(text).toContain('***');
    expect(text).not.toContain('84123');
  });

  it('is found in an id that is written in capitals', async () => {
    const token = '0190a5b2-c3d4-4abc-8def-0123456789ab';
    for (const script of [rowOf({ odd: token.toUpperCase() }), answers(400, { message: token.toUpperCase() })]) {
      expect((await shown(script, token)).toLowerCase()).not.toContain('0190a5b2');
    }
  });

  it('is found if it is a replaced token that may still be valid', async () => {
    const row = { id: JOB, job_status: 'running', status_message: `token-1 token-2 token-3 ${API_KEY}` };
    const { service, clock } = bench({ call: (_sent, nth) => answers(nth % 3 === 0 ? 200 : 401, [row]) });
    expect(await clock.until(service.cancel(JOB))).toMatchObject({ job: { statusMessage: '*** *** *** ***' } });
  });

  it('does not include the anon key, which is public', async () => {
    expect(await shown(rowOf({ status_message: 'anon-key' }))).toContain('"statusMessage":"anon-key"');
  });
});
