import type { Fault } from '../spec.ts';
import { failing, type Legs, type Step } from './script.ts';

/** Faults of a connection that stands, before a head comes. */
export function unanswered({ what, ms }: Fault, legs: Legs): Step[] | undefined {
  const at = legs.send + legs.back;
  switch (what) {
    case 'reset':
      return [failing(at, 'ECONNRESET', 'read ECONNRESET')];
    case 'tls_late':
      return [failing(at, 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'decryption failed or bad record mac')];
    case 'timed_out_late':
      return [failing(ms, 'ETIMEDOUT', 'read ETIMEDOUT')];
    case 'mute':
      return [];
    case 'huge_headers':
      return [failing(at, 'HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow')];
    case 'not_http':
      return [failing(at, 'HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/')];
    default:
      return undefined;
  }
}
