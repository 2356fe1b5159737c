import { WORKSPACE_ID, type World } from '../model/index.ts';
import type { Sandbox } from '../server/index.ts';

/** Returns the text that is printed at startup: the address, the pipelines, and a command that runs the action. */
export function welcome({ url, key, world }: Pick<Sandbox, 'url' | 'key' | 'world'>): string {
  return [
    `The sandbox listens at ${url}`,
    `API key: ${key}`,
    '',
    'Pipelines (name, UUID, behaviour of a run):',
    ...pipelineLines(world),
    '',
    'Run the action against it:',
    '',
    commandFor(url, key),
    '',
    'Requests (Ctrl-C ends the sandbox):',
  ].join('\n');
}

function pipelineLines(world: World): readonly string[] {
  return world.pipelines
    .filter(({ workspaceId }) => workspaceId === WORKSPACE_ID)
    .map(({ id, name, apiName, scenario }) => {
      const does = world.scenarios[scenario]?.does ?? '';
      return `  ${(apiName ?? name).padEnd(10)} ${id}  ${does}`;
    });
}

/** Returns a bash command that runs the bundle as a runner does, using `env` because variable names contain hyphens. */
export function commandFor(url: string, key: string): string {
  return [
    `  env 'INPUT_API-KEY=${key}' 'INPUT_BASE-URL=${url}' \\`,
    "    'INPUT_PIPELINE=orders' 'INPUT_POLL-INTERVAL=1s' \\",
    '    GITHUB_STATE="$(mktemp)" GITHUB_OUTPUT="$(mktemp)" GITHUB_STEP_SUMMARY="$(mktemp)" \\',
    '    RUNNER_TEMP="$(mktemp -d)" node dist/main.js',
  ].join('\n');
}
