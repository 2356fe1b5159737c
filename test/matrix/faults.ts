// The catalogue of faults, which covers all ways in which a connection or a response can fail in one call.
import { answers, type Step } from '../support/scripted-wire.ts';
import { PIPELINE } from '../support/service.ts';

/** The behaviour of a connection, derived from the response of a healthy service. */
type Fault = (good: string) => readonly Step[];

const connected: Step = { connected: true };
/** The status line of a 2xx response, without a body. */
const begun: readonly Step[] = [connected, { status: 200, headers: { 'content-type': 'application/json' } }];

const failed = (code: string, message = ''): Step => ({ failed: { code, message } });
const tunnel = (how: string): Fault =>
  always(failed('ECONNRESET', `tunneling socket could not be established, ${how}`));
const half = (good: string): Step => ({ text: good.slice(0, good.length / 2) });
/** 17 MiB, which is more than any call accepts. The largest limit is 4 MiB, for a list. */
const HUGE: readonly Step[] = Array.from({ length: 17 }, () => ({ text: ' '.repeat(1_048_576) }));

function always(...steps: readonly Step[]): Fault {
  return () => steps;
}

function responds(...given: Parameters<typeof answers>): Fault {
  return () => answers(...given);
}

function page(status: number, title: string): Fault {
  const html = `<!doctype html><html><head><title>${title}</title></head><body></body></html>`;
  return responds(status, html, { 'content-type': 'text/html; charset=utf-8' });
}

function busy(retryAfter?: string): Fault {
  // A date in Retry-After is compared with the clock of the service, not with that of the runner.
  const date = 'Tue, 06 Jan 2026 08:00:00 GMT';
  return responds(
    429,
    { message: 'slow down' },
    { date, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
  );
}

/** Faults that prevent the connection, so that the service receives no byte of the request. */
const UNCONNECTED = {
  'DNS: no such host': always(failed('ENOTFOUND')),
  'DNS: no response': always(failed('EAI_AGAIN')),
  'connection refused': always(failed('ECONNREFUSED')),
  'host unreachable': always(failed('EHOSTUNREACH')),
  'connection times out (ETIMEDOUT)': always(failed('ETIMEDOUT')),
  'connection is never established': always(),
  'reset while connecting': always(failed('ECONNRESET')),
  'unknown error while connecting': always({ failed: { message: 'odd' } }),
  'TLS: handshake fails': always(
    failed('EPROTO', 'write EPROTO 80:error:0A00010B:SSL routines:tls_get_record:wrong version number:a.c:1:'),
  ),
  'TLS: certificate unknown': always(failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE')),
  'TLS: certificate expired': always(failed('CERT_HAS_EXPIRED')),
  'TLS: certificate of another host': always(failed('ERR_TLS_CERT_ALTNAME_INVALID')),
  'proxy unreachable': tunnel('cause=connect ECONNREFUSED 10.0.0.1:3128'),
  'proxy refuses (403)': tunnel('statusCode=403'),
  'proxy wants credentials (407)': tunnel('statusCode=407'),
} satisfies Record<string, Fault>;

/** Faults after the connection is established but before a response. The service may have received the request. */
const UNANSWERED = {
  'reset during the request body': always(connected, failed('EPIPE')),
  'reset after the request body': always(connected, { ms: 40, ...failed('ECONNRESET') }),
  'closed after the request body': always(connected, { ms: 40, end: 'cut_off' }),
  'ETIMEDOUT after the request body': always(connected, { ms: 40, ...failed('ETIMEDOUT') }),
  'TLS fails after the request': always(connected, failed('EPROTO', 'alert bad record mac')),
  'TLS: client certificate required after the request': always(
    connected,
    failed('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'alert certificate required'),
  ),
  'response is not HTTP': always(connected, failed('HPE_INVALID_CONSTANT')),
  'response headers too large': always(connected, failed('HPE_HEADER_OVERFLOW')),
  'headers never arrive': always(connected),
} satisfies Record<string, Fault>;

/** Faults in which the body of a 2xx response is missing, incomplete or endless. */
const BROKEN_BODIES = {
  'body never arrives': always(...begun),
  'body stalls halfway': (good) => [...begun, half(good)],
  'body cut off at its start': always(...begun, { end: 'cut_off' }),
  'body cut off halfway': (good) => [...begun, half(good), { end: 'cut_off' }],
  'body reset halfway': (good) => [...begun, half(good), failed('ECONNRESET')],
  'body cut off right after its last byte': (good) => [...begun, { text: good }, { end: 'cut_off' }],
  'body stalls right after its last byte': (good) => [...begun, { text: good }],
  'body far too large': (good) => [...begun, { text: good }, ...HUGE, { end: 'complete' }],
} satisfies Record<string, Fault>;

/** Faults in which the body of a 2xx response is complete but does not match the request. */
const WRONG_BODIES = {
  'no body': always(...begun, { end: 'complete' }),
  'not UTF-8': always(...begun, { bytes: Uint8Array.of(0xff, 0xfe, 0xc3, 0x28) }, { end: 'complete' }),
  'not JSON': responds(200, 'OK'),
  'two JSON texts': (good) => answers(200, `${good}\n${good}`),
  'JSON null': responds(200, 'null'),
  'JSON error in a 200': responds(200, { code: 'PGRST000', message: 'database is away' }),
  'JSON array of numbers': responds(200, '[7]'),
  'empty array': responds(200, '[]'),
  "another run's row": responds(200, [{ id: PIPELINE, job_status: 'completed', status_message: null }]),
  'two rows': (good) => answers(200, `[${good.replace(/^\[|\]$/g, '')},${good.replace(/^\[|\]$/g, '')}]`),
  'row without a status': (good) => answers(200, good.replace('"job_status"', '"state"')),
  'web page with 200': page(200, 'Sign in'),
} satisfies Record<string, Fault>;

const OTHER_HOST = { location: 'https://elsewhere.example.test/' };
/** Faults in which the response has a status other than 2xx. */
const STATUSES = {
  'only HTTP 103': responds(103, ''),
  'HTTP 302 to another host': responds(302, '', OTHER_HOST),
  'HTTP 308 to another host': responds(308, '', OTHER_HOST),
  'HTTP 400': responds(400, { message: 'invalid request', code: '22P02' }),
  'HTTP 401': responds(401, { message: 'JWT expired', code: 'PGRST301' }),
  'HTTP 403': responds(403, { message: 'permission denied', code: '42501' }),
  'HTTP 403 as a web page': page(403, 'Blocked'),
  'HTTP 404': responds(404, ''),
  'HTTP 407': responds(407, ''),
  'HTTP 408': responds(408, ''),
  'HTTP 429, Retry-After in seconds': busy('20'),
  'HTTP 429, Retry-After as a date': busy('Tue, 06 Jan 2026 08:00:45 GMT'),
  'HTTP 429, Retry-After absurd': busy('99999999999999999999'),
  'HTTP 429, Retry-After nonsense': busy('-soon-'),
  'HTTP 429, Retry-After missing': busy(),
  'HTTP 500': responds(500, { message: 'boom' }),
  'HTTP 502': page(502, '502 Bad Gateway'),
  'HTTP 503': responds(503, 'no healthy upstream'),
  'HTTP 503, Retry-After in seconds': responds(503, 'restarting', { 'retry-after': '20' }),
  'HTTP 504': responds(504, ''),
} satisfies Record<string, Fault>;

const ALL = { ...UNCONNECTED, ...UNANSWERED, ...BROKEN_BODIES, ...WRONG_BODIES, ...STATUSES };

export type FaultName = keyof typeof ALL;

export const FAULTS: Readonly<Record<FaultName, Fault>> = ALL;

export const FAULT_NAMES = Object.keys(ALL) as readonly FaultName[];
