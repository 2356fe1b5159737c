// Runs a job of workflow.yml, and checks the rules that every job must follow.
import { SANDBOX_KEY, stateAt, type WorldOptions } from '../../sandbox/model/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server/index.ts';
import { type Act, type Line, startAct, textOf } from './act.ts';

interface Scene {
  readonly vars?: Readonly<Record<string, string>>;
  readonly faults?: SandboxOptions['faults'];
  /** Settles when act should cancel the job. By default, act does not cancel the job. */
  readonly cancelWhen?: (sandbox: Sandbox, act: Act) => Promise<unknown>;
}

/** Starts a service whose runs take milliseconds. Workflows poll every 100 ms, but timers may fire slightly early. */
export function startService(model: WorldOptions = {}, faults: SandboxOptions['faults'] = []): Promise<Sandbox> {
  return startSandbox({ faults, model: { speed: 1_000, minReadIntervalMs: 90, ...model } });
}

export async function play(job: string, scene: Scene = {}) {
  const sandbox = await startService({}, scene.faults);
  try {
    const vars = { BASE_URL: sandbox.url, API_KEY: SANDBOX_KEY, ...scene.vars };
    const act = startAct('workflow.yml', { job, vars });
    const before = await cancelAt(scene.cancelWhen, sandbox, act);
    const exitCode = await act.ended;
    check(sandbox, act.lines);
    const of = (step: string, stage: Line['stage'] = 'Main'): Line[] =>
      act.lines.filter((line) => line.step === step && line.stage === stage);
    return {
      exitCode,
      sandbox,
      /** Returns the output of a step. */
      printed: (step: string, stage?: Line['stage']) =>
        of(step, stage)
          .flatMap((line) => (line.raw_output === true ? line.msg : []))
          .join(''),
      /** Returns the result of a step, or undefined if it never started. */
      resultOf: (step: string, stage?: Line['stage']) =>
        of(step, stage).findLast(({ stepResult }) => stepResult !== undefined)?.stepResult,
      log: textOf(act.lines),
      runs: sandbox.world.jobs,
      statuses: statusesIn(sandbox),
      callsAfterCancel: sandbox.requests.slice(before).map(({ kind }) => kind),
    };
  } finally {
    await sandbox.close();
  }
}

/** Returns `pipeline: status` for every run in the service, in the order of their triggers. */
export function statusesIn({ world, now }: Sandbox): readonly string[] {
  return world.jobs.map((run) => {
    const name = world.pipelines.find(({ id }) => id === run.pipelineId)?.apiName ?? '';
    return `${name}: ${stateAt(run, now())?.status ?? ''}`;
  });
}

/** Cancels act at a given moment, and returns how many requests the service had received. */
export async function cancelAt(when: Scene['cancelWhen'], sandbox: Sandbox, act: Act): Promise<number> {
  if (when === undefined) return 0;
  const reached = when(sandbox, act).then(() => true);
  const ended = act.ended.then(() => false);
  if (!(await Promise.race([reached, ended])))
    throw new Error(`act ended before the cancellation:\n${textOf(act.lines)}`);
  act.cancel();
  return sandbox.requests.length;
}

/** @throws if a step violated a rule of the service, or printed or failed to mask a secret. */
export function check({ world, key, requests }: Sandbox, lines: readonly Line[]): void {
  const secrets = [key, ...world.tokens.map(({ value }) => value)];
  const masked = new Set(lines.filter(({ command }) => command === 'add-mask').map(({ arg }) => arg));
  // A step without requests need not mask anything.
  const unmasked = requests.length === 0 ? 0 : secrets.filter((secret) => !masked.has(secret)).length;
  const shown = lines.filter(({ msg }) => secrets.some((secret) => msg.includes(secret)));
  const faults = [
    ...world.violations.map(({ kind, detail }) => `${kind}: ${detail}`),
    ...(unmasked === 0 ? [] : [`${unmasked} secrets were not masked`]),
    ...shown.map(({ step }) => `the step ${step ?? ''} printed a secret`),
  ];
  if (faults.length > 0) throw new Error(`${faults.join('; ')}\n${textOf(lines)}`);
}
