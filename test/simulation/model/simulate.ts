/** Simulates scenarios, each from its first statement until everything that it started has ended. */
import { revokeKey } from '../../../sandbox/model/index.ts';
import { createExecution, type Shared } from './execution.ts';
import type { ScenarioFacts, SingleFacts } from './facts.ts';
import { Job } from './job.ts';
import { Loop } from './loop.ts';
import { createMachine } from './machine.ts';
import { alone, executionsOf, type ScenarioSpec, type SingleSpec } from './spec.ts';
import { KEY, worldOf } from './world.ts';

/** A scenario that runs for longer than this counts as endless. */
const LONGEST_MS = 48 * 3_600_000;
const MOST_STEPS = 12_000;

let onRejection: ((error: unknown) => void) | undefined;

/** Attributes unhandled rejections to this scenario from now on. */
export function watchRejections(): void {
  process.on('unhandledRejection', (error) => {
    if (onRejection === undefined) throw error;
    onRejection(error);
  });
}

export async function live(spec: ScenarioSpec): Promise<ScenarioFacts> {
  const loop = new Loop();
  const machine = createMachine(loop);
  const world = worldOf(spec);
  const { keyRevokedAtMs } = spec.service;
  if (keyRevokedAtMs !== null) {
    loop.at(keyRevokedAtMs, () => {
      loop.note('service', 0, 'key revoked', '');
      revokeKey(world, KEY);
    });
  }
  const shared: Shared = { loop, world, files: new Map(), machine };
  const jobs = new Map<number, Job>();
  const executions = executionsOf(spec).map((each, number) => {
    const { job: which, begins, startMs } = each.placement;
    const isFirst = !jobs.has(which);
    const job = jobs.get(which) ?? new Job(loop);
    jobs.set(which, job);
    const execution = createExecution(each, number, shared, job);
    job.add(execution, isFirst || begins === 'concurrent' ? startMs : undefined);
    return execution;
  });
  const escaped: string[] = [];
  onRejection = (error) => {
    escaped.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    machine.fail(error);
  };
  try {
    const ended = await loop.run(LONGEST_MS, MOST_STEPS * executions.length, machine.noticeDrained);
    const all = executions.flatMap((one) => one.facts({ ended, escaped }));
    return {
      executions: all.map((facts) => ({ ...facts, neighbours: all.filter((other) => other !== facts) })),
      log: loop.log,
    };
  } finally {
    onRejection = undefined;
  }
}

export async function simulateAlone(spec: SingleSpec): Promise<SingleFacts> {
  const { executions, log } = await live(alone(spec));
  const [facts] = executions;
  if (facts === undefined) throw new Error('Main was never started.');
  return { ...facts, log };
}
