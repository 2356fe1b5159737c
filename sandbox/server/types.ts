import type { CallKind, World, WorldOptions } from '../model/index.ts';
import type { Rule } from './rules.ts';

/** A request as the server saw it; filled in while it goes on. Instants are ms of the sandbox's clock. */
export interface RequestRecord {
  readonly at: number;
  readonly kind: CallKind;
  /** The how-manieth of its kind, from 1. */
  readonly nth: number;
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Number of the TCP connection it came over, from 1. */
  readonly connection: number;
  /** Whether an earlier request had come over the same connection. */
  readonly reused: boolean;
  committedAt: number | null;
  /** Null if no status line was sent. */
  answeredStatus: number | null;
  /** The client went away before the answer was complete. */
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
  /** PEM texts: with them it speaks https. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Its clock, in ms, never going back. Default: ms since the start, by the monotonic clock. */
  readonly now?: () => number;
  /** How long an idle connection is kept open, ms. Default 5 s. */
  readonly keepAliveMs?: number;
  /** Answer below /_sandbox/ (state, rules, revoke, expire, release), so that another process can steer it. */
  readonly admin?: boolean;
  /** What its world is made of. */
  readonly model?: WorldOptions;
  /** A world that exists already, perhaps shared with another sandbox; its `backendUrl` is left alone. */
  readonly world?: World;
  readonly rules?: readonly Rule[];
  /** Called with each request when it is over. */
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
  /** The same once it is over: answered, broken off or given up by the client. */
  readonly end: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Adds a rule; what it returns takes it back. */
  readonly misbehave: (rule: Rule) => () => void;
  /** Lets go what a `hold` rule holds, or will hold; without a number all of the kind that are held now. */
  readonly release: (kind: CallKind, nth?: number) => void;
  /** Drops every connection and refuses new ones (ECONNREFUSED) until `back`. */
  readonly away: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly close: () => Promise<void>;
}
