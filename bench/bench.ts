/*
 * `npm run bench` compares the cost of a step with that of Node alone, of plain node:http or node:https and of the
 * published client for the same protocol. In each round, the contenders take turns, so other load on the machine affects
 * them all alike. `npm run bench -- --only https --rounds 50` runs only the comparisons whose names contain a text.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PIPELINE_IDS, type WorldOptions } from '../sandbox/model/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/server/index.ts';
import { selfSigned } from '../test/support/certificate.ts';
import { compareTexts } from './texts.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);

interface Contender {
  readonly name: string;
  /** The arguments for Node. */
  readonly args: readonly string[];
}

const file = (...path: readonly string[]): string => join(import.meta.dirname, ...path);
const node: Contender = { name: 'node -e 0', args: ['-e', '0'] };
/** The contenders that send requests. The first one is the reference for the others. */
const clients = (protocol: 'http' | 'https'): readonly Contender[] => [
  { name: `node:${protocol} (require)`, args: [file('http.mjs'), 'require'] },
  { name: `node:${protocol} (import)`, args: [file('http.mjs'), 'import'] },
  { name: '@supabase/postgrest-js', args: [file('postgrest.mjs')] },
  { name: 'run-pipeline', args: [file('..', 'dist', 'main.js')] },
];
const temporary = mkdtempSync(join(tmpdir(), 'bench-'));
const identity = selfSigned();
const authority = join(temporary, 'authority.pem');
writeFileSync(authority, identity.cert);

interface Running {
  readonly process: ChildProcess;
  /** When the process was started, according to `performance.now()`. */
  readonly startedAt: number;
  readonly exit: Promise<void>;
}

/** Starts a contender that triggers a pipeline and polls at full speed. Without a key, it should fail immediately. */
function start({ args }: Contender, url: string, key: string, pipeline: string): Running {
  const folder = mkdtempSync(join(temporary, 'step-'));
  const runnerFile = (name: string): string => {
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  };
  const env = {
    PATH: process.env['PATH'],
    ...(url.startsWith('https:') && { NODE_EXTRA_CA_CERTS: authority }),
    'INPUT_API-KEY': key,
    'INPUT_BASE-URL': url,
    INPUT_PIPELINE: pipeline,
    'INPUT_POLL-INTERVAL': '1ms',
    GITHUB_STATE: runnerFile('state'),
    GITHUB_OUTPUT: runnerFile('output'),
    GITHUB_STEP_SUMMARY: runnerFile('summary'),
    RUNNER_TEMP: folder,
  };
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exit = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      rmSync(folder, { recursive: true, force: true });
      resolve();
    });
  });
  return { process: child, startedAt, exit };
}

interface Run {
  readonly pipeline: string;
  readonly model: WorldOptions;
  readonly isSecure?: boolean;
}

/** Runs a contender against its own service and returns what `measure` returns. */
async function inSandbox(
  contender: Contender,
  run: Run,
  measure: (sandbox: Sandbox, running: Running) => Promise<number>,
): Promise<number> {
  const model = { minReadIntervalMs: 0, ...run.model };
  const sandbox = await startSandbox({ model, ...(run.isSecure === true && { tls: identity }) });
  try {
    const running = start(contender, sandbox.url, sandbox.key, run.pipeline);
    const measured = await measure(sandbox, running);
    running.process.kill('SIGKILL');
    await running.exit;
    return measured;
  } finally {
    await sandbox.close();
  }
}

/** A run that has finished before the first read. */
const SHORT = { pipeline: PIPELINE_IDS.orders, model: { speed: 1e9 } };
const ENDLESS = { pipeline: PIPELINE_IDS.endless, model: { speed: 1 } };

/** Time from the start of a process without a key to its exit, in ms. */
async function startToExit(contender: Contender): Promise<number> {
  const running = start(contender, 'http://127.0.0.1:9', '', SHORT.pipeline);
  await running.exit;
  return performance.now() - running.startedAt;
}

/** Time from the start of the process to the arrival of its trigger, in ms. */
const startToTrigger = (isSecure: boolean) => (contender: Contender) =>
  inSandbox(contender, { ...SHORT, isSecure }, async (sandbox, { startedAt }) => {
    await sandbox.arrival('trigger');
    return performance.now() - startedAt;
  });

/** Time from a signal between two reads to the arrival of the cancel request, in ms. */
const signalToCancel = (isSecure: boolean) => (contender: Contender) =>
  inSandbox(contender, { ...ENDLESS, isSecure }, async (sandbox, running) => {
    await sandbox.end('read', 2);
    const signalledAt = performance.now();
    running.process.kill('SIGINT');
    await sandbox.arrival('cancel');
    return performance.now() - signalledAt;
  });

/** Peak memory in MB after as many reads as a step sends in an hour at the default interval of 30 s. Needs /proc. */
function memoryOfHour(contender: Contender): Promise<number> {
  return inSandbox(contender, { ...ENDLESS, isSecure: true }, async (sandbox, running) => {
    await sandbox.end('read', 120);
    const status = readFileSync(`/proc/${running.process.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  });
}

/** Returns the value below which a share of the sorted values lies. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}

async function compare(
  what: string,
  unit: string,
  contenders: readonly Contender[],
  measure: (contender: Contender) => Promise<number>,
): Promise<void> {
  if (!what.includes(values.only)) return;
  const results = contenders.map(({ name }) => ({ name, measured: [] as number[] }));
  // The first round only fills the caches of the file system.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const value = await measure(contender);
      if (round > 0) results[index]?.measured.push(value);
    }
  }
  console.log(`\n${what} (median and middle half of ${rounds} rounds, and the ratio of the medians to the first)`);
  const all = results.map(({ name, measured }) => ({ name, sorted: measured.toSorted((a, b) => a - b) }));
  const reference = quantile(all[0]?.sorted ?? [], 0.5);
  for (const { name, sorted } of all) {
    const [low = '', median = '', high = ''] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share).toFixed(1));
    const ratio = (quantile(sorted, 0.5) / reference).toFixed(2);
    console.log(`  ${name.padEnd(24)}${median.padStart(7)} ${unit}  (${low} to ${high})  ×${ratio}`);
  }
}

await compare('Start to exit if the key is missing', 'ms', [node, ...clients('http')], startToExit);
for (const protocol of ['http', 'https'] as const) {
  const [contenders, isSecure] = [clients(protocol), protocol === 'https'];
  await compare(`Start to the trigger's arrival over ${protocol}`, 'ms', contenders, startToTrigger(isSecure));
  await compare(`Signal to the cancel's arrival over ${protocol}`, 'ms', contenders, signalToCancel(isSecure));
}
if (process.platform === 'linux')
  await compare('Peak memory in an hour over https', 'MB', clients('https'), memoryOfHour);
if ('texts'.includes(values.only)) await compareTexts(values.all);
rmSync(temporary, { recursive: true });
