import type { Processes } from '../../../src/action/processes.ts';
import type { Chronicle } from './chronicle.ts';
import type { SignalFact } from './facts.ts';
import type { Loop } from './loop.ts';
import { SimProcess } from './sim-process.ts';
import type { LifeSpec, ProcessName } from './spec.ts';
import { Stdout } from './stdout.ts';

const PIDS = { main: 4_242, post: 4_711 } as const;

/** A process that has been started, what it writes to, and what it has heard. */
export interface Started {
  readonly process: SimProcess;
  readonly stdout: Stdout;
  readonly atMs: number;
  readonly step: number;
  /** Signals and the loss of stdout, as they come. */
  readonly heard: SignalFact[];
}

/** The machine that main and post run on: starts them, and lets one find the other. */
export class Machine {
  readonly #spec: LifeSpec;
  readonly #loop: Loop;
  readonly #chronicle: Chronicle;
  readonly #started: Partial<Record<ProcessName, Started>> = {};

  constructor(spec: LifeSpec, loop: Loop, chronicle: Chronicle) {
    this.#spec = spec;
    this.#loop = loop;
    this.#chronicle = chronicle;
  }

  /** Starts a process. Its first statement is still to come. */
  start(name: ProcessName): Started {
    const process = new SimProcess({
      name,
      pid: PIDS[name],
      loop: this.#loop,
      chronicle: this.#chronicle,
      clock: this.#spec.clocks[name],
      flushMs: this.#spec.runner.flushMs,
      lostTimer: name === 'main' ? this.#spec.lostTimer : null,
    });
    const stdout = new Stdout(process, this.#loop, this.#spec.runner.debug);
    const started = { process, stdout, atMs: this.#loop.nowMs, step: this.#loop.step, heard: [] };
    this.#started[name] = started;
    this.#chronicle.note(name, 0, 'starts', '');
    return started;
  }

  /** The process of this name; undefined if it was never started. */
  get(name: ProcessName): Started | undefined {
    return this.#started[name];
  }

  /** To be called when everything that an event led to is done. */
  noticeDrained(): void {
    this.get('main')?.process.host.noticeDrained();
    this.get('post')?.process.host.noticeDrained();
  }

  /** A rejection that nobody handled hits the process that is alive: main, if both are. */
  fail(error: unknown): void {
    const all = [this.get('main'), this.get('post')];
    all.find((started) => started?.process.alive === true)?.process.host.fail(error);
  }

  /** The processes of this machine, as one of them finds and signals them. */
  processesFor(asking: SimProcess): Processes {
    const found = (pid: number): SimProcess | undefined =>
      Object.values(this.#started).find(({ process }) => process.pid === pid)?.process;
    return {
      isAlive: (pid, startedAt) => found(pid)?.alive === true && found(pid)?.startedAt === startedAt,
      signal: (pid, name) => {
        asking.perform('signals', `${pid} ${name}`, () => found(pid)?.signal(name), undefined);
      },
    };
  }
}
