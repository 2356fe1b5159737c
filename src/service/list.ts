import { asUuid, type Uuid } from '../base/uuid.ts';
import type { CallOptions, ListOutcome, Pipeline } from './api.ts';
import { type Caller, call } from './call.ts';
import { USUAL_LIMITS } from './http/transport.ts';
import { notJson } from './problem.ts';
import { briefOrNull, isJsonObject, type JsonValue } from './reply.ts';

/** Maximum size of a list in bytes. It fits 14,000 rows of 300 bytes, far more than one response usually contains. */
const MAX_BYTES = 4 * 1_048_576;
/** The number of rows at which a hosted PostgREST usually truncates a list (its setting `db-max-rows`). */
const USUAL_CUT = 1_000;
const REMEDY = "Use each pipeline's UUID, which is in its page's address, so that the step does not need the list.";

/** Lists the pipelines in the workspace of the API key. */
export function list(caller: Caller, options?: CallOptions): Promise<ListOutcome> {
  return call<ListOutcome>(
    caller,
    {
      attempted: 'list the pipelines',
      method: 'GET',
      path: '/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name',
      limits: { maxBytes: options?.isBackground === true ? USUAL_LIMITS.maxBytes : MAX_BYTES },
      attempts: 3,
      whenRejected: REMEDY,
      parse({ json: rows, text }, unusable) {
        if (rows === undefined) return { kind: 'maybe_processed', problem: unusable(notJson(text)) };
        if (!Array.isArray(rows)) {
          return { kind: 'rejected', problem: unusable('with a body that is not a list of rows', REMEDY) };
        }
        // A datasource without a pipeline has a null `pipeline_id`.
        const isRow = (row: JsonValue): boolean => isJsonObject(row) && row['pipeline_id'] !== undefined;
        if (rows.length > 0 && !rows.some(isRow)) {
          return { kind: 'rejected', problem: unusable('with rows that are not pipelines', REMEDY) };
        }
        return { kind: 'pipelines', pipelines: pipelinesOf(rows), mayBeTruncated: rows.length >= USUAL_CUT };
      },
    },
    options,
  );
}

/** Keeps one pipeline per id, because the list contains a row for each datasource of a pipeline. */
function pipelinesOf(rows: readonly JsonValue[]): readonly Pipeline[] {
  const found = new Map<Uuid, Pipeline>();
  for (const row of rows.filter(isJsonObject)) {
    const id = asUuid(row['pipeline_id']);
    if (id === undefined) continue;
    const before = found.get(id);
    found.set(id, {
      id,
      name: before?.name ?? briefOrNull(row['pipeline_name']),
      apiName: before?.apiName ?? briefOrNull(row['pipeline_api_name']),
    });
  }
  return [...found.values()];
}
