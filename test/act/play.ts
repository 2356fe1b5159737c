import { type Job as Run, SANDBOX_KEY, stateAt } from '../../sandbox/model/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server/index.ts';
import { type Act, type Line, startAct, told } from './act.ts';

/** Runs take milliseconds, as in the end-to-end tests. */
export const SPEED = 1_000;
/** The workflows read every 100 ms, and a timer may fire a little early. */
export const MIN_READ_INTERVAL_MS = 90;

export interface Scene {
  readonly vars?: Readonly<Record<string, string>>;
  readonly service?: SandboxOptions;
  /** Settles at the instant to cancel; without it nothing is cancelled. */
  readonly cancelWhen?: (sandbox: Sandbox, act: Act) => Promise<unknown>;
}

export interface Played {
  readonly exitCode: number | null;
  readonly sandbox: Sandbox;
  /** What a step printed, by the step's name and stage. */
  readonly printed: (step: string, stage?: Line['stage']) => string;
  /** How a step ended; undefined when it never began. */
  readonly resultOf: (step: string, stage?: Line['stage']) => Line['stepResult'];
  readonly log: string;
  readonly runs: readonly Run[];
  /** `pipeline: status` of every run that the service has, in the order of their triggers. */
  readonly statuses: readonly string[];
  /** The calls that the service saw after the cancel. */
  readonly callsAfterCancel: readonly string[];
}

/** Plays a workflow to its end against a service of its own, and checks what must hold in every play. */
export async function play(workflow: string, scene: Scene = {}): Promise<Played> {
  const { model, ...service } = scene.service ?? {};
  const sandbox = await startSandbox({
    ...service,
    model: { speed: SPEED, minReadIntervalMs: MIN_READ_INTERVAL_MS, ...model },
  });
  try {
    const act = startAct(workflow, { vars: { BASE_URL: sandbox.url, API_KEY: SANDBOX_KEY, ...scene.vars } });
    const before = await cancelAt(scene.cancelWhen, sandbox, act);
    const exitCode = await act.ended;
    check(sandbox, act.lines);
    const { world, requests } = sandbox;
    const of = (step: string, stage: Line['stage']): Line[] =>
      act.lines.filter((line) => line.step === step && line.stage === stage);
    return {
      exitCode,
      sandbox,
      printed: (step, stage = 'Main') =>
        of(step, stage)
          .filter((line) => line.raw_output === true)
          .map(({ msg }) => msg)
          .join(''),
      resultOf: (step, stage = 'Main') =>
        of(step, stage).find(({ stepResult }) => stepResult !== undefined)?.stepResult,
      log: told(act.lines),
      runs: world.jobs,
      statuses: statusesIn(sandbox),
      callsAfterCancel: requests.slice(before).map(({ kind }) => kind),
    };
  } finally {
    await sandbox.close();
  }
}

/** `pipeline: status` of every run that the service has, in the order of their triggers. */
export function statusesIn({ world, now }: Sandbox): readonly string[] {
  return world.jobs.map((run) => {
    const name = world.pipelines.find(({ id }) => id === run.pipelineId)?.apiName ?? '';
    return `${name}: ${stateAt(run, now())?.status ?? ''}`;
  });
}

/** Returns how many requests there had been when it struck. */
export async function cancelAt(when: Scene['cancelWhen'], sandbox: Sandbox, act: Act): Promise<number> {
  if (when === undefined) return 0;
  const struck = when(sandbox, act).then(() => true);
  const over = act.ended.then(() => false);
  if (!(await Promise.race([struck, over]))) throw new Error(`It ended too early:\n${told(act.lines)}`);
  act.cancel();
  return sandbox.requests.length;
}

/** @throws when a rule of the service was broken, or a secret was printed and is not masked by act. */
export function check({ world, key, requests }: Sandbox, lines: readonly Line[]): void {
  const secrets = [key, ...world.tokens.map(({ value }) => value)];
  const masked = new Set(lines.filter(({ command }) => command === 'add-mask').map(({ arg }) => arg));
  // A step that sends nothing has no reason to mask anything.
  const unmasked = requests.length === 0 ? 0 : secrets.filter((secret) => !masked.has(secret)).length;
  const shown = lines.filter(({ msg }) => secrets.some((secret) => msg.includes(secret)));
  const complaints = [
    ...world.violations.map(({ kind, detail }) => `${kind}: ${detail}`),
    ...(unmasked === 0 ? [] : [`${String(unmasked)} secrets were not masked`]),
    ...shown.map(({ step }) => `a secret was shown by the step ${step ?? ''}`),
  ];
  if (complaints.length > 0) throw new Error(`${complaints.join('; ')}\n${told(lines)}`);
}
