import { createWorld, type World } from '../../../sandbox/model/index.ts';
import { pipelineId } from './pipeline-id.ts';
import type { LifeSpec } from './spec.ts';

/** Where a service is that is on this machine. */
export const LOCAL = 'http://127.0.0.1:8080';

/** The service as a life finds it: its pipelines, and no others. */
export function worldOf(spec: LifeSpec): World {
  const world = createWorld({
    seed: spec.seed,
    ttlSeconds: spec.ttlSeconds,
    ...(spec.local && { backendUrl: LOCAL }),
    minReadIntervalMs: 0,
    scenarios: Object.fromEntries(
      spec.pipelines.map(({ apiName, timeline }) => [apiName, { does: '', timeline }]),
    ),
  });
  // Only the pipelines of this life: whatever else is triggered does not exist.
  world.pipelines.length = 0;
  spec.pipelines.forEach(({ name, apiName }, index) => {
    world.pipelines.push({
      id: pipelineId(index),
      workspaceId: world.workspaces[0]?.id ?? '',
      name,
      apiName,
      active: true,
      scenario: apiName,
      rows: 1,
    });
  });
  return world;
}

/** Runs that somebody else has triggered before: they are in the service like any other. Returns their ids. */
export function queueEarlier(spec: LifeSpec, world: World): string[] {
  const ids = spec.pipelines.flatMap((pipeline, index) => {
    if (pipeline.earlierMs === null) return [];
    const [workspace] = world.workspaces;
    const job: World['jobs'][number] = {
      id: `0ea41e40-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      workspaceId: workspace?.id ?? '',
      pipelineId: pipelineId(index),
      createdAt: -pipeline.earlierMs,
      parameters: {
        p_pipeline_id: pipelineId(index),
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
