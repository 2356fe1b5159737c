import type { Processes } from '../../../src/action/runner/processes.ts';
import type { SignalFact } from './facts.ts';
import type { Loop } from './loop.ts';
import { SimProcess } from './sim-process.ts';
import type { ProcessName, Sight, SingleSpec } from './spec.ts';
import { Stdout } from './stdout.ts';
import type { Trace } from './trace.ts';

const PIDS = { main: 4_242, post: 4_711 } as const;

/** A process that has been started, what it writes to, and what it has observed. */
export interface Started {
  readonly process: SimProcess;
  readonly stdout: Stdout;
  readonly atMs: number;
  readonly step: number;
  /** Signals and the loss of stdout, as they come. */
  readonly observed: SignalFact[];
  /** The name of the machine or container, which sees its own processes alone. */
  readonly host: string;
}

/** The machine that all executions run on: starts processes, and lets one find another. */
export class Machine {
  readonly #loop: Loop;
  readonly #trace: Trace;
  readonly #all: Started[] = [];

  constructor(loop: Loop, trace: Trace) {
    this.#loop = loop;
    this.#trace = trace;
  }

  /** Starts a process of an execution. Its first statement is still to come. */
  start(name: ProcessName, spec: SingleSpec, execution: number): Started {
    const { container, job } = spec.placement;
    const label = execution === 0 ? name : `${name}-${execution + 1}`;
    const pid = PIDS[name] + (container ? 0 : execution * 1_000);
    const process = new SimProcess({
      name,
      label,
      pid,
      startedAt: `ticks:${pid * 7 + execution}`,
      loop: this.#loop,
      trace: this.#trace,
      clock: spec.clocks[name],
      flushMs: spec.runner.flushMs,
      lostTimer: name === 'main' ? spec.lostTimer : null,
    });
    const stdout = new Stdout(process, this.#loop, spec.runner.debug);
    const host = container ? `container-of-job-${job}` : 'machine';
    const started = { process, stdout, atMs: this.#loop.nowMs, step: this.#loop.step, observed: [], host };
    this.#all.push(started);
    this.#trace.note(label, 0, 'starts', '');
    return started;
  }

  /** To be called when everything that an event led to is done. */
  noticeDrained(): void {
    for (const { process } of this.#all) process.host.noticeDrained();
  }

  /** A rejection that nobody handled hits a process that is alive: the one that was started first. */
  fail(error: unknown): void {
    this.#all.find(({ process }) => process.alive)?.process.host.fail(error);
  }

  /** The processes of this machine, as far as one of them finds and signals them. */
  processesFor(asking: SimProcess, sight: Sight): Processes {
    const host = this.#all.find(({ process }) => process === asking)?.host;
    // A number is given to the next process when its owner is gone: the youngest has it.
    const found = (pid: number): SimProcess | undefined =>
      this.#all.findLast((one) => one.process.pid === pid && one.host === host)?.process;
    return {
      stateOf(pid, startedAt) {
        if (sight === 'nothing' || found(pid)?.alive !== true) return 'dead';
        if (sight === 'existence') return 'unknown';
        return found(pid)?.startedAt === startedAt ? 'alive' : 'dead';
      },
      signal: (pid, name) => {
        asking.perform('signals', `${pid} ${name}`, () => {
          if (sight !== 'no_signals') found(pid)?.signal(name);
        });
      },
    };
  }
}
