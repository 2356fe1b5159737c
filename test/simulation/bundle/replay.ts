/** Runs scenarios twice, in virtual time and as processes of the bundle against the sandbox, and compares them. */
import { join } from 'node:path';
import { installAction, type StepProcess } from '../../../sandbox/runner/index.ts';
import type { Sandbox } from '../../../sandbox/server/index.ts';
import { onStage, type StepScene } from '../../support/e2e.ts';
import { simulateAlone } from '../model/simulate.ts';
import type { SingleSpec } from '../model/spec.ts';
import { givenAs, pipelineId } from '../model/world.ts';
import { violationsIn } from '../scenarios/examine.ts';
import { type RealScenario, realScenario } from './real-scenarios.ts';
import { rulesOf } from './rules.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
/** The largest number of processes that keeps every core busy. */
const AT_ONCE = 6;

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
      const real = await runBundle(scenario, action);
      if (JSON.stringify(simulated) === JSON.stringify(real) && violations.length === 0) continue;
      const lines = [simulated, real, scenario, ...violations].map((part) => `  ${JSON.stringify(part)}`);
      different.push([`Scenario ${number}, simulated and real, with its spec:`, ...lines].join('\n'));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return different;
  } finally {
    action.remove();
  }
}

function runBundle({ spec, crashesAt }: RealScenario, action: { readonly folder: string }) {
  const model = {
    speed: 1,
    seed: spec.seed,
    minReadIntervalMs: 0,
    pipelines: spec.pipelines.map(({ name, apiName }, at) => {
      return { id: pipelineId(at), name, apiName, scenario: apiName };
    }),
    scenarios: Object.fromEntries(spec.pipelines.map(({ apiName, timeline }) => [apiName, { does: '', timeline }])),
  };
  const hold = { do: 'hold', point: 'after-commit' } as const;
  const held = crashesAt === undefined ? [] : [{ kind: crashesAt.call, nth: crashesAt.nth, how: hold }];
  const rules = [...rulesOf(spec.faults), ...held];
  return onStage(action, { service: { model }, rules }, async ({ sandbox, play }) => {
    const pipeline = spec.pipelines.map((one, index) => givenAs(one, pipelineId(index))).join('\n');
    const { main } = await play({ inputs: { ...spec.inputs, pipeline }, ...interruptFor(crashesAt) });
    const requests = sandbox.requests.map(({ kind: call, path, body }) => {
      return { call, subject: /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(`${path} ${body}`)?.[0] ?? '' };
    });
    return traceOf(spec, requests, sandbox.world.jobs, main.exitCode ?? undefined, main.files.outputs['outcome']);
  });
}

function interruptFor(crashesAt: RealScenario['crashesAt']): StepScene {
  if (crashesAt === undefined) return {};
  const { call, nth, kind } = crashesAt;
  return {
    mode: kind === 'kill' ? 'act-host' : 'workflow',
    // Another fault of the scenario may end main first.
    mayExitFirst: true,
    async when(main: StepProcess, sandbox: Sandbox) {
      // The server responds once the process observes the signal. Only the response to a trigger waits for this signal.
      const go = (): void => sandbox.release(call, nth);
      main.line(/Step interrupted/).then(go, go);
      await sandbox.commit(call, nth);
    },
  };
}

/**
 * The facts that both plays of a scenario must share. Only awaited lookups count, because others may run before or
 * after parallel triggers. Runs are identified by their index, because their ids differ from scenario to scenario.
 */
function traceOf(
  { pipelines }: SingleSpec,
  requests: readonly { readonly call: string; readonly subject: string }[],
  jobs: readonly { readonly id: string }[],
  exitCode: number | undefined,
  outcome?: string,
) {
  const isBeside = pipelines.every(({ given }) => given === 'uuid');
  const compared = requests.filter(({ call }) => !isBeside || call !== 'list');
  const placeOf = (subject: string): number => jobs.findIndex(({ id }) => id === subject) + 1;
  const roleOf = (subject: string): string => (placeOf(subject) > 0 ? `run ${placeOf(subject)}` : subject);
  return { requests: compared.map(({ call, subject }) => `${call} ${roleOf(subject)}`), exitCode, outcome };
}
