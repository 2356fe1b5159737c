/* Plants each bug in a copy of the source and fails if the simulation, or the test listed with the bug, misses it. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlantedBug, plantedBugs, withBug } from '../test/simulation/planted-bugs.ts';

const USAGE = `npm run simulate:bugs -- [options] [TEXT]
  TEXT          only the bugs whose names contain this text
  --part 2/8    only the second of eight parts, each a sample of all bugs
  --workers W   how many bugs to look for at the same time (default: one per core)`;

/** The number of random scenarios to play for each bug, in addition to the enumerated ones. */
const SCENARIOS = 15_000;
/** A test that takes longer than this hangs, which finds the bug. */
const HANGS_AFTER_MS = 180_000;

const root = resolve(import.meta.dirname, '..');
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string', default: '1/1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(USAGE);
else process.exitCode = await findAll(positionals[0] ?? '', values.part, Number(values.workers));

async function findAll(text: string, part: string, workers: number): Promise<number> {
  const [, nth = 1, parts = 0] = /^(\d+)\/(\d+)$/.exec(part)?.map(Number) ?? [];
  const bugs = plantedBugs().filter(({ name }, index) => index % parts === nth - 1 && name.includes(text));
  if (bugs.length === 0) throw new Error(`Part ${part} has no bug whose name contains "${text}".`);
  const waiting = [...bugs];
  const missed: string[] = [];
  const work = async (): Promise<void> => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      const found = await find(bug);
      console.log(`${found ?? 'MISSED'}: ${bug.name}`);
      if (found === undefined) missed.push(bug.name);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  console.log(`\n${bugs.length - missed.length} of ${bugs.length} bugs were found.`);
  if (missed.length > 0) console.log(`Missed:\n  ${missed.join('\n  ')}`);
  return missed.length === 0 ? 0 : 1;
}

/** Returns how a bug was found, or undefined if it was missed. @throws if the source with the bug does not run */
async function find(bug: PlantedBug): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'planted-bug-'));
  try {
    for (const each of readdirSync(root).filter(isCopied))
      cpSync(join(root, each), join(folder, each), { recursive: true, filter: (path) => isCopied(basename(path)) });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    const path = join(folder, bug.file);
    writeFileSync(path, withBug(readFileSync(path, 'utf8'), bug));
    return await (bug.test === undefined ? bySimulation(folder, bug.name) : byTest(bug.test, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bySimulation(folder: string, name: string): Promise<string | undefined> {
  const { output } = await run(['scripts/simulate.ts', '--until-found', '--scenarios', String(SCENARIOS)], folder);
  const found = output.split('\n').find((line) => line.startsWith('{"invariant"'));
  if (found === undefined) throw new Error(`The source with the bug "${name}" does not run. Adapt it.\n${output}`);
  const { invariant, scenarios } = JSON.parse(found) as { readonly invariant: string; readonly scenarios: number };
  return invariant === '' ? undefined : `${String(scenarios).padStart(6)} scenarios, ${invariant}`;
}

async function byTest(test: string, folder: string): Promise<string | undefined> {
  const { isKilled, output } = await run(['node_modules/vitest/vitest.mjs', 'run', test], folder, HANGS_AFTER_MS);
  return isKilled || /Tests .*\d+ failed/.test(output) ? test : undefined;
}

/** Returns whether a copy of the project needs a file. Some tests have a large node_modules folder of their own. */
function isCopied(name: string): boolean {
  return name !== 'node_modules' && !name.startsWith('.');
}

interface Finished {
  readonly output: string;
  readonly isKilled: boolean;
}

function run(args: readonly string[], cwd: string, timeout?: number): Promise<Finished> {
  return new Promise((settle, reject) => {
    const env = { ...process.env, NO_COLOR: '1' };
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, args, { cwd, env, stdio, timeout, killSignal: 'SIGKILL' });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.on('error', reject);
    child.on('close', (_code, signal) => settle({ output, isKilled: signal !== null }));
  });
}
