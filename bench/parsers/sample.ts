import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

/** Work of which the time is measured. */
export type Work = () => unknown;

/** Milliseconds that a number of calls take, one after the other, without the garbage of what was measured before. */
export async function msOf(work: Work, calls = 1): Promise<number> {
  collect();
  const began = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  return performance.now() - began;
}
