import type { Headers } from './transport.ts';

/** The longest time in milliseconds that a service may ask for: more would look like a hang. */
const LONGEST_MS = 60_000;

/**
 * Milliseconds that an answer's `Retry-After` asks for, at most a minute; undefined when there is none or it
 * makes no sense. A date is measured against the answer's own `Date`, because runner clocks are wrong at
 * times, and against `wallMs` only when there is none.
 */
export function retryAfterMs(headers: Headers, wallMs: number): number | undefined {
  const asked = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(asked)) return Math.min(Number(asked) * 1_000, LONGEST_MS);
  const until = httpDate(asked);
  if (until === undefined) return undefined;
  const from = httpDate(headers['date'] ?? '') ?? wallMs;
  return Math.min(Math.max(0, until - from), LONGEST_MS);
}

/** Milliseconds since 1970 of an HTTP date. `Date.parse` alone would take `-5` or `soon 1` for a date. */
function httpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
