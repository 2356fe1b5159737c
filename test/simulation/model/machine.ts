/** The machine that all executions run on: starts processes, and lets one find another. */
import type { Processes } from '../../../src/action/runner/processes.ts';
import type { SignalFact } from './facts.ts';
import type { Loop } from './loop.ts';
import { SimProcess } from './process.ts';
import type { ProcessName, SingleSpec } from './spec.ts';
import { Stdout } from './stdout.ts';

const PIDS = { main: 4_242, post: 4_711 } as const;

/** A process that has been started, what it writes to, and what it has observed. */
export interface Started {
  readonly process: SimProcess;
  readonly stdout: Stdout;
  readonly atMs: number;
  readonly step: number;
  /** Signals and the loss of stdout, in their order. */
  readonly observed: SignalFact[];
  /** The name of the machine or container, which sees its own processes alone. */
  readonly host: string;
}

export class Machine {
  readonly #loop: Loop;
  readonly #all: Started[] = [];

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /** Starts a process of an execution. Its first statement is still to come. */
  start(name: ProcessName, spec: SingleSpec, execution: number): Started {
    const { container, job } = spec.placement;
    const loop = this.#loop;
    const label = execution === 0 ? name : `${name}-${execution + 1}`;
    const pid = PIDS[name] + (container ? 0 : execution * 1_000);
    const process = new SimProcess({
      ...{ name, label, pid, loop },
      startedAt: `ticks:${pid * 7 + execution}`,
      clock: spec.clocks[name],
      flushMs: spec.runner.flushMs,
      lostTimer: name === 'main' ? spec.lostTimer : null,
    });
    const stdout = new Stdout(process, loop, spec.runner.debug);
    const host = container ? `container-of-job-${job}` : 'machine';
    const started = { process, stdout, atMs: loop.nowMs, step: loop.step, observed: [], host };
    this.#all.push(started);
    loop.note(label, 0, 'starts', '');
    return started;
  }

  /** Called when everything that an event led to is done. */
  noticeDrained(): void {
    for (const { process } of this.#all) process.host.noticeDrained();
  }

  /** An unhandled rejection hits the process that was started first, of those that are alive. */
  fail(error: unknown): void {
    this.#all.find(({ process }) => process.alive)?.process.host.fail(error);
  }

  /** The processes of this machine, as far as one of them finds and signals them. */
  processesFor({ process, host }: Started, sight: SingleSpec['runner']['sight']): Processes {
    // A process id is reused when its owner is gone, so the youngest process has it.
    const found = (pid: number): SimProcess | undefined =>
      this.#all.findLast((one) => one.process.pid === pid && one.host === host)?.process;
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
  }
}
