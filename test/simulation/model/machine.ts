/** The machine that all executions run on: starts processes, and lets one find another. */
import type { Processes } from '../../../src/action/runner/processes.ts';
import type { Instant, SignalFact } from './facts.ts';
import type { Loop } from './loop.ts';
import { SimProcess } from './process.ts';
import type { ProcessName, SingleSpec } from './spec.ts';
import { createStdout, type Stdout } from './stdout.ts';

const PIDS = { main: 4_242, post: 4_711 } as const;

/** A process that has been started, what it writes to, and what it has observed. */
export interface Started extends Instant {
  readonly process: SimProcess;
  readonly stdout: Stdout;
  /** Signals and the loss of stdout, in their order. */
  readonly observed: SignalFact[];
  /** The name of the machine or container, which sees its own processes alone. */
  readonly host: string;
}

export interface Machine {
  /** Starts a process of an execution. Its first statement is still to come. */
  readonly start: (name: ProcessName, spec: SingleSpec, execution: number) => Started;
  /** Called when everything that an event led to is done. */
  readonly noticeDrained: () => void;
  /** An unhandled rejection hits the process that was started first, of those that are alive. */
  readonly fail: (error: unknown) => void;
  /** The processes of this machine, as far as one of them finds and signals them. */
  readonly processesFor: (asking: Started, sight: SingleSpec['runner']['sight']) => Processes;
}

export function createMachine(loop: Loop): Machine {
  const all: Started[] = [];
  return {
    start(name, spec, execution) {
      const { container, job } = spec.placement;
      const label = execution === 0 ? name : `${name}-${execution + 1}`;
      const pid = PIDS[name] + (container ? 0 : execution * 1_000);
      const process = new SimProcess({
        ...{ name, label, pid, loop },
        startedAt: `ticks:${pid * 7 + execution}`,
        clock: spec.clocks[name],
        flushMs: spec.runner.flushMs,
        lostTimer: name === 'main' ? spec.lostTimer : null,
      });
      const stdout = createStdout(process, loop, spec.runner.debug);
      const host = container ? `container-of-job-${job}` : 'machine';
      const started = { process, stdout, atMs: loop.nowMs, step: loop.step, observed: [], host };
      all.push(started);
      loop.note(label, 0, 'starts', '');
      return started;
    },
    noticeDrained() {
      for (const { process } of all) process.noticeDrained();
    },
    fail(error) {
      all.find(({ process }) => process.alive)?.process.fail(error);
    },
    processesFor({ process, host }, sight) {
      // A process id is reused when its owner is gone, so the youngest process has it.
      const found = (pid: number): SimProcess | undefined =>
        all.findLast((one) => one.process.pid === pid && one.host === host)?.process;
      return {
        stateOf(pid, startedAt) {
          if (sight === 'nothing' || found(pid)?.alive !== true) return 'dead';
          if (sight === 'existence') return 'unknown';
          return found(pid)?.startedAt === startedAt ? 'alive' : 'dead';
        },
        signal: (pid, name) => {
          process.perform('signals', `${pid} ${name}`, () => {
            if (sight !== 'no_signals') found(pid)?.signal(name);
          });
        },
      };
    },
  };
}
