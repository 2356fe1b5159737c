/** The environments in which the runner starts main and post. */
import type { Surrounded } from './facts.ts';
import type { SingleSpec } from './spec.ts';
import { KEY, LOCAL } from './world.ts';

/** `jobStatus` is the status of the job when main starts. */
export function mainEnvironment(of: Surrounded, jobStatus: string): Record<string, string> {
  return {
    ...environment(of, of.spec.inputs),
    'INPUT_INTERNAL-JOB-STATUS': jobStatus,
    GITHUB_STATE: of.paths.state,
    GITHUB_OUTPUT: of.paths.output,
    GITHUB_STEP_SUMMARY: of.paths.summary,
  };
}

/** `state` is main's state as the runner passes it to post, with the status of the job. */
export function postEnvironment(of: Surrounded, state: Readonly<Record<string, string>>): Record<string, string> {
  const { inputs, runner } = of.spec;
  const env: Record<string, string> = {
    ...environment(of, runner.postInputsEmpty ? {} : inputs),
    ...state,
    GITHUB_STATE: of.paths.postState,
    GITHUB_STEP_SUMMARY: of.paths.postSummary,
  };
  if (runner.postKeyMissing) env['INPUT_API-KEY'] = '';
  return env;
}

function environment(
  { spec, paths, pipelineIds, earlier }: Surrounded,
  inputs: Readonly<Record<string, string>>,
): Record<string, string> {
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

function givenAs({ given, name, apiName }: SingleSpec['pipelines'][number], id = ''): string {
  return { uuid: id, api: apiName, name }[given];
}
