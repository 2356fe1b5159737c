import * as fs from 'node:fs';
import { PartialWrite } from '../../base/file-errors.ts';
import { messageOf } from '../../base/safe-text.ts';

/** Kinds of files after following links, with their names in messages. `stdout` is the stdout of this process. */
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

/** An open file that has not been read or written yet. `bytes` is its size. */
export type OpenedFile = Readonly<{ kind: FileKind; bytes: number }>;

/** Decides whether the caller may use an opened file. Throws to prevent any read or write. */
export type Check = (opened: OpenedFile) => void;

/** Primitives that never block on a file. They are synchronous, so written data survives a kill. */
export interface Files {
  /** Returns the kind of file at a path, or `missing` if no file exists or the path cannot be inspected. */
  kindOf(path: string): FileKind;
  /** Opens a file in the same way as `append` but writes nothing. */
  openToAppend(path: string, check: Check): void;
  /**
   * Appends text, on a new line, normally in one system call. Creates a missing file. Throws if the check or the call
   * fails, and PartialWrite if part of the text may remain.
   */
  append(path: string, text: string, check: Check): void;
  /** Replaces the contents of a file, or creates a missing one. Throws if the check or the call fails. */
  write(path: string, text: string, check: Check): void;
  /** Returns the text of a file, or undefined if the check throws or the file cannot be read. */
  read(path: string, check: Check): string | undefined;
  /** Returns the names in a folder, or an empty list if it cannot read the folder. */
  list(folder: string): readonly string[];
}

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

/** The files of this machine. New files are accessible only to their owner. */
export const systemFiles: Files = {
  kindOf: (path) => orElse('missing', () => kindIn(fs.statSync(path, { bigint: true }))),
  openToAppend: (path, check) => withFile(path, O_WRONLY | O_CREAT | O_APPEND, check, () => undefined),
  append: (path, text, check) =>
    withFile(path, O_WRONLY | O_CREAT | O_APPEND, check, (file, bytes) =>
      orUndo(path, bytes, check, () => fs.appendFileSync(file, endsInsideLine(path) ? `\n${text}` : text)),
    ),
  write: (path, text, check) =>
    withFile(path, O_WRONLY | O_CREAT, check, (file) => {
      // Truncate only after the check, because stdout may be redirected to this file.
      fs.ftruncateSync(file);
      fs.writeFileSync(file, text);
    }),
  read: (path, check) => orElse(undefined, () => withFile(path, O_RDONLY, check, textOf)),
  list: (folder) => orElse([], () => fs.readdirSync(folder)),
};

/** Returns the result of `task`, or `otherwise` if `task` throws. */
export function orElse<T>(otherwise: T, task: () => T): T {
  try {
    return task();
  } catch {
    return otherwise;
  }
}

/** O_NONBLOCK avoids waiting for a device or the other end of a FIFO. Windows has neither this flag nor FIFOs. */
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

/**
 * Runs `write`. After a failure, shortens the file to its former size, and throws PartialWrite if it cannot. This also
 * removes what another process appended in the meantime, which can only be a record of post or main in a journal. Post
 * then at worst reports or cancels a run again.
 */
function orUndo(path: string, bytes: number, check: Check, write: () => void): void {
  try {
    write();
  } catch (error) {
    const isUndone = orElse(false, () => {
      // Windows cannot shorten a file that is open for appending.
      withFile(path, O_WRONLY, check, (file) => fs.ftruncateSync(file, bytes));
      return true;
    });
    throw isUndone ? error : new PartialWrite(messageOf(error), { cause: error });
  }
}

function kindIn(stats: fs.BigIntStats): FileKind {
  const stdout = orElse(undefined, () => fs.fstatSync(1, { bigint: true }));
  // Windows reports inode number 0 for every device and pipe, so the action cannot recognize stdout there.
  if (stats.ino !== 0n && stats.ino === stdout?.ino && stats.dev === stdout.dev) return 'stdout';
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isCharacterDevice()) return 'character_device';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'block_device';
}

/** Reads at most `bytes` bytes, because the file may grow in the meantime. */
function textOf(file: number, bytes: number): string {
  const content = Buffer.alloc(bytes);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes; length += count) {
    count = fs.readSync(file, content, length, bytes - length, length);
  }
  return content.toString('utf8', 0, length);
}

/** Returns whether a file's last line is incomplete. If the file cannot be read, the next write reports the reason. */
function endsInsideLine(path: string): boolean {
  const endsInside = (file: number, bytes: number): boolean => {
    const last = Buffer.alloc(1);
    return bytes > 0 && fs.readSync(file, last, 0, 1, bytes - 1) === 1 && last.toString() !== '\n';
  };
  return orElse(false, () => withFile(path, O_RDONLY, () => undefined, endsInside));
}
