/** Misbehaviour of the connection, as data. That of the service itself is in the model's rules. */
import type { ModelRule, Occasion } from '../model/index.ts';

/** Before the request has taken effect, or after that and before the answer. */
export type Point = 'before-commit' | 'after-commit';

export type WireEffect =
  | { readonly do: 'delay'; readonly ms: number; readonly point?: Point }
  /** Waits for `release`. */
  | { readonly do: 'hold'; readonly point: Point }
  /** No answer; the connection stays open. */
  | { readonly do: 'silence'; readonly point: Point }
  /** A TCP reset. */
  | { readonly do: 'reset'; readonly point: Point | 'after-headers' | 'mid-body' }
  /** Headers and so many bytes of the body, then nothing more. */
  | { readonly do: 'stall'; readonly afterBytes: number }
  /** Headers and so many bytes of the body, then an orderly end of the connection. */
  | { readonly do: 'cut'; readonly afterBytes: number; readonly framing: Framing }
  /** Something that is not HTTP. */
  | { readonly do: 'garbage'; readonly text?: string }
  /** The body, and then white space without end. */
  | { readonly do: 'endless' };

/** How the client can tell where the body ends. With `close` it cannot tell that it was cut. */
export type Framing = 'length' | 'chunked' | 'close';

export interface WireRule extends Occasion {
  readonly how: WireEffect;
}

/** What becomes of a connection before anything was said on it (with TLS: before the handshake). */
export type ConnectionEffect =
  /** Accepted, and never a byte. */
  { readonly do: 'mute' } | { readonly do: 'reset' } | { readonly do: 'delay'; readonly ms: number };

export interface ConnectionRule extends Omit<Occasion<'connection'>, 'kind' | 'of'> {
  readonly kind: 'connection';
  readonly how: ConnectionEffect;
}

export type Rule = ModelRule | WireRule | ConnectionRule;

/** The rules that are in force, each where it is consulted. */
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

/** Adds a rule; the function returned takes it back. */
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
