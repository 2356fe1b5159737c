import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
/** Work of which the time is measured. */
export type Work = () => unknown;

/** Removes the garbage of what was measured before, which would be collected during the next measurement. */
export const collect = vm.runInNewContext('gc') as () => void;

/** Milliseconds that a number of calls take, one after the other. */
export async function msOf(work: Work, calls = 1): Promise<number> {
  const began = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  return performance.now() - began;
}
