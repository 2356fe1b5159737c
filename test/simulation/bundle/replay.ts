/** Runs scenarios twice, in virtual time and as processes of the bundle against the sandbox, and compares them. */
import { join } from 'node:path';
import { installAction, Job, runStep } from '../../../sandbox/runner/index.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/index.ts';
import type { SingleSpec } from '../model/spec.ts';
import { pipelineId } from '../model/world.ts';
import { examineAlone } from '../scenarios/examine.ts';
import { type RealScenario, realScenario, rulesOf } from './real-scenarios.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
/** So many processes that the cores never wait, and no more. */
const AT_ONCE = 6;

/** What both runs of a scenario have in common. */
interface Trace {
  /** Kind and subject of every request, in order. */
  readonly requests: readonly string[];
  readonly exitCode: number | null | undefined;
  readonly outcome: string | undefined;
}

/** Returns a report for each scenario that differs between the two, or that violates an invariant. */
export async function runForReal(from: number, count: number): Promise<string[]> {
  const action = installAction(REPOSITORY);
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const different: string[] = [];
  const work = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const scenario = realScenario(number);
      const { simulated, violations } = await simulate(scenario.spec);
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

async function simulate(
  spec: SingleSpec,
): Promise<{ readonly simulated: Trace; readonly violations: readonly object[] }> {
  const { facts, violations } = await examineAlone(spec);
  const requests = facts.requests.map(({ call, subject }) => `${call} ${roleOf(subject, facts.world.jobs)}`);
  const { end, outputs } = facts.main;
  return { simulated: traceOf(spec, requests, end?.code, outputs.get('outcome')), violations };
}

async function runBundle({ spec, crashesAt }: RealScenario, folder: string): Promise<Trace> {
  const sandbox = await startSandbox({
    model: {
      seed: spec.seed,
      minReadIntervalMs: 0,
      pipelines: spec.pipelines.map(({ name, apiName }, at) => ({
        id: pipelineId(at),
        name,
        apiName,
        scenario: apiName,
      })),
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
    const { world, requests } = sandbox;
    return traceOf(
      spec,
      requests.map(({ kind, path, body }) => `${kind} ${roleOf(subjectOf(path, body), world.jobs)}`),
      step.main.exitCode ?? undefined,
      step.main.files.outputs['outcome'],
    );
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
      // The answer is sent when the signal was observed, and only a trigger waits for it.
      const go = (): void => sandbox.release(call, nth);
      main.line(/Step interrupted/).then(go, go);
      await sandbox.commit(call, nth);
    },
  };
}

function inputsFor({ inputs, pipelines }: SingleSpec, { url, key }: Sandbox): Record<string, string> {
  const names = pipelines.map(
    ({ given, name, apiName }, index) => ({ uuid: pipelineId(index), api: apiName, name })[given],
  );
  return { ...inputs, 'api-key': key, 'base-url': url, pipeline: names.join('\n') };
}

/** A lookup beside the triggers comes before or after them, so only lookups that are awaited are compared. */
function traceOf(
  { pipelines }: SingleSpec,
  all: readonly string[],
  exitCode: Trace['exitCode'],
  outcome?: string,
): Trace {
  const isBeside = pipelines.every(({ given }) => given === 'uuid');
  return { requests: all.filter((request) => !isBeside || !request.startsWith('list')), exitCode, outcome };
}

function subjectOf(path: string, body: string): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(`${path} ${body}`)?.[0] ?? '';
}

/** A run by its place, because its id differs from scenario to scenario. */
function roleOf(subject: string, jobs: readonly { readonly id: string }[]): string {
  const place = jobs.findIndex(({ id }) => id === subject);
  return place >= 0 ? `run ${place + 1}` : subject;
}
