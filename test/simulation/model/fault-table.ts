import type { Call, ProcessName } from './spec.ts';

const ALL: readonly Call[] = ['exchange', 'list', 'trigger', 'read', 'cancel'];
const JOBS: readonly Call[] = ['read', 'cancel'];

interface FaultKind {
  /** The calls that it can happen to. */
  readonly calls: readonly Call[];
  /** Whether the service may have done what it was asked. */
  readonly mayCommit: boolean;
}

const surely = (calls = ALL): FaultKind => ({ calls, mayCommit: false });
const perhaps = (calls = ALL): FaultKind => ({ calls, mayCommit: true });

/** Everything that can go wrong with one request, by what its connection does. */
export const FAULTS = {
  /** All goes well: for crashes that come while it does. */
  none: surely(),
  // The socket is never connected.
  refused: surely(),
  unresolved: surely(),
  unreachable: surely(),
  reset_connecting: surely(),
  handshake: surely(),
  certificate_authority: surely(),
  certificate_expired: surely(),
  certificate_host: surely(),
  proxy_refuses: surely(),
  proxy_gone: surely(),
  // A phase of connecting takes long, or never ends; a lookup that hangs fails in the end.
  slow_lookup: surely(),
  hanging_lookup: surely(),
  slow_tcp: surely(),
  hanging_tcp: surely(),
  slow_proxy: surely(),
  hanging_proxy: surely(),
  slow_tls: surely(),
  hanging_tls: surely(),
  // Connected, and no head comes.
  reset: perhaps(),
  tls_late: perhaps(),
  timed_out_late: perhaps(),
  mute: perhaps(),
  not_http: perhaps(),
  huge_headers: perhaps(),
  // A head, and something is wrong with the body.
  cut_at_once: perhaps(),
  cut_half: perhaps(),
  cut_whole: perhaps(),
  reset_half: perhaps(),
  reset_whole: perhaps(),
  stalled_at_once: perhaps(),
  stalled_half: perhaps(),
  stalled_whole: perhaps(),
  broken_chunks: perhaps(),
  huge: perhaps(),
  not_utf8: perhaps(),
  not_json: perhaps(),
  wrong_shape: perhaps(),
  html_ok: perhaps(),
  slow: perhaps(),
  // The service answers something else.
  s301: surely(),
  s302: surely(),
  s307: surely(),
  s308: surely(),
  s400: surely(),
  s403: surely(),
  s404: surely(),
  s409: surely(),
  s413: surely(),
  s429: surely(),
  s408: perhaps(),
  s500: perhaps(),
  s502: perhaps(),
  s503: perhaps(),
  s504: perhaps(),
  denied: surely(),
  // Rows.
  empty: surely(JOBS),
  foreign_row: perhaps(JOBS),
  two_rows: perhaps(JOBS),
  lag: surely(['read']),
  odd_status: surely(['read']),
  /** As if it were not over yet. */
  still_running: surely(['read']),
  no_credits: surely(['trigger']),
  // What an exchange can get wrong.
  ttl_zero: surely(['exchange']),
  ttl_absurd: surely(['exchange']),
  ttl_missing: surely(['exchange']),
  no_token: surely(['exchange']),
  null_token: surely(['exchange']),
  other_scheme: surely(['exchange']),
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** Where in a scenario a request is made: cells are counted by it. */
export interface Phase {
  readonly on: ProcessName;
  readonly call: Call;
}

export const PHASES: readonly Phase[] = [
  ...ALL.map((call) => ({ on: 'main', call }) as const),
  ...(['exchange', 'cancel', 'read'] as const).map((call) => ({ on: 'post', call }) as const),
];

/** Whether a fault can happen to a call. */
export function canHappen(what: FaultName, call: Call): boolean {
  const kind: FaultKind = FAULTS[what];
  return kind.calls.includes(call);
}

export function mayCommit(what: FaultName): boolean {
  return FAULTS[what].mayCommit;
}
