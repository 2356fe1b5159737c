import { addKey, createWorld, type World } from '../../../sandbox/model/index.ts';
import { earlierId, pipelineId } from './pipeline-id.ts';
import type { ScenarioSpec, SingleSpec, Stage } from './spec.ts';

/** Where a service is that is on this machine. */
export const LOCAL = 'http://127.0.0.1:8080';

/** The key of every scenario, with characters that each encoding writes in its own way. */
export const KEY = 'ak_s1m+ulated/"key"\\of%7E42';

const FAILS: readonly Stage[] = [
  [0, 'queued', null],
  [5_000, 'running', null],
  [10_000, 'failed', 'lock timeout'],
];

/** The service as a scenario finds it: the pipelines of its executions, and no others. */
export function worldOf({ seed, service, executions }: ScenarioSpec): World {
  const world = createWorld({
    seed,
    ttlSeconds: service.ttlSeconds,
    ...(service.local && { backendUrl: LOCAL }),
    minReadIntervalMs: 0,
    scenarios: Object.fromEntries(
      executions.flatMap(({ pipelines }) =>
        pipelines.map(({ apiName, failsFirst, timeline }) => [
          apiName,
          { does: '', timeline, first: Array.from({ length: failsFirst }, () => FAILS) },
        ]),
      ),
    ),
  });
  addKey(world, KEY);
  // Only the pipelines of this scenario: whatever else is triggered does not exist.
  world.pipelines.length = 0;
  for (const [execution, { pipelines }] of executions.entries()) {
    for (const [index, { name, apiName }] of pipelines.entries()) {
      world.pipelines.push({
        id: pipelineId(index, execution),
        workspaceId: world.workspaces[0]?.id ?? '',
        name,
        apiName,
        active: true,
        scenario: apiName,
        rows: 1,
      });
    }
  }
  return world;
}

/** Runs that were triggered before, for one execution to find: in the service like any other. Returns their ids. */
export function queueEarlier(spec: SingleSpec, execution: number, world: World): string[] {
  const ids = spec.pipelines.flatMap((pipeline, index) => {
    if (pipeline.earlierMs === null) return [];
    const [workspace] = world.workspaces;
    const job: World['jobs'][number] = {
      id: earlierId(index, execution),
      workspaceId: workspace?.id ?? '',
      pipelineId: pipelineId(index, execution),
      createdAt: -pipeline.earlierMs,
      parameters: {
        p_pipeline_id: pipelineId(index, execution),
        p_job_type: 'pipeline_run',
        p_full_resync: false,
        p_reset_target: false,
      },
      timeline: pipeline.timeline,
      heartbeatMs: world.heartbeatMs,
      cancelledAt: null,
      abortedAt: null,
      reads: [],
      patches: [],
      pacedReadAt: null,
      confirmReadsLeft: 0,
      exemptReadsLeft: 0,
    };
    world.jobs.push(job);
    return [job.id];
  });
  return ids;
}
