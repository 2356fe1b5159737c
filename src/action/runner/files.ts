import * as fs from 'node:fs';

/** What a path can lead to, after all links, and how messages name it. `stdout`: that of this process. */
export const FILE_KINDS = {
  missing: 'a path without a file',
  file: 'a regular file',
  directory: 'a directory',
  character_device: 'a character device',
  block_device: 'a block device',
  fifo: 'a FIFO (named pipe)',
  socket: 'a socket',
  stdout: "this step's standard output",
} as const;

export type FileKind = keyof typeof FILE_KINDS;

/** An opened file, before it is read or written. `bytes` is its size. */
export type OpenedFile = Readonly<{ kind: FileKind; bytes: number }>;

/** Decides whether an opened file may be used. If it throws, nothing is read or written. */
export type Check = (opened: OpenedFile) => void;

/** Primitives that never block, and are synchronous, so that what was written survives a kill. */
export interface Files {
  /** What is at a path. Also `missing` if the path cannot be inspected. */
  kindOf(path: string): FileKind;
  /** Opens a file as `append` does, but writes nothing. */
  openToAppend(path: string, check: Check): void;
  /** Appends lines in one system call, on a new line of the file, or creates it. Throws as the check or the system does. */
  append(path: string, text: string, check: Check): void;
  /** Replaces the content of a file. Creates and throws as `append` does. */
  write(path: string, text: string, check: Check): void;
  /** The text of a file; undefined if the check throws or the file cannot be read. */
  read(path: string, check: Check): string | undefined;
  /** The names in a folder; empty if it cannot be read. */
  list(folder: string): readonly string[];
}

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

/** The files of this machine. New ones are only accessible to their owner. */
export const systemFiles: Files = {
  kindOf: (path) => orElse('missing', () => kindIn(fs.statSync(path, { bigint: true }))),
  openToAppend: (path, check) => withFile(path, O_WRONLY | O_CREAT | O_APPEND, check, () => undefined),
  append: (path, text, check) =>
    withFile(path, O_WRONLY | O_CREAT | O_APPEND, check, (file) =>
      fs.appendFileSync(file, endsInsideLine(path) ? `\n${text}` : text),
    ),
  write: (path, text, check) =>
    withFile(path, O_WRONLY | O_CREAT, check, (file) => {
      // Truncated only after the check, because the file may be a log to which stdout is redirected.
      fs.ftruncateSync(file);
      fs.writeFileSync(file, text);
    }),
  read: (path, check) => orElse(undefined, () => withFile(path, O_RDONLY, check, textOf)),
  list: (folder) => orElse([], () => fs.readdirSync(folder)),
};

/** Returns what `task` returns, or `otherwise` if it throws. */
export function orElse<T>(otherwise: T, task: () => T): T {
  try {
    return task();
  } catch {
    return otherwise;
  }
}

/** O_NONBLOCK: does not wait for the other end of a FIFO, or for a device. Windows has neither the flag nor FIFOs. */
function withFile<T>(path: string, flags: number, check: Check, use: (file: number, bytes: number) => T): T {
  const file = fs.openSync(path, flags | O_NONBLOCK, 0o600);
  try {
    const stats = fs.fstatSync(file, { bigint: true });
    const bytes = Number(stats.size);
    check({ kind: kindIn(stats), bytes });
    return use(file, bytes);
  } finally {
    fs.closeSync(file);
  }
}

function kindIn(stats: fs.BigIntStats): FileKind {
  const stdout = orElse(undefined, () => fs.fstatSync(1, { bigint: true }));
  // Windows reports 0 as the number of every device and pipe, so nothing can be recognized as stdout there.
  if (stats.ino !== 0n && stats.ino === stdout?.ino && stats.dev === stdout.dev) return 'stdout';
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isCharacterDevice()) return 'character_device';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'block_device';
}

/** Reads no more than `bytes`, because the file may grow at the same time. */
function textOf(file: number, bytes: number): string {
  const content = Buffer.alloc(bytes);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes; length += count) {
    count = fs.readSync(file, content, length, bytes - length, length);
  }
  return content.toString('utf8', 0, length);
}

/** False if the file cannot be read: the write that follows reports why. */
function endsInsideLine(path: string): boolean {
  const endsInside = (file: number, bytes: number): boolean => {
    const last = Buffer.alloc(1);
    return bytes > 0 && fs.readSync(file, last, 0, 1, bytes - 1) === 1 && last.toString() !== '\n';
  };
  return orElse(false, () => withFile(path, O_RDONLY, () => undefined, endsInside));
}
