import { quoted } from '../base/safe-text.ts';
import { asUuid } from '../base/uuid.ts';
import type { Failure, ListOutcome, Pipeline, Problem } from '../service/api.ts';
import { nearest } from './nearest.ts';
import type { StepParts } from './parts.ts';
import type { ResolvedPipeline, Target } from './plan.ts';
import { retrying } from './retry.ts';

export type Resolution =
  | { readonly kind: 'resolved'; readonly pipelines: readonly ResolvedPipeline[] }
  /** Nothing may be triggered; every target that is wrong has its problem. */
  | { readonly kind: 'unresolved'; readonly problems: readonly Problem[] }
  | { readonly kind: 'aborted' };

/**
 * Finds the pipeline of every target, by one look-up in all, and none when all are UUIDs. All or nothing: one
 * target that is unknown, ambiguous or named twice leaves all unresolved.
 */
export async function resolve(parts: StepParts): Promise<Resolution> {
  const { targets, resetTarget } = parts.plan;
  const listed = targets.every((target) => asUuid(target.pipeline) !== undefined)
    ? NO_LIST
    : await retrying<ListOutcome>(parts, parts.interruption.signal, () =>
        parts.service.list({ signal: parts.interruption.signal }),
      );
  if (listed.kind === 'aborted') return listed;
  if (listed.kind !== 'pipelines') return { kind: 'unresolved', problems: [problemOf(listed)] };
  const found = targets.map((target) => find(target, listed, resetTarget));
  const problems = found.filter((result) => 'attempted' in result);
  if (problems.length > 0) return { kind: 'unresolved', problems };
  const pipelines = found.filter((result) => 'id' in result);
  const twice = findTwice(targets, pipelines);
  return twice === undefined ? { kind: 'resolved', pipelines } : { kind: 'unresolved', problems: [twice] };
}

type Listed = Extract<ListOutcome, { kind: 'pipelines' }>;

const NO_LIST: Listed = { kind: 'pipelines', pipelines: [], perhapsCut: false };

function find(target: Target, listed: Listed, resetTarget: boolean): ResolvedPipeline | Problem {
  const id = asUuid(target.pipeline);
  if (id !== undefined) return { id, name: null };
  const attempted = `find the pipeline ${quoted(target.pipeline)}`;
  if (listed.perhapsCut && resetTarget) {
    return {
      attempted,
      came: `the service listed ${listed.pipelines.length} pipelines and may have left some out, so the name may stand for another one too`,
      remedy:
        'reset-target drops tables: give the pipeline by its UUID, which the address of its page shows.',
    };
  }
  const matches = listed.pipelines.filter(
    (pipeline) => pipeline.apiName === target.pipeline || pipeline.name === target.pipeline,
  );
  const [match, another] = matches;
  if (match === undefined) return unknownName(target.pipeline, attempted, listed);
  if (another === undefined) return { id: match.id, name: match.name ?? match.apiName };
  return {
    attempted,
    came: `${matches.length} pipelines have that name: ${matches.map(describe).join('; ')}`,
    remedy: 'Give the API name or the UUID of the one you mean.',
  };
}

function unknownName(given: string, attempted: string, listed: Listed): Problem {
  const names = listed.pipelines.flatMap((pipeline) => [pipeline.apiName, pipeline.name]);
  const near = nearest(
    given,
    names.filter((name) => name !== null),
  );
  const hints = [
    near.length > 0 ? `Did you mean ${near.map((name) => quoted(name)).join(' or ')}?` : undefined,
    given.includes(',') ? 'Several pipelines are given one per line, not with commas.' : undefined,
    listed.perhapsCut
      ? `The service listed ${listed.pipelines.length} pipelines and may have left some out: give the UUID instead.`
      : undefined,
    listed.pipelines.length === 0
      ? 'This API key sees no pipeline at all: check that it belongs to the right workspace.'
      : 'Give its API name, its name or its UUID, of the workspace that this API key belongs to.',
  ];
  return {
    attempted,
    came: `none of the ${listed.pipelines.length} pipelines of this workspace has that API name or name`,
    remedy: hints.filter((hint) => hint !== undefined).join(' '),
  };
}

function describe(pipeline: Pipeline): string {
  const api = pipeline.apiName === null ? '' : `, API name ${quoted(pipeline.apiName)}`;
  return `${quoted(pipeline.name ?? '')}${api}, UUID ${pipeline.id}`;
}

/** Two spellings of one pipeline would be two runs of it, which nobody means. */
function findTwice(targets: readonly Target[], pipelines: readonly ResolvedPipeline[]): Problem | undefined {
  const firstBy = new Map<string, string>();
  for (const [index, pipeline] of pipelines.entries()) {
    const given = targets[index]?.pipeline ?? pipeline.id;
    const first = firstBy.get(pipeline.id);
    if (first !== undefined) {
      return {
        attempted: 'accept the input pipeline',
        came: `${quoted(first)} and ${quoted(given)} are the same pipeline (${pipeline.id})`,
        remedy: 'Name each pipeline once: twice would queue two runs of it.',
      };
    }
    firstBy.set(pipeline.id, given);
  }
  return undefined;
}

function problemOf(failure: Exclude<Failure, { kind: 'aborted' }>): Problem {
  return failure.problem;
}
