import { answers } from '../support/scripted-wire.ts';
import type { Fault } from './fault.ts';

const redirect =
  (status: number, location: string): Fault =>
  () =>
    answers(status, '', { location });

const SAME = 'https://app.example.test/login';
const OTHER = 'https://elsewhere.example.test/';

export const REDIRECTS = {
  'HTTP 301 to the same host': redirect(301, SAME),
  'HTTP 301 to another host': redirect(301, OTHER),
  'HTTP 302 to the same host': redirect(302, SAME),
  'HTTP 302 to another host': redirect(302, OTHER),
  'HTTP 307 to the same host': redirect(307, SAME),
  'HTTP 307 to another host': redirect(307, OTHER),
  'HTTP 308 to the same host': redirect(308, SAME),
  'HTTP 308 to another host': redirect(308, OTHER),
} satisfies Record<string, Fault>;

const busy =
  (retryAfter?: string): Fault =>
  () =>
    answers(
      429,
      { message: 'slow down' },
      {
        // The service's own clock: a date in Retry-After is to be read against it, whatever the runner's says.
        date: 'Tue, 06 Jan 2026 08:00:00 GMT',
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      },
    );

const html =
  (status: number, title: string): Fault =>
  () =>
    answers(status, `<html><head><title>${title}</title></head><body></body></html>`, { 'content-type': 'text/html' });

export const STATUSES = {
  'HTTP 400': () => answers(400, { message: 'invalid request', code: '22P02' }),
  'HTTP 401': () => answers(401, { message: 'JWT expired', code: 'PGRST301' }),
  'HTTP 403': () => answers(403, { message: 'permission denied', code: '42501' }),
  'HTTP 403 as a web page': html(403, 'Blocked'),
  'HTTP 404': () => answers(404, ''),
  'HTTP 407': () => answers(407, ''),
  'HTTP 408': () => answers(408, ''),
  'HTTP 409': () => answers(409, { message: 'conflict' }),
  'HTTP 413': () => answers(413, ''),
  'HTTP 429, Retry-After in seconds': busy('20'),
  'HTTP 429, Retry-After as a date': busy('Tue, 06 Jan 2026 08:00:45 GMT'),
  'HTTP 429, Retry-After absurd': busy('99999999999999999999'),
  'HTTP 429, Retry-After nonsense': busy('-soon-'),
  'HTTP 429, Retry-After missing': busy(),
  'HTTP 500': () => answers(500, { message: 'boom' }),
  'HTTP 502': html(502, '502 Bad Gateway'),
  'HTTP 503': () => answers(503, 'no healthy upstream'),
  'HTTP 503, Retry-After in seconds': () => answers(503, 'restarting', { 'retry-after': '20' }),
  'HTTP 504': () => answers(504, ''),
  'HTTP 103 and no more': () => answers(103, ''),
} satisfies Record<string, Fault>;
