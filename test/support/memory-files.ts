// Files in memory, and how a runner reads the files of a step.
import { basename, dirname } from 'node:path';
import type { Check, FileKind, Files } from '../../src/action/runner/files.ts';

/** Files that exist only in memory. */
export interface MemoryFiles extends Files {
  /** The text of a file. Throws if the file does not exist, so that a test cannot pass on a missing file. */
  text(path: string): string;
  readonly paths: readonly string[];
  /** Makes writes to this path fail as on a full disk, or only those whose text matches. */
  refuse(path: string, texts?: RegExp): void;
  accept(path: string): void;
  /** Turns this path into something other than a regular file. */
  become(path: string, kind: FileKind): void;
  append(path: string, text: string, check?: Check): void;
  write(path: string, text: string, check?: Check): void;
  read(path: string, check?: Check): string | undefined;
}

export function memoryFiles(first: Readonly<Record<string, string>> = {}): MemoryFiles {
  const texts = new Map(Object.entries(first));
  const full = new Map<string, RegExp>();
  const put = (path: string, text: string, before = ''): void => {
    if (full.get(path)?.test(text) === true) {
      throw Object.assign(new Error(`ENOSPC: no space left on device, write '${path}'`), { code: 'ENOSPC' });
    }
    texts.set(path, before + text);
  };
  const kinds = new Map<string, FileKind>();
  const kindOf = (path: string): FileKind => kinds.get(path) ?? (texts.has(path) ? 'file' : 'missing');
  const opened = (path: string): Parameters<Check>[0] => {
    const kind = kindOf(path);
    return { kind: kind === 'missing' ? 'file' : kind, bytes: Buffer.byteLength(texts.get(path) ?? '') };
  };
  return {
    kindOf,
    become: (path, kind) => kinds.set(path, kind),
    openToAppend(path, check) {
      check(opened(path));
    },
    append(path, text, check) {
      check?.(opened(path));
      put(path, text, (texts.get(path) ?? '').replace(/[^\n]$/, '$&\n'));
    },
    write(path, text, check) {
      check?.(opened(path));
      put(path, text);
    },
    read(path, check) {
      try {
        check?.(opened(path));
        return texts.get(path);
      } catch {
        return undefined;
      }
    },
    list: (folder) => [...texts.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
    text(path) {
      const text = texts.get(path);
      if (text === undefined)
        throw new Error(`${path} was not written. The files are ${[...texts.keys()].join(', ')}.`);
      return text;
    },
    get paths() {
      return [...texts.keys()];
    },
    refuse: (path, texts = /^/) => full.set(path, texts),
    accept: (path) => full.delete(path),
  };
}

/** An output or state file as a runner reads it: `key=value`, or `key<<END`, lines, `END`. The last value counts. */
export function recordsOf(text: string): Record<string, string> {
  const records: Record<string, string> = {};
  const lines = text.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name, end] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    if (name !== undefined && end !== undefined) {
      records[name] = lines.splice(0, lines.indexOf(end)).join('\n');
      lines.shift();
    } else if (line !== '') {
      records[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1);
    }
  }
  return records;
}
