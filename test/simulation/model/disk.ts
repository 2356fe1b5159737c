/** The disk of the machine, as one execution uses it: it fills up and blocks where the execution's spec demands. */
import type { Files, OpenedFile } from '../../../src/action/runner/files.ts';
import type { Paths, StallFact, WriteFact } from './facts.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './process.ts';
import type { DiskFault, DiskStall, FileName, SingleSpec } from './spec.ts';

/** Text by path. */
export type SharedFiles = Map<string, string>;

/** How much of a write remains after a kill in the middle of it. */
const TORN_SHARE = 0.6;

export class Disk {
  readonly files: SharedFiles;
  readonly writes: WriteFact[] = [];
  readonly stalls: StallFact[] = [];
  readonly #spec: Pick<SingleSpec, 'disk' | 'stalls'>;
  readonly #paths: Paths;
  readonly #counts = new Map<FileName, number>();

  constructor(files: SharedFiles, spec: Pick<SingleSpec, 'disk' | 'stalls'>, paths: Paths) {
    this.files = files;
    this.#spec = spec;
    this.#paths = paths;
  }

  /** The files as a process sees them. */
  seenBy(process: SimProcess, loop: Loop): Files {
    const { files } = this;
    const put = (kind: 'append' | 'write', path: string, text: string): void => {
      if (!process.alive) return;
      const { part, blocksMs } = this.#nextWrite(path);
      if (blocksMs > 0) {
        const fromMs = process.nowMs;
        this.stalls.push({ process: process.name, path, text, fromMs, untilMs: fromMs + blocksMs });
      }
      const act = (torn: boolean, effect: number): void => {
        const before = kind === 'append' ? (files.get(path) ?? '') : '';
        // As the system's files do: behind half a line a new one begins.
        const whole = before === '' || before.endsWith('\n') ? text : `\n${text}`;
        const failed = part !== undefined && !torn;
        const share = torn ? TORN_SHARE : (part ?? 1);
        files.set(path, before + whole.slice(0, Math.floor(share * whole.length)));
        this.writes.push({ path, text: whole, failed, step: loop.step, process: process.name, effect });
      };
      process.perform(kind, kind === 'append' ? `${path} ${text.trim()}` : path, act, blocksMs);
      if (part === undefined) return;
      const message = `ENOSPC: no space left on device, write '${path}'`;
      throw Object.assign(new Error(message), { code: 'ENOSPC' });
    };
    const opened = (path: string): OpenedFile => ({ kind: 'file', bytes: Buffer.byteLength(files.get(path) ?? '') });
    return {
      kindOf: (path) => (files.has(path) ? 'file' : 'missing'),
      openToAppend: (path, check) => check(opened(path)),
      append: (path, text, check) => {
        check(opened(path));
        put('append', path, text);
      },
      write: (path, text, check) => {
        check(opened(path));
        put('write', path, text);
      },
      read: (path, check) => {
        check(opened(path));
        return files.get(path);
      },
      list: (folder) =>
        [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)),
    };
  }

  /** The share of the text that is written before the next write of a file fails, if it does, and how long it blocks. */
  #nextWrite(path: string): { readonly part: number | undefined; readonly blocksMs: number } {
    const name = this.#nameOf(path);
    if (name === undefined) return { part: undefined, blocksMs: 0 };
    const nth = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, nth);
    const meets = ({ file, from, to }: DiskFault | DiskStall): boolean =>
      (file === name || file === 'all') && nth >= from && nth <= to;
    return { part: this.#spec.disk.find(meets)?.part, blocksMs: this.#spec.stalls.find(meets)?.ms ?? 0 };
  }

  #nameOf(path: string): FileName | undefined {
    const { state, output, summary, postSummary } = this.#paths;
    if (path === state) return 'state';
    if (path === output) return 'output';
    if (path === summary || path === postSummary) return 'summary';
    return path.endsWith('.journal') ? 'journal' : undefined;
  }
}
