/* What all processes of a test share: one event loop, one virtual clock, one disk and one service. */
import { createWorld, type World as Service } from '../../sandbox/model/index.ts';
import { Disk } from './disk.ts';
import type { Instant } from './network.ts';
import type { FakeProcess } from './process.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A line of a machine's trace. */
export interface TraceLine {
  readonly at: number;
  readonly who: string;
  /** The number of the effect, or 0 for what happens outside a process. */
  readonly effect: number;
  readonly text: string;
}

/** At one instant. */
const MOST_LOOKS = 5_000;

export class Machine {
  readonly clock = new VirtualClock();
  readonly disk = new Disk();
  readonly processes: FakeProcess[] = [];
  readonly trace: TraceLine[] = [];
  readonly service: Service;
  /** The process whose code is running or ran last, to which an unhandled rejection is attributed. */
  running: FakeProcess | undefined;
  isEndless = false;
  readonly #mostLines: number;
  #facts = 0;
  #looks = 0;
  #lookedAt = -1;

  /** @param mostLines the number of lines after which a trace counts as endless and its processes are killed */
  constructor(service: Service = createWorld(), mostLines = Number.POSITIVE_INFINITY) {
    this.service = service;
    this.#mostLines = mostLines;
  }

  get now(): number {
    return this.clock.now();
  }

  /** Returns a point after everything that happened before. */
  instant(): Instant {
    this.#facts += 1;
    return { at: this.now, order: this.#facts };
  }

  log(who: string, effect: number, text: string): void {
    if (this.isEndless) return;
    this.trace.push({ at: this.now, who, effect, text });
    if (this.trace.length >= this.#mostLines) this.#giveUp();
  }

  /** Counts the reads of the clock. @throws if code loops without waiting, because nothing else can end it */
  noteLook(): void {
    this.#looks = this.now === this.#lookedAt ? this.#looks + 1 : 0;
    this.#lookedAt = this.now;
    if (this.#looks > MOST_LOOKS) this.#giveUp();
    if (this.isEndless) throw new Error('This machine never becomes idle.');
  }

  #giveUp(): void {
    this.isEndless = true;
    for (const each of this.processes) each.kill();
  }

  isAlive(pid: number): boolean {
    return this.processes.some((each) => each.pid === pid && (each.isAlive || each.isPidReused));
  }
}
