/** The service in its initial state in a scenario. */
import { addKey, createWorld, type World } from '../../../sandbox/model/index.ts';
import type { ScenarioSpec, SingleSpec, Stage } from './spec.ts';

/** The address of a service on this machine. */
export const LOCAL = 'http://127.0.0.1:8080';

/** The key in every scenario. Each of its special characters is written differently by each encoding. */
export const KEY = 'ak_s1m+ulated/"key"\\of%7E42';

const FAILS: readonly Stage[] = [
  [0, 'queued', null],
  [5_000, 'running', null],
  [10_000, 'failed', 'lock timeout'],
];

/** The UUID of a pipeline, given its index in an execution and the execution's index in its scenario. */
export function pipelineId(index: number, execution = 0): string {
  return `5eed0000-0000-4000-8000-${String(execution * 100 + index + 1).padStart(12, '0')}`;
}

/** How the step's input identifies a pipeline. */
export function givenAs({ given, name, apiName }: SingleSpec['pipelines'][number], id = ''): string {
  return { uuid: id, api: apiName, name }[given];
}

/** The service with only the pipelines of a scenario's executions. */
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
  const workspaceId = world.workspaces[0]?.id ?? '';
  world.pipelines.length = 0;
  for (const [execution, { pipelines }] of executions.entries()) {
    for (const [index, { name, apiName }] of pipelines.entries()) {
      const id = pipelineId(index, execution);
      world.pipelines.push({ id, workspaceId, name, apiName, active: true, scenario: apiName, rows: 1 });
    }
  }
  return world;
}

/** Queues an execution's existing runs, which the service treats like any other run. Returns their ids. */
export function queueEarlier(spec: SingleSpec, execution: number, world: World): string[] {
  return spec.pipelines.flatMap(({ earlierMs, timeline }, index) => {
    if (earlierMs === null) return [];
    const pipeline = pipelineId(index, execution);
    const id = pipeline.replace('5eed0000', '0ea41e40');
    world.jobs.push({
      id,
      workspaceId: world.workspaces[0]?.id ?? '',
      pipelineId: pipeline,
      createdAt: -earlierMs,
      parameters: { p_pipeline_id: pipeline, p_job_type: 'pipeline_run', p_full_resync: false, p_reset_target: false },
      timeline,
      heartbeatMs: world.heartbeatMs,
      cancelledAt: null,
      abortedAt: null,
      reads: [],
      patches: [],
      pacedReadAt: null,
      confirmReadsLeft: 0,
      exemptReadsLeft: 0,
    });
    return [id];
  });
}
