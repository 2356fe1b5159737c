// Plays whole steps of the action in a fake world, or main and then its post step.
import { createWorld, queueRun, stateAt } from '../../sandbox/model/index.ts';
import { inputsOf } from '../../sandbox/runner/index.ts';
import type { SentRequest } from './network.ts';
import { type Events, Job, Step, start, startPost, type VirtualStep } from './runner.ts';
import type { FakeOptions, FakeWorld } from './world.ts';

/** Plays a step that is described as data, from the start of main to the end of post. */
export async function playStep(description: VirtualStep): Promise<Step> {
  const job = new Job();
  const step = new Step(job, { ...description, inputs: inputsOf(description) });
  await job.machine.clock.until(step.run(), 86_400_000);
  return step;
}

/** Starts main and returns it immediately. */
export function startMain(options: FakeOptions = {}, events?: Events): FakeWorld {
  return start({ ...options, inputs: { pipeline: 'orders', ...options.inputs } }, events);
}

/** Runs main until it has ended or was killed. */
export async function playMain(options?: FakeOptions, events?: Events): Promise<FakeWorld> {
  const main = startMain(options, events);
  await main.ended();
  return main;
}

/** Runs the post step of a main step, with the state that the runner kept. */
export async function playPost(main: FakeWorld, options: FakeOptions = {}, events?: Events): Promise<FakeWorld> {
  const post = startPost(main, options, events);
  await post.ended();
  return post;
}

/** The calls that a process sent, in order, such as `connect list trigger read×2`. */
export function callsOf({ requests }: FakeWorld): string {
  const runs: { call: string; count: number }[] = [];
  for (const { call } of requests) {
    const last = runs.at(-1);
    if (last?.call === call) last.count += 1;
    else runs.push({ call, count: 1 });
  }
  return runs.map(({ call, count }) => (count === 1 ? call : `${call}×${count}`)).join(' ');
}

/** The requests of one kind that a process sent. */
export function sentBy({ requests }: FakeWorld, call: SentRequest['call']): readonly SentRequest[] {
  return requests.filter((each) => each.call === call);
}

/** How a main step ended, such as `exit 0: succeeded (completed)`. */
export async function resultOf(main: FakeWorld): Promise<string> {
  const code = await main.ended();
  const { outcome, 'job-status': status } = main.outputs;
  return `${code === undefined ? 'killed' : `exit ${code}`}: ${outcome} (${status})`;
}

/** The entries of the output `results`. */
export function resultsOf({ outputs }: FakeWorld): readonly Readonly<Record<string, unknown>>[] {
  return JSON.parse(outputs['results'] ?? '') as readonly Readonly<Record<string, unknown>>[];
}

/** The outcomes of the runs of a step, in input order, such as `failed succeeded`. */
export function outcomesOf(main: FakeWorld): string {
  return resultsOf(main)
    .map(({ outcome }) => outcome)
    .join(' ');
}

/** The statuses of all runs that the service has, in the order of their triggers, such as `failed completed`. */
export function runsOf({ clock, service }: FakeWorld): string {
  return service.jobs.map((job) => stateAt(job, clock.now())?.status).join(' ');
}

/** Everything that a process printed: its annotations, such as `error [run-pipeline] …`, and then its log. */
export function shownBy({ annotations, log }: FakeWorld): string {
  return [...annotations.map(({ level, title, message }) => `${level} [${title}] ${message}`), ...log].join('\n');
}

/** A service with a run of this pipeline that was queued before the step, and the id of the run. */
export function existingRun(apiName: string, agoMs = 20_000, service = createWorld({ exemptReads: 0 })) {
  const pipeline = service.pipelines.find((each) => each.apiName === apiName);
  if (pipeline === undefined) throw new Error(`The sandbox has no pipeline ${apiName}.`);
  const flags = { p_job_type: 'pipeline_run', p_full_resync: false, p_reset_target: false };
  const { id } = queueRun(service, pipeline, { p_pipeline_id: pipeline.id, ...flags }, -agoMs);
  return { service, id };
}

/** The journals of all main processes on a machine. */
export function journalsOf({ files }: FakeWorld): string[] {
  const names = files.list('/runner/temp').filter((name) => /-1\d\d-\w+$/.test(name));
  return names.map((name) => `/runner/temp/${name}`);
}

/** The two files that hold the state of a main process. */
export function recordsOf(main: FakeWorld): readonly [state: string, journal: string] {
  return [main.world.env['GITHUB_STATE'] ?? '', journalsOf(main)[0] ?? ''];
}

/** The environment of a post step whose runner has lost the state of main. */
export function withoutState(main: FakeWorld): FakeOptions {
  return { env: Object.fromEntries(Object.keys(main.state).map((name) => [name, undefined])) };
}

/** The environment of a post step after its main step's journals were deleted. */
export function withoutJournal(main: FakeWorld): FakeOptions {
  for (const path of journalsOf(main)) main.files.texts.delete(path);
  return {};
}

export const ENDLESS: FakeOptions = { inputs: { pipeline: 'endless' } };

/** Plays a main step that is killed after this time. */
export function killedAt(ms: number, options: FakeOptions = ENDLESS): Promise<FakeWorld> {
  return playMain(options, (it) => it.at(ms, () => it.kill()));
}

/** Pretends that a process lives on, for example because its id was reused. */
export function revive(process: FakeWorld): void {
  process.isPidReused = true;
}
