/** Starts main and post as their entry points do. Everything is simulated except the service's client. */
import { runMain, runPost } from '../../../src/action/runner/process.ts';
import type { Processes } from '../../../src/action/runner/processes.ts';
import { listenForInterruption, type Watched } from '../../../src/action/runner/signals.ts';
import { isAllSettled } from '../../../src/action/state/all-settled.ts';
import type { Machine } from '../../../src/action/steps/machine.ts';
import { prepareMain } from '../../../src/action/steps/main-step.ts';
import { performPost } from '../../../src/action/steps/post-step.ts';
import { createService } from '../../../src/service/client.ts';
import type { Disk } from './disk.ts';
import type { Surrounded } from './facts.ts';
import type { Loop } from './loop.ts';
import type { Started } from './machine.ts';
import type { Network } from './network/network.ts';
import type { StreamOf } from './random.ts';
import { givenAs, KEY, LOCAL } from './world.ts';

export interface Surroundings extends Surrounded {
  readonly loop: Loop;
  readonly streamOf: StreamOf;
  readonly disk: Disk;
  readonly network: Network;
}

type Environment = Readonly<Record<string, string>>;

export function beginMain(started: Started, surroundings: Surroundings): void {
  const { process, stdout, host } = started;
  const { pid, startedAt } = process;
  const parts = { ...partsFor(started, surroundings), control: process };
  const { spec, paths } = surroundings;
  const env: Environment = {
    ...environment(surroundings, spec.inputs),
    'INPUT_INTERNAL-JOB-STATUS': spec.runner.jobStatusAtStart,
    GITHUB_STATE: paths.state,
    GITHUB_OUTPUT: paths.output,
    GITHUB_STEP_SUMMARY: paths.summary,
  };
  const step = prepareMain({ ...parts, env, pid, startedAt, host });
  process.begun = true;
  runMain(step, stdout.toolkit.debug, parts);
}

/**
 * Post exits at once if it has nothing to do.
 * @param state main's state as the runner passes it to post, with the status of the job
 */
export function beginPost(started: Started, around: Surroundings, processes: Processes, state: Environment): void {
  const { process, stdout, host } = started;
  const { spec, paths } = around;
  const env: Environment = {
    ...environment(around, spec.runner.postInputsEmpty ? {} : spec.inputs),
    ...state,
    GITHUB_STATE: paths.postState,
    GITHUB_STEP_SUMMARY: paths.postSummary,
    ...(spec.runner.postKeyMissing && { 'INPUT_API-KEY': '' }),
  };
  if (!process.alive) return;
  process.begun = true;
  if (isAllSettled(env)) {
    process.finish({ how: 'exited', code: 0 });
    return;
  }
  const parts = { ...partsFor(started, around), control: process, env, host, processes };
  runPost(
    () => performPost(parts),
    { warn: (why) => stdout.toolkit.annotate('warning', 'run-pipeline', why), onStray: (why) => stdout.print(why) },
    parts,
  );
}

function partsFor(started: Started, { disk, loop, streamOf, network }: Surroundings): Omit<Machine, 'env'> {
  const { process, stdout } = started;
  const { clock } = process;
  const random = streamOf(process.name);
  return {
    clock,
    random: () => random.next(),
    files: disk.seenBy(process),
    toolkit: stdout.toolkit,
    print: stdout.print,
    interruption: listen(started, loop),
    openService: (options) => createService({ ...options, clock, connection: network.connectionOf(process) }),
  };
}

function listen({ process, stdout, observed }: Started, loop: Loop): Watched {
  const observe = (name: string): void => void observed.push({ name, atMs: loop.nowMs, step: loop.step });
  const observing = (name: string, listener: () => void) => (): void => {
    observe(name);
    listener();
  };
  /** Records an interruption without an event of its own: the parent's exit or a mark. */
  const noting = (task: () => void) => (): void => {
    const before = interruption.first;
    task();
    if (interruption.first !== before) observe(interruption.first?.by ?? '');
  };
  const interruption: Watched = listenForInterruption(
    {
      onSignal: (name, listener) => process.onSignal(name, observing(name, listener)),
      onStdoutGone: (listener) => stdout.onGone(observing('stdout', listener)),
      parentId: () => process.ppid,
      later: (ms, task) => process.later(ms, noting(task)),
    },
    process.clock,
  );
  return {
    signal: interruption.signal,
    get first() {
      return interruption.first;
    },
    lookFor: (cause) => interruption.lookFor(cause),
    look: noting(() => interruption.look()),
  };
}

function environment({ spec, paths, pipelineIds, earlier }: Surrounded, inputs: Environment): Environment {
  const { mode, local, pipelines, runner, placement } = spec;
  const all = {
    ...inputs,
    'api-key': KEY,
    'base-url': local ? LOCAL : 'https://app.example.test',
    pipeline: mode === 'attach' ? '' : pipelines.map((one, index) => givenAs(one, pipelineIds[index])).join('\n'),
    'job-id': mode === 'attach' || mode === 'resume' ? earlier.join('\n') : '',
    'dry-run': mode === 'dry_run' ? 'true' : '',
    ...(mode === 'bad_input' && { timeout: 'soon' }),
  };
  return {
    ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...(runner.noTemp ? {} : { RUNNER_TEMP: paths.temp }),
    GITHUB_RUN_ID: '900',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: placement.jobName,
    GITHUB_ACTION: placement.action,
    ...(placement.container ? {} : { RUNNER_TRACKING_ID: `github_${placement.job}` }),
  };
}
