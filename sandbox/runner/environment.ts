import { evaluate } from './expressions.ts';
import type { Job } from './job.ts';

/** Paths that a step may write to. */
export interface StepFiles {
  readonly state: string;
  readonly output: string;
  readonly summary: string;
}

/** Arbitrary ids and numbers of a workflow run. */
const RUN = { GITHUB_RUN_ID: '7001', GITHUB_RUN_NUMBER: '12', GITHUB_RUN_ATTEMPT: '1' };

/** Returns the whole environment of a step's process. It inherits only variables that a program needs to start. */
export function environmentFor(of: {
  readonly job: Job;
  readonly step: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly files: StepFiles;
}): NodeJS.ProcessEnv {
  const { job, step, inputs, state, files } = of;
  const { env = {}, debug = false, temp = true, name = 'nightly' } = job.options;
  return {
    ...kept('PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMP'),
    ...RUN,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: step,
    GITHUB_JOB: name,
    GITHUB_WORKSPACE: job.workspace,
    RUNNER_OS: { darwin: 'macOS', win32: 'Windows' }[process.platform as string] ?? 'Linux',
    ...(temp && { RUNNER_TEMP: job.temp }),
    ...(debug && { RUNNER_DEBUG: '1' }),
    ...env,
    GITHUB_STATE: files.state,
    GITHUB_OUTPUT: files.output,
    GITHUB_STEP_SUMMARY: files.summary,
    ...inputVariables(job, inputs),
    ...Object.fromEntries(Object.entries(state).map(([key, value]) => [`STATE_${key}`, value])),
  };
}

/** A value in the workflow overrides the default, even if it is empty. */
function inputVariables(job: Job, given: Readonly<Record<string, string>>): Record<string, string> {
  const known = [...job.action.inputs].map(([name, text]) => [name, text ?? ''] as const);
  const defaults = known.map(([name, text]) => [name, evaluate(text, job.status)] as const);
  const all = new Map([...defaults, ...Object.entries(given)]);
  return Object.fromEntries(
    [...all].map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  );
}

function kept(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
