// Scenes in which a call fails. fault-texts.txt shows the cause and the remedy for every fault.
import { answers } from '../../support/scripted-wire.ts';
import { API_KEY, bootstrap } from '../../support/service.ts';
import type { StepOptions } from '../../support/step.ts';
import type { CallName } from '../call.ts';
import { FAULTS, type FaultName } from '../faults.ts';
import { type Scene, steps } from './scene.ts';

/** Shows steps in which this call always meets the fault. */
function failing(call: CallName, faults: readonly FaultName[], options: StepOptions = {}): Scene {
  const variants = faults.map((fault): StepOptions => {
    return { ...options, scripts: { [call]: (_nth: number, good: string) => FAULTS[fault](good) } };
  });
  return steps(`the ${call} call fails`, ...variants);
}

const RUNNING = { statuses: ['running'] };

export const SERVICE_SCENES: readonly Scene[] = [
  failing('exchange', ['connection refused', 'HTTP 401', 'HTTP 503', 'response headers too large']),
  steps(
    'the exchange returns an unusable response',
    ...[
      { token: `x${API_KEY}` },
      { backend_anon_key: null },
      { backend_anon_key: API_KEY },
      { backend_url: 'api' },
      { backend_url: 'http://api.example.test' },
      { backend_url: 'https://a:b@api.example.test' },
      { backend_url: `https://api.example.test/${API_KEY}` },
      { backend_url: `https://api.example.test/${'a'.repeat(2_000)}` },
    ].map((fields) => ({ scripts: { exchange: () => answers(200, bootstrap(fields)) } })),
  ),
  failing('list', ['HTTP 400', 'HTTP 503']),
  failing('trigger', ['connection refused', 'HTTP 400', 'HTTP 429, Retry-After missing', 'JSON null', 'HTTP 502']),
  failing('read', ['connection refused', 'HTTP 403', 'empty array', 'HTTP 504'], RUNNING),
  steps('the status message is too long', {
    statuses: ['failed'],
    scripts: {
      read: (nth, good) => (nth === 1 ? answers(200, good.replace('null', `"${'x'.repeat(300_000)}"`)) : undefined),
    },
  }),
  failing('cancel', ['HTTP 403', 'HTTP 503', 'empty array'], { ...RUNNING, inputs: { timeout: '5m' } }),
];
