import { basename, dirname } from 'node:path';
import type { Files } from '../../src/action/files.ts';

/** Files that exist in a test alone. */
export interface MemoryFiles extends Files {
  /** The text of a file; throws when there is none, so that a test never passes on a file that nobody wrote. */
  text(path: string): string;
  readonly paths: readonly string[];
  /** From now on nothing can be written to this path, as on a full disk. */
  refuse(path: string): void;
  accept(path: string): void;
}

export function memoryFiles(first: Readonly<Record<string, string>> = {}): MemoryFiles {
  const texts = new Map(Object.entries(first));
  const full = new Set<string>();
  const put = (path: string, text: string): void => {
    if (full.has(path)) throw new Error(`ENOSPC: no space left on device, write '${path}'`);
    texts.set(path, text);
  };
  return {
    append: (path, text) => put(path, (texts.get(path) ?? '').replace(/[^\n]$/, '$&\n') + text),
    write: put,
    read: (path) => texts.get(path),
    list: (folder) =>
      [...texts.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
    text(path) {
      const text = texts.get(path);
      if (text === undefined)
        throw new Error(`Nobody wrote ${path}; there are ${[...texts.keys()].join(', ')}.`);
      return text;
    },
    get paths() {
      return [...texts.keys()];
    },
    refuse: (path) => full.add(path),
    accept: (path) => full.delete(path),
  };
}

/** The `key=value` records of an output or state file; the last of a name counts, as it does for the runner. */
export function recordsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
