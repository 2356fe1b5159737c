// The vocabulary of faults: the events of a connection, and the scripts that most faults share.
import type { ModelEffect } from '../../sandbox/model/index.ts';
import type { Step } from './scripted-wire.ts';

export const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;
export type Call = (typeof CALLS)[number];

/** The phases of connecting, in order. Without a proxy, the proxy phase takes no time. */
export const CONNECTING_PHASES = ['lookup', 'tcp', 'proxy', 'tls'] as const;

export type ConnectingPhase = (typeof CONNECTING_PHASES)[number];

/** How long each phase takes, in milliseconds; Infinity for one that never ends. */
export type Connecting = Readonly<Record<ConnectingPhase, number>>;

/** An event of a connection whose response depends on the service. */
export type FaultStep =
  | Step
  /** The service processes the request, whether or not the client finds out. */
  | { readonly ms: number; readonly commit: Change }
  | { readonly ms: number; readonly head: Head }
  /** Sends the body from the end of the previous part up to this share. */
  | { readonly ms: number; readonly upTo: number };

/** The effect of a request on the service, and the fault's changes to the response. */
export interface Change {
  readonly how?: ModelEffect;
  readonly edit?: (body: string) => string;
}

/** Replaces the service's response. */
export interface Head {
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
export interface Hit {
  readonly call: Call;
  readonly commit: 'never' | 'at_once' | 'late';
  readonly ms: number;
  readonly retryAfter: string | null;
  readonly legs: Legs;
  readonly split: number;
  readonly sent: string;
}

export interface FaultKind {
  readonly calls: readonly Call[];
  /** Whether the service may have processed the request, or must have. */
  readonly commits: 'no' | 'maybe' | 'yes';
  readonly script: (hit: Hit) => readonly FaultStep[];
}

export const END: Step = { end: 'complete' };
export const CUT: Step = { ms: 1, end: 'cut_off' };
export const HTML = { 'content-type': 'text/html; charset=utf-8' };
export const JSON_TYPE = { 'content-type': 'application/json' };

export function failing(ms: number, code: string, message: string): FaultStep {
  return { ms, failed: { code, message } };
}

/** The start of every request that gets a connection, which is established once all phases are over. */
export function opened({ connecting }: Legs): FaultStep {
  return { ms: connectingMs(connecting), connected: true };
}

export function head({ send, back }: Legs, given: Head = {}): FaultStep {
  return { ms: send + back, head: given };
}

export function upTo(share: number): FaultStep {
  return { ms: 0, upTo: share };
}

/** The service's complete response. The body arrives in two parts, split after this share. */
export function answered(legs: Legs, split: number): FaultStep[] {
  return [head(legs), upTo(split), { ...upTo(1), ms: split < 1 ? 1 : 0 }, END];
}

export function plainScript(legs: Legs, split: number): readonly FaultStep[] {
  return [opened(legs), { ms: legs.work, commit: {} }, ...answered(legs, split)];
}

export const plain: FaultKind = { calls: CALLS, commits: 'no', script: ({ legs, split }) => plainScript(legs, split) };

/** The connection fails at the end of a phase, before it is established. */
export function unconnected(phase: ConnectingPhase, code: string, message: string): FaultKind {
  return { ...plain, script: ({ legs }) => [failing(connectingMs(legs.connecting, phase), code, message)] };
}

export const hanging: FaultKind = { ...plain, script: () => [] };

/** Once connected, these steps replace the response. The service may process the request before or after them. */
export function instead(steps: (hit: Hit) => readonly FaultStep[], commits: FaultKind['commits'] = 'maybe'): FaultKind {
  const script = (hit: Hit): readonly FaultStep[] => {
    const { commit, legs, ms } = hit;
    const first: FaultStep[] = commit === 'at_once' ? [{ ms: legs.send + legs.work, commit: {} }] : [];
    const last: FaultStep[] = commit === 'late' ? [{ ms, commit: {} }] : [];
    return [opened(legs), ...first, ...steps(hit), ...last];
  };
  return { calls: CALLS, commits, script };
}

/** The connection fails while the client waits for the response headers. */
export function lost(code: string, message: string): FaultKind {
  return instead(({ legs }) => [failing(legs.send + legs.back, code, message)]);
}

/** The correct response headers, followed by these steps. */
export function broken(...steps: readonly FaultStep[]): FaultKind {
  return instead(({ legs }) => [head(legs), ...steps], 'yes');
}

/** A complete response that does not come from the service. */
export function other(body: string, headers = JSON_TYPE): FaultKind {
  return instead(({ legs }) => [head(legs, { status: 200, headers, body }), upTo(1), END]);
}

/** Other statuses. Some services echo the request, including its secrets. */
export function statuses<Code extends number>(
  commits: FaultKind['commits'],
  ...codes: Code[]
): Record<`http_${Code}`, FaultKind> {
  return Object.fromEntries(codes.map((code) => [`http_${code}`, status(code, commits)])) as Record<
    `http_${Code}`,
    FaultKind
  >;
}

/** A complete response with another status. A 502 or a 504 is a web page. */
export function status(code: number, commits: FaultKind['commits'], more: Head['headers'] = {}): FaultKind {
  const isPage = code === 502 || code === 504 || 'content-type' in more;
  return instead(({ legs, retryAfter, sent }) => {
    const headers: Record<string, string> = {
      'content-type': isPage ? 'text/html' : 'application/json',
      ...(retryAfter !== null && { 'retry-after': retryAfter }),
      ...(code < 400 && { location: 'https://elsewhere.example.test/login' }),
      ...more,
    };
    const json = JSON.stringify({ message: `wrong (sent: ${sent})` });
    const body = isPage ? `<html><head><title>${code} from a proxy</title>` : json;
    return [head(legs, { status: code, headers, body }), upTo(1), END];
  }, commits);
}

/** The service processes the request differently, or something alters its response in transit. */
export function changed(
  calls: readonly Call[],
  change: Change | ((hit: Hit) => Change),
  commits: FaultKind['commits'] = 'no',
): FaultKind {
  const script = (hit: Hit): readonly FaultStep[] => {
    const { legs, split } = hit;
    const commit = typeof change === 'function' ? change(hit) : change;
    return [opened(legs), { ms: legs.send + legs.work, commit }, ...answered(legs, split)];
  };
  return { calls, commits, script };
}

/** The response to an exchange, with different members. */
export function grant(members: Readonly<Record<string, unknown>>): FaultKind {
  return changed(['exchange'], { edit: (body) => JSON.stringify({ ...(JSON.parse(body) as object), ...members }) });
}

/** Milliseconds from the start to the end of one phase or of all of them. */
export function connectingMs(connecting: Connecting, upTo: ConnectingPhase = 'tls'): number {
  const last = CONNECTING_PHASES.indexOf(upTo);
  return CONNECTING_PHASES.slice(0, last + 1).reduce((sum, phase) => sum + connecting[phase], 0);
}
