/**
 * `npm run bench:long-life`: ten thousand reads of one run by the bundle in dist, with new tokens and outages in
 * between, and the memory of its process all the way. Fails when it grows.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PIPELINE_IDS } from '../sandbox/model/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/server/index.ts';
import { action } from './contenders.ts';
import { start } from './lives.ts';

const { values } = parseArgs({ options: { reads: { type: 'string', default: '10000' } } });
const READS = Number(values.reads);
/** Seconds. Dozens of tokens in a measurement that takes a minute. */
const TTL_S = 2;
/** Reads between two outages, and how long the service then is away, in milliseconds. */
const OUTAGE_EVERY = 1_500;
const OUTAGE_MS = 300;
/** How much more the heap may hold in the end than halfway, in MB: no more than 50 bytes a read. */
const MAY_GROW_MB = 0.25;
const SAMPLE_EVERY_MS = 100;

/** What the process says of itself, a line each time, after its garbage was collected. */
interface Sample {
  readonly heapMb: number;
  readonly rssMb: number;
  /** Sockets, timers and requests that keep the process alive. */
  readonly resources: number;
}

interface Sampled extends Sample {
  readonly reads: number;
}

/** Runs inside the process that is measured, and stays out of the way of its end. */
const SAMPLER = `
import { appendFileSync } from 'node:fs';
setInterval(() => {
  gc();
  const { heapUsed, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo().length;
  appendFileSync(process.env.SAMPLES, JSON.stringify({ heapMb: heapUsed / 1e6, rssMb: rss / 1e6, resources }) + '\\n');
}, ${SAMPLE_EVERY_MS}).unref();
`;

const folder = mkdtempSync(join(tmpdir(), 'long-life-'));
const file = join(folder, 'samples');
writeFileSync(file, '');
const sandbox = await startSandbox({ model: { ttlSeconds: TTL_S, minReadIntervalMs: 0 } });
try {
  const ours = action();
  const contender = { ...ours, env: (task: Parameters<typeof ours.env>[0]) => ({ ...ours.env(task), SAMPLES: file }) };
  const task = { url: sandbox.url, key: sandbox.key, pipeline: PIPELINE_IDS.endless, pollMs: 1 };
  const sampler = `data:text/javascript,${encodeURIComponent(SAMPLER)}`;
  const life = start(contender, task, ['--expose-gc', '--import', sampler]);
  const samples = await watch(sandbox);
  life.child.kill('SIGINT');
  await life.ended;
  report(samples, sandbox);
} finally {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Takes a sample each time there is a new one, until there were enough reads. */
async function watch(service: Sandbox): Promise<readonly Sampled[]> {
  const samples: Sampled[] = [];
  let nextOutage = OUTAGE_EVERY;
  for (;;) {
    await pause(SAMPLE_EVERY_MS);
    const reads = service.requests.filter(({ kind }) => kind === 'read').length;
    const said = readFileSync(file, 'utf8').trim().split('\n').at(-1);
    if (said !== undefined && said !== '') samples.push({ reads, ...(JSON.parse(said) as Sample) });
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
  // The first half is warming up: code is compiled, and buffers get the size that they will have.
  const grown = median(tenths.at(-1) ?? [], 'heapMb') - median(tenths.at(4) ?? [], 'heapMb');
  const ok = grown <= MAY_GROW_MB && cancelled;
  console.log(`\nHeap grown by ${grown.toFixed(2)} MB (at most ${MAY_GROW_MB}): ${ok ? 'ok' : 'NOT OK'}`);
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
