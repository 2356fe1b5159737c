import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MUTANTS, type Mutant } from '../test/simulation/mutants.ts';

/** Lives after which a bug counts as not found. */
const MOST_LIVES = 20_000;
const DOCUMENT = 'docs/simulation.md';
const BEGIN = '<!-- mutants: written by npm run simulate:mutants -->';
const END = '<!-- /mutants -->';

interface Found {
  readonly mutant: Mutant;
  /** How many lives it took, the last of which broke a law; undefined if none did. */
  readonly lives: number | undefined;
  readonly law: string;
  readonly what: string;
}

const root = resolve(import.meta.dirname, '..');
const only = process.argv[2];
const wanted = MUTANTS.filter(({ name }) => only === undefined || name.includes(only));
await requireSound();
const found = await inTurn(wanted, availableParallelism(), find);
const missed = found.filter(({ lives }) => lives === undefined);
console.log(`${found.length - missed.length} of ${found.length} bugs were found`);
if (only === undefined) document(found);
process.exitCode = missed.length === 0 ? 0 : 1;

/** What breaks a law without any bug would be found in the place of every bug that is not. */
async function requireSound(): Promise<void> {
  const { lives, law, what } = JSON.parse(await simulate(root)) as Omit<Found, 'mutant'>;
  if (lives !== undefined)
    throw new Error(`The source as it is breaks a law after ${lives} lives: ${law}: ${what}`);
}

/** Puts a bug into a copy of the source, and lives until a law breaks. */
async function find(mutant: Mutant): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'run-pipeline-mutant-'));
  try {
    for (const part of ['src', 'sandbox/model', 'test/simulation', 'scripts/simulate.ts', 'package.json']) {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    putIn(mutant, folder);
    const { lives, law, what } = JSON.parse(await simulate(folder)) as Omit<Found, 'mutant'>;
    console.log(`${lives === undefined ? 'MISSED' : `${lives} lives`}: ${mutant.name}`);
    return { mutant, lives, law, what };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function putIn({ name, file, find: old, replace }: Mutant, folder: string): void {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(old).length !== 2)
    throw new Error(`The text of the bug "${name}" is not once in ${file}.`);
  // Not as a pattern: a dollar sign in the text means itself.
  writeFileSync(
    path,
    source.replace(old, () => replace),
  );
}

function simulate(folder: string): Promise<string> {
  const args = ['scripts/simulate.ts', '--until-found', '--lives', String(MOST_LIVES), '--seed', '1'];
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', () => settle(said.trim().split('\n').at(-1) ?? ''));
  });
}

async function inTurn<In, Out>(
  all: readonly In[],
  atOnce: number,
  task: (one: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  const waiting = [...all.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next[0]] = await task(next[1]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** Writes the table into the document, between its marks. */
function document(all: readonly Found[]): void {
  const path = join(root, DOCUMENT);
  const text = readFileSync(path, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${DOCUMENT} has no place for the table.`);
  const cell = (words: string): string =>
    words
      .replace(/\s+/g, ' ')
      .replace(/\bat_[0-9a-f]{40}\b/g, 'at_…')
      .replace(/(\d)\.\d{3,}/g, '$1')
      .replaceAll('|', '\\|');
  const rows = all.map(
    ({ mutant, lives, law, what }) =>
      `| ${cell(mutant.name)} | \`${mutant.file}\` | ${lives ?? 'not found'} | ${law}: ${cell(what)} |`,
  );
  const table = [BEGIN, '| bug | in | lives | what was found |', '| --- | --- | ---: | --- |', ...rows, ''];
  writeFileSync(path, `${text.slice(0, begin)}${table.join('\n')}${text.slice(end)}`);
}
