import type { Random } from '../model/random.ts';

/** The inputs of a step, as somebody might write them. */
export function inputsOf(random: Random): Record<string, string> {
  const inputs: Record<string, string> = {
    'poll-interval': random.pick(['', '', '30s', '45s', '2m']),
    'on-cancel': random.pick(['', 'cancel', 'cancel', 'leave']),
    'on-timeout': random.pick(['', 'cancel', 'leave']),
    'on-lost-response': random.pick(['', 'fail', 'fail', 'retry']),
    wait: random.pick(['', 'true', 'true', 'true', 'false']),
    'max-outage': random.pick(['', '15m', '90s', '1h']),
    'succeed-on': random.pick(['', '', 'completed', 'completed, failed', 'cancelled']),
    summary: random.pick(['', 'false']),
  };
  if (random.chance(0.2)) inputs['timeout'] = random.pick(['1s', '20s', '90s', '5m']);
  if (random.chance(0.2)) inputs['queue-timeout'] = random.pick(['1s', '10s', '40s', '2m']);
  if (random.chance(0.1)) inputs['full-resync'] = 'true';
  return inputs;
}

/** A step that drops tables: of one pipeline, triggered once. */
export function resetOf(random: Random): Record<string, string> {
  return random.chance(0.05) ? { 'full-resync': 'true', 'reset-target': 'true', 'on-lost-response': '' } : {};
}

/** The inputs that matter only where there are several pipelines. */
export function severalOf(random: Random): Record<string, string> {
  return { 'max-parallel': random.pick(['', '', '1', '2']), 'fail-fast': random.pick(['', 'false', 'true']) };
}
