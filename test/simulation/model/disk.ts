import type { Files, OpenedFile } from '../../../src/action/files.ts';
import type { SimProcess } from './sim-process.ts';
import type { DiskFault, FileName } from './spec.ts';

/** What a write did to a file, for the check. */
export interface WriteFact {
  readonly path: string;
  readonly text: string;
  readonly failed: boolean;
  readonly step: number;
  readonly process: string;
  readonly effect: number;
}

/** The disk of the machine: text by path. */
export type SharedFiles = Map<string, string>;

/** The disk as one execution uses it: it fills where the execution says so. */
export class Disk {
  readonly files: SharedFiles;
  readonly writes: WriteFact[] = [];
  readonly #faults: readonly DiskFault[];
  readonly #counts = new Map<FileName, number>();
  readonly #kindOf: (path: string) => FileName | undefined;

  constructor(
    files: SharedFiles,
    faults: readonly DiskFault[],
    kindOf: (path: string) => FileName | undefined,
  ) {
    this.files = files;
    this.#faults = faults;
    this.#kindOf = kindOf;
  }

  read(path: string): string | undefined {
    return this.files.get(path);
  }

  /** The files as a process sees them. A kill in the middle leaves the beginning of what was written. */
  seenBy(process: SimProcess, step: () => number): Files {
    const put = (path: string, text: string, before: string, torn: boolean): void => {
      const part = this.#partOf(path, torn);
      const failed = part !== undefined && !torn;
      this.files.set(path, before + text.slice(0, Math.floor((part ?? 1) * text.length)));
      const effect = process.effects;
      this.writes.push({ path, text, failed, step: step(), process: process.name, effect });
      if (failed) {
        throw Object.assign(new Error(`ENOSPC: no space left on device, write '${path}'`), {
          code: 'ENOSPC',
        });
      }
    };
    const opened = (path: string): OpenedFile => ({
      kind: 'file',
      bytes: Buffer.byteLength(this.files.get(path) ?? ''),
    });
    return {
      kindOf: (path) => (this.files.has(path) ? 'file' : 'missing'),
      append: (path, text, check) => {
        check(opened(path));
        const before = this.files.get(path) ?? '';
        // As the system's files do: behind half a line a new one begins.
        const whole = before === '' || before.endsWith('\n') ? text : `\n${text}`;
        const act = (torn: boolean): void => put(path, whole, before, torn);
        process.perform('append', `${path} ${text.trim()}`, act, undefined);
      },
      write: (path, text, check) => {
        check(opened(path));
        process.perform('write', path, (torn) => put(path, text, '', torn), undefined);
      },
      read: (path, check) => {
        check(opened(path));
        return this.files.get(path);
      },
      list: (folder) =>
        [...this.files.keys()]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1)),
    };
  }

  /** How much of a write is done, as a share; undefined for a write that goes well. */
  #partOf(path: string, torn: boolean): number | undefined {
    const kind = this.#kindOf(path);
    if (torn) return 0.6;
    if (kind === undefined) return undefined;
    const nth = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, nth);
    const fault = this.#faults.find(
      ({ file, from, to }) => (file === kind || file === 'all') && nth >= from && nth <= to,
    );
    return fault?.part;
  }
}
