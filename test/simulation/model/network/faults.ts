/** Everything that can go wrong with a request, expressed as the behaviour of its connection. */
import type { ModelEffect } from '../../../../sandbox/model/index.ts';

export const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;
type Call = (typeof CALLS)[number];
const JOBS: readonly Call[] = ['read', 'cancel'];

/** The phases of connecting, in order. Without a proxy, the proxy phase takes no time. */
export const CONNECTING_PHASES = ['lookup', 'tcp', 'proxy', 'tls'] as const;

export type ConnectingPhase = (typeof CONNECTING_PHASES)[number];

/** How long each phase takes, in milliseconds; Infinity for one that never ends. */
export type Connecting = Readonly<Record<ConnectingPhase, number>>;

/** The connection's next event, `ms` milliseconds after the previous one. */
export type Step = { readonly ms: number } & (
  | { readonly do: 'connected' }
  /** The service processes the request, whether or not the client finds out. */
  | ({ readonly do: 'commit' } & Change)
  | ({ readonly do: 'head' } & Head)
  /** Sends the body from the end of the previous part up to this share. */
  | { readonly do: 'body'; readonly upTo: number }
  | { readonly do: 'bytes'; readonly bytes: Uint8Array }
  | { readonly do: 'end'; readonly complete: boolean }
  | { readonly do: 'fail'; readonly code: string; readonly message: string }
);

/** The effect of a request on the service, and the fault's changes to the response. */
export interface Change {
  readonly how?: ModelEffect;
  readonly edit?: (body: string) => string;
}

/** Replaces the service's response. */
interface Head {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The durations of a request's legs, in milliseconds. */
export interface Legs {
  readonly connecting: Connecting;
  readonly send: number;
  readonly work: number;
  readonly back: number;
}

/** The parameters of a script: the fault's options, the legs, where the body is split, and what the client sent. */
interface Hit {
  readonly call: Call;
  readonly commit: 'never' | 'at_once' | 'late';
  readonly ms: number;
  readonly retryAfter: string | null;
  readonly legs: Legs;
  readonly split: number;
  readonly sent: string;
}

interface FaultKind {
  readonly calls: readonly Call[];
  /** Whether the service may have processed the request, or must have. */
  readonly commits: 'no' | 'maybe' | 'yes';
  readonly script: (hit: Hit) => readonly Step[];
}

const END: Step = { ms: 0, do: 'end', complete: true };
const CUT: Step = { ms: 1, do: 'end', complete: false };
const BLANKS = new Uint8Array(65_536).fill(0x20);
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

function failing(ms: number, code: string, message: string): Step {
  return { ms, do: 'fail', code, message };
}

/** The start of every request that gets a connection, which is established once all phases are over. */
function opened({ connecting }: Legs): Step {
  return { ms: connectingMs(connecting), do: 'connected' };
}

function head({ send, back }: Legs, given: Head = {}): Step {
  return { ms: send + back, do: 'head', ...given };
}

function upTo(share: number): Step {
  return { ms: 0, do: 'body', upTo: share };
}

/** The service's complete response. The body arrives in two parts, split after this share. */
function answered(legs: Legs, split: number): Step[] {
  return [head(legs), upTo(split), { ...upTo(1), ms: split < 1 ? 1 : 0 }, END];
}

export function plainScript(legs: Legs, split: number): readonly Step[] {
  return [opened(legs), { ms: legs.work, do: 'commit' }, ...answered(legs, split)];
}

const plain: FaultKind = { calls: CALLS, commits: 'no', script: ({ legs, split }) => plainScript(legs, split) };

/** The connection fails at the end of a phase, before it is established. */
function unconnected(phase: ConnectingPhase, code: string, message: string): FaultKind {
  return { ...plain, script: ({ legs }) => [failing(connectingMs(legs.connecting, phase), code, message)] };
}

const hanging: FaultKind = { ...plain, script: () => [] };

/** Once connected, these steps replace the response. The service may process the request before or after them. */
function instead(steps: (hit: Hit) => readonly Step[], commits: FaultKind['commits'] = 'maybe'): FaultKind {
  const script = (hit: Hit): readonly Step[] => {
    const { commit, legs, ms } = hit;
    const first: Step[] = commit === 'at_once' ? [{ ms: legs.send + legs.work, do: 'commit' }] : [];
    const last: Step[] = commit === 'late' ? [{ ms, do: 'commit' }] : [];
    return [opened(legs), ...first, ...steps(hit), ...last];
  };
  return { calls: CALLS, commits, script };
}

/** The connection fails while the client waits for the response headers. */
function lost(code: string, message: string): FaultKind {
  return instead(({ legs }) => [failing(legs.send + legs.back, code, message)]);
}

/** The correct response headers, followed by these steps. */
function broken(...steps: readonly Step[]): FaultKind {
  return instead(({ legs }) => [head(legs), ...steps], 'yes');
}

/** A complete response that does not come from the service. */
function other(body: string, headers = JSON_TYPE): FaultKind {
  return instead(({ legs }) => [head(legs, { status: 200, headers, body }), upTo(1), END]);
}

/** Other statuses. Some services echo the request, including its secrets. */
function statuses<Code extends number>(commits: FaultKind['commits'], ...codes: Code[]): Record<`s${Code}`, FaultKind> {
  return Object.fromEntries(codes.map((code) => [`s${code}`, status(code, commits)])) as Record<`s${Code}`, FaultKind>;
}

function status(code: number, commits: FaultKind['commits']): FaultKind {
  const isPage = code === 502 || code === 504;
  return instead(({ legs, retryAfter, sent }) => {
    const headers: Record<string, string> = {
      'content-type': isPage ? 'text/html' : 'application/json',
      ...(retryAfter !== null && { 'retry-after': retryAfter }),
      ...(code < 400 && { location: 'https://elsewhere.example.test/login' }),
    };
    const json = JSON.stringify({ message: `Something is wrong (sent: ${sent})` });
    const body = isPage ? `<html><head><title>${code} Bad Gateway</title>` : json;
    return [head(legs, { status: code, headers, body }), upTo(1), END];
  }, commits);
}

/** The service processes the request differently, or something alters its response in transit. */
function changed(
  calls: readonly Call[],
  change: Change | ((hit: Hit) => Change),
  commits: FaultKind['commits'] = 'no',
): FaultKind {
  const script = (hit: Hit): readonly Step[] => {
    const { legs, split } = hit;
    const commit = typeof change === 'function' ? change(hit) : change;
    return [opened(legs), { ms: legs.send + legs.work, do: 'commit', ...commit }, ...answered(legs, split)];
  };
  return { calls, commits, script };
}

/** The response to an exchange, with different members. */
function grant(members: Readonly<Record<string, unknown>>): FaultKind {
  return changed(['exchange'], { edit: (body) => JSON.stringify({ ...(JSON.parse(body) as object), ...members }) });
}

const NO_TLS = 'Client network socket disconnected before secure TLS connection was established';
const NO_TUNNEL = 'tunneling socket could not be established';
const WRONG_HOST =
  "Hostname/IP does not match certificate's altnames: Host: app.example.test. is not in the cert's altnames";

export const FAULTS = {
  /** Nothing goes wrong, apart from crashes that happen in the meantime. */
  none: plain,
  // The socket never connects. The messages match those of node:http.
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
  tls_late: lost('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'decryption failed or bad record mac'),
  timed_out_late: instead(({ ms }) => [failing(ms, 'ETIMEDOUT', 'read ETIMEDOUT')]),
  mute: instead(() => []),
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
  huge: broken(...Array.from({ length: 17 }, (): Step => ({ ms: 0, do: 'bytes', bytes: BLANKS })), END),
  not_utf8: instead(({ legs }) => [
    head(legs, { status: 200, headers: JSON_TYPE }),
    { ms: 0, do: 'bytes', bytes: Uint8Array.of(0x5b, 0xff, 0xfe, 0x80, 0x5d) },
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
      { ms: legs.send + (commit === 'at_once' ? 0 : ms), do: 'commit' },
      ...answered({ ...legs, back: commit === 'at_once' ? ms : 1 }, split),
    ],
  },
  ...statuses('no', 301, 302, 307, 308, 400, 403, 404, 409, 413, 429),
  ...statuses('maybe', 408, 500, 502, 503, 504),
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

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

export function canHappen(what: FaultName, call: Call): boolean {
  const { calls }: FaultKind = FAULTS[what];
  return calls.includes(call);
}

/** A resolver gives up after this time: 5 s per attempt, with two attempts for each of two name servers. */
const LONGEST_LOOKUP_MS = 20_000;
const SHORTEST_HANG_MS = 5_000;
/** Longer than the total of all other phases in any scenario with a crash in a slow phase. */
const SLOW_MS = 1_000;

/** The phase that a fault slows down or keeps from ending; undefined for every other fault. */
export function phaseOfFault(what: string): ConnectingPhase | undefined {
  const phase = /^(?:slow|hanging)_([a-z]+)$/.exec(what)?.[1];
  return CONNECTING_PHASES.find((one) => one === phase);
}

/** The duration of each phase. The sum is `totalMs`, unless a fault extends one. On loopback, only TCP takes time. */
export function connectingOf(
  fault: { readonly what: FaultName; readonly ms: number } | undefined,
  totalMs: number,
  local: boolean,
): Connecting {
  const part = local ? 0 : Math.floor(totalMs / 3);
  const usual = { lookup: part, tcp: totalMs - 2 * part, proxy: 0, tls: part };
  const phase = fault && phaseOfFault(fault.what);
  if (fault === undefined || phase === undefined) return usual;
  const isSlow = fault.what.startsWith('slow');
  const ms = Math.max(fault.ms, isSlow ? SLOW_MS : SHORTEST_HANG_MS);
  // A hanging lookup eventually fails, because the resolver gives up.
  if (phase === 'lookup') return { ...usual, lookup: Math.min(ms, LONGEST_LOOKUP_MS) };
  return { ...usual, [phase]: isSlow ? ms : Infinity };
}

/** Milliseconds from the start to the end of one phase or of all of them. */
export function connectingMs(connecting: Connecting, upTo: ConnectingPhase = 'tls'): number {
  const last = CONNECTING_PHASES.indexOf(upTo);
  return CONNECTING_PHASES.slice(0, last + 1).reduce((sum, phase) => sum + connecting[phase], 0);
}

/** The phase of connecting this many milliseconds after the start; undefined once all phases are over. */
export function phaseAfter(connecting: Connecting, ms: number): ConnectingPhase | undefined {
  return CONNECTING_PHASES.find((phase) => ms < connectingMs(connecting, phase));
}
