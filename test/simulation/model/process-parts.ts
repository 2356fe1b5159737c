import { listenForInterruption, type Watched } from '../../../src/action/runner/signals.ts';
import type { Machine } from '../../../src/action/steps/machine.ts';
import { createService } from '../../../src/service/client.ts';
import type { Disk } from './disk.ts';
import type { Loop } from './loop.ts';
import type { Started } from './machine.ts';
import type { Network } from './network/network.ts';
import type { StreamOf } from './random.ts';

/** What all processes of a scenario share. */
export interface Surroundings {
  readonly loop: Loop;
  readonly streamOf: StreamOf;
  readonly disk: Disk;
  readonly network: Network;
}

/** Hands a process what its entry would: all of it simulated, but for the service's client. */
export function partsFor(started: Started, surroundings: Surroundings): Omit<Machine, 'env'> {
  const { disk, loop, streamOf, network } = surroundings;
  const { process, stdout } = started;
  const { clock } = process;
  const random = streamOf(process.name);
  return {
    clock,
    random: () => random.next(),
    files: disk.seenBy(process, loop),
    toolkit: stdout.toolkit,
    print: stdout.print,
    interruption: listen(started, loop),
    openService: (options) => createService({ ...options, clock, connection: network.wireOf(process) }),
  };
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
