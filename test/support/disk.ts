/* Files in memory, as one machine has them and as one process sees them: some of its writes fail. */
import { posix } from 'node:path';
import { type Fault, FaultPlan, type FileKind, type Role } from '../../sandbox/faults.ts';
import type { Files } from '../../src/world.ts';

export const TEMP = '/runner/temp';

/** The files of a machine. `refuse` makes writes to a path fail, by default as on a full disk, until `accept`. */
export class Disk implements Files {
  readonly texts = new Map<string, string>();
  readonly #refused = new Map<string, Error>();

  refuse(path: string, error: Error = full(path)): void {
    this.#refused.set(path, error);
  }

  accept(path: string): void {
    this.#refused.delete(path);
  }

  readonly append = (path: string, text: string): void => {
    this.write(path, this.beforeAppend(path), text);
  };

  readonly create = (path: string, text: string): void => {
    this.write(path, this.beforeCreate(path), text);
  };

  readonly read: Files['read'] = (path) => this.texts.get(path);

  readonly list: Files['list'] = (folder) =>
    [...this.texts.keys()].filter((path) => posix.dirname(path) === folder).map((path) => posix.basename(path));

  /** Returns what the file contains before the new text, which begins a new line. @throws if it does not exist */
  beforeAppend(path: string): string {
    const before = this.texts.get(path);
    if (before === undefined) throw missing(path);
    return before.replace(/[^\n]$/, '$&\n');
  }

  /** @throws if the file exists */
  beforeCreate(path: string): string {
    if (this.texts.has(path)) throw new Error(`EEXIST: file already exists, open '${path}'`);
    return '';
  }

  /** @throws if the file refuses the text */
  write(path: string, before: string, text: string): void {
    const error = this.#refused.get(path);
    if (error !== undefined) throw error;
    this.texts.set(path, before + text);
  }

  /** Deletes everything in the folder for temporary files. */
  emptyTemp(): void {
    for (const path of [...this.texts.keys()]) if (path.startsWith(TEMP)) this.texts.delete(path);
  }
}

function full(path: string): Error {
  return new Error(`ENOSPC: no space left on device, write '${path}'`);
}

function missing(path: string): Error {
  return new Error(`ENOENT: no such file or directory, open '${path}'`);
}

/** The disk as one process uses it. A torn write leaves half of its text. */
export class ProcessDisk {
  readonly #disk: Disk;
  readonly #role: Role;
  readonly #plan: FaultPlan;
  readonly #now: () => number;

  constructor(disk: Disk, role: Role, faults: readonly Fault[], now: () => number) {
    this.#disk = disk;
    this.#role = role;
    this.#plan = new FaultPlan(faults);
    this.#now = now;
  }

  /** The post step creates marks in the folder for temporary files, and main creates journals. */
  kindOf(path: string): FileKind {
    if (path.startsWith(TEMP)) return /(?:\.mark|-post)$/.test(path) ? 'mark' : 'journal';
    const [kind = 'output'] = /state|output|summary/i.exec(path) ?? [];
    return kind.toLowerCase() as FileKind;
  }

  /** @throws if the file does not exist, or if this write fails */
  append(path: string, text: string, isTorn: boolean): void {
    this.#write(path, this.#disk.beforeAppend(path), text, isTorn);
  }

  /** @throws if the file exists, or if this write fails */
  create(path: string, text: string, isTorn: boolean): void {
    const before = this.#disk.beforeCreate(path);
    this.#write(path, before, text, isTorn);
  }

  #write(path: string, before: string, text: string, isTorn: boolean): void {
    const fault = this.#plan.ofWrite(this.kindOf(path), { atMs: this.#now(), on: this.#role });
    const part = isTorn ? 0.5 : fault === undefined ? 1 : (fault.part ?? 0);
    const written = text.slice(0, Math.floor(text.length * part));
    if (written !== '' || (fault === undefined && !isTorn)) this.#disk.write(path, before, written);
    if (fault !== undefined) throw fault.what === 'vanished' ? missing(path) : full(path);
  }
}
