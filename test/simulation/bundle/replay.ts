import { Job, runStep } from '../../../sandbox/runner/index.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/index.ts';
import { pipelineId } from '../model/pipeline-id.ts';
import type { SingleSpec } from '../model/spec.ts';
import { examineAlone } from '../scenarios/examine.ts';
import type { RealScenario } from './real-scenarios.ts';
import { rulesOf } from './rules.ts';

/** What both scenarios have to have in common. */
interface Trace {
  /** Kind and subject of every request, in order. */
  readonly requests: readonly string[];
  readonly exitCode: number | null | undefined;
  readonly outcome: string | undefined;
}

export interface Compared {
  readonly simulated: Trace;
  readonly real: Trace;
  readonly same: boolean;
  /** What an invariant said of the simulated scenario. */
  readonly violations: readonly string[];
}

/** Simulates a scenario twice: in virtual time, and as real processes of the bundle against a real server. */
export async function simulatedAndReal(scenario: RealScenario, actionFolder: string): Promise<Compared> {
  const { facts, violations } = await examineAlone(scenario.spec);
  const simulated = traceOf(
    scenario.spec,
    facts.requests.map(({ call, subject }) => `${call} ${roleOf(subject, facts.world.jobs)}`),
    facts.main.end?.code,
    facts.main.outputs.get('outcome'),
  );
  const real = await runForReal(scenario, actionFolder);
  const same = JSON.stringify(simulated) === JSON.stringify(real);
  return { simulated, real, same, violations: violations.map(({ invariant, what }) => `${invariant}: ${what}`) };
}

async function runForReal({ spec, crashesAt }: RealScenario, folder: string): Promise<Trace> {
  const sandbox = await startSandbox({
    model: {
      seed: spec.seed,
      minReadIntervalMs: 0,
      pipelines: spec.pipelines.map(({ name, apiName }, index) => ({
        id: pipelineId(index),
        name,
        apiName,
        scenario: apiName,
      })),
      scenarios: Object.fromEntries(spec.pipelines.map(({ apiName, timeline }) => [apiName, { does: '', timeline }])),
    },
    rules: spec.faults.filter(({ what }) => what !== 'none').flatMap(rulesOf),
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

function interruptFor(
  crashesAt: RealScenario['crashesAt'],
  sandbox: Sandbox,
): Parameters<typeof runStep>[2] | undefined {
  if (crashesAt === undefined) return undefined;
  const { call, nth, kind } = crashesAt;
  return {
    mode: kind === 'kill' ? 'act-host' : 'workflow',
    async when(main) {
      // The answer leaves when the signal was observed, and only a trigger waits for it.
      const go = (): void => sandbox.release(call, nth);
      main.line(/Step interrupted/).then(go, go);
      await sandbox.commit(call, nth);
    },
  };
}

function inputsFor({ inputs, pipelines }: SingleSpec, { url, key }: Sandbox): Record<string, string> {
  const names = pipelines.map(({ given, name, apiName }, index) => {
    if (given === 'uuid') return pipelineId(index);
    return given === 'api' ? apiName : name;
  });
  return { ...inputs, 'api-key': key, 'base-url': url, pipeline: names.join('\n') };
}

/** A look-up beside the triggers comes before or after them: only those that are waited for are compared. */
function traceOf(
  { pipelines }: SingleSpec,
  requests: readonly string[],
  exitCode: number | undefined,
  outcome: string | undefined,
): Trace {
  const isBeside = pipelines.every(({ given }) => given === 'uuid');
  return { requests: requests.filter((request) => !isBeside || !request.startsWith('list')), exitCode, outcome };
}

function subjectOf(path: string, body: string): string {
  const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(`${path} ${body}`) ?? [];
  return id ?? '';
}

/** A run by its place: its id differs from scenario to scenario. */
function roleOf(subject: string, jobs: readonly { readonly id: string }[]): string {
  const place = jobs.findIndex(({ id }) => id === subject);
  return place >= 0 ? `run ${place + 1}` : subject;
}
