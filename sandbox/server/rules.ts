/** Misbehaviour of connections as data. The model has its own rules for misbehaviour of the service. */
import type { ModelRule, Occasion } from '../model/index.ts';

/** The time before a request takes effect, or the time between its effect and its response. */
export type Point = 'before-commit' | 'after-commit';

export type WireEffect =
  | { readonly do: 'delay'; readonly ms: number; readonly point?: Point }
  /** Holds the request until `release` is called. */
  | { readonly do: 'hold'; readonly point: Point }
  /** Sends no response and leaves the connection open. */
  | { readonly do: 'silence'; readonly point: Point }
  /** Resets the TCP connection. */
  | { readonly do: 'reset'; readonly point: Point | 'after-headers' | 'mid-body' }
  /** Sends headers and this many bytes of the body, and then nothing more on an open connection. */
  | { readonly do: 'stall'; readonly afterBytes: number }
  /** Sends headers and this many bytes of the body, and then closes the connection properly. */
  | { readonly do: 'cut'; readonly afterBytes: number; readonly framing: Framing }
  /** Sends bytes that are not HTTP. */
  | { readonly do: 'garbage'; readonly text?: string }
  /** Sends the body, followed by endless white space. */
  | { readonly do: 'endless' };

/** How a response indicates the end of its body. With `close`, a client cannot detect that the body was cut off. */
export type Framing = 'length' | 'chunked' | 'close';

export interface WireRule extends Occasion {
  readonly how: WireEffect;
}

/** A fault of a connection before its first byte, or before the TLS handshake. */
export type ConnectionEffect =
  /** Accepts the connection but never responds. */
  { readonly do: 'mute' } | { readonly do: 'reset' } | { readonly do: 'delay'; readonly ms: number };

export interface ConnectionRule extends Omit<Occasion<'connection'>, 'kind' | 'of'> {
  readonly kind: 'connection';
  readonly how: ConnectionEffect;
}

export type Rule = ModelRule | WireRule | ConnectionRule;

/** The active rules, by the part of the sandbox that applies them. */
export interface RuleBook {
  readonly model: ModelRule[];
  readonly wire: WireRule[];
  readonly connection: ConnectionRule[];
}

const MODEL_EFFECTS = new Set(['lag', 'status', 'foreign-row', 'null', 'empty', 'refuse-token', 'answer']);

function isConnectionRule(rule: Rule): rule is ConnectionRule {
  return rule.kind === 'connection';
}

function isModelRule(rule: ModelRule | WireRule): rule is ModelRule {
  return MODEL_EFFECTS.has(rule.how.do);
}

/** Adds a rule and returns a function that removes it. */
export function addRule(book: RuleBook, rule: Rule): () => void {
  if (isConnectionRule(rule)) return push(book.connection, rule);
  return isModelRule(rule) ? push(book.model, rule) : push(book.wire, rule);
}

function push<T>(rules: T[], rule: T): () => void {
  rules.push(rule);
  return () => {
    const index = rules.indexOf(rule);
    if (index >= 0) rules.splice(index, 1);
  };
}
