// Loaded into the action's process before its bundle. Writes the resource usage of the process to a file on exit.
import { writeFileSync } from 'node:fs';

const { reallyExit } = process;

// Wraps reallyExit because the action exits without calling `exit` listeners when it fails.
process.reallyExit = (code) => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakMiB: maxRSS / 1_024 };
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage));
  reallyExit.call(process, code);
};
