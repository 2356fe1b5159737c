/** Work of which the time is measured. */
export type Work = () => unknown;

/** Milliseconds that a number of calls take, one after the other. */
export async function msOf(work: Work, calls = 1): Promise<number> {
  const began = performance.now();
  for (let call = 0; call < calls; call += 1) await work();
  return performance.now() - began;
}
