import {
  createWorld,
  FOREIGN_PIPELINE_ID,
  OTHER_KEY,
  PIPELINE_IDS,
  stateAt,
  type World,
  type WorldOptions,
} from '../../sandbox/model/index.ts';
import { client } from '../unit/sandbox/client.ts';
import { ANON_KEY, type Lite } from './lite.ts';

/** The instant of all requests, ms of the sandbox's clock. */
export const NOW = 100_000;

/** Jobs that exist already, by what they are about to do. */
export interface Jobs {
  readonly finished: string;
  readonly running: string;
  /** Running, in the workspace of somebody else. */
  readonly foreign: string;
  readonly picked: string;
  readonly queued: string;
}

/** A world with some jobs in it. */
export function setStage(options: WorldOptions = {}): { readonly world: World; readonly jobs: Jobs } {
  const { credits, ...others } = options;
  const world = createWorld({ anonKey: ANON_KEY, ...others });
  const { run } = client(world);
  const jobs: Jobs = {
    finished: run(0, PIPELINE_IDS.orders),
    running: run(NOW - 50_000, PIPELINE_IDS.orders),
    foreign: client(world, OTHER_KEY).run(NOW - 50_000, FOREIGN_PIPELINE_ID),
    picked: run(NOW - 8_000, PIPELINE_IDS.orders),
    queued: run(NOW, PIPELINE_IDS.orders),
  };
  const [workspace] = world.workspaces;
  if (workspace !== undefined && credits !== undefined) workspace.credits = credits;
  return { world, jobs };
}

/** Makes the other service hold what a world holds at an instant, with the same ids. */
export async function load(lite: Lite, world: World, nowMs: number): Promise<void> {
  await lite.sql('truncate public.workspaces, private.api_keys, public.pipelines, public.jobs cascade');
  await insert(lite, 'public.workspaces', world.workspaces.map(workspaceRow));
  await insert(lite, 'private.api_keys', world.keys.map(keyRow));
  await insert(lite, 'public.pipelines', world.pipelines.map(pipelineRow));
  const datasources = world.pipelines.flatMap(({ id, rows }) =>
    Array.from({ length: rows }, () => ({ pipeline_id: id })),
  );
  await insert(lite, 'public.datasources', datasources);
  await insert(
    lite,
    'public.jobs',
    world.jobs.map((job) => jobRow(job, nowMs)),
  );
}

const workspaceRow = ({ id, name, credits }: World['workspaces'][number]) => ({
  id,
  name,
  credits: credits === 'unlimited' ? null : credits,
});

const keyRow = ({ value, workspaceId, revoked }: World['keys'][number]) => ({
  value,
  workspace_id: workspaceId,
  revoked,
});

const pipelineRow = (pipeline: World['pipelines'][number], position: number) => ({
  id: pipeline.id,
  workspace_id: pipeline.workspaceId,
  name: pipeline.name,
  api_name: pipeline.apiName,
  active: pipeline.active,
  position,
});

function jobRow(job: World['jobs'][number], nowMs: number): object {
  const state = stateAt(job, nowMs);
  return {
    id: job.id,
    workspace_id: job.workspaceId,
    pipeline_id: job.pipelineId,
    job_status: state?.status,
    status_message: state?.message,
  };
}

/** Columns that the first row does not name get their defaults. */
async function insert(lite: Lite, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  if (columns === '') return;
  const from = `json_populate_recordset(null::${table}, $1::json)`;
  await lite.sql(`insert into ${table} (${columns}) select ${columns} from ${from}`, JSON.stringify(rows));
}
