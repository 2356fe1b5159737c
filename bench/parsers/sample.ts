import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');

/** The work to measure. */
export type Work = () => unknown;

/** Collects garbage, which Node.js would otherwise collect during the next measurement. */
export const collect = vm.runInNewContext('gc') as () => void;

/** Returns the duration of a number of sequential calls in milliseconds. */
export async function msOf(work: Work, calls = 1): Promise<number> {
  const began = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  return performance.now() - began;
}
