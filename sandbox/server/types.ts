import type { CallKind, World, WorldOptions } from '../model/index.ts';
import type { Rule } from './rules.ts';

/** A request as the server saw it, completed while it proceeds. Instants are ms of the sandbox's clock. */
export interface RequestRecord {
  readonly at: number;
  readonly kind: CallKind;
  /** Its number among the requests of its kind, from 1. */
  readonly nth: number;
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of its TCP connection, from 1. */
  readonly connection: number;
  /** Whether the connection had carried an earlier request. */
  readonly reused: boolean;
  committedAt: number | null;
  /** Null if no status line was sent. */
  answeredStatus: number | null;
  /** The client disconnected before the answer was complete. */
  aborted: boolean;
  endedAt: number | null;
}

export interface SandboxOptions {
  /** Default 0: any free one. */
  readonly port?: number;
  /** Path in front of the token exchange, such as '/eu'. */
  readonly prefix?: string;
  /** Listen on ::1 too, on the same port. */
  readonly ipv6?: boolean;
  /** A key and a certificate as PEM; with them, the sandbox serves https. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** A monotonic clock in ms. Default: ms since the start. */
  readonly now?: () => number;
  /** How long an idle connection is kept open, ms. Default 5 s. */
  readonly keepAliveMs?: number;
  /** Answer below /_sandbox/ (state, rules, revoke, expire, release), so that another process can steer it. */
  readonly admin?: boolean;
  /** The options of its world. */
  readonly model?: WorldOptions;
  /** An existing world, which may be shared with another sandbox. Its `backendUrl` is not changed. */
  readonly world?: World;
  readonly rules?: readonly Rule[];
  /** Called with each request when it has ended. */
  readonly onEnd?: (record: RequestRecord) => void;
}

export interface Sandbox {
  /** The base URL, with the prefix, without a slash at the end. */
  readonly url: string;
  /** The same on ::1, with the option `ipv6`. */
  readonly url6: string | null;
  /** An API key that works. */
  readonly key: string;
  readonly world: World;
  readonly requests: readonly RequestRecord[];
  /** How many TCP connections have been accepted. */
  readonly connections: () => number;
  readonly now: () => number;
  /** The nth request of a kind (default: the first) once it has arrived whole; it may have already. */
  readonly arrival: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** The same once it has taken effect, before anything of the answer is sent. */
  readonly commit: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** The same once it has ended: answered, reset or aborted by the client. */
  readonly end: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Adds a rule and returns a function that removes it. */
  readonly misbehave: (rule: Rule) => () => void;
  /** Releases a held request, or one that will be held; without a number, all held requests of the kind. */
  readonly release: (kind: CallKind, nth?: number) => void;
  /** Drops every connection and refuses new ones (ECONNREFUSED) until `back`. */
  readonly away: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly close: () => Promise<void>;
}
