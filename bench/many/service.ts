/**
 * The service of the benchmark, which runs in its own process: `node service.ts RUNS INTERVAL_MS`. Prints its address
 * and key as one line of JSON, and exits when its stdin is closed.
 */
import { createWorld, SANDBOX_KEY } from '../../sandbox/model/index.ts';
import { startSandbox } from '../../sandbox/server/index.ts';

/** The shortest and the longest time from a run's trigger to its end, in intervals. Each run's time is random. */
const SHORTEST = 0.2;
const LONGEST = 3.2;
/** The final statuses that the runs take in turn. */
const ENDS = ['completed', 'completed', 'completed_with_warning', 'completed', 'skipped', 'failed'];
/** The fraction of the interval that must pass between two reads, because timers may fire slightly early. */
const TOLERANCE = 0.98;

const [runs = 1, intervalMs = 5_000] = process.argv.slice(2).map(Number);

/** Generates numbers between 0 and 1 from a seed, with a linear congruential generator and the constants of POSIX. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const random = randomFrom(runs);
const numbers = Array.from({ length: runs }, (_, index) => index + 1);
const scenarios = Object.fromEntries(
  numbers.map((nth) => {
    const endsAfter = Math.round((SHORTEST + random() * (LONGEST - SHORTEST)) * intervalMs);
    const end = ENDS[nth % ENDS.length] ?? 'completed';
    const timeline = [
      [0, 'queued'],
      [endsAfter * 0.1, 'running', 'Loading'],
      [endsAfter, end],
    ] as const;
    return [`bench-${nth}`, { does: 'ends by itself', timeline }];
  }),
);
const now = (): number => performance.now();
const world = createWorld({
  epochMs: Date.now() - now(),
  speed: 1,
  minReadIntervalMs: intervalMs * TOLERANCE,
  scenarios,
  pipelines: numbers.map((nth) => ({ name: `Bench ${nth}`, apiName: `bench-${nth}` })),
});
const sandbox = await startSandbox({ world, now, admin: true });
world.backendUrl = sandbox.url;
process.stdout.write(`${JSON.stringify({ url: sandbox.url, key: SANDBOX_KEY })}\n`);
process.stdin.resume();
process.stdin.once('end', () => void sandbox.close().then(() => process.exit(0)));
