/** The machine's disk as one execution uses it. It fills up and blocks as the execution's spec demands. */
import type { Files, OpenedFile } from '../../../src/action/runner/files.ts';
import { PartialWrite } from '../../../src/base/file-errors.ts';
import { fullDiskError } from '../../support/memory-files.ts';
import type { Paths, StallFact, WriteFact } from './facts.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './process.ts';
import type { DiskFault, DiskStall, FileName, SingleSpec } from './spec.ts';

/** How much of a write remains if a kill interrupts it. */
const TORN_SHARE = 0.6;

export type Disk = ReturnType<typeof createDisk>;

export function createDisk(files: Map<string, string>, spec: SingleSpec, paths: Paths, loop: Loop) {
  const writes: WriteFact[] = [];
  const stalls: StallFact[] = [];
  const counts = new Map<FileName, number>();
  /** The share of the text that the next write to a file stores if the write fails, and how long it blocks. */
  const nextWrite = (path: string): { readonly part?: number | undefined; readonly blocksMs: number } => {
    const name = nameOf(paths, path);
    if (name === undefined) return { blocksMs: 0 };
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const meets = ({ file, from, to }: DiskFault | DiskStall): boolean =>
      (file === name || file === 'all') && nth >= from && nth <= to;
    return { part: spec.disk.find(meets)?.part, blocksMs: spec.stalls.find(meets)?.ms ?? 0 };
  };
  const put = (process: SimProcess, kind: 'append' | 'write', path: string, text: string): void => {
    if (!process.alive) return;
    const { part, blocksMs } = nextWrite(path);
    const fromMs = process.nowMs;
    if (blocksMs > 0) stalls.push({ process: process.name, path, text, fromMs, untilMs: fromMs + blocksMs });
    const act = (torn: boolean, effect: number): void => {
      const before = kind === 'append' ? (files.get(path) ?? '') : '';
      // As in the real files, a record after an incomplete line starts a new line.
      const whole = before === '' || before.endsWith('\n') ? text : `\n${text}`;
      const share = torn ? TORN_SHARE : (part ?? 1);
      files.set(path, before + whole.slice(0, Math.floor(share * whole.length)));
      const failed = part !== undefined && !torn;
      const result = { failed, partial: failed && part > 0 };
      writes.push({ path, text: whole, ...result, atMs: loop.nowMs, step: loop.step, process: process.name, effect });
    };
    process.perform(kind, kind === 'append' ? `${path} ${text.trim()}` : path, act, blocksMs);
    if (part === undefined) return;
    const full = fullDiskError(path);
    throw part === 0 ? full : new PartialWrite(full.message, { cause: full });
  };
  const opened = (path: string): OpenedFile => ({ kind: 'file', bytes: Buffer.byteLength(files.get(path) ?? '') });
  const writing =
    (process: SimProcess, kind: 'append' | 'write'): Files['write'] =>
    (path, text, check) => {
      check(opened(path));
      put(process, kind, path, text);
    };
  const seenBy = (process: SimProcess): Files => ({
    kindOf: (path) => (files.has(path) ? 'file' : 'missing'),
    openToAppend: (path, check) => check(opened(path)),
    append: writing(process, 'append'),
    write: writing(process, 'write'),
    read: (path, check) => {
      check(opened(path));
      return files.get(path);
    },
    list: (folder) =>
      [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)),
  });
  return { writes, stalls, seenBy };
}

function nameOf({ state, output, summary, postSummary }: Paths, path: string): FileName | undefined {
  if (path === state) return 'state';
  if (path === output) return 'output';
  if (path === summary || path === postSummary) return 'summary';
  return path.endsWith('.journal') ? 'journal' : undefined;
}
