import type { Fault } from '../spec.ts';
import type { Legs, Step } from './script.ts';

/** Another status. Some services echo what they were sent, secrets and all. */
export function otherStatus({ retryAfter }: Fault, status: number, legs: Legs, echo: string): Step[] {
  const isPage = status === 502 || status === 504;
  const headers: Record<string, string> = {
    'content-type': isPage ? 'text/html' : 'application/json',
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
    ...(status < 400 && { location: 'https://elsewhere.example.test/login' }),
  };
  const message = `Something is wrong (${echo})`;
  const body = isPage ? `<html><head><title>${status} Bad Gateway</title>` : JSON.stringify({ message });
  return [
    { ms: legs.send + legs.back, do: 'head', status, headers, body },
    { ms: 0, do: 'body', upTo: 1 },
    { ms: 0, do: 'end', complete: true },
  ];
}
