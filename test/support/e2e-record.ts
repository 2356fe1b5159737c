import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const recorder = pathToFileURL(join(import.meta.dirname, 'e2e-network.mjs')).href;

/** A test's own `onTestFinished`: tests that run beside each other share no other one. */
export type After = (cleanUp: () => void) => void;

/** An empty folder that is gone when its test is over. */
export function folderForTest(after: After): string {
  const folder = mkdtempSync(join(tmpdir(), 'e2e-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file with this text, for a single test. */
export function fileForTest(after: After, name: string, text: string): string {
  const path = join(folderForTest(after), name);
  writeFileSync(path, text);
  return path;
}

export interface Recording {
  /** What a job's environment needs for it. */
  readonly env: Readonly<Record<string, string>>;
  /** What was noted after such a word, sorted, each once. */
  noted(what: 'lookup' | 'connect' | 'start' | 'env'): readonly string[];
}

/** Notes what the bundles of a job do; all names below example.test are this machine. */
export function record(after: After): Recording {
  const file = join(folderForTest(after), 'record.txt');
  return {
    env: { NODE_OPTIONS: `--import=${recorder}`, RECORD_TO: file },
    noted(what) {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      const start = `${what} `;
      const found = lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
      return [...new Set(found)].sort();
    },
  };
}
