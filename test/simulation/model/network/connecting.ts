/** How long each phase of connecting takes with a fault. */
import {
  CONNECTING_PHASES,
  type Connecting,
  type ConnectingPhase,
  connectingMs,
} from '../../../support/fault-scripts.ts';
import type { SimulatedFault } from '../../../support/faults.ts';

/** A resolver gives up after this time: 5 s per attempt, with two attempts for each of two name servers. */
const LONGEST_LOOKUP_MS = 20_000;
const SHORTEST_HANG_MS = 5_000;
/** Longer than the total of all other phases in any scenario with a crash in a slow phase. */
const SLOW_MS = 1_000;

/** The phase that a fault slows down or keeps from ending; undefined for every other fault. */
export function phaseOfFault(what: string): ConnectingPhase | undefined {
  const phase = /^(?:slow|hanging)_([a-z]+)$/.exec(what)?.[1];
  return CONNECTING_PHASES.find((one) => one === phase);
}

/** The duration of each phase. The sum is `totalMs`, unless a fault extends one. On loopback, only TCP takes time. */
export function connectingOf(
  fault: { readonly what: SimulatedFault; readonly ms: number } | undefined,
  totalMs: number,
  local: boolean,
): Connecting {
  const part = local ? 0 : Math.floor(totalMs / 3);
  const usual = { lookup: part, tcp: totalMs - 2 * part, proxy: 0, tls: part };
  const phase = fault && phaseOfFault(fault.what);
  if (fault === undefined || phase === undefined) return usual;
  const isSlow = fault.what.startsWith('slow');
  const ms = Math.max(fault.ms, isSlow ? SLOW_MS : SHORTEST_HANG_MS);
  // A hanging lookup eventually fails, because the resolver gives up.
  if (phase === 'lookup') return { ...usual, lookup: Math.min(ms, LONGEST_LOOKUP_MS) };
  return { ...usual, [phase]: isSlow ? ms : Infinity };
}

/** The phase of connecting this many milliseconds after the start; undefined once all phases are over. */
export function phaseAfter(connecting: Connecting, ms: number): ConnectingPhase | undefined {
  return CONNECTING_PHASES.find((phase) => ms < connectingMs(connecting, phase));
}
