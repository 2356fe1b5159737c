import type { CallKind, World, WorldOptions } from '../model/index.ts';
import type { Rule } from './rules.ts';

/** The server's record of a request, which it completes step by step. Times are in ms of the sandbox's clock. */
export interface RequestRecord {
  readonly at: number;
  readonly kind: CallKind;
  /** Its number among the requests of its kind, counted from 1. */
  readonly nth: number;
  readonly method: string;
  /** The path with its query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of its TCP connection, counted from 1. */
  readonly connection: number;
  /** Whether the connection had carried an earlier request. */
  readonly reused: boolean;
  committedAt: number | null;
  /** The status of the response, or null if no status line was sent. */
  answeredStatus: number | null;
  /** Whether the client disconnected before the response was complete. */
  aborted: boolean;
  endedAt: number | null;
}

export interface SandboxOptions {
  /** The port. The default 0 selects any free port. */
  readonly port?: number;
  /** The path before the token exchange, such as '/eu'. */
  readonly prefix?: string;
  /** Whether to listen on ::1 too, on the same port. */
  readonly ipv6?: boolean;
  /** A private key and a certificate as PEM. With them, the sandbox uses HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** A monotonic clock in ms. The default counts from the start of the sandbox. */
  readonly now?: () => number;
  /** The time in ms for which an idle connection stays open, by default 5 s. */
  readonly keepAliveMs?: number;
  /** Whether another process can control the sandbox under /_sandbox/ (state, rules, revoke, expire, release). */
  readonly admin?: boolean;
  /** The options of the sandbox's world. */
  readonly model?: WorldOptions;
  /** An existing world, which another sandbox may share. The sandbox does not change its `backendUrl`. */
  readonly world?: World;
  readonly rules?: readonly Rule[];
  /** Called with each request when the request ends. */
  readonly onEnd?: (record: RequestRecord) => void;
}

export interface Sandbox {
  /** The base URL with the prefix, but without a slash at the end. */
  readonly url: string;
  /** The base URL on ::1, or null without the option `ipv6`. */
  readonly url6: string | null;
  /** A valid API key. */
  readonly key: string;
  readonly world: World;
  readonly requests: readonly RequestRecord[];
  /** The number of TCP connections accepted so far. */
  readonly connections: () => number;
  readonly now: () => number;
  /** Resolves with the nth request of a kind, by default the first, once all of it has arrived. */
  readonly arrival: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Resolves with such a request once it has taken effect, before any byte of the response is sent. */
  readonly commit: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Resolves with such a request once it has ended with a response, a reset, or an abort by the client. */
  readonly end: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Adds a rule and returns a function that removes it. */
  readonly misbehave: (rule: Rule) => () => void;
  /** Releases the nth request, even before it is held. Without a number, releases all held requests of the kind. */
  readonly release: (kind: CallKind, nth?: number) => void;
  /** Drops every connection and refuses new ones (ECONNREFUSED) until `back`. */
  readonly away: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly close: () => Promise<void>;
}
