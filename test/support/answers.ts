// Responses that replace the service's own.
import type { Fate, SentRequest } from './network.ts';

export type Network = (request: SentRequest) => Fate;

/** Requests of one kind have these fates one after the other, and `then` from there on. */
export function fatesOf(kind: SentRequest['call'], fates: readonly Fate[], then: Fate = 'service'): Network {
  return ({ call, nth }) => (call === kind ? (fates[nth - 1] ?? then) : 'service');
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Responds with the row of the requested run. */
export function row({ url }: Pick<SentRequest, 'url'>, status: string, message: string | null = null): Fate {
  const id = url.searchParams.get('id')?.replace('eq.', '');
  return json([{ id, job_status: status, status_message: message }]);
}

export function json(value: unknown, status = 200): Fate {
  return { status, headers: JSON_TYPE, text: JSON.stringify(value) };
}

export const NO_ROWS = json([]);
export const UNAVAILABLE = json({ message: 'try again later' }, 503);
export const TOO_MANY = json({ message: 'slow down' }, 429);
export const UNAUTHORIZED = json({ message: 'JWT expired' }, 401);
export const FORBIDDEN = json({ message: 'not yours', code: '42501' }, 403);
export const PAGE: Fate = { status: 403, headers: { 'content-type': 'text/html' }, text: '<html>Blocked</html>' };
export const NOT_JSON: Fate = { status: 200, text: 'OK' };
