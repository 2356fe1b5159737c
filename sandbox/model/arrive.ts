import { targetOf } from './query.ts';
import { kindOf } from './routes.ts';
import type { Arrival } from './rules.ts';
import type { CallKind, ModelRequest, World } from './types.ts';

/** Counts a request. A server calls this function when a request arrives. Without a server, `answer` calls it. */
export function arrive(world: World, request: ModelRequest): Arrival {
  const kind = kindOf(world, request);
  const subjects = subjectsOf(world, kind, request);
  return {
    kind,
    nth: count(world, kind),
    subjects: Object.fromEntries(subjects.map((subject) => [subject, count(world, `${kind} ${subject}`)])),
  };
}

function count(world: World, what: string): number {
  const nth = (world.counts[what] ?? 0) + 1;
  world.counts[what] = nth;
  return nth;
}

/** Returns the run and the pipeline of a request, in every form in which a rule may name them. */
function subjectsOf(world: World, kind: CallKind, request: ModelRequest): readonly string[] {
  if (kind === 'trigger') return pipelineNames(world, pipelineIn(request.body));
  if (kind !== 'read' && kind !== 'cancel') return [];
  const id = /^eq\.(.*)$/.exec(targetOf(request.path).parameters.get('id') ?? '')?.[1]?.toLowerCase();
  if (id === undefined) return [];
  const job = world.jobs.find((one) => one.id === id);
  return [id, ...(job === undefined ? [] : pipelineNames(world, job.pipelineId))];
}

function pipelineNames(world: World, id: string | null): readonly string[] {
  const pipeline = world.pipelines.find((one) => one.id === id);
  if (pipeline === undefined) return id === null ? [] : [id];
  return pipeline.apiName === null ? [pipeline.id] : [pipeline.id, pipeline.apiName.toLowerCase()];
}

function pipelineIn(body: string): string | null {
  return /"p_pipeline_id"\s*:\s*"([^"]*)"/.exec(body)?.[1]?.toLowerCase() ?? null;
}
