// Tests the descriptions of connection errors. test/matrix covers the sentences for common codes.
import { describe, expect, it } from 'vitest';
import type { ConnectionError } from '../../../../src/service/http/connection.ts';
import { connectionWords } from '../../../../src/service/http/connection-words.ts';

const HOST = 'h.test';
const describeError = (connected: boolean, error: ConnectionError) =>
  connectionWords({ kind: 'unanswered', connected, error }, HOST, true);
const early = (code: string, message = 'odd') => describeError(false, { code, message });
const late = (code: string, message = 'odd') => describeError(true, { code, message });
const TUNNEL = 'tunneling socket could not be established';

describe('a connection error', () => {
  it.each([
    ['ENETUNREACH', 'EHOSTUNREACH'],
    ['EPIPE', 'ECONNRESET'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'],
  ])('with the code %s is described like one with the code %s', (code, like) => {
    const { cause, remedy } = early(like);
    expect(early(code)).toEqual({ cause: cause.replace(like, code), remedy });
  });

  it.each([
    ['EPROTONOSUPPORT', 'odd\nthing', '(EPROTONOSUPPORT odd thing)'],
    ['', 'odd', '(odd)'],
  ])('with the unknown code "%s" is described by its message on one line', (code, message, end) => {
    expect(early(code, message).cause.endsWith(end)).toBe(true);
  });

  it('during the TLS handshake is described by its entire message if the format of the message is unknown', () => {
    expect(early('EPROTO', 'write\nEPROTO').cause.endsWith('(EPROTO: write EPROTO)')).toBe(true);
  });

  const CERTIFICATE = `CERT_HAS_EXPIRED CERT_NOT_YET_VALID CRL_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT
    ERR_TLS_CERT_ALTNAME_INVALID ERROR_IN_CERT_NOT_AFTER_FIELD HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE
    PATH_LENGTH_EXCEEDED SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY`;

  it.each(CERTIFICATE.split(/\s+/))(
    'with the certificate code %s is not retryable, and its remedy names Node.js environment variables',
    (code) => {
      expect(early(code)).toEqual({
        cause: expect.stringContaining(`(${code})`) as string,
        remedy: expect.stringMatching(/NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA/) as string,
        retryable: false,
      });
    },
  );

  it.each(['INVALID_CAT', 'X_CERT_HAS_EXPIRED', 'ECERT'])('with the code %s is retryable', (code) => {
    expect(early(code)).not.toHaveProperty('retryable');
  });

  it('is described in fewer than 300 characters', () => {
    const long = `one\ntwo ${'x'.repeat(1_000)}`;
    const proxy = early('ECONNRESET', `${TUNNEL}, cause=${long}`);
    for (const { cause } of [proxy, early('EPROTO', long), early('', long), late('', long)]) {
      expect(cause).toMatch(/[:(] ?one two x+…\)?$/);
      expect(cause.length).toBeLessThan(300);
    }
  });
});

describe('an error after the connection is established', () => {
  it('is not described as a proxy error', () => {
    expect(late('ECONNRESET', `${TUNNEL}, statusCode=407`)).toEqual(late('ECONNRESET'));
  });
});
