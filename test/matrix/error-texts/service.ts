// Scenes in which a call fails. fault-texts.txt shows the cause and the remedy for every fault.
import type { Call } from '../../support/fault-scripts.ts';
import type { FaultName } from '../../support/faults.ts';
import { meeting } from '../../support/meeting.ts';
import { answers } from '../../support/scripted-wire.ts';
import { API_KEY, bootstrap } from '../../support/service.ts';
import type { StepOptions } from '../../support/step.ts';
import { type Scene, steps } from './scene.ts';

/** Shows steps in which this call always meets the fault. */
function failing(call: Call, faults: readonly FaultName[], options: StepOptions = {}): Scene {
  const variants = faults.map((fault): StepOptions => {
    return { ...options, scripts: { [call]: (_nth: number, good: string) => meeting(fault, call)(good) } };
  });
  return steps(`the ${call} call fails`, ...variants);
}

const RUNNING = { statuses: ['running'] };

export const SERVICE_SCENES: readonly Scene[] = [
  failing('exchange', ['refused', 'denied', 'http_503', 'huge_headers']),
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
  failing('list', ['http_400', 'http_503']),
  failing('trigger', ['refused', 'http_400', 'http_429', 'json_null', 'http_502']),
  failing('read', ['refused', 'http_403', 'no_rows', 'http_504'], RUNNING),
  steps('the status message is too long', {
    statuses: ['failed'],
    scripts: {
      read: (nth, good) => (nth === 1 ? answers(200, good.replace('null', `"${'x'.repeat(300_000)}"`)) : undefined),
    },
  }),
  failing('cancel', ['http_403', 'http_503', 'no_rows'], { ...RUNNING, inputs: { timeout: '5m' } }),
];
