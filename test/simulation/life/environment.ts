import { SANDBOX_KEY } from '../../../sandbox/model/index.ts';
import { PATHS } from './facts.ts';
import { pipelineId } from './pipeline-id.ts';
import type { LifeSpec } from './spec.ts';
import { LOCAL } from './world.ts';

/** The environment in which the runner starts main. */
export function mainEnvironment(spec: LifeSpec, earlier: readonly string[]): Record<string, string> {
  return {
    ...environment(spec, earlier, spec.inputs),
    'INPUT_INTERNAL-JOB-STATUS': spec.runner.jobStatusAtStart,
    GITHUB_STATE: PATHS.state,
    GITHUB_OUTPUT: PATHS.output,
    GITHUB_STEP_SUMMARY: PATHS.summary,
  };
}

/** The environment in which the runner starts post. `state` is what it makes of main's state, and of the job's. */
export function postEnvironment(
  spec: LifeSpec,
  earlier: readonly string[],
  state: Readonly<Record<string, string>>,
): Record<string, string> {
  const { inputs, runner } = spec;
  const env: Record<string, string> = {
    ...environment(spec, earlier, runner.postInputsEmpty ? {} : inputs),
    ...state,
    GITHUB_STATE: PATHS.postState,
    GITHUB_STEP_SUMMARY: PATHS.postSummary,
  };
  if (runner.postKeyMissing) env['INPUT_API-KEY'] = '';
  return env;
}

function environment(
  { mode, local, pipelines, runner }: LifeSpec,
  earlier: readonly string[],
  inputs: Readonly<Record<string, string>>,
): Record<string, string> {
  const all = {
    ...inputs,
    'api-key': SANDBOX_KEY,
    'base-url': local ? LOCAL : 'https://app.example.test',
    pipeline: mode === 'attach' ? '' : pipelines.map(givenAs).join('\n'),
    'job-id': mode === 'attach' || mode === 'resume' ? earlier.join('\n') : '',
    'dry-run': mode === 'dry_run' ? 'true' : '',
  };
  return {
    ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...(runner.noTemp ? {} : { RUNNER_TEMP: PATHS.temp }),
    GITHUB_RUN_ID: '900',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'load',
  };
}

function givenAs(pipeline: LifeSpec['pipelines'][number], index: number): string {
  if (pipeline.given === 'uuid') return pipelineId(index);
  return pipeline.given === 'api' ? pipeline.apiName : pipeline.name;
}
