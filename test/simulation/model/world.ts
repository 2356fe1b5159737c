/** The service in its initial state in a scenario. */
import { addKey, addPipeline, createWorld, type World } from '../../../sandbox/model/index.ts';
import { queueRun } from '../../../sandbox/model/job.ts';
import type { ScenarioSpec, SingleSpec, Stage } from './spec.ts';

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

export function givenAs({ given, name, apiName }: SingleSpec['pipelines'][number], id = ''): string {
  return { uuid: id, api: apiName, name }[given];
}

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
  world.pipelines.length = 0;
  for (const [execution, { pipelines }] of executions.entries()) {
    for (const [index, { name, apiName }] of pipelines.entries()) {
      addPipeline(world, { id: pipelineId(index, execution), name, apiName, scenario: apiName });
    }
  }
  return world;
}

/** Queues an execution's existing runs. Returns their ids. */
export function queueEarlier(spec: SingleSpec, execution: number, world: World): string[] {
  return spec.pipelines.flatMap(({ earlierMs }, index) => {
    const pipeline = world.pipelines.find(({ id }) => id === pipelineId(index, execution));
    if (earlierMs === null || pipeline === undefined) return [];
    const flags = { p_job_type: 'pipeline_run', p_full_resync: false, p_reset_target: false } as const;
    return [queueRun(world, pipeline, { p_pipeline_id: pipeline.id, ...flags }, -earlierMs).id];
  });
}
