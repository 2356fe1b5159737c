// Paths of every kind that a runner variable may contain by mistake.
import { execFileSync } from 'node:child_process';
import { constants, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** A path that is not a regular file. */
export interface OddPath {
  /** How the action's messages describe the file. */
  readonly kind: string;
  /** Creates the file in this folder, and returns its path. */
  make(folder: string): string;
}

export const FIFO: OddPath = {
  kind: 'a FIFO (named pipe)',
  make(folder) {
    const path = join(folder, 'fifo');
    execFileSync('mkfifo', [path]);
    return path;
  },
};

export const DIRECTORY: OddPath = {
  kind: 'a directory',
  make(folder) {
    const path = join(folder, 'directory');
    mkdirSync(path);
    return path;
  },
};

/** Paths of every kind to which the action can write neither outputs nor state. */
export const ODD_PATHS: readonly OddPath[] = [
  FIFO,
  {
    kind: `${FIFO.kind} whose reader reads nothing`,
    make(folder) {
      const path = FIFO.make(folder);
      // The file stays open until the test process exits.
      openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      return path;
    },
  },
  DIRECTORY,
  { kind: 'a character device', make: () => '/dev/null' },
  { kind: 'a character device that is full', make: () => '/dev/full' },
  { kind: "this step's standard output", make: () => '/dev/stdout' },
];

/** How messages describe a path, without the remark that distinguishes two paths of the same kind. */
export function nameOf({ kind }: OddPath): string {
  return kind.replace(/ (?:whose|that) .*/, '');
}
