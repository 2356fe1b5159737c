// One table: what each fault means for each call. faults.txt contains the resulting messages.
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/base/environment.ts';
import type { Answer } from '../../../src/service/send.ts';
import { API_KEY, answered, CALLS, type Call, client, make, page, unanswered } from './client.ts';

const NO = 'not_processed';
const MAYBE = 'maybe_processed';
const FINAL = 'not_processed, final';
const MAYBE_FINAL = 'maybe_processed, final';

/** The results of the five calls. One result stands for all calls. */
type Results = string | readonly [exchange: string, list: string, trigger: string, read: string, cancel: string];

const early = (code: string, message = ''): Answer => unanswered(false, code, message);
const late = (code: string, message = ''): Answer => unanswered(true, code, message);
/**
 * A gateway responds in place of the service. A later request may succeed, but a repeated trigger may queue a second
 * run.
 */
const gateway: Results = [NO, NO, 'rejected', NO, NO];
const unauthorized = `${FINAL} ×3`;
/**
 * The service denies access. Another token might help, but a doubted token is not a sufficient reason to repeat a
 * trigger.
 */
const doubted = ['rejected ×2', 'rejected', 'rejected ×2', 'rejected ×2'] as const;
/** The service's schema does not fit the request, which says nothing about a run or a pipeline. */
const schema: Results = ['rejected', `${NO}, for 120000 ms`, `${NO}, for 120000 ms`, NO, NO];
const code = (code: string, message = 'No') => ({ message, code });
/** An exchange has no effect, so if it fails in any way, the call that needed it was not sent. */
const lost: Results = [NO, MAYBE, MAYBE, MAYBE, MAYBE];

const PROTOCOL = 'error:0A000102:SSL routines:ssl_choose_client_version:unsupported protocol:a.c:1:';
const NOT_TLS = 'write EPROTO 80:error:0A00010B:SSL routines:tls_get_record:wrong version number:a.c:1:';
const HANDSHAKE =
  '80:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:a.c:918:SSL alert number 40';
const ZSTD = { 'content-encoding': 'zstd' };
const REJECTED = { message: 'No', code: '42501' };

const WITH_LOGIN = { https_proxy: 'http://clerk:s3same%40@proxy.test:3128' };

const TABLE: readonly (readonly [fault: string, answer: Answer, results: Results, env?: Environment])[] = [
  ['unresolved', early('ENOTFOUND', 'getaddrinfo ENOTFOUND host'), NO],
  ['refused', early('ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:443'), NO],
  ['unreachable', early('ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443'), NO],
  ['slow to connect', early('DEADLINE', 'within 15s'), NO],
  ['reset while connecting', early('ECONNRESET', 'socket disconnected before secure TLS connection'), NO],
  ['unknown error while connecting', early('', 'odd'), NO],
  ['too many open files', early('EMFILE', 'connect EMFILE'), NO],
  ['proxy variable unusable', early('PROXY_ADDRESS', 'the https_proxy environment variable is not a valid URL'), FINAL],
  ['proxy unreachable', early('PROXY_FAILED ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.9:3128'), NO],
  ['proxy resets a handshake', early('PROXY_FAILED ECONNRESET', 'socket hang up'), NO],
  [
    'proxy fails in a handshake',
    early('PROXY_FAILED EPROTO', '80:error:0A000438:SSL routines:f:internal error:a.c:1'),
    NO,
  ],
  ['proxy with an unknown certificate', early('PROXY_FAILED DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed'), FINAL],
  ['proxy with a weak certificate', early('PROXY_FAILED UNSPECIFIED', 'EE certificate key too weak'), FINAL],
  ['proxy without TLS', early('PROXY_FAILED EPROTO', NOT_TLS), FINAL],
  ['proxy refuses a handshake', early('PROXY_FAILED EPROTO', HANDSHAKE), FINAL],
  [
    'proxy requires a client certificate',
    early('PROXY_FAILED ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'alert'),
    FINAL,
  ],
  ['proxy that does not speak HTTP', early('PROXY_FAILED HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/'), NO],
  ['proxy with large headers', early('PROXY_FAILED HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'), FINAL],
  ['proxy refuses', early('PROXY_REFUSED', '403'), NO],
  ['proxy requires credentials', early('PROXY_REFUSED', '407'), FINAL],
  ['proxy rejects the credentials', early('PROXY_REFUSED', '407'), FINAL, WITH_LOGIN],
  ['certificate of an unknown CA', early('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify'), FINAL],
  ['certificate expired', early('CERT_HAS_EXPIRED', 'certificate has expired'), FINAL],
  ['certificate of another host', early('ERR_TLS_CERT_ALTNAME_INVALID', 'does not match'), FINAL],
  ['certificate with a short key', early('UNSPECIFIED', 'EE certificate key too weak'), FINAL],
  ['certificate signed with SHA-1', early('UNSPECIFIED', 'CA signature digest algorithm too weak'), FINAL],
  ['certificate with an unknown extension', early('UNSPECIFIED', 'unhandled critical extension'), FINAL],
  ['key too small', early('ERR_SSL_EE_KEY_TOO_SMALL', 'ee key too small'), FINAL],
  ['TLS 1.1 only', early('EPROTO', PROTOCOL), FINAL],
  ['TLS 1.1 only, said by the server', early('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'protocol version'), FINAL],
  ['HTTP on a TLS port', early('EPROTO', NOT_TLS), FINAL],
  ['handshake refused', early('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', HANDSHAKE), FINAL],
  ['handshake fails in the server', early('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'internal error'), NO],
  ['client certificate demanded late', late('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'alert'), FINAL],
  ['TLS fails late', late('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'bad record mac'), lost],
  ['reset', late('ECONNRESET', 'socket hang up'), lost],
  ['silent', late('DEADLINE', 'within 2m'), lost],
  ['not HTTP', late('HPE_INVALID_CONSTANT', 'Expected HTTP/'), lost],
  [
    'header overflow',
    late('HPE_HEADER_OVERFLOW', 'Header overflow'),
    [FINAL, MAYBE_FINAL, MAYBE_FINAL, MAYBE_FINAL, MAYBE_FINAL],
  ],
  ['unknown error', late('', 'odd'), lost],
  ['body cut off', answered(200, '[{"id', { body: 'cut off' }), lost],
  ['body stalled', answered(200, '', { body: 'stalled' }), lost],
  ['body too large', answered(200, '[[', { body: 'too large' }), lost],
  ['body without a length that may be incomplete', answered(200, '[]', { body: 'unframed' }), lost],
  ['null without a length that may be incomplete', answered(200, 'null', { body: 'unframed' }), lost],
  ['body in an unknown coding', answered(200, '(µ/ý', { body: 'undecodable', headers: ZSTD }), lost],
  ['empty body', answered(200, '\n'), lost],
  ['not JSON', answered(200, 'upstream connect error'), lost],
  ['page with status 200', page(200), ['rejected', MAYBE, MAYBE, MAYBE, MAYBE]],
  ['JSON of another shape', answered(200, { jobs: 5 }), ['key_invalid', 'rejected', MAYBE, MAYBE, MAYBE]],
  ['JSON null', answered(200, 'null'), ['key_invalid', 'rejected', 'rejected', MAYBE, MAYBE]],
  ['null, then cut off', answered(200, 'null', { body: 'cut off' }), [NO, 'rejected', MAYBE, MAYBE, MAYBE]],
  ['empty array', answered(200, '[]'), ['key_invalid', 'pipelines', MAYBE, 'none', 'none']],
  ['HTTP 103', answered(103), lost],
  ['HTTP 300', answered(300), 'rejected'],
  ['HTTP 302', answered(302, '', { headers: { location: 'https://login.test/' } }), 'rejected'],
  ['HTTP 302 that asks for a pause', answered(302, '', { headers: { 'retry-after': '20' } }), 'rejected'],
  ['HTTP 303', answered(303), ['rejected', 'rejected', MAYBE, 'rejected', 'rejected']],
  ['HTTP 400', answered(400, REJECTED), 'rejected'],
  ['HTTP 403 with plain text', answered(403, 'Blocked'), ['rejected', 'rejected', 'rejected', NO, 'rejected']],
  ['HTTP 400 that quotes a web page', answered(400, { message: 'No: <html>' }), 'rejected'],
  ['HTTP 400 with code P0001', answered(400, { message: 'Pipeline is inactive', code: 'P0001' }), 'rejected'],
  // PostgREST error codes.
  ['HTTP 503 with code PGRST000', answered(503, code('PGRST000')), NO],
  ['HTTP 503 with code PGRST002', answered(503, code('PGRST002')), NO],
  ['HTTP 504 with code PGRST003', answered(504, code('PGRST003')), NO],
  ['HTTP 400 with code PGRST002', answered(400, code('PGRST002')), NO],
  ['HTTP 503 with code PGRST002, cut off', answered(503, code('PGRST002'), { body: 'cut off' }), lost],
  ['HTTP 503 with code PGRST001', answered(503, code('PGRST001')), lost],
  ['HTTP 400 with code PGRST001', answered(400, code('PGRST001')), lost],
  ['HTTP 404 with code PGRST125', answered(404, code('PGRST125')), ['rejected', 'rejected', 'rejected', NO, NO]],
  ['HTTP 404 with code PGRST202', answered(404, code('PGRST202')), schema],
  ['HTTP 406 with code PGRST204', answered(406, code('PGRST204')), schema],
  ['HTTP 404 with code 42P01', answered(404, code('42P01')), schema],
  ['HTTP 400 with code 42703', answered(400, code('42703')), schema],
  ['HTTP 404 with code 42883', answered(404, code('42883')), schema],
  ['HTTP 409 with code 42P01', answered(409, code('42P01')), 'rejected'],
  ['HTTP 400 with an unknown code', answered(400, code('PGRST1000')), 'rejected'],
  ['HTTP 200 with code PGRST002', answered(200, code('PGRST002')), ['key_invalid', 'rejected', MAYBE, MAYBE, MAYBE]],
  [
    'HTTP 400 with code PGRST303',
    answered(400, code('PGRST303')),
    ['rejected', 'rejected ×2', unauthorized, 'rejected ×2', 'rejected ×2'],
  ],
  ['HTTP 400 about a JWT', answered(400, { msg: 'JWSError JWSInvalidSignature' }), ['rejected', ...doubted]],
  [
    'HTTP 401',
    answered(401, { message: 'No' }),
    ['key_invalid', unauthorized, unauthorized, `${FINAL} ×2`, `${FINAL} ×2`],
  ],
  [
    'HTTP 401 that asks for a pause',
    answered(401, { message: 'No' }, { headers: { 'retry-after': '20' } }),
    ['key_invalid', unauthorized, unauthorized, `${FINAL} ×2`, `${FINAL} ×2`],
  ],
  ['page with status 401', page(401), [NO, unauthorized, unauthorized, `${FINAL} ×2`, `${FINAL} ×2`]],
  ['HTTP 402', answered(402, { message: 'Payment required', hint: ' ' }), 'rejected'],
  ['HTTP 403', answered(403, REJECTED), ['key_invalid', ...doubted]],
  ['HTTP 403 with code PGRST301', answered(403, code('PGRST301')), ['key_invalid', ...doubted]],
  [
    'HTTP 403 with JSON that was cut off',
    answered(403, REJECTED, { body: 'cut off' }),
    ['rejected', 'rejected', 'rejected', NO, 'rejected'],
  ],
  ['page with status 403', page(403), gateway],
  ['page known only by its type', answered(403, 'No', { headers: { 'content-type': 'text/html' } }), gateway],
  ['page known only by its text', answered(403, '\n\n<HTML>'), gateway],
  ['page that begins with a comment', answered(404, '<!-- Blocked -->\n<p>No</p>'), gateway],
  ['page in XHTML', answered(404, '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">'), gateway],
  ['HTTP 404', answered(404, { message: 'No', hint: 'Perhaps you meant get_pipeline_jobs', code: 'E404' }), 'rejected'],
  ['page with status 404', page(404), gateway],
  ['HTTP 407', answered(407), FINAL],
  ['HTTP 408', answered(408, '\n'), lost],
  ['HTTP 409', answered(409, { message: 'A run is in progress' }), 'rejected'],
  ['HTTP 409 with code P0001', answered(409, { message: 'A run is in progress', code: 'P0001' }), 'rejected'],
  ['HTTP 422', answered(422, { message: ' ', error: { message: 'Unprocessable' } }), 'rejected'],
  ['HTTP 423', answered(423, { error_description: 'Locked', code: 7 }), 'rejected'],
  ['HTTP 429', answered(429, '', { headers: { 'retry-after': '20' } }), `${NO}, after 20000 ms`],
  [
    'HTTP 403 that asks for a pause',
    answered(403, { message: 'Rate limit exceeded' }, { headers: { 'retry-after': '20' } }),
    [`${NO}, after 20000 ms`, `${NO}, after 20000 ms`, 'rejected', `${NO}, after 20000 ms`, `${NO}, after 20000 ms`],
  ],
  ['HTTP 499', answered(499), lost],
  ['HTTP 500', answered(500, 'Oops'), lost],
  ['HTTP 500 with JSON of another shape', answered(500, { errors: ['Oops'] }), lost],
  ['HTTP 500 with a body that was cut off', answered(500, 'Oops', { body: 'cut off' }), lost],
  ['HTTP 500 with a body that may be incomplete', answered(500, '{"message":"No"}', { body: 'unframed' }), lost],
  ['HTTP 500 in an unknown coding', answered(500, '(µ/ý', { body: 'undecodable', headers: ZSTD }), lost],
  ['page with status 500', page(500), lost],
];

async function meet(fault: Answer, call: Call, env: Environment = {}) {
  const { service, clock, requests } = client((sent) => (sent.call === call ? fault : undefined), API_KEY, {
    isFirstRejectionFinal: true,
    env,
  });
  const result = await clock.until(make(service, call));
  expect(clock.pending, 'timers left').toBe(0);
  const count = requests.filter((sent) => sent.call === call).length;
  const none = { isFinal: false, longestMs: undefined, retryAfterMs: undefined };
  const { isFinal, longestMs, retryAfterMs } = { ...none, ...result };
  const times = `${retryAfterMs === undefined ? '' : `, after ${retryAfterMs} ms`}${longestMs === undefined ? '' : `, for ${longestMs} ms`}`;
  return { result, text: `${result.kind}${isFinal ? ', final' : ''}${times}${count > 1 ? ` ×${count}` : ''}` };
}

describe('a fault', () => {
  it.each(TABLE.map((row) => [row[0], row] as const))('has the documented result for each call: %s', async (_, row) => {
    const [, answer, results, env] = row;
    const met = await Promise.all(CALLS.map(async (call) => (await meet(answer, call, env)).text));
    expect(met).toEqual(typeof results === 'string' ? CALLS.map(() => results) : results);
  });

  it('is described as in faults.txt', async () => {
    const lines: string[] = [];
    for (const [fault, answer, , env] of TABLE) {
      lines.push(fault);
      const calls = new Map<string, Call[]>();
      for (const call of CALLS) {
        const { result } = await meet(answer, call, env);
        const problem = 'problem' in result ? result.problem : undefined;
        const text = `${problem?.cause ?? '-'}\n    ${problem?.remedy ?? '-'}`.replaceAll(
          /(?:app|api)\.example\.test/g,
          'HOST',
        );
        calls.set(text, [...(calls.get(text) ?? []), call]);
      }
      for (const [text, some] of calls) lines.push(`  ${some.join(', ')}: ${text}`);
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('faults.txt');
  });
});
