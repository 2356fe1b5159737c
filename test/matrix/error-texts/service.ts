import { answers } from '../../support/scripted-wire.ts';
import { API_KEY, bootstrap } from '../../support/service.ts';
import type { StepOptions } from '../../support/step.ts';
import type { CallName } from '../fault.ts';
import { FAULTS, type FaultName } from '../faults.ts';
import { type Scene, step } from './scene.ts';

const LONG = 'x'.repeat(300_000);

const SETTINGS: Partial<Record<CallName, StepOptions>> = {
  read: { statuses: ['running'] },
  cancel: { inputs: { timeout: '5m' }, statuses: ['running'] },
};

function meeting(call: CallName, ...faults: readonly FaultName[]): Scene[] {
  return faults.map((fault) =>
    step(`${call}: ${fault}`, {
      ...(SETTINGS[call] ?? {}),
      scripts: { [call]: (_nth: number, good: string) => FAULTS[fault](good) },
    }),
  );
}

function exchanging(when: string, fields: Readonly<Record<string, unknown>>): Scene {
  return step(`exchange: ${when}`, { scripts: { exchange: () => answers(200, bootstrap(fields)) } });
}

/** What the network or the service did; the table of faults has every other cell. */
export const SERVICE_SCENES: readonly Scene[] = [
  ...meeting(
    'exchange',
    'DNS: no such host',
    'connection refused',
    'host unreachable',
    'connect never answers',
    'reset before the connection stands',
    'TLS: handshake fails',
    'TLS: certificate unknown',
    'TLS: certificate expired',
    'TLS: certificate of another host',
    'proxy unreachable',
    'proxy refuses (403)',
    'proxy wants credentials (407)',
    'headers never come',
    'body far too large',
    'not JSON',
    'JSON object of another shape',
    'web page with 200',
    'HTTP 302 to another host',
    'HTTP 401',
    'HTTP 403',
    'HTTP 403 as a web page',
    'HTTP 404',
    'HTTP 407',
    'HTTP 429, Retry-After missing',
    'HTTP 503',
  ),
  step('exchange: response headers are too large', {
    scripts: { exchange: () => [{ connected: true }, { failed: { code: 'HPE_HEADER_OVERFLOW', message: '' } }] },
  }),
  exchanging('no backend_anon_key', { backend_anon_key: null }),
  exchanging('backend_url is none', { backend_url: 'api' }),
  exchanging('backend_url is not https', { backend_url: 'http://api.example.test' }),
  exchanging('backend_url has credentials', { backend_url: 'https://a:b@api.example.test' }),
  exchanging('backend_url has the API key', { backend_url: `https://api.example.test/${API_KEY}` }),
  exchanging('backend_url is too long', { backend_url: `https://api.example.test/${'a'.repeat(2_000)}` }),
  ...meeting(
    'list',
    'connection refused',
    'JSON error in a 200',
    "another run's row",
    'HTTP 302 to another host',
    'HTTP 400',
    'HTTP 401',
  ),
  ...meeting(
    'trigger',
    'connect never answers',
    'TLS: certificate unknown',
    'reset after the request body',
    'ETIMEDOUT after the request body',
    'answer is not HTTP',
    'headers never come',
    'body stalls halfway',
    'body cut off halfway',
    'not JSON',
    'web page with 200',
    'JSON null',
    'HTTP 400',
    'HTTP 401',
    'HTTP 429, Retry-After missing',
    'HTTP 502',
  ),
  ...meeting(
    'read',
    'DNS: no such host',
    'no body',
    'JSON array of numbers',
    'row without a status',
    'two rows',
    "another run's row",
    'empty array',
    'HTTP 401',
    'HTTP 403',
    'HTTP 504',
  ),
  step('read: the status message is too long', {
    statuses: ['failed'],
    scripts: { read: (nth, good) => (nth === 1 ? answers(200, good.replace('null', `"${LONG}"`)) : undefined) },
  }),
  ...meeting('cancel', 'connection refused', 'empty array', 'not JSON', 'HTTP 403', 'HTTP 503'),
];
