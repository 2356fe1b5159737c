/**
 * `npm run bench:soak`: the bundle in dist reads one run ten thousand times, across token renewals and outages. Fails
 * if the memory of its process grows.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PIPELINE_IDS } from '../sandbox/model/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/server/index.ts';
import { action } from './contenders.ts';
import { start } from './processes.ts';

const { values } = parseArgs({ options: { reads: { type: 'string', default: '10000' } } });
const READS = Number(values.reads);
/** This lifetime makes the action renew its token dozens of times a minute. */
const TTL_S = 2;
/** The number of reads between two outages. */
const OUTAGE_EVERY = 1_500;
const OUTAGE_MS = 300;
/** The maximum growth of the heap during the second half: 50 bytes for each of 5,000 reads. */
const MAX_GROWTH_MB = 0.25;
const SAMPLE_EVERY_MS = 100;

/** The measurements that the process takes of itself after a garbage collection. */
interface Sample {
  readonly heapMb: number;
  readonly rssMb: number;
  /** Sockets, timers and requests that keep the process alive. */
  readonly resources: number;
}

interface Sampled extends Sample {
  readonly reads: number;
}

/** Runs inside the measured process, with an unreferenced timer that does not keep it alive. */
const SAMPLER = `
import { appendFileSync } from 'node:fs';
setInterval(() => {
  gc();
  const { heapUsed, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo().length;
  appendFileSync(process.env.SAMPLES, JSON.stringify({ heapMb: heapUsed / 1e6, rssMb: rss / 1e6, resources }) + '\\n');
}, ${SAMPLE_EVERY_MS}).unref();
`;

const folder = mkdtempSync(join(tmpdir(), 'bench-soak-'));
const file = join(folder, 'samples');
writeFileSync(file, '');
const sandbox = await startSandbox({ model: { ttlSeconds: TTL_S, minReadIntervalMs: 0 } });
try {
  const ours = action();
  const contender = { ...ours, env: (task: Parameters<typeof ours.env>[0]) => ({ ...ours.env(task), SAMPLES: file }) };
  const task = { url: sandbox.url, key: sandbox.key, pipeline: PIPELINE_IDS.endless, pollMs: 1 };
  const sampler = `data:text/javascript,${encodeURIComponent(SAMPLER)}`;
  const running = start(contender, task, ['--expose-gc', '--import', sampler]);
  const samples = await watch(sandbox);
  running.child.kill('SIGINT');
  await running.ended;
  report(samples, sandbox);
} finally {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Collects the latest sample at each interval until the process has read often enough. */
async function watch(service: Sandbox): Promise<readonly Sampled[]> {
  const samples: Sampled[] = [];
  let nextOutage = OUTAGE_EVERY;
  for (;;) {
    await pause(SAMPLE_EVERY_MS);
    const reads = service.requests.filter(({ kind }) => kind === 'read').length;
    const line = readFileSync(file, 'utf8').trim().split('\n').at(-1);
    if (line !== undefined && line !== '') samples.push({ reads, ...(JSON.parse(line) as Sample) });
    if (reads >= READS) return samples;
    if (reads < nextOutage) continue;
    nextOutage = reads + OUTAGE_EVERY;
    await service.away();
    await pause(OUTAGE_MS);
    await service.back();
  }
}

function report(samples: readonly Sampled[], service: Sandbox): void {
  const tokens = service.requests.filter(({ kind }) => kind === 'exchange').length;
  const cancelled = service.world.jobs.every(({ cancelledAt }) => cancelledAt !== null);
  console.log(`${samples.at(-1)?.reads ?? 0} reads, ${tokens} tokens\n`);
  console.log('   reads   heap MB    RSS MB   handles');
  const tenths = Array.from({ length: 10 }, (_, tenth) => within(samples, (tenth * READS) / 10));
  for (const tenth of tenths) console.log(rowOf(tenth));
  // During the first half, Node still compiles code and grows buffers.
  const grown = median(tenths.at(-1) ?? [], 'heapMb') - median(tenths.at(4) ?? [], 'heapMb');
  const ok = grown <= MAX_GROWTH_MB && cancelled;
  console.log(`\nHeap growth: ${grown.toFixed(2)} MB (at most ${MAX_GROWTH_MB}).`);
  if (!cancelled) console.log('The run was not cancelled after SIGINT.');
  console.log(ok ? 'OK' : 'NOT OK');
  if (!ok) process.exitCode = 1;
}

function within(samples: readonly Sampled[], from: number): readonly Sampled[] {
  return samples.filter(({ reads }) => reads >= from && reads < from + READS / 10);
}

function rowOf(samples: readonly Sampled[]): string {
  const figures = [
    String(samples.at(-1)?.reads ?? 0),
    median(samples, 'heapMb').toFixed(2),
    median(samples, 'rssMb').toFixed(1),
    String(median(samples, 'resources')),
  ];
  return figures.map((figure) => figure.padStart(8)).join('  ');
}

function median(samples: readonly Sampled[], what: keyof Sample): number {
  const sorted = samples.map((sample) => sample[what]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
