import { connected, type Fault, failed } from './fault.ts';

const tunnel =
  (how: string): Fault =>
  () => [failed('ECONNRESET', `tunneling socket could not be established, ${how}`)];

/** The connection is never made: whatever the code says, not a byte of the request has left. */
export const BEFORE_CONNECTED = {
  'DNS: no such host': () => [failed('ENOTFOUND')],
  'DNS: no answer': () => [failed('EAI_AGAIN')],
  'connection refused': () => [failed('ECONNREFUSED')],
  'host unreachable': () => [failed('EHOSTUNREACH')],
  'connect gives up (ETIMEDOUT)': () => [failed('ETIMEDOUT')],
  'connect never answers': () => [],
  'reset before the connection stands': () => [failed('ECONNRESET')],
  'odd error before the connection stands': () => [{ failed: { message: 'odd' } }],
  'TLS: handshake fails': () => [
    failed('EPROTO', 'write EPROTO 80:error:0A00010B:SSL routines:tls_get_record:wrong version number:a.c:1:'),
  ],
  'TLS: certificate unknown': () => [failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
  'TLS: certificate self-signed': () => [failed('DEPTH_ZERO_SELF_SIGNED_CERT')],
  'TLS: certificate expired': () => [failed('CERT_HAS_EXPIRED')],
  'TLS: certificate of another host': () => [failed('ERR_TLS_CERT_ALTNAME_INVALID')],
  'proxy unreachable': tunnel('cause=connect ECONNREFUSED 10.0.0.1:3128'),
  'proxy refuses (403)': tunnel('statusCode=403'),
  'proxy wants credentials (407)': tunnel('statusCode=407'),
  'proxy cannot reach the host (502)': tunnel('statusCode=502'),
  'proxy never answers': () => [],
} satisfies Record<string, Fault>;

/** The connection stood, so that bytes of the request may have left; no head of an answer came. */
export const BEFORE_AN_ANSWER = {
  'reset before the request body': () => [connected, failed('ECONNRESET')],
  'reset during the request body': () => [connected, failed('EPIPE')],
  'reset after the request body': () => [connected, { ms: 40, ...failed('ECONNRESET') }],
  'closed after the request body': () => [connected, { ms: 40, end: 'cut_off' }],
  'ETIMEDOUT after the request body': () => [connected, { ms: 40, ...failed('ETIMEDOUT') }],
  'TLS fails after the request': () => [connected, failed('EPROTO', 'alert bad record mac')],
  'TLS: our certificate is wanted after the request': () => [
    connected,
    failed('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'alert certificate required'),
  ],
  'answer is not HTTP': () => [connected, failed('HPE_INVALID_CONSTANT')],
  'headers never come': () => [connected],
} satisfies Record<string, Fault>;
