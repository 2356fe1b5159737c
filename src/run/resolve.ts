import { quotedName } from '../base/safe-text.ts';
import { asUuid, type Uuid } from '../base/uuid.ts';
import type { ListOutcome, Pipeline, Problem } from '../service/api.ts';
import { nearest } from './nearest.ts';
import type { StepParts } from './parts.ts';
import type { Plan, ResolvedPipeline, Target } from './plan.ts';
import { retrying } from './retry.ts';

export type Resolution =
  /** A pipeline for every target, in their order; undefined for one that names none. */
  | { readonly kind: 'resolved'; readonly pipelines: readonly (ResolvedPipeline | undefined)[] }
  /** Nothing may be triggered: the problem of every target that is wrong, in their order, or one of them all. */
  | {
      readonly kind: 'unresolved';
      readonly problems: readonly Problem[];
      readonly byTarget: readonly (Problem | undefined)[];
    }
  | { readonly kind: 'aborted' };

/**
 * Finds the pipeline of every target, by one look-up in all, and none when all are UUIDs; a dry run looks those
 * up as well. All or nothing: one target that is unknown, ambiguous or named twice leaves all unresolved.
 */
export async function resolve(parts: StepParts): Promise<Resolution> {
  const { plan, interruption } = parts;
  const { signal } = interruption;
  const listed = needsList(plan)
    ? await retrying<ListOutcome>(parts, signal, () => parts.service.list({ signal }))
    : NO_LIST;
  if (listed.kind === 'aborted') return listed;
  if (listed.kind !== 'pipelines') return { kind: 'unresolved', problems: [listed.problem], byTarget: [] };
  const found = plan.targets.map((target) => find(target, listed, plan));
  const pipelines = found.map((result) => (result !== undefined && 'id' in result ? result : undefined));
  const wrong = found.map((result) => (result !== undefined && 'attempted' in result ? result : undefined));
  const byTarget = wrong.some((problem) => problem !== undefined) ? wrong : twiceIn(plan.targets, pipelines);
  const problems = byTarget.filter((problem) => problem !== undefined);
  return problems.length === 0 ? { kind: 'resolved', pipelines } : { kind: 'unresolved', problems, byTarget };
}

type Listed = Extract<ListOutcome, { kind: 'pipelines' }>;

const NO_LIST: Listed = { kind: 'pipelines', pipelines: [], perhapsCut: false };

/** The pipeline as the target has it, where it has one. */
function givenBy(target: Target): string | undefined {
  return 'pipeline' in target ? target.pipeline : undefined;
}

function needsList({ targets, dryRun }: Plan): boolean {
  const given = targets.flatMap((target) => givenBy(target) ?? []);
  return given.some((pipeline) => dryRun || asUuid(pipeline) === undefined);
}

function find(target: Target, listed: Listed, plan: Plan): ResolvedPipeline | Problem | undefined {
  const given = givenBy(target);
  if (given === undefined) return undefined;
  const id = asUuid(given);
  if (id === undefined) return findByName(given, listed, plan.resetTarget);
  return plan.dryRun ? findById(id, listed) : { id, name: null };
}

function findById(id: Uuid, listed: Listed): ResolvedPipeline | Problem {
  const match = listed.pipelines.find((pipeline) => pipeline.id === id);
  if (match !== undefined) return { id, name: match.name ?? match.apiName };
  // A list that was cut off proves nothing: only the trigger would tell.
  return listed.perhapsCut ? { id, name: null } : unknownName(id, `find the pipeline ${id}`, listed);
}

function findByName(given: string, listed: Listed, resetTarget: boolean): ResolvedPipeline | Problem {
  const attempted = `find the pipeline ${quotedName(given)}`;
  if (listed.perhapsCut && resetTarget) {
    return {
      attempted,
      came: 'the service may have left pipelines out of its list, so the name may stand for another one too',
      remedy:
        'reset-target drops tables: give the pipeline by its UUID, which the address of its page shows.',
    };
  }
  const matches = listed.pipelines.filter(
    (pipeline) => pipeline.apiName === given || pipeline.name === given,
  );
  const [match, another] = matches;
  if (match === undefined) return unknownName(given, attempted, listed);
  if (another === undefined) return { id: match.id, name: match.name ?? match.apiName };
  return {
    attempted,
    came: `${matches.length} pipelines have that name: ${matches.map(describe).join('; ')}`,
    remedy: 'Give the API name or the UUID of the one you mean.',
  };
}

function unknownName(given: string, attempted: string, listed: Listed): Problem {
  const count = listed.pipelines.length;
  const near = nearest(
    given,
    listed.pipelines.map(({ apiName, name }) => [apiName, name].filter((spelling) => spelling !== null)),
  );
  const hints = [
    near.length > 0 ? `Did you mean ${near.map((name) => quotedName(name)).join(' or ')}?` : undefined,
    given.includes(',') ? 'Several pipelines are given one per line, not with commas.' : undefined,
    listed.perhapsCut
      ? 'The service may have left pipelines out of its list: give the UUID instead.'
      : count === 0
        ? 'Check that the API key belongs to the right workspace.'
        : 'Give its API name, its name or its UUID, of the workspace that this API key belongs to.',
  ];
  return {
    attempted,
    came:
      count === 0
        ? 'this API key sees no pipeline at all'
        : `no pipeline has that API name, name or UUID, among ${count} in the workspace of this API key`,
    remedy: hints.filter((hint) => hint !== undefined).join(' '),
  };
}

function describe(pipeline: Pipeline): string {
  const api = pipeline.apiName === null ? '' : `, API name ${quotedName(pipeline.apiName)}`;
  return `${quotedName(pipeline.name ?? '')}${api}, UUID ${pipeline.id}`;
}

/** The problem of each target that is a pipeline again: two spellings would be two runs of it, which nobody means. */
function twiceIn(
  targets: readonly Target[],
  pipelines: readonly (ResolvedPipeline | undefined)[],
): readonly (Problem | undefined)[] {
  const firstBy = new Map<Uuid, string>();
  return targets.map((target, index) => {
    const pipeline = pipelines[index];
    const given = givenBy(target);
    if (pipeline === undefined || given === undefined) return undefined;
    const first = firstBy.get(pipeline.id);
    if (first === undefined) {
      firstBy.set(pipeline.id, given);
      return undefined;
    }
    return {
      attempted: 'accept the input pipeline',
      came: `${quotedName(first)} and ${quotedName(given)} are the same pipeline (${pipeline.id})`,
      remedy: 'Name each pipeline once: twice would queue two runs of it.',
    };
  });
}
