import { describe, expect, it } from 'vitest';
import type { ConnectionError } from '../../../../src/service/http/connection.ts';
import { connectionWords } from '../../../../src/service/http/connection-words.ts';

const HOST = 'app.example.test';
const NETWORK = "Check the runner's network, its firewall and its proxy settings (https_proxy, no_proxy).";
const BASE_URL = "Check base-url, and the runner's network and proxy settings (https_proxy, no_proxy).";

/** Words for an error before the connection stood, and for one after that. */
const early = (error: ConnectionError) => connectionWords({ kind: 'unanswered', connected: false, error }, HOST, true);
const late = (error: ConnectionError) => connectionWords({ kind: 'unanswered', connected: true, error }, HOST, true);

it('names the limit that response headers exceed, and how to raise it', () => {
  expect(late({ code: 'HPE_HEADER_OVERFLOW', message: 'Parse Error: Header overflow' })).toEqual({
    cause: `the response headers from ${HOST} exceed Node's limit, which is 16 KiB by default (HPE_HEADER_OVERFLOW)`,
    remedy:
      'Check which proxy or gateway adds headers. To raise the limit, set NODE_OPTIONS to --max-http-header-size=65536 in the env of the step.',
  });
});

describe('the words for an error before the connection stood', () => {
  it.each([
    ['ENOTFOUND', `the host name ${HOST} could not be resolved (ENOTFOUND)`, BASE_URL],
    ['EAI_AGAIN', `the host name ${HOST} could not be resolved (EAI_AGAIN)`, BASE_URL],
    ['ECONNREFUSED', `${HOST} refused the connection (ECONNREFUSED)`, BASE_URL],
    ['ETIMEDOUT', `${HOST} could not be reached (ETIMEDOUT)`, NETWORK],
    ['EHOSTUNREACH', `${HOST} could not be reached (EHOSTUNREACH)`, NETWORK],
    ['ENETUNREACH', `${HOST} could not be reached (ENETUNREACH)`, NETWORK],
    ['ECONNRESET', `the connection to ${HOST} failed while it was being established (ECONNRESET)`, NETWORK],
    ['EPIPE', `the connection to ${HOST} failed while it was being established (EPIPE)`, NETWORK],
    ['EPROTONOSUPPORT', `no connection to ${HOST}: EPROTONOSUPPORT odd`, NETWORK],
  ])('%s', (code, cause, remedy) => {
    expect(early({ code, message: 'odd' })).toEqual({ cause, remedy });
  });

  it.each([
    [
      'an alert of the other side',
      'EPROTO',
      'write EPROTO 80C:error:0A0:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:../x.c:9:SSL alert\n',
      'EPROTO: tlsv1 alert protocol version',
    ],
    ['words of another shape', 'EPROTO', 'write\nEPROTO', 'EPROTO: write EPROTO'],
    [
      'a code of its own',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'wrong version',
      'ERR_SSL_WRONG_VERSION_NUMBER: wrong version',
    ],
  ])('of a handshake, with %s', (_what, code, message, why) => {
    expect(early({ code, message })).toEqual({
      cause: `the TLS handshake with ${HOST} failed (${why})`,
      remedy: BASE_URL,
    });
  });

  it('are its own where it has no code', () => {
    expect(early({ message: 'odd\nthing' })).toEqual({ cause: `no connection to ${HOST}: odd thing`, remedy: NETWORK });
  });

  it('say of a host that the service named who named it', () => {
    const unanswered = { kind: 'unanswered', connected: false, error: { code: 'ENOTFOUND', message: '' } } as const;
    expect(connectionWords(unanswered, HOST, false).remedy).toBe(`${NETWORK} The service returned that host.`);
  });

  it('are short, whatever a proxy says', () => {
    const message = `tunneling socket could not be established, cause=one\ntwo ${'x'.repeat(1_000)}`;
    const { cause } = early({ code: 'ECONNRESET', message });
    expect(cause).toMatch(/^the proxy could not be reached: one two x+…$/);
    expect(cause.length).toBeLessThan(250);
  });
});

describe('the words for an error after the connection stood', () => {
  it.each([
    ['ECONNRESET', `the connection to ${HOST} was reset before a response arrived (ECONNRESET)`],
    ['EPIPE', `the connection to ${HOST} was reset before a response arrived (EPIPE)`],
    ['HPE_INVALID_CONSTANT', `${HOST} did not respond with HTTP (HPE_INVALID_CONSTANT)`],
    ['EIO', `the connection to ${HOST} failed before a response arrived: EIO odd`],
    [undefined, `the connection to ${HOST} failed before a response arrived: odd`],
  ])('%s', (code, cause) => {
    expect(late({ ...(code !== undefined && { code }), message: 'odd' })).toEqual({ cause });
  });
});

describe('the words for a connection that said nothing', () => {
  it.each([
    [false, undefined, { cause: `no connection to ${HOST}`, remedy: NETWORK }],
    [false, 2_000, { cause: `no connection to ${HOST} within 2s`, remedy: NETWORK }],
    [true, undefined, { cause: `no response from ${HOST}` }],
    [true, 2_000, { cause: `no response from ${HOST} within 2s` }],
  ])('connected: %s, deadline: %s', (connected, deadlineMs, words) => {
    const deadline = deadlineMs === undefined ? {} : { deadlineMs };
    expect(connectionWords({ kind: 'unanswered', connected, ...deadline }, HOST, true)).toEqual(words);
  });
});
