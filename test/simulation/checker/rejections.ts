import type { ObservedRequest } from './history.ts';
import { TOLERANCE_MS } from './tolerance.ts';

const KEY_REJECTIONS = 3;
const KEY_REJECTED_FOR_MS = 60_000;
/** Runs that wait without a token share a rejection for so long, in milliseconds. */
const SHARED_FOR_MS = 2_000;
/** The lifetime of a token whose grant names none that can be believed, in seconds. */
const DOCUMENTED_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;

/** Counts how often a key was rejected while there was no valid token, since a run was last read. */
export class Rejections {
  readonly #mains: readonly ObservedRequest[];
  #count = 0;
  #firstAtMs = Infinity;

  /** @param mains all requests of main */
  constructor(mains: readonly ObservedRequest[]) {
    this.#mains = mains;
  }

  /** The run was read. */
  reset(): void {
    this.#count = 0;
    this.#firstAtMs = Infinity;
  }

  /** Adds a rejected exchange; whether a run in progress may now be given up. */
  add(rejected: ObservedRequest): boolean {
    if (hasToken(this.#mains, rejected)) return false;
    this.#count += 1;
    this.#firstAtMs = Math.min(this.#firstAtMs, rejected.atMs);
    const leastMs = KEY_REJECTED_FOR_MS - SHARED_FOR_MS - TOLERANCE_MS;
    return this.#count >= KEY_REJECTIONS && rejected.atMs - this.#firstAtMs >= leastMs;
  }
}

/** The last token that main was granted was valid when an exchange was rejected: neither expired nor refused. */
function hasToken(mains: readonly ObservedRequest[], { step, atMs }: ObservedRequest): boolean {
  const granted = mains.findLast((one) => one.observed.kind === 'token' && one.step < step);
  if (granted?.observed.kind !== 'token') return false;
  const { token } = granted.observed;
  const isDenied = mains.some(
    ({ request, observed, step: at }) =>
      observed.kind === 'denied' && at <= step && request.headers['authorization'] === `Bearer ${token}`,
  );
  return !isDenied && atMs < granted.request.atMs + ttlMs(granted.request.text) - TOLERANCE_MS;
}

function ttlMs(grant: string): number {
  const seconds = Number(/"ttl_seconds":([0-9.e+]+)/.exec(grant)?.[1] ?? 0);
  return (seconds > 0 && seconds <= LONGEST_TTL_S ? seconds : DOCUMENTED_TTL_S) * 1_000;
}
