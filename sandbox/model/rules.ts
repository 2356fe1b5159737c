/** Misbehaviour as data: which requests it applies to (an occasion), and what it does (an effect). */
import type { CallKind } from './types.ts';

/** The requests that a rule applies to: all of a kind, unless a number restricts them. */
export interface Occasion<Kind extends string = CallKind> {
  readonly kind: Kind | 'any';
  /** Only requests for this pipeline (UUID or API name) or this run (UUID); the numbers count only those. */
  readonly of?: string;
  /** Exactly the nth, counted from 1. */
  readonly nth?: number;
  /** Every nth request: nth, 2 * nth, and so on. */
  readonly every?: number;
  /** Only from this request on. */
  readonly from?: number;
  /** Up to and including this request. */
  readonly to?: number;
}

/** What the model can do wrong. */
export type ModelEffect =
  /** A stale read, from a replica that lags by this time. */
  | { readonly do: 'lag'; readonly byMs: number }
  /** Rows contain this status instead of the actual one. */
  | { readonly do: 'status'; readonly status: string; readonly message?: string | null }
  /** The answer contains a row of another run, in addition to the right one or instead of it. */
  | { readonly do: 'foreign-row'; readonly instead?: boolean }
  /** The trigger answers `null`, and no run is queued. */
  | { readonly do: 'null' }
  /** Returns an empty array and changes nothing. */
  | { readonly do: 'empty' }
  /** Responds with 401 as for an expired token, even if the token is new. */
  | { readonly do: 'refuse-token' }
  /** Sends a different response. The request takes effect only with `commit`. */
  | {
      readonly do: 'answer';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly commit?: boolean;
    };

export interface ModelRule extends Occasion {
  readonly how: ModelEffect;
}

/** A counted request: its number among those of its kind, and among those for its pipeline and run. */
export interface Arrival {
  readonly kind: CallKind;
  readonly nth: number;
  readonly subjects: Readonly<Record<string, number>>;
}

/** Whether a rule applies to a request. */
export function occurs(
  when: Occasion<string>,
  arrival: { kind: string; nth: number; subjects: Arrival['subjects'] },
): boolean {
  if (when.kind !== 'any' && when.kind !== arrival.kind) return false;
  const nth = when.of === undefined ? arrival.nth : arrival.subjects[when.of.toLowerCase()];
  if (nth === undefined) return false;
  if (when.nth !== undefined && nth !== when.nth) return false;
  if (when.every !== undefined && nth % when.every !== 0) return false;
  if (when.from !== undefined && nth < when.from) return false;
  return when.to === undefined || nth <= when.to;
}
