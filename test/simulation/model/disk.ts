import type { Files, OpenedFile } from '../../../src/action/runner/files.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';
import type { DiskFault, DiskStall, FileName } from './spec.ts';

/** What a write did to a file, for the check. */
export interface WriteFact {
  readonly path: string;
  readonly text: string;
  readonly failed: boolean;
  readonly step: number;
  readonly process: string;
  readonly effect: number;
}

/** A write that blocked its process, for the check: `untilMs` is when it returned, if the process lived to see it. */
export interface StallFact {
  readonly process: string;
  readonly path: string;
  readonly text: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The disk of the machine: text by path. */
export type SharedFiles = Map<string, string>;

/** How a write goes: the share of the text that is written before it fails, if it does, and how long it blocks. */
interface Going {
  readonly part: number | undefined;
  readonly blocksMs: number;
}

/** The disk as one execution uses it: it fills and blocks where the execution says so. */
export class Disk {
  readonly files: SharedFiles;
  readonly writes: WriteFact[] = [];
  readonly stalls: StallFact[] = [];
  readonly #faults: readonly DiskFault[];
  readonly #stalls: readonly DiskStall[];
  readonly #counts = new Map<FileName, number>();
  readonly #kindOf: (path: string) => FileName | undefined;

  constructor(
    files: SharedFiles,
    spec: { readonly disk: readonly DiskFault[]; readonly stalls: readonly DiskStall[] },
    kindOf: (path: string) => FileName | undefined,
  ) {
    this.files = files;
    this.#faults = spec.disk;
    this.#stalls = spec.stalls;
    this.#kindOf = kindOf;
  }

  read(path: string): string | undefined {
    return this.files.get(path);
  }

  /** The files as a process sees them. A kill in the middle leaves the beginning of what was written. */
  seenBy(process: SimProcess, loop: Loop): Files {
    const put = (kind: string, path: string, text: string, textAfter: (before: string) => string): void => {
      if (!process.alive) return;
      const { part, blocksMs } = this.#goingOf(path);
      if (blocksMs > 0) {
        const fromMs = process.nowMs;
        this.stalls.push({ process: process.name, path, text, fromMs, untilMs: fromMs + blocksMs });
      }
      const act = (torn: boolean, effect: number): void => {
        const before = kind === 'append' ? (this.files.get(path) ?? '') : '';
        const whole = textAfter(before);
        const failed = part !== undefined && !torn;
        const share = torn ? TORN_SHARE : (part ?? 1);
        this.files.set(path, before + whole.slice(0, Math.floor(share * whole.length)));
        this.writes.push({ path, text: whole, failed, step: loop.step, process: process.name, effect });
      };
      process.perform(kind, kind === 'append' ? `${path} ${text.trim()}` : path, act, blocksMs);
      if (part === undefined) return;
      const message = `ENOSPC: no space left on device, write '${path}'`;
      throw Object.assign(new Error(message), { code: 'ENOSPC' });
    };
    const opened = (path: string): OpenedFile => ({
      kind: 'file',
      bytes: Buffer.byteLength(this.files.get(path) ?? ''),
    });
    return {
      kindOf: (path) => (this.files.has(path) ? 'file' : 'missing'),
      openToAppend: (path, check) => check(opened(path)),
      append: (path, text, check) => {
        check(opened(path));
        // As the system's files do: behind half a line a new one begins.
        put('append', path, text, (before) => (before === '' || before.endsWith('\n') ? text : `\n${text}`));
      },
      write: (path, text, check) => {
        check(opened(path));
        put('write', path, text, () => text);
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

  #goingOf(path: string): Going {
    const kind = this.#kindOf(path);
    if (kind === undefined) return { part: undefined, blocksMs: 0 };
    const nth = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, nth);
    const meets = ({ file, from, to }: DiskFault | DiskStall): boolean =>
      (file === kind || file === 'all') && nth >= from && nth <= to;
    return { part: this.#faults.find(meets)?.part, blocksMs: this.#stalls.find(meets)?.ms ?? 0 };
  }
}

/** How much of a write a kill in the middle of it leaves. */
const TORN_SHARE = 0.6;
