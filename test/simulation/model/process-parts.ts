import type { Files } from '../../../src/action/runner/files.ts';
import { listenForInterruption, type Watched } from '../../../src/action/runner/signals.ts';
import type { Toolkit } from '../../../src/action/runner/toolkit.ts';
import type { OpenService } from '../../../src/action/steps/open-service.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { createService } from '../../../src/service/client.ts';
import type { Disk } from './disk.ts';
import type { Loop } from './loop.ts';
import type { Started } from './machine.ts';
import type { Network } from './network/network.ts';
import type { StreamOf } from './random.ts';
import type { SimProcess } from './sim-process.ts';

/** What all processes of a scenario share. */
export interface Surroundings {
  readonly loop: Loop;
  readonly streamOf: StreamOf;
  readonly disk: Disk;
  readonly network: Network;
}

/** What main and post alike are handed by their entries. */
export interface ProcessParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly files: Files;
  readonly toolkit: Toolkit;
  readonly print: (line: string) => void;
  readonly interruption: Watched;
  readonly openService: OpenService;
}

/** Hands a process what its entry would: all of it simulated, but for the service's client. */
export function partsFor(started: Started, surroundings: Surroundings): ProcessParts {
  const { loop, streamOf, network } = surroundings;
  const { process, stdout } = started;
  const { clock } = process;
  const random = streamOf(process.name);
  return {
    clock,
    random: () => random.next(),
    files: filesFor(process, surroundings),
    toolkit: stdout.toolkit,
    print: stdout.print,
    interruption: listen(started, loop),
    openService: (options) => createService({ ...options, clock, connection: network.wireOf(process) }),
  };
}

/** The files of the machine, as a process sees them. */
export function filesFor(process: SimProcess, { disk, loop }: Surroundings): Files {
  return disk.seenBy(process, loop);
}

function listen({ process, stdout, observed }: Started, loop: Loop): Watched {
  const hear = (name: string, listener: () => void) => (): void => {
    observed.push({ name, atMs: loop.nowMs, step: loop.step });
    listener();
  };
  /** Notes an interruption that no event brings: the end of the parent, or a mark. */
  const noting = (task: () => void) => (): void => {
    const before = interruption.first;
    task();
    if (interruption.first !== before) hear(interruption.first?.by ?? '', () => undefined)();
  };
  const interruption: Watched = listenForInterruption(
    {
      onSignal: (name, listener) => process.onSignal(name, hear(name, listener)),
      onStdoutGone: (listener) => stdout.onGone(hear('stdout', listener)),
      parentId: () => process.ppid,
      later: (ms, task) => process.later(ms, noting(task)),
    },
    process.clock,
  );
  return {
    signal: interruption.signal,
    get first() {
      return interruption.first;
    },
    lookFor: (cause) => interruption.lookFor(cause),
    look: noting(() => interruption.look()),
  };
}
