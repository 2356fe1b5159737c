/** How long each phase of connecting takes. */
import type { Fault } from '../spec.ts';

/** The phases before a connection is established, in their order. Without a proxy, that phase takes no time. */
export const CONNECTING_PHASES = ['lookup', 'tcp', 'proxy', 'tls'] as const;

export type ConnectingPhase = (typeof CONNECTING_PHASES)[number];

/** How long each phase takes, in milliseconds; Infinity for one that never ends. */
export type Connecting = Readonly<Record<ConnectingPhase, number>>;

/** A resolver gives up after this time: 5 s for each attempt, and two attempts for each of two name servers. */
const LONGEST_LOOKUP_MS = 20_000;
const SHORTEST_HANG_MS = 5_000;
/** Longer than all other phases together take in any scenario with a crash in a slow one. */
const SLOW_MS = 1_000;

/** The phase that a fault makes slow or never end; undefined for every other fault. */
export function phaseOfFault(what: string): ConnectingPhase | undefined {
  const phase = /^(?:slow|hanging)_([a-z]+)$/.exec(what)?.[1];
  return CONNECTING_PHASES.find((one) => one === phase);
}

/** How long each phase takes if no fault makes one longer than `totalMs` for all. On loopback only TCP takes time. */
export function connectingOf(fault: Fault | undefined, totalMs: number, local: boolean): Connecting {
  const part = local ? 0 : Math.floor(totalMs / 3);
  const usual = { lookup: part, tcp: totalMs - 2 * part, proxy: 0, tls: part };
  const phase = fault && phaseOfFault(fault.what);
  if (fault === undefined || phase === undefined) return usual;
  const isSlow = fault.what.startsWith('slow');
  const ms = Math.max(fault.ms, isSlow ? SLOW_MS : SHORTEST_HANG_MS);
  // A lookup that hangs fails in the end, because the resolver gives up.
  if (phase === 'lookup') return { ...usual, lookup: Math.min(ms, LONGEST_LOOKUP_MS) };
  return { ...usual, [phase]: isSlow ? ms : Infinity };
}

/** Milliseconds from the beginning to the end of a phase, or of all of them. */
export function connectingMs(connecting: Connecting, upTo: ConnectingPhase = 'tls'): number {
  const last = CONNECTING_PHASES.indexOf(upTo);
  return CONNECTING_PHASES.slice(0, last + 1).reduce((sum, phase) => sum + connecting[phase], 0);
}

/** The phase of connecting so many milliseconds after its beginning; undefined when all are over. */
export function phaseAfter(connecting: Connecting, ms: number): ConnectingPhase | undefined {
  return CONNECTING_PHASES.find((phase) => ms < connectingMs(connecting, phase));
}
