/** Files of traces: a header and a block of lines for each seed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADER = '=== seed ';

/** So many seeds share a file, so that no two workers write to the same one. */
export const SEEDS_PER_FILE = 1_000;

/**
 * Creates a folder for traces.
 * @throws {Error} if there are files in it: traces of two kinds of source code must not mix
 */
export function createTraceFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`The folder ${folder} is not empty.`);
}

/** Writes the blocks of seeds that come in ascending order, one file for each thousand seeds. */
export class TraceWriter {
  readonly #folder: string;
  #name: string | undefined;
  #lines: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(seed: number, block: readonly string[]): void {
    const name = nameOf(seed);
    if (name !== this.#name) this.flush();
    this.#name = name;
    this.#lines.push(`${HEADER}${seed}`, ...block);
  }

  /** To be called after the last seed. */
  flush(): void {
    if (this.#name !== undefined) writeFileSync(join(this.#folder, this.#name), `${this.#lines.join('\n')}\n`);
    this.#name = undefined;
    this.#lines = [];
  }
}

/**
 * The names of the files with traces in a folder.
 * @throws {Error} if there are none: a comparison with nothing must not succeed
 */
export function traceFilesIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^seeds-\d+\.txt$/.test(name)) : [];
  if (names.length === 0) throw new Error(`There are no traces in ${folder}.`);
  return names;
}

/** The lines of each seed's block, in a file that may not exist. */
export function readBlocks(folder: string, name: string): Map<number, readonly string[]> {
  const path = join(folder, name);
  const text = existsSync(path) ? `\n${readFileSync(path, 'utf8')}` : '';
  const blocks = text.split(`\n${HEADER}`).slice(1);
  return new Map(
    blocks.map((block) => {
      const [seed, ...lines] = block.replace(/\n$/, '').split('\n');
      return [Number(seed), lines];
    }),
  );
}

/** In alphabetical order they are in the order of their seeds. */
function nameOf(seed: number): string {
  const first = Math.floor(seed / SEEDS_PER_FILE) * SEEDS_PER_FILE;
  return `seeds-${String(first).padStart(10, '0')}.txt`;
}
