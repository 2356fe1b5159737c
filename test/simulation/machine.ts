/* What all processes of a scenario share: one event loop, one virtual clock, one disk and one service. */
import { addKey, createWorld, type World as Service } from '../../sandbox/model/index.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import type { Instant, StoryLine } from './history.ts';
import type { SimProcess } from './process.ts';
import type { Scenario } from './scenario.ts';

/** The part of the key that no encoding but base64 changes. */
export const CORE_OF_KEY = 'simulated0key';
export const KEY = `ak_+/"${CORE_OF_KEY}"%~42`;
export const TEMP = '/runner/temp';

const MOST_LINES = 20_000;
/** At one instant. */
const MOST_LOOKS = 5_000;

export class Machine {
  readonly clock = new VirtualClock();
  readonly files = new Map<string, string>();
  readonly processes: SimProcess[] = [];
  readonly story: StoryLine[] = [];
  readonly service: Service;
  readonly scenario: Scenario;
  /** The process whose code is running, or ran last. An unhandled rejection is its own. */
  running: SimProcess | undefined;
  isEndless = false;
  #facts = 0;
  #looks = 0;
  #lookedAt = -1;

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

  /** Adds a line to the story. A scenario with too many of them never ends, so its processes are killed. */
  log(who: string, effect: number, text: string): void {
    if (this.isEndless) return;
    this.story.push({ at: this.now, who, effect, text });
    if (this.story.length >= MOST_LINES) this.#giveUp();
  }

  /** Counts the reads of the clock. @throws if code loops without waiting, because nothing else can end it */
  noteLook(): void {
    this.#looks = this.now === this.#lookedAt ? this.#looks + 1 : 0;
    this.#lookedAt = this.now;
    if (this.#looks > MOST_LOOKS) this.#giveUp();
    if (this.isEndless) throw new Error('This scenario never ends.');
  }

  #giveUp(): void {
    this.isEndless = true;
    for (const each of this.processes) each.signal('SIGKILL');
  }

  isAlive(pid: number): boolean {
    return this.processes.some((each) => each.pid === pid && (each.isAlive || each.isPidReused));
  }
}
