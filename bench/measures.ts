import { PIPELINE_IDS, type WorldOptions } from '../sandbox/model/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/server/index.ts';
import type { Contender } from './contenders.ts';
import { type Life, start, usageOf } from './lives.ts';

/** A run of `orders` that has ended when it is first looked at, and polls that never come too soon. */
const QUICK: WorldOptions = { speed: 1e9, minReadIntervalMs: 0 };

/** From the start of a process that has no key to its end, in milliseconds. */
export async function exitAtOnce(contender: Contender): Promise<number> {
  const task = { url: 'http://127.0.0.1:9', key: '', pipeline: PIPELINE_IDS.orders, pollMs: 1 };
  return start(contender, task).ended;
}

/** From the start of the process to the arrival of its trigger at the service, in milliseconds. */
export function triggerArrival(contender: Contender): Promise<number> {
  return inSandbox(QUICK, contender, PIPELINE_IDS.orders, async (sandbox, life) => {
    await sandbox.arrival('trigger');
    const took = performance.now() - life.began;
    await life.ended;
    return took;
  });
}

/** From start to exit, of a run that has ended when it is first read, in milliseconds. */
export function wholeRun(contender: Contender): Promise<number> {
  return inSandbox(QUICK, contender, PIPELINE_IDS.orders, (_, life) => life.ended);
}

/** From the arrival of the read that sees the end to the exit of the process, in milliseconds. */
export function endToExit(contender: Contender): Promise<number> {
  return inSandbox(QUICK, contender, PIPELINE_IDS.orders, async (sandbox, life) => {
    await sandbox.arrival('read');
    const seen = performance.now();
    await life.ended;
    return performance.now() - seen;
  });
}

/** From a signal between two polls to the arrival of the cancel, in milliseconds. */
export function cancelArrival(contender: Contender): Promise<number> {
  const slow: WorldOptions = { speed: 1, minReadIntervalMs: 0 };
  return inSandbox(slow, contender, PIPELINE_IDS.endless, async (sandbox, life) => {
    await sandbox.end('read', 2);
    const struck = performance.now();
    life.child.kill('SIGINT');
    await sandbox.arrival('cancel');
    const took = performance.now() - struck;
    await life.ended;
    return took;
  });
}

/** So many reads make an hour at 30 s, and so many hours are measured, since the system counts in steps of 10 ms. */
const READS_PER_HOUR = 120;
const HOURS = 10;

/** Peak memory in MB over an awaited hour, and CPU time in ms per awaited hour: what 1,200 reads cost beyond the first ten. */
export function awaitedHour(contender: Contender): Promise<{ readonly peakMb: number; readonly cpuMs: number }> {
  const slow: WorldOptions = { speed: 1, minReadIntervalMs: 0 };
  return inSandbox(slow, contender, PIPELINE_IDS.endless, async (sandbox, life) => {
    await sandbox.end('read', 10);
    const before = usageOf(life);
    await sandbox.end('read', READS_PER_HOUR);
    const { peakMb } = usageOf(life);
    await sandbox.end('read', 10 + READS_PER_HOUR * HOURS);
    const after = usageOf(life);
    life.child.kill('SIGKILL');
    await life.ended;
    return { peakMb, cpuMs: (after.cpuMs - before.cpuMs) / HOURS };
  });
}

async function inSandbox<Result>(
  model: WorldOptions,
  contender: Contender,
  pipeline: string,
  measure: (sandbox: Sandbox, life: Life) => Promise<Result>,
): Promise<Result> {
  const sandbox = await startSandbox({ model });
  try {
    const life = start(contender, { url: sandbox.url, key: sandbox.key, pipeline, pollMs: 1 });
    return await measure(sandbox, life);
  } finally {
    await sandbox.close();
  }
}
