/** Runs scenarios twice, in virtual time and as processes of the bundle against the sandbox, and compares them. */
import { join } from 'node:path';
import { installAction, Job, runStep } from '../../../sandbox/runner/index.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/index.ts';
import { simulateAlone } from '../model/simulate.ts';
import type { SingleSpec } from '../model/spec.ts';
import { givenAs, pipelineId } from '../model/world.ts';
import { violationsIn } from '../scenarios/examine.ts';
import { type RealScenario, realScenario, rulesOf } from './real-scenarios.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
/** The largest number of processes that keeps every core busy. */
const AT_ONCE = 6;

/** What both runs of a scenario must agree on. */
interface Trace {
  /** Kind and subject of every request, in order. */
  readonly requests: readonly string[];
  readonly exitCode: number | null | undefined;
  readonly outcome: string | undefined;
}

/** Returns a report for each scenario that differs between the two runs or violates an invariant. */
export async function runForReal(from: number, count: number): Promise<string[]> {
  const action = installAction(REPOSITORY);
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const different: string[] = [];
  const work = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const scenario = realScenario(number);
      const facts = await simulateAlone(scenario.spec);
      const violations = violationsIn(facts);
      const { requests, world, main } = facts;
      const simulated = traceOf(scenario.spec, requests, world.jobs, main.end?.code, main.outputs.get('outcome'));
      const real = await runBundle(scenario, action.folder);
      if (JSON.stringify(simulated) === JSON.stringify(real) && violations.length === 0) continue;
      const lines = [simulated, real, scenario, ...violations].map((part) => `  ${JSON.stringify(part)}`);
      different.push([`Scenario ${number}, simulated, real, and its spec:`, ...lines].join('\n'));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return different;
  } finally {
    action.remove();
  }
}

async function runBundle({ spec, crashesAt }: RealScenario, folder: string): Promise<Trace> {
  const sandbox = await startSandbox({
    model: {
      seed: spec.seed,
      minReadIntervalMs: 0,
      pipelines: spec.pipelines.map(({ name, apiName }, at) => {
        return { id: pipelineId(at), name, apiName, scenario: apiName };
      }),
      scenarios: Object.fromEntries(spec.pipelines.map(({ apiName, timeline }) => [apiName, { does: '', timeline }])),
    },
    rules: rulesOf(spec.faults),
  });
  const job = new Job({ action: folder });
  try {
    if (crashesAt !== undefined) {
      const { call, nth } = crashesAt;
      sandbox.misbehave({ kind: call, nth, how: { do: 'hold', point: 'after-commit' } });
    }
    const step = await runStep(job, { with: inputsFor(spec, sandbox) }, interruptFor(crashesAt, sandbox));
    const requests = sandbox.requests.map(({ kind, path, body }) => ({ call: kind, subject: subjectOf(path, body) }));
    const { exitCode, files } = step.main;
    return traceOf(spec, requests, sandbox.world.jobs, exitCode ?? undefined, files.outputs['outcome']);
  } finally {
    await job.close();
    await sandbox.close();
  }
}

type Interrupt = Parameters<typeof runStep>[2];

function interruptFor(crashesAt: RealScenario['crashesAt'], sandbox: Sandbox): Interrupt | undefined {
  if (crashesAt === undefined) return undefined;
  const { call, nth, kind } = crashesAt;
  return {
    mode: kind === 'kill' ? 'act-host' : 'workflow',
    async when(main) {
      // The server responds once the process observes the signal. Only a trigger waits for that.
      const go = (): void => sandbox.release(call, nth);
      main.line(/Step interrupted/).then(go, go);
      await sandbox.commit(call, nth);
    },
  };
}

function inputsFor({ inputs, pipelines }: SingleSpec, { url, key }: Sandbox): Record<string, string> {
  const names = pipelines.map((one, index) => givenAs(one, pipelineId(index)));
  return { ...inputs, 'api-key': key, 'base-url': url, pipeline: names.join('\n') };
}

/**
 * A lookup may run before or after the triggers that are sent in parallel, so only awaited lookups count. A run is
 * identified by its index, because its id differs from scenario to scenario.
 */
function traceOf(
  { pipelines }: SingleSpec,
  requests: readonly { readonly call: string; readonly subject: string }[],
  jobs: readonly { readonly id: string }[],
  exitCode: Trace['exitCode'],
  outcome?: string,
): Trace {
  const isBeside = pipelines.every(({ given }) => given === 'uuid');
  const compared = requests.filter(({ call }) => !isBeside || call !== 'list');
  const placeOf = (subject: string): number => jobs.findIndex(({ id }) => id === subject) + 1;
  const roleOf = (subject: string): string => (placeOf(subject) > 0 ? `run ${placeOf(subject)}` : subject);
  return { requests: compared.map(({ call, subject }) => `${call} ${roleOf(subject)}`), exitCode, outcome };
}

function subjectOf(path: string, body: string): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(`${path} ${body}`)?.[0] ?? '';
}
