// Loaded into the action's process before its bundle: leaves what the process has used when it is over.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakMiB: maxRSS / 1_024 };
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage));
});
