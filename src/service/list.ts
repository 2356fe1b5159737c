import { asUuid, type Uuid } from '../base/uuid.ts';
import type { CallOptions, ListOutcome, Pipeline } from './api.ts';
import { type Caller, call, USUAL_DEADLINE_MS, USUAL_MAX_BYTES } from './call.ts';
import { briefOrNull, isJsonObject } from './json.ts';
import { nonsenseProblem, notJson } from './problem.ts';

/** Room for 14,000 rows of 300 bytes, far more than one answer usually holds. */
const MAX_BYTES = 4 * 1_048_576;
/** Rows in one answer at which a service of this kind usually cuts (PostgREST's `db-max-rows`, as hosted). */
const USUAL_CUT = 1_000;

/** Lists the pipelines that the API key's workspace has. */
export function list(caller: Caller, options?: CallOptions): Promise<ListOutcome> {
  return call<ListOutcome>(
    caller,
    {
      attempted: 'list the pipelines',
      method: 'GET',
      path: '/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name',
      deadline: { allMs: USUAL_DEADLINE_MS },
      maxBytes: options?.isAside === true ? USUAL_MAX_BYTES : MAX_BYTES,
      tries: 3,
      whenRejected:
        'Give every pipeline by its UUID, which the address of its page shows: then nothing has to be listed.',
      understand(answer, subject) {
        const rows = answer.json;
        if (rows === undefined) {
          return {
            kind: 'perhaps',
            problem: nonsenseProblem(subject, answer, notJson(answer.text)),
          };
        }
        if (!Array.isArray(rows)) {
          return {
            kind: 'rejected',
            problem: nonsenseProblem(
              subject,
              answer,
              'with a body that is not a list of rows',
              subject.whenRejected,
            ),
          };
        }
        if (rows.length > 0 && !rows.some(isRow)) {
          return {
            kind: 'rejected',
            problem: nonsenseProblem(
              subject,
              answer,
              'with rows that are no pipelines',
              subject.whenRejected,
            ),
          };
        }
        return { kind: 'pipelines', pipelines: pipelinesOf(rows), perhapsCut: rows.length >= USUAL_CUT };
      },
    },
    options,
  );
}

/** Whether this is a row of the list at all; a datasource without a pipeline has a null there. */
function isRow(row: unknown): boolean {
  return isJsonObject(row) && row['pipeline_id'] !== undefined;
}

/** One pipeline per id: a pipeline has a row for each of its datasources, and a datasource may have none. */
function pipelinesOf(rows: readonly unknown[]): readonly Pipeline[] {
  const found = new Map<Uuid, Pipeline>();
  for (const row of rows) {
    if (!isJsonObject(row)) continue;
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
