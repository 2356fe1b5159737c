import { revokeKey, SANDBOX_KEY, type World } from '../../../sandbox/model/index.ts';
import { Chronicle } from './chronicle.ts';
import { Disk } from './disk.ts';
import { mainEnvironment, postEnvironment } from './environment.ts';
import type { Facts } from './facts.ts';
import { fileAt } from './file-names.ts';
import { Loop } from './loop.ts';
import { Machine, type Started } from './machine.ts';
import { beginMain } from './main-process.ts';
import { Network } from './network/network.ts';
import { beginPost } from './post-process.ts';
import { factsOf } from './process-facts.ts';
import type { Surroundings } from './process-parts.ts';
import { createRandom } from './random.ts';
import { withRejections } from './rejections.ts';
import { Runner } from './runner.ts';
import type { LifeSpec } from './spec.ts';
import { queueEarlier, worldOf } from './world.ts';

/** A life that is not over by then never will be. */
const LONGEST_LIFE_MS = 48 * 3_600_000;
const MOST_STEPS = 12_000;

/** Lives a life from its first statement to the end of whatever it left behind. */
export async function live(spec: LifeSpec): Promise<Facts> {
  const life = new Life(spec);
  return await withRejections(
    (error) => life.escape(error),
    () => life.live(),
  );
}

class Life {
  readonly #spec: LifeSpec;
  readonly #loop = new Loop();
  readonly #chronicle: Chronicle;
  readonly #world: World;
  /** Ids of runs that were there before. */
  readonly #earlier: readonly string[];
  readonly #disk: Disk;
  readonly #network: Network;
  readonly #surroundings: Surroundings;
  readonly #machine: Machine;
  readonly #runner: Runner;
  readonly #escaped: string[] = [];

  constructor(spec: LifeSpec) {
    const loop = this.#loop;
    const random = createRandom(spec.seed);
    this.#spec = spec;
    this.#chronicle = new Chronicle(loop);
    this.#world = worldOf(spec);
    this.#earlier = queueEarlier(spec, this.#world);
    this.#disk = new Disk(spec.disk, fileAt);
    this.#network = new Network({ spec, world: this.#world, loop, random, chronicle: this.#chronicle });
    this.#surroundings = { loop, random, disk: this.#disk, network: this.#network };
    this.#machine = new Machine(spec, loop, this.#chronicle);
    this.#runner = new Runner({ spec, loop, disk: this.#disk, startPost: (state) => this.#startPost(state) });
    this.#network.onFault = (fault, process) => this.#runner.faultHits(fault, process);
  }

  async live(): Promise<Facts> {
    const { keyRevokedAtMs } = this.#spec;
    if (keyRevokedAtMs !== null) {
      this.#loop.at(keyRevokedAtMs, () => {
        this.#chronicle.note('service', 0, 'key revoked', '');
        revokeKey(this.#world, SANDBOX_KEY);
      });
    }
    this.#loop.at(0, () => this.#startMain());
    const bounds = { untilMs: LONGEST_LIFE_MS, steps: MOST_STEPS };
    return this.#facts(await this.#loop.run(bounds, () => this.#machine.noticeDrained()));
  }

  /** Something that went past everything that should have caught it. */
  escape(error: unknown): void {
    this.#escaped.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    this.#machine.fail(error);
  }

  #startMain(): void {
    const started = this.#machine.start('main');
    this.#runner.watch('main', started);
    beginMain(started, this.#surroundings, mainEnvironment(this.#spec, this.#earlier));
  }

  #startPost(state: Readonly<Record<string, string>>): Started {
    const started = this.#machine.start('post');
    const env = postEnvironment(this.#spec, this.#earlier, state);
    const processes = this.#machine.processesFor(started.process);
    // The process begins in an event of its own, when the runner watches it.
    this.#loop.soonest(() => beginPost(started, this.#surroundings, processes, env));
    return started;
  }

  #facts(ended: Facts['ended']): Facts {
    const main = this.#machine.get('main');
    const post = this.#machine.get('post');
    if (main === undefined) throw new Error('Main was never started.');
    return {
      spec: this.#spec,
      world: this.#world,
      earlier: this.#earlier,
      requests: this.#network.requests,
      writes: this.#disk.writes,
      files: this.#disk.files,
      main: factsOf(main, this.#runner.outputs),
      post: post && factsOf(post, new Map()),
      struck: this.#runner.struck,
      postEnv: this.#runner.postEnv,
      ended,
      endMs: this.#loop.nowMs,
      digest: () => this.#chronicle.digest(),
      filesReadStep: this.#runner.filesReadStep,
      log: this.#chronicle.lines,
      escaped: this.#escaped,
    };
  }
}
