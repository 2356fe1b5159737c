/** Misbehavior of the service as data. A rule consists of the requests it applies to (an occasion) and its effect. */

/** The calls of the service. `other` stands for any other request. */
export type CallKind = 'exchange' | 'list' | 'trigger' | 'read' | 'cancel' | 'other';

/** A request's call, and its number among the requests with this call, counted from 1. */
export interface Arrival {
  readonly kind: CallKind;
  readonly nth: number;
}

/** The requests that a rule applies to: all of a kind, unless another field restricts them. */
export interface Occasion {
  readonly kind: CallKind | 'any';
  /** Only the nth request. */
  readonly nth?: number;
  /** Only requests whose numbers are multiples of this number. */
  readonly every?: number;
}

/** The ways in which the model can misbehave. */
export type ModelEffect =
  /** Returns a stale read from a replica that lags by this time. */
  | { readonly do: 'lag'; readonly byMs: number }
  /** Replaces the status in the rows. */
  | { readonly do: 'status'; readonly status: string; readonly message?: string | null }
  /** Returns a row of another run instead of the right one. */
  | { readonly do: 'foreign-row' }
  /** Responds to the trigger with `null` and queues no run. */
  | { readonly do: 'null' }
  /** Returns an empty array and changes nothing. */
  | { readonly do: 'empty' };

export interface ModelRule extends Occasion {
  readonly how: ModelEffect;
}

/** Returns the effects of the rules that apply to a request. */
export function effectsOn<Effect>(
  arrival: Arrival,
  rules: readonly (Occasion & { readonly how: Effect })[],
): readonly Effect[] {
  const applies = ({ kind, nth, every }: Occasion): boolean =>
    (kind === 'any' || kind === arrival.kind) &&
    (nth === undefined || nth === arrival.nth) &&
    (every === undefined || arrival.nth % every === 0);
  return rules.filter(applies).map(({ how }) => how);
}
