/** Misbehaviour as data: when (an occasion) and what (an effect). */
import type { CallKind } from './types.ts';

/** The requests a rule is about. Without a number it is all of that kind. */
export interface Occasion<Kind extends string = CallKind> {
  readonly kind: Kind | 'any';
  /** Only what concerns this pipeline (UUID or API name) or this job (UUID); numbers then count only those. */
  readonly of?: string;
  /** Exactly the nth, counted from 1. */
  readonly nth?: number;
  /** Each nth, 2nd nth, ... */
  readonly every?: number;
  /** From this one on. */
  readonly from?: number;
  /** Up to and including this one. */
  readonly to?: number;
}

/** What the model itself may do wrong. */
export type ModelEffect =
  /** A read that answers from a replica which is this far behind. */
  | { readonly do: 'lag'; readonly byMs: number }
  /** Rows say this status instead of the true one. */
  | { readonly do: 'status'; readonly status: string; readonly message?: string | null }
  /** Somebody else's row is answered: beside the right one, or instead of it. */
  | { readonly do: 'foreign-row'; readonly instead?: boolean }
  /** The trigger answers `null`, and no run is queued. */
  | { readonly do: 'null' }
  /** An empty array, and nothing changes. */
  | { readonly do: 'empty' }
  /** 401 as for an expired token, however fresh it is. */
  | { readonly do: 'refuse-token' }
  /** Another answer. With `commit` the request takes effect all the same. */
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

/** A request, counted: the how-manieth of its kind, and of each subject (pipeline or job) it concerns. */
export interface Arrival {
  readonly kind: CallKind;
  readonly nth: number;
  readonly subjects: Readonly<Record<string, number>>;
}

/** Whether a rule's occasion is this request. */
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
