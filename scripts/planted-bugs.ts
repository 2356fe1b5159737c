/* Plants each bug in a copy of the source, and fails if the simulation (or the test that the bug names) does not find it. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type PlantedBug, plantedBugs, withBug } from '../test/simulation/planted-bugs.ts';

const USAGE = `npm run simulate:bugs -- [options]
  TEXT      only the bugs whose names contain this text
  --sample  only every eighth bug`;

/** How many random scenarios may be necessary to find a bug, besides the enumerated ones. */
const SCENARIOS = 15_000;
const SAMPLE = 8;

const root = resolve(import.meta.dirname, '..');
const [only = ''] = process.argv.slice(2);
if (only === '--help') console.log(USAGE);
else process.exitCode = await findAll();

async function findAll(): Promise<number> {
  const isSample = only === '--sample';
  const bugs = plantedBugs().filter(({ name }, index) => (isSample ? index % SAMPLE === 0 : name.includes(only)));
  if (bugs.length === 0) throw new Error(`No bug has a name that contains "${only}".`);
  const waiting = [...bugs];
  const missed: string[] = [];
  const work = async (): Promise<void> => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      const found = await find(bug);
      console.log(`${found ?? 'MISSED'}: ${bug.name}`);
      if (found === undefined || found.startsWith('ERROR')) missed.push(bug.name);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`\n${bugs.length - missed.length} of ${bugs.length} bugs were found.`);
  if (missed.length > 0) console.log(`Missed:\n  ${missed.join('\n  ')}`);
  return missed.length === 0 ? 0 : 1;
}

/** Returns how a bug was found. */
async function find(bug: PlantedBug): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'planted-bug-'));
  try {
    for (const part of [
      'src',
      'sandbox',
      'test',
      'scripts',
      'package.json',
      'vitest.config.ts',
      'action.yml',
      'cancel',
    ]) {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    const path = join(folder, bug.file);
    writeFileSync(path, withBug(readFileSync(path, 'utf8'), bug));
    return await (bug.test === undefined ? bySimulation(folder) : byTest(bug.test, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bySimulation(folder: string): Promise<string | undefined> {
  const { output } = await run(['scripts/simulate.ts', '--until-found', '--scenarios', String(SCENARIOS)], folder);
  const last = output.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) return 'ERROR: the source with the bug does not run';
  const { invariant, scenarios } = JSON.parse(last) as { readonly invariant: string; readonly scenarios: number };
  return invariant === '' ? undefined : `${String(scenarios).padStart(6)} scenarios, ${invariant}`;
}

async function byTest(test: string, folder: string): Promise<string | undefined> {
  const { code } = await run(['node_modules/vitest/vitest.mjs', 'run', test], folder);
  return code === 0 ? undefined : test;
}

function run(args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  const options: SpawnOptions = { cwd, stdio: ['ignore', 'pipe', 'inherit'] };
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, options);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => settle({ code: code ?? 1, output }));
  });
}
