// The catalogue of faults, which covers all ways in which a request can fail.
import {
  answered,
  broken,
  CALLS,
  type Call,
  CUT,
  changed,
  END,
  type FaultKind,
  failing,
  grant,
  HTML,
  hanging,
  head,
  instead,
  JSON_TYPE,
  lost,
  opened,
  other,
  plain,
  status,
  statuses,
  unconnected,
  upTo,
} from './fault-scripts.ts';

const JOBS: readonly Call[] = ['read', 'cancel'];
const BLANKS = new Uint8Array(65_536).fill(0x20);
const NO_TLS = 'Client network socket disconnected before secure TLS connection was established';
const NO_TUNNEL = 'tunneling socket could not be established';
const WRONG_HOST =
  "Hostname/IP does not match certificate's altnames: Host: app.example.test. is not in the cert's altnames";

/** Faults that the simulation and the tables play. The messages match those of node:http. */
const SIMULATED = {
  /** Nothing goes wrong, apart from crashes that happen in the meantime. */
  none: plain,
  // The socket never connects.
  refused: unconnected('tcp', 'ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:443'),
  unresolved: unconnected('lookup', 'ENOTFOUND', 'getaddrinfo ENOTFOUND app.example.test'),
  unreachable: { ...plain, script: ({ ms }) => [failing(ms, 'ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443')] },
  reset_connecting: unconnected('tls', 'ECONNRESET', NO_TLS),
  handshake: unconnected('tls', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ssl/tls alert handshake failure'),
  certificate_authority: unconnected(
    'tls',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'unable to verify the first certificate',
  ),
  certificate_expired: unconnected('tls', 'CERT_HAS_EXPIRED', 'certificate has expired'),
  certificate_host: unconnected('tls', 'ERR_TLS_CERT_ALTNAME_INVALID', WRONG_HOST),
  proxy_refuses: unconnected('tls', 'ECONNRESET', `${NO_TUNNEL}, statusCode=407`),
  proxy_gone: unconnected('tls', 'ECONNRESET', `${NO_TUNNEL}, cause=connect ECONNREFUSED 192.0.2.9:3128`),
  // A phase of connecting is slow or never ends. A hanging lookup eventually fails.
  slow_lookup: plain,
  hanging_lookup: unconnected('lookup', 'EAI_AGAIN', 'getaddrinfo EAI_AGAIN app.example.test'),
  slow_tcp: plain,
  hanging_tcp: hanging,
  slow_proxy: plain,
  hanging_proxy: hanging,
  slow_tls: plain,
  hanging_tls: hanging,
  // The connection succeeds, but no response headers arrive.
  reset: lost('ECONNRESET', 'read ECONNRESET'),
  tls_late: lost('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'bad record mac'),
  timed_out_late: instead(({ ms }) => [failing(ms, 'ETIMEDOUT', 'read ETIMEDOUT')]),
  no_response: instead(() => []),
  not_http: lost('HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/'),
  huge_headers: lost('HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow'),
  // The response headers arrive, but there is a problem with the body.
  cut_at_once: broken(CUT),
  cut_half: broken(upTo(0.5), CUT),
  cut_whole: broken(upTo(1), CUT),
  reset_half: broken(upTo(0.5), failing(1, 'ECONNRESET', 'aborted')),
  reset_whole: broken(upTo(1), failing(1, 'ECONNRESET', 'aborted')),
  stalled_at_once: broken(),
  stalled_half: broken(upTo(0.5)),
  stalled_whole: broken(upTo(1)),
  broken_chunks: broken(
    upTo(0.5),
    failing(1, 'HPE_INVALID_CHUNK_SIZE', 'Parse Error: Invalid character in chunk size'),
  ),
  /** 17 chunks of 64 KiB, which together exceed the client's usual limit of 256 KiB. */
  huge: broken(...Array.from({ length: 17 }, () => ({ bytes: BLANKS })), END),
  not_utf8: instead(({ legs }) => [
    head(legs, { status: 200, headers: JSON_TYPE }),
    { bytes: Uint8Array.of(0x5b, 0xff, 0xfe, 0x80, 0x5d) },
    END,
  ]),
  not_json: other('upstream connect error or disconnect/reset before headers'),
  wrong_shape: other('{"jobs": 5}'),
  html_ok: other('<!doctype html><title>Maintenance</title><p>We will be back soon.', HTML),
  slow: {
    calls: CALLS,
    commits: 'maybe',
    script: ({ commit, ms, legs, split }) => [
      opened(legs),
      { ms: legs.send + (commit === 'at_once' ? 0 : ms), commit: {} },
      ...answered({ ...legs, back: commit === 'at_once' ? ms : 1 }, split),
    ],
  },
  ...statuses('no', 301, 302, 307, 308, 400, 403, 404, 409, 413, 429),
  ...statuses('maybe', 303, 408, 500, 502, 503, 504),
  denied: changed(CALLS, ({ call }) => ({
    how:
      call === 'exchange'
        ? { do: 'answer', status: 401, body: '{"message":"Invalid API key"}' }
        : { do: 'refuse-token' },
  })),
  empty: changed(JOBS, { how: { do: 'empty' } }),
  foreign_row: changed(JOBS, { how: { do: 'foreign-row', instead: true } }, 'maybe'),
  /** The correct row comes first or last. */
  two_rows: changed(
    JOBS,
    ({ legs }) => ({
      how: { do: 'foreign-row' },
      edit: (body) => (legs.work % 2 === 0 ? body : JSON.stringify((JSON.parse(body) as unknown[]).reverse())),
    }),
    'maybe',
  ),
  lag: changed(['read'], ({ ms }) => ({ how: { do: 'lag', byMs: ms } })),
  odd_status: changed(['read'], { how: { do: 'status', status: 'paused::warning::by agent' } }),
  still_running: changed(['read'], { how: { do: 'status', status: 'running' } }),
  no_credits: changed(['trigger'], { how: { do: 'null' } }),
  ttl_zero: grant({ ttl_seconds: 0 }),
  ttl_absurd: grant({ ttl_seconds: 1e12 }),
  ttl_missing: grant({ ttl_seconds: undefined }),
  no_token: grant({ token: undefined }),
  null_token: grant({ token: null }),
  other_scheme: grant({ backend_url: 'ftp://api.example.test' }),
} as const satisfies Record<string, FaultKind>;

/** Faults of the same classes, which only the tables play. */
const VARIANTS = {
  no_route: unconnected('tcp', 'EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:443'),
  unknown_error: { ...plain, script: () => [{ failed: { message: 'odd' } }] },
  not_tls: unconnected(
    'tls',
    'EPROTO',
    'write EPROTO 80:error:0A00010B:SSL routines:tls_get_record:wrong version number:a.c:1:',
  ),
  proxy_forbids: unconnected('tls', 'ECONNRESET', `${NO_TUNNEL}, statusCode=403`),
  reset_sending: lost('EPIPE', 'write EPIPE'),
  closed: instead(() => [CUT]),
  client_certificate: lost('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'alert certificate required'),
  /** The body is followed by 17 MiB, which is more than any call accepts. The largest limit is 4 MiB, for a list. */
  far_too_large: broken(upTo(1), ...Array.from({ length: 17 }, () => ({ text: ' '.repeat(1_048_576) })), END),
  no_body: other(''),
  two_texts: changed(CALLS, { edit: (body) => `${body}\n${body}` }),
  json_null: other('null'),
  json_error: other('{"code":"PGRST000","message":"database is away"}'),
  json_numbers: other('[7]'),
  no_rows: other('[]'),
  no_status: changed(CALLS, { edit: (body) => body.replace('"job_status"', '"state"') }),
  http_103: status(103, 'maybe'),
  http_407: status(407, 'no'),
  page_403: status(403, 'no', HTML),
  // A date in Retry-After is compared with the clock of the service, not with that of the runner.
  busy_until: status(429, 'no', {
    date: 'Tue, 06 Jan 2026 08:00:00 GMT',
    'retry-after': 'Tue, 06 Jan 2026 08:00:45 GMT',
  }),
  busy_20s: status(429, 'no', { 'retry-after': '20' }),
  busy_for_ages: status(429, 'no', { 'retry-after': '99999999999999999999' }),
  busy_nonsense: status(429, 'no', { 'retry-after': '-soon-' }),
  down_20s: status(503, 'maybe', { 'retry-after': '20' }),
} as const satisfies Record<string, FaultKind>;

export type SimulatedFault = keyof typeof SIMULATED;
export type FaultName = SimulatedFault | keyof typeof VARIANTS;

export const FAULTS: Readonly<Record<FaultName, FaultKind>> = { ...SIMULATED, ...VARIANTS };

export const SIMULATED_FAULTS = Object.keys(SIMULATED) as readonly SimulatedFault[];
export const ALL_FAULTS = Object.keys(FAULTS) as readonly FaultName[];

export function canHappen(what: FaultName, call: Call): boolean {
  return FAULTS[what].calls.includes(call);
}
