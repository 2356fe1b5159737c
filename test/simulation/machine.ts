/* What all processes of a scenario share: one event loop, one virtual clock, one disk and one service. */
import { addKey, createWorld, type World as Service } from '../../sandbox/model/index.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import type { Instant, StoryLine } from './history.ts';
import type { SimProcess } from './process.ts';
import type { Scenario } from './scenario.ts';

/** It contains characters that percent-encoding and JSON change. */
export const KEY = 'ak_s1m+ulated/"key"%of~42';
export const BASE_URL = 'https://app.example.test';
export const TEMP = '/runner/temp';

export class Machine {
  readonly clock = new VirtualClock();
  readonly files = new Map<string, string>();
  readonly processes: SimProcess[] = [];
  readonly story: StoryLine[] = [];
  readonly service: Service;
  readonly scenario: Scenario;
  /** The process whose code is running, or ran last. An unhandled rejection is its own. */
  running: SimProcess | undefined;
  #facts = 0;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    const { seed, service } = scenario;
    // A reading every 30 s is the default. The checker counts the reads of a run itself.
    this.service = createWorld({ seed, ttlSeconds: service.ttlSeconds, minReadIntervalMs: 0 });
    addKey(this.service, KEY);
  }

  get now(): number {
    return this.clock.now();
  }

  /** Returns a point after everything that happened before. */
  instant(): Instant {
    this.#facts += 1;
    return { at: this.now, order: this.#facts };
  }

  tell(who: string, effect: number, text: string): void {
    this.story.push({ at: this.now, who, effect, text });
  }

  isAlive(pid: number): boolean {
    return this.processes.some((each) => each.pid === pid && (each.isAlive || each.isPidReused));
  }
}
