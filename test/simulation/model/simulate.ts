import { revokeKey, type World } from '../../../sandbox/model/index.ts';
import type { SharedFiles } from './disk.ts';
import { Execution } from './execution.ts';
import type { ScenarioFacts, SingleFacts } from './facts.ts';
import { Job } from './job.ts';
import { Loop } from './loop.ts';
import { Machine } from './machine.ts';
import { withRejections } from './rejections.ts';
import { alone, executionsOf, type ScenarioSpec, type SingleSpec } from './spec.ts';
import { Trace } from './trace.ts';
import { KEY, worldOf } from './world.ts';

/** A scenario that is not over by then never will be. */
const LONGEST_LIFE_MS = 48 * 3_600_000;
const MOST_STEPS = 12_000;

/** Simulates a scenario from its first statement to the end of whatever it left behind. */
export async function live(spec: ScenarioSpec): Promise<ScenarioFacts> {
  const scenario = new Simulation(spec);
  return await withRejections(
    (error) => scenario.escape(error),
    () => scenario.live(),
  );
}

/** Simulates the scenario in which this execution is the only one. */
export async function simulateAlone(spec: SingleSpec): Promise<SingleFacts> {
  const { executions, log, digest } = await live(alone(spec));
  const [facts] = executions;
  if (facts === undefined) throw new Error('Main was never started.');
  return { ...facts, log, digest };
}

class Simulation {
  readonly #spec: ScenarioSpec;
  readonly #loop = new Loop();
  readonly #trace: Trace;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #executions: readonly Execution[];
  readonly #escaped: string[] = [];

  constructor(spec: ScenarioSpec) {
    const loop = this.#loop;
    const files: SharedFiles = new Map();
    this.#spec = spec;
    this.#trace = new Trace(loop);
    this.#world = worldOf(spec);
    this.#machine = new Machine(loop, this.#trace);
    const { keyRevokedAtMs } = spec.service;
    if (keyRevokedAtMs !== null) loop.at(keyRevokedAtMs, () => this.#revokeKey());
    const shared = { loop, trace: this.#trace, world: this.#world, files, machine: this.#machine };
    const jobs = new Map<number, Job>();
    this.#executions = executionsOf(spec).map((each, number) => {
      const { job: which, begins, startMs } = each.placement;
      const isFirst = !jobs.has(which);
      const job = jobs.get(which) ?? new Job(loop);
      jobs.set(which, job);
      const execution = new Execution(each, number, shared, job);
      job.add(execution.step, isFirst || begins === 'concurrent' ? startMs : undefined);
      return execution;
    });
  }

  async live(): Promise<ScenarioFacts> {
    const bounds = { untilMs: LONGEST_LIFE_MS, steps: MOST_STEPS * this.#spec.executions.length };
    const ended = await this.#loop.run(bounds, () => this.#machine.noticeDrained());
    const hasNeighbours = this.#executions.length > 1;
    return {
      executions: this.#executions.flatMap((one) => one.facts({ ended, escaped: this.#escaped, hasNeighbours })),
      log: this.#trace.lines,
      digest: () => this.#trace.digest(),
    };
  }

  /** Something that went past everything that should have caught it. */
  escape(error: unknown): void {
    this.#escaped.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    this.#machine.fail(error);
  }

  #revokeKey(): void {
    this.#trace.note('service', 0, 'key revoked', '');
    revokeKey(this.#world, KEY);
  }
}
