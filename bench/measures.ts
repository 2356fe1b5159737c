import { PIPELINE_IDS, type WorldOptions } from '../sandbox/model/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/server/index.ts';
import type { Contender } from './contenders.ts';
import { type ContenderProcess, start, usageOf } from './processes.ts';

/** A run of `orders` that has finished by the first read, and no minimum interval between reads. */
const QUICK: WorldOptions = { speed: 1e9, minReadIntervalMs: 0 };

/** Time from start to exit of a process without a key, in milliseconds. */
export async function exitAtOnce(contender: Contender): Promise<number> {
  const task = { url: 'http://127.0.0.1:9', key: '', pipeline: PIPELINE_IDS.orders, pollMs: 1 };
  return start(contender, task).ended;
}

/** Time from the start of the process to the arrival of its trigger at the service, in milliseconds. */
export function triggerArrival(contender: Contender): Promise<number> {
  return inSandbox(QUICK, contender, PIPELINE_IDS.orders, async (sandbox, running) => {
    await sandbox.arrival('trigger');
    const took = performance.now() - running.began;
    await running.ended;
    return took;
  });
}

/** Time from start to exit for a run that has finished by the first read, in milliseconds. */
export function wholeRun(contender: Contender): Promise<number> {
  return inSandbox(QUICK, contender, PIPELINE_IDS.orders, (_, running) => running.ended);
}

/** Time from the arrival of the read that returns the final status to the exit of the process, in milliseconds. */
export function endToExit(contender: Contender): Promise<number> {
  return inSandbox(QUICK, contender, PIPELINE_IDS.orders, async (sandbox, running) => {
    await sandbox.arrival('read');
    const seen = performance.now();
    await running.ended;
    return performance.now() - seen;
  });
}

/** Time from a signal between two polls to the arrival of the cancel request, in milliseconds. */
export function cancelArrival(contender: Contender): Promise<number> {
  const slow: WorldOptions = { speed: 1, minReadIntervalMs: 0 };
  return inSandbox(slow, contender, PIPELINE_IDS.endless, async (sandbox, running) => {
    await sandbox.end('read', 2);
    const signalled = performance.now();
    running.child.kill('SIGINT');
    await sandbox.arrival('cancel');
    const took = performance.now() - signalled;
    await running.ended;
    return took;
  });
}

/** The number of reads per hour at an interval of 30 s. */
const READS_PER_HOUR = 120;
/** The benchmark measures ten hours, because the system counts CPU time in steps of 10 ms. */
const HOURS = 10;

/** Peak memory in MB in an awaited hour, and CPU time in ms per hour, averaged over 1,200 reads after the first ten. */
export function awaitedHour(contender: Contender): Promise<{ readonly peakMb: number; readonly cpuMs: number }> {
  const slow: WorldOptions = { speed: 1, minReadIntervalMs: 0 };
  return inSandbox(slow, contender, PIPELINE_IDS.endless, async (sandbox, running) => {
    await sandbox.end('read', 10);
    const before = usageOf(running);
    await sandbox.end('read', READS_PER_HOUR);
    const { peakMb } = usageOf(running);
    await sandbox.end('read', 10 + READS_PER_HOUR * HOURS);
    const after = usageOf(running);
    running.child.kill('SIGKILL');
    await running.ended;
    return { peakMb, cpuMs: (after.cpuMs - before.cpuMs) / HOURS };
  });
}

async function inSandbox<Result>(
  model: WorldOptions,
  contender: Contender,
  pipeline: string,
  measure: (sandbox: Sandbox, running: ContenderProcess) => Promise<Result>,
): Promise<Result> {
  const sandbox = await startSandbox({ model });
  try {
    const running = start(contender, { url: sandbox.url, key: sandbox.key, pipeline, pollMs: 1 });
    return await measure(sandbox, running);
  } finally {
    await sandbox.close();
  }
}
