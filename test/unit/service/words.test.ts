import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/service/api.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { API_KEY, bench, bootstrap, JOB, ORDER } from '../../support/service.ts';

async function readProblem(script: readonly Step[]): Promise<Problem> {
  const { service, clock } = bench({ call: () => script });
  const outcome = await clock.until(service.read(JOB));
  if (!('problem' in outcome)) throw new Error(`The read was ${outcome.kind}.`);
  return outcome.problem;
}

async function exchangeProblem(script: readonly Step[], apiKey = API_KEY): Promise<Problem> {
  const { service, clock } = bench({ exchange: () => script, apiKey });
  const outcome = await clock.until(service.connect());
  if (!('problem' in outcome)) throw new Error(`The exchange was ${outcome.kind}.`);
  return outcome.problem;
}

const html = { 'content-type': 'text/html; charset=utf-8' };

describe('the words for an answer', () => {
  it.each<[string, unknown, Record<string, string>, string]>([
    [
      "PostgREST's shape",
      { message: 'no such run', code: 'P0001', hint: null, details: null },
      {},
      'HTTP 400 "no such run" (code P0001)',
    ],
    [
      "PostgREST's shape with a hint",
      { message: 'no', code: '42501', hint: 'Ask\nagain.' },
      {},
      'HTTP 400 "no" (code 42501, hint: "Ask again.")',
    ],
    ['a code that is a number', { msg: 'expired', code: 400 }, {}, 'HTTP 400 "expired" (code 400)'],
    ["a log-in's shape", { error: 'invalid_grant', error_description: 'Key expired' }, {}, 'HTTP 400 "Key expired"'],
    ['a nested error', { error: { message: 'nested' } }, {}, 'HTTP 400 "nested"'],
    ['an error that is a text', { error: 'bad' }, {}, 'HTTP 400 "bad"'],
    ['JSON of another shape', { reason: 1 }, {}, `HTTP 400 "{'reason':1}"`],
    ['a JSON string', '"just words"', {}, 'HTTP 400 "just words"'],
    ['text', 'upstream\r\n  unavailable\n', {}, 'HTTP 400 "upstream unavailable"'],
    [
      'a web page',
      '<html><head><title> Not\n here </title></head>',
      html,
      'HTTP 400 with a web page titled "Not here"',
    ],
    ['a web page without a title', '<h1>No</h1>', html, 'HTTP 400 with a web page'],
    [
      'a web page that is not called one',
      '<!DOCTYPE html><title>Hi</title>',
      {},
      'HTTP 400 with a web page titled "Hi"',
    ],
    ['nothing', '', {}, 'HTTP 400'],
    ['white space', ' \n ', {}, 'HTTP 400'],
  ])('%s', async (_shape, body, headers, cause) => {
    expect(await readProblem(answers(400, body, headers))).toMatchObject({
      attempted: 'read the status of the run',
      cause,
    });
  });

  it('are short, whatever came', async () => {
    const { cause } = await readProblem(answers(500, 'x'.repeat(500_000)));
    expect(cause.length).toBeLessThan(200);
    const told = await readProblem(answers(500, { message: 'y'.repeat(5_000), hint: 'z'.repeat(5_000) }));
    expect(told.cause.length).toBeLessThan(700);
  });

  it('are text: no line break, no command, no escape', async () => {
    const message = '\u001B[31mred\u001B[0m\r\n::error::x\u2028##[group]y\u202Ez';
    const { cause } = await readProblem(answers(500, { message, code: '\n::set-env::', hint: '\u0000##[x' }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(cause).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E]|##\[/u);
  });

  it('name where a redirect leads', async () => {
    const problem = await readProblem(answers(302, '', { location: 'https://login.example.test/' }));
    expect(problem.cause).toBe('HTTP 302, a redirect to https://login.example.test/');
    expect(problem.remedy).toContain('does not follow redirects');
  });

  it.each<[string, readonly Step[], string]>([
    ['two rows', answers(200, [{}, {}]), 'HTTP 200, but with 2 rows instead of one'],
    [
      'the row of another run',
      answers(200, [{ id: ORDER.pipelineId, job_status: 'running' }]),
      'HTTP 200, but with the row of another run',
    ],
    [
      'an answer that breaks off',
      [{ status: 200 }, { text: '[{' }, { end: 'cut_off' }],
      'HTTP 200, but the response was cut off',
    ],
    [
      'an answer that stalls',
      [{ status: 200 }, { text: '[{' }],
      'HTTP 200, but the rest of the response did not arrive',
    ],
  ])('say what is wrong with %s', async (_what, script, cause) => {
    expect((await readProblem(script)).cause).toContain(cause);
  });
});

describe('the words for a connection', () => {
  const early = (code: string, message = ''): Step[] => [{ failed: { code, message } }];
  const late = (code: string): Step[] => [{ connected: true }, { failed: { code, message: '' } }];

  it.each<[string, readonly Step[], string, RegExp]>([
    ['DNS', early('ENOTFOUND'), 'the host name app.example.test could not be resolved (ENOTFOUND)', /base-url.*proxy/],
    ['refused', early('ECONNREFUSED'), 'app.example.test refused the connection (ECONNREFUSED)', /base-url/],
    ['unreachable', early('EHOSTUNREACH'), 'app.example.test could not be reached (EHOSTUNREACH)', /network/],
    [
      'TLS',
      early(
        'EPROTO',
        'write EPROTO 80C:error:0A0:SSL routines:ssl3_get_record:wrong version number:../deps/x.c:350:\n',
      ),
      'the TLS handshake with app.example.test failed (EPROTO: wrong version number)',
      /base-url/,
    ],
    [
      'certificate',
      early('SELF_SIGNED_CERT_IN_CHAIN'),
      'the certificate of app.example.test was not accepted (SELF_SIGNED_CERT_IN_CHAIN)',
      /NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA/,
    ],
    [
      'expired',
      early('CERT_HAS_EXPIRED'),
      'the certificate of app.example.test was not accepted (CERT_HAS_EXPIRED)',
      /clock/,
    ],
    [
      'proxy 407',
      early('ECONNRESET', 'tunneling socket could not be established, statusCode=407'),
      'the proxy refused a connection to app.example.test with HTTP 407',
      /credentials.*https_proxy/,
    ],
    [
      'proxy 403',
      early('ECONNRESET', 'tunneling socket could not be established, statusCode=403'),
      'the proxy refused a connection to app.example.test with HTTP 403',
      /proxy allows/,
    ],
    [
      'proxy away',
      early('ECONNRESET', 'tunneling socket could not be established, cause=getaddrinfo ENOTFOUND proxy'),
      'the proxy could not be reached: getaddrinfo ENOTFOUND proxy',
      /https_proxy/,
    ],
    ['deadline', [], 'no connection to app.example.test within 30s', /network/],
  ])('%s', async (_what, script, cause, remedy) => {
    const problem = await exchangeProblem(script);
    expect(problem.cause).toBe(cause);
    expect(problem.remedy).toMatch(remedy);
  });

  it.each<[string, readonly Step[], string]>([
    [
      'reset',
      late('ECONNRESET'),
      'the connection to app.example.test was reset before a response arrived (ECONNRESET)',
    ],
    ['not HTTP', late('HPE_INVALID_CONSTANT'), 'app.example.test did not respond with HTTP (HPE_INVALID_CONSTANT)'],
    ['deadline', [{ connected: true }], 'no response from app.example.test within 30s'],
  ])('%s, after the request may have been sent', async (_what, script, cause) => {
    expect((await exchangeProblem(script)).cause).toBe(cause);
  });

  it('do not blame base-url for a host that the exchange named', async () => {
    const problem = await readProblem(early('ENOTFOUND'));
    expect(problem.cause).toContain('api.example.test');
    expect(problem.remedy).not.toContain('base-url');
  });
});

describe('remedies of the exchange', () => {
  it.each<[string, readonly Step[], RegExp]>([
    ['a web page', answers(200, '<html>', html), /base-url.*application host/],
    ['a redirect', answers(301, '', { location: '/login' }), /base-url/],
    ['404', answers(404, ''), /base-url/],
    ['403', answers(403, ''), /proxy or firewall/],
    ['403 as a web page', answers(403, '<html>', html), /proxy or firewall/],
    ['401', answers(401, ''), /revoked.*Settings/],
    ['no token', answers(200, {}), /revoked.*Settings/],
  ])('for %s', async (_what, script, remedy) => {
    expect((await exchangeProblem(script)).remedy).toMatch(remedy);
  });
});

describe('secrets that the service echoes', () => {
  const awkward = 'ak_a+b/c=d"e';

  it.each([
    ['as they are', API_KEY, API_KEY],
    ['URL-encoded', awkward, encodeURIComponent(awkward)],
    ['URL-encoded in lower case', awkward, encodeURIComponent(awkward).toLowerCase()],
    ['as in JSON', awkward, JSON.stringify(awkward)],
    ['with an escape sequence inside', API_KEY, `${API_KEY.slice(0, 5)}\u001B[0m${API_KEY.slice(5)}`],
  ])('are replaced, %s', async (_how, apiKey, echo) => {
    const { cause } = await exchangeProblem(answers(400, `the key <${echo}> is odd`), apiKey);
    expect(cause).toContain('***');
    expect(cause).not.toContain(apiKey.slice(0, 8));
  });

  it('are replaced in the messages of later calls, every token of them', async () => {
    const { service, clock } = bench({
      call: (_sent, nth) => answers(nth < 3 ? 401 : 400, { message: `token-1 token-2 token-3 ${API_KEY}` }),
    });
    const outcome = await clock.until(service.cancel(JOB));
    expect(outcome).toMatchObject({ problem: { cause: 'HTTP 400 "*** *** *** ***"' } });
  });

  it('are replaced where a redirect leads, and where a message is cut', async () => {
    const redirect = await exchangeProblem(answers(302, '', { location: `https://x.test/?key=${API_KEY}` }));
    expect(redirect.cause).toBe('HTTP 302, a redirect to https://x.test/?key=***');
    const escaped = `${API_KEY.slice(0, 5)}\u001b[31m${API_KEY.slice(5)}`;
    const hidden = await exchangeProblem(answers(302, '', { location: `https://x.test/?key=${escaped}` }));
    expect(hidden.cause).toBe('HTTP 302, a redirect to https://x.test/?key=***');
    const cut = await exchangeProblem(answers(400, { message: `${'x'.repeat(290)}${API_KEY}` }));
    expect(cut.cause).not.toContain(API_KEY.slice(0, 5));
  });

  it.each<[string, readonly Step[]]>([
    ['two answers in one', answers(200, `${JSON.stringify(bootstrap({ token: 'secret-token' }))}\n{}`)],
    ['an answer with a failure', answers(500, { error: 1, token: 'secret-token' })],
    ['a failure that is no JSON', answers(502, 'upstream said {"token": "secret-token", …')],
  ])('do not show in the words for %s, and are masked', async (_what, script) => {
    const { service, clock, secrets } = bench({ exchange: () => script });
    const outcome = await clock.until(service.connect());
    expect(JSON.stringify(outcome)).not.toContain('secret-token');
    expect(outcome).toMatchObject({ kind: 'maybe_processed' });
    expect(secrets).toEqual(['secret-token']);
  });

  it('do not show in the words for an exchange that cannot be used', async () => {
    const { cause } = await exchangeProblem(answers(200, bootstrap({ token: 'secret-token', backend_url: 'ftp://x' })));
    expect(cause).toContain('HTTP 200 with a backend_url that ');
    expect(cause).not.toContain('secret-token');
  });
});
