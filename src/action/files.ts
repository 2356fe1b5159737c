import {
  appendFileSync,
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';

/** What a path leads to. Links are followed. */
export type FileKind =
  | 'missing'
  | 'file'
  | 'directory'
  | 'character_device'
  | 'block_device'
  | 'fifo'
  | 'socket'
  /** This process's own stdout, whatever it is connected to. */
  | 'stdout';

/** A file that was opened, before anything is read from it or written to it. */
export interface OpenedFile {
  readonly kind: FileKind;
  /** Its size in bytes. */
  readonly bytes: number;
}

/** Decides whether an opened file may be used. If it throws, nothing is read or written. */
export type Check = (opened: OpenedFile) => void;

/**
 * The files that this action reads and writes: primitives that never block. What may be read or written where is
 * decided in file-access.ts. Everything is synchronous, so what was written survives a kill.
 */
export interface Files {
  /** What is at a path. Also missing if the path cannot be inspected. */
  kindOf(path: string): FileKind;
  /**
   * Appends whole lines in one system call, and creates the file if it is missing. Starts a new line after a torn one.
   * Throws what the check throws, or the system's error.
   */
  append(path: string, text: string, check: Check): void;
  /** Replaces the content of a file, and creates it if it is missing. Throws what the check throws, or the system's error. */
  write(path: string, text: string, check: Check): void;
  /** The text of a file; undefined if the check throws or the file cannot be read. */
  read(path: string, check: Check): string | undefined;
  /** The names in a folder; none if it cannot be read. */
  list(folder: string): readonly string[];
}

/** The machine's own files. Files that it creates are only accessible to their owner. */
export const systemFiles: Files = {
  kindOf(path) {
    try {
      return kindOf(statSync(path, { bigint: true }));
    } catch {
      return 'missing';
    }
  },
  append(path, text, check) {
    use(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, (file) => {
      check(openedFile(file));
      appendFileSync(file, endsTorn(path) ? `\n${text}` : text);
    });
  },
  write(path, text, check) {
    // Truncates only after the check: the file could be a log that stdout is redirected to.
    use(path, constants.O_WRONLY | constants.O_CREAT, (file) => {
      check(openedFile(file));
      ftruncateSync(file);
      writeFileSync(file, text);
    });
  },
  read(path, check) {
    try {
      return use(path, constants.O_RDONLY, (file) => {
        const opened = openedFile(file);
        check(opened);
        return textOf(file, opened.bytes);
      });
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

/** Opens a file without waiting for the other end of a FIFO or for a device. Windows has no O_NONBLOCK, and no FIFO. */
function use<T>(path: string, flags: number, task: (file: number) => T): T {
  const file = openSync(path, flags | constants.O_NONBLOCK, 0o600);
  try {
    return task(file);
  } finally {
    closeSync(file);
  }
}

function openedFile(file: number): OpenedFile {
  const stats = fstatSync(file, { bigint: true });
  return { kind: kindOf(stats), bytes: Number(stats.size) };
}

function kindOf(stats: BigIntStats): FileKind {
  if (isStdout(stats)) return 'stdout';
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isCharacterDevice()) return 'character_device';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'block_device';
}

/** Windows numbers neither devices nor pipes: there they have 0, and are no stdout. */
function isStdout({ dev, ino }: BigIntStats): boolean {
  try {
    const stdout = fstatSync(1, { bigint: true });
    return ino !== 0n && ino === stdout.ino && dev === stdout.dev;
  } catch {
    return false;
  }
}

/** The first `bytes` of a file: it may grow while it is read. */
function textOf(file: number, bytes: number): string {
  const content = Buffer.alloc(bytes);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes; length += count) {
    count = readSync(file, content, length, bytes - length, length);
  }
  return content.toString('utf8', 0, length);
}

/** Whether a file ends in the middle of a line. False if it cannot be read: the write that follows reports why. */
function endsTorn(path: string): boolean {
  try {
    return use(path, constants.O_RDONLY, (file) => {
      const { size } = fstatSync(file);
      const last = Buffer.alloc(1);
      return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== LINE_FEED;
    });
  } catch {
    return false;
  }
}

const LINE_FEED = 0x0a;
