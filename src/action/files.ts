import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';

/** The files that this action reads and writes. All at once and for good: what is written survives a kill. */
export interface Files {
  /** Appends whole lines, in one system call; what was torn before them stays a line of its own. Throws when it cannot. */
  append(path: string, text: string): void;
  /** Writes a file anew. Throws when it cannot. */
  write(path: string, text: string): void;
  /** The text of a file; undefined when it cannot be read. */
  read(path: string): string | undefined;
  /** The names in a folder; none when it cannot be read. */
  list(folder: string): readonly string[];
}

/** The machine's own files. What it makes is for its owner alone. */
export const systemFiles: Files = {
  append: (path, text) => appendFileSync(path, endsTorn(path) ? `\n${text}` : text, { mode: 0o600 }),
  write: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  list(folder) {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
};

/** Whether a file ends in the middle of a line. One that cannot be looked at is for whoever writes to complain of. */
function endsTorn(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const last = Buffer.alloc(1);
      return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== LINE_FEED;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

const LINE_FEED = 0x0a;

/** Ends a value of several lines. No line of such a value of ours can be this. */
const END = 'end_of_run_pipeline_value';

/**
 * One record for the runner: `key=value`, and nothing else, since act gives a file up at the first empty line. Only
 * a value of several lines takes the runner's other form, which when torn makes the runner drop everything behind
 * it: write those last. Throws for a value that would end that form early.
 */
export function fileRecord(key: string, value: string): string {
  if (!/[\r\n]/.test(value)) return `${key}=${value}\n`;
  if (value.split(/[\r\n]/).includes(END)) throw new Error(`the output ${key} contains a line that ends it`);
  return `${key}<<${END}\n${value}\n${END}\n`;
}
