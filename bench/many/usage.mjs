// Loaded into the action's process before its bundle: leaves what the process has used when it is over.
import { writeFileSync } from 'node:fs';

const { reallyExit } = process;

// A process that fails ends without its `exit` listeners.
process.reallyExit = (code) => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakMiB: maxRSS / 1_024 };
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage));
  reallyExit.call(process, code);
};
