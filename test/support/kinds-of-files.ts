// Paths of every kind that a runner variable may contain by mistake.
import { execFileSync } from 'node:child_process';
import { constants, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_KINDS } from '../../src/action/runner/files.ts';

/** A path that is not a regular file. `make` creates the file in a folder and returns its path. */
interface OddPath {
  /** How the action's messages describe the file. */
  readonly kind: string;
  readonly make: (folder: string) => string;
}

/** Returns a function that creates a file with this name. */
function makes(name: string, create: (path: string) => unknown): OddPath['make'] {
  return (folder) => {
    const path = join(folder, name);
    create(path);
    return path;
  };
}

const mkfifo = (path: string) => execFileSync('mkfifo', [path]);

export const FIFO: OddPath = { kind: FILE_KINDS.fifo, make: makes('fifo', mkfifo) };

/** Paths of every kind to which the action can write neither outputs nor state. */
export const ODD_PATHS: readonly OddPath[] = [
  FIFO,
  {
    kind: `${FIFO.kind} whose reader reads nothing`,
    make: makes('fifo', (path) => {
      mkfifo(path);
      // The file stays open until the test process exits.
      openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    }),
  },
  { kind: FILE_KINDS.directory, make: makes('directory', mkdirSync) },
  { kind: FILE_KINDS.character_device, make: () => '/dev/null' },
  { kind: `${FILE_KINDS.character_device} that is full`, make: () => '/dev/full' },
  { kind: FILE_KINDS.stdout, make: () => '/dev/stdout' },
];

/** Returns the kind of a path as in messages, without the remark that distinguishes two paths of the same kind. */
export function nameOf({ kind }: OddPath): string {
  return kind.replace(/ (?:whose|that) .*/, '');
}
