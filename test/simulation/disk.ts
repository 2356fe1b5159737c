/* The files of a machine as one process sees them: some of its writes fail. */
import type { Files } from '../../src/world.ts';
import { type Machine, TEMP } from './machine.ts';
import type { DiskFault, FileKind, Role } from './scenario.ts';

/** Files whose writes are effects of a process. A torn write leaves half of its text. */
export class Disk {
  readonly #machine: Machine;
  readonly #role: Role;
  readonly #faults: readonly DiskFault[];
  readonly #counts = new Map<FileKind, number>();
  readonly #created = new Set<string>();

  constructor(machine: Machine, role: Role, faults: readonly DiskFault[]) {
    this.#machine = machine;
    this.#role = role;
    this.#faults = faults.filter(({ on }) => on === role);
  }

  /** What main creates in the folder for temporary files is its journal. Post creates marks. */
  kindOf(path: string): FileKind {
    if (path.startsWith(TEMP)) return this.#role === 'main' ? 'journal' : 'mark';
    return /state|output|summary/.exec(path)?.[0] as FileKind;
  }

  readonly read: Files['read'] = (path) => this.#machine.files.get(path);

  /** Whether another process created this file in the folder for temporary files. */
  isForeign(path: string): boolean {
    return path.startsWith(TEMP) && !this.#created.has(path);
  }

  readonly list: Files['list'] = (folder) => {
    const paths = [...this.#machine.files.keys()].filter((path) => path.startsWith(`${folder}/`));
    return paths.map((path) => path.slice(folder.length + 1));
  };

  /** @throws if the file does not exist, or if this write fails */
  append(path: string, text: string, isTorn: boolean): void {
    const before = this.#machine.files.get(path);
    if (before === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
    this.#write(path, before === '' || before.endsWith('\n') ? before : `${before}\n`, text, isTorn);
  }

  /** @throws if the file exists, or if this write fails */
  create(path: string, text: string, isTorn: boolean): void {
    if (this.#machine.files.has(path)) throw new Error(`EEXIST: file already exists, open '${path}'`);
    this.#created.add(path);
    this.#write(path, '', text, isTorn);
  }

  #write(path: string, before: string, text: string, isTorn: boolean): void {
    const kind = this.kindOf(path);
    const nth = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, nth);
    const fault = this.#faults.find(
      ({ file, from, to }) => (file === kind || file === 'all') && nth >= from && nth <= to,
    );
    const part = isTorn ? 0.5 : (fault?.part ?? 1);
    const written = text.slice(0, Math.floor(text.length * part));
    if (written !== '' || (fault === undefined && !isTorn)) this.#machine.files.set(path, before + written);
    if (fault !== undefined) throw new Error(`ENOSPC: no space left on device, write '${path}'`);
  }
}
