import type { Call } from './call.ts';
import { type Columns, parseQuery, passes, project, type Row } from './query.ts';
import { listing } from './read.ts';
import type { ModelResponse, Pipeline } from './types.ts';

const COLUMNS: Columns = {
  table: 'pipelines_and_datasources',
  names: ['pipeline_id', 'pipeline_name', 'pipeline_api_name'],
  uuids: ['pipeline_id'],
};

/** `GET pipelines_and_datasources`: returns the pipelines of the workspace, silently truncated at the row limit. */
export function list({ world, parameters }: Call, workspaceId: string): ModelResponse {
  const query = parseQuery(parameters, COLUMNS);
  const rows = world.pipelines
    .filter((pipeline) => pipeline.workspaceId === workspaceId)
    .flatMap((pipeline) => Array.from({ length: pipeline.rows }, () => rowOf(pipeline)))
    .filter((row) => passes(row, query));
  return listing(rows.map((row) => project(row, query)));
}

function rowOf({ id, name, apiName }: Pipeline): Row {
  return { pipeline_id: id, pipeline_name: name, pipeline_api_name: apiName };
}
