import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The files that this action reads and writes. All at once and for good: what is written survives a kill. */
export interface Files {
  /** Appends in one system call. Throws when it cannot. */
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
  append: (path, text) => appendFileSync(path, text, { mode: 0o600 }),
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

/**
 * One `key=value` record for the runner. The line breaks around it keep it whole when the record before it was
 * torn; a heredoc that is torn would make the runner drop everything behind it. Values must be one line.
 */
export function fileRecord(key: string, value: string): string {
  return `\n${key}=${value.replace(/[\r\n]+/g, ' ')}\n`;
}
