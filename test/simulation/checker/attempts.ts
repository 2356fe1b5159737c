import type { SingleSpec } from '../model/spec.ts';
import { duration } from './policy.ts';

/** What a scenario asks for with several attempts. Durations in milliseconds. */
export interface Attempts {
  readonly most: number;
  readonly pauseMs: number;
  readonly timeoutMs: number;
  readonly retryOn: readonly string[];
}

export function attemptsIn({ inputs }: Pick<SingleSpec, 'inputs'>): Attempts {
  const retryOn = inputs['retry-on'] ?? '';
  return {
    most: Number(inputs['max-attempts'] ?? '1'),
    pauseMs: duration(inputs['retry-delay'] ?? '1m'),
    timeoutMs: duration(inputs['timeout'] ?? ''),
    retryOn: (retryOn === '' ? 'failed,timed_out' : retryOn).split(',').map((status) => status.trim()),
  };
}
