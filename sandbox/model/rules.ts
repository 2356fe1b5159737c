/** Misbehaviour as data. A rule consists of the requests to which it applies (an occasion) and its effect. */
import type { CallKind } from './types.ts';

/** The requests that a rule applies to: all of a kind, unless another field restricts them. */
export interface Occasion<Kind extends string = CallKind> {
  readonly kind: Kind | 'any';
  /** Only requests for this pipeline (UUID or API name) or run (UUID). The numbers then count only these requests. */
  readonly of?: string;
  /** Only the nth request, counted from 1. */
  readonly nth?: number;
  /** Only requests whose numbers are multiples of this number. */
  readonly every?: number;
  /** Only from this request on. */
  readonly from?: number;
  /** Only up to and including this request. */
  readonly to?: number;
}

/** The ways in which the model can misbehave. */
export type ModelEffect =
  /** Returns a stale read from a replica that lags by this time. */
  | { readonly do: 'lag'; readonly byMs: number }
  /** Replaces the status in the rows. */
  | { readonly do: 'status'; readonly status: string; readonly message?: string | null }
  /** Returns a row of another run, in addition to the right row or instead of it. */
  | { readonly do: 'foreign-row'; readonly instead?: boolean }
  /** Responds to the trigger with `null` and queues no run. */
  | { readonly do: 'null' }
  /** Returns an empty array and changes nothing. */
  | { readonly do: 'empty' }
  /** Responds with 401 as for an expired token, even if the token is new. */
  | { readonly do: 'refuse-token' }
  /** Sends a different response. The request takes effect only if `commit` is true. */
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

/** The number of a request among all requests of its kind, and among those for the same pipeline or run. */
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
