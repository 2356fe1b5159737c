import { type Call, effect } from './call.ts';
import { queueRun } from './job.ts';
import { complain, json, Refused } from './respond.ts';
import { parametersOf } from './trigger-body.ts';
import type { ModelResponse } from './types.ts';

/** `create_pipeline_run_job`: checks the request and then queues exactly one run. */
export function trigger(call: Call, workspaceId: string): ModelResponse {
  const { world, nowMs, effects } = call;
  const parameters = parametersOf(call);
  const pipeline = world.pipelines.find(
    (one) => one.id === parameters.p_pipeline_id && one.workspaceId === workspaceId,
  );
  if (pipeline === undefined) {
    throw declined('Pipeline not found or not accessible', 'Check the id and the workspace of the key.');
  }
  if (!pipeline.active) {
    throw declined(`Pipeline "${pipeline.name}" is not active`, 'Activate it, then trigger it again.');
  }
  const workspace = world.workspaces.find((one) => one.id === workspaceId);
  const credits = workspace?.credits ?? 'unlimited';
  const broke = world.scenarios[pipeline.scenario]?.outOfCredits === true || credits === 0;
  if (broke || effect(effects, 'null') !== undefined) return json(200, null);
  if (workspace !== undefined && credits !== 'unlimited') workspace.credits = credits - 1;
  return json(200, queueRun(world, pipeline, parameters, nowMs).id);
}

/** Returns an error that the database function raises because of the pipeline, not because of the client. */
function declined(message: string, hint: string): Refused {
  return new Refused(complain(400, { code: 'P0001', message, hint }));
}
