// Files in memory, and a parser that reads a step's files as a runner does.
import { basename, dirname } from 'node:path';
import { parseRecords } from '../../sandbox/runner/records.ts';
import type { Check, FileKind, Files } from '../../src/action/runner/files.ts';

export type MemoryFiles = ReturnType<typeof memoryFiles>;

/** Files that exist only in memory. */
export function memoryFiles(first: Readonly<Record<string, string>> = {}) {
  const texts = new Map(Object.entries(first));
  const full = new Map<string, { readonly texts: RegExp; readonly error: Error }>();
  const put = (path: string, text: string, before = ''): void => {
    const refused = full.get(path);
    if (refused?.texts.test(text) === true) throw refused.error;
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
    /** Makes this path something other than a regular file. */
    become: (path: string, kind: FileKind) => void kinds.set(path, kind),
    openToAppend(path, check) {
      check(opened(path));
    },
    append(path: string, text: string, check?: Check) {
      check?.(opened(path));
      put(path, text, (texts.get(path) ?? '').replace(/[^\n]$/, '$&\n'));
    },
    write(path: string, text: string, check?: Check) {
      check?.(opened(path));
      put(path, text);
    },
    read(path: string, check?: Check) {
      try {
        check?.(opened(path));
        return texts.get(path);
      } catch {
        return undefined;
      }
    },
    list: (folder) => [...texts.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
    /** The text of a file. Throws if the file does not exist, so that a test cannot pass on a missing file. */
    text(path: string) {
      const text = texts.get(path);
      if (text === undefined) throw new Error(`${path} is not one of the files ${[...texts.keys()].join(', ')}.`);
      return text;
    },
    get paths() {
      return [...texts.keys()];
    },
    /** Makes writes of matching text to this path fail as on a full disk, or with another error. */
    refuse: (path: string, texts = /^/, error: Error = fullDiskError(path)) => void full.set(path, { texts, error }),
    accept: (path: string) => void full.delete(path),
  } satisfies Files & Record<string, unknown>;
}

export const fullDiskError = (path: string): Error =>
  Object.assign(new Error(`ENOSPC: no space left on device, write '${path}'`), { code: 'ENOSPC' });

/** The values in an output or state file as a runner reads it. */
export function valuesIn(text: string): Readonly<Record<string, string>> {
  return parseRecords(text).values;
}
