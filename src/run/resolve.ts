import { quotedName } from '../base/safe-text.ts';
import { asUuid, type Uuid } from '../base/uuid.ts';
import type { ListOutcome, Pipeline, Problem } from '../service/api.ts';
import type { StepParts } from './parts.ts';
import type { Plan, ResolvedPipeline, Target } from './plan.ts';
import { problemsOf, retrying } from './retry.ts';
import type { Run } from './state/ledger.ts';

/** A run with its pipeline, or with the problem that prevents finding it. A run given by its own id has neither. */
export interface Lookup {
  readonly run: Run;
  readonly pipeline?: ResolvedPipeline;
  readonly problem?: Problem;
}

export interface Resolution {
  /** False if problems or an interruption prevent every trigger. */
  readonly mayTrigger: boolean;
  readonly lookups: readonly Lookup[];
  /** The problems of individual runs in input order, or one problem that affects all runs. */
  readonly problems: readonly Problem[];
}

/**
 * Finds the pipeline of every run. Lists pipelines once, unless every target is a UUID and this is not a dry run. If
 * any pipeline is unknown, ambiguous or a duplicate, the step may not trigger any run.
 */
export async function resolve(runs: readonly Run[], parts: StepParts): Promise<Resolution> {
  const { plan, service } = parts;
  const listed = needsList(plan) ? await retrying<ListOutcome>(parts, (options) => service.list(options)) : NO_LIST;
  if (listed.kind !== 'pipelines') return { mayTrigger: false, lookups: [], problems: problemsOf(listed) };
  const list = indexed(listed);
  const found = runs.map((run) => ({ run, ...find(run.target, list, plan) }));
  const lookups = found.some(({ problem }) => problem !== undefined) ? found : withoutRepeats(found);
  const problems = lookups.flatMap(({ problem }) => problem ?? []);
  return { mayTrigger: problems.length === 0, lookups, problems };
}

type Found = Omit<Lookup, 'run'>;

type Listed = Extract<ListOutcome, { kind: 'pipelines' }>;

/** The list of pipelines, its lookup indexes, and the number of character pairs that suggestions may still compare. */
interface List extends Pick<Listed, 'mayBeTruncated'> {
  readonly byId: ReadonlyMap<Uuid, Pipeline>;
  /** Pipelines by API name and by name. Several pipelines may share a name. */
  readonly byName: ReadonlyMap<string, ReadonlySet<Pipeline>>;
  /** The names of each pipeline. */
  readonly spellings: readonly (readonly string[])[];
  readonly budget: { pairs: number };
}

/** Indexes the list, because it may contain tens of thousands of rows and the input may contain a thousand names. */
function indexed({ pipelines, mayBeTruncated }: Listed): List {
  const byName = new Map<string, Set<Pipeline>>();
  const spellings = pipelines.map((pipeline) => {
    const names = [pipeline.apiName, pipeline.name].filter((name) => name !== null);
    for (const name of names) byName.set(name, (byName.get(name) ?? new Set()).add(pipeline));
    return names;
  });
  const byId = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  return { mayBeTruncated, byId, byName, spellings, budget: { pairs: MOST_PAIRS } };
}

const NO_LIST: Listed = { kind: 'pipelines', pipelines: [], mayBeTruncated: false };

/** Returns the pipeline that a target names, if any. */
function givenBy(target: Target): string | undefined {
  return 'pipeline' in target ? target.pipeline : undefined;
}

function needsList({ targets, dryRun }: Plan): boolean {
  const given = targets.flatMap((target) => givenBy(target) ?? []);
  return given.some((pipeline) => dryRun || asUuid(pipeline) === undefined);
}

function find(target: Target, listed: List, plan: Plan): Found {
  const given = givenBy(target);
  if (given === undefined) return {};
  const id = asUuid(given);
  if (id === undefined) return findByName(given, listed, plan.resetTarget);
  return plan.dryRun ? findById(id, listed) : { pipeline: { id, name: null } };
}

function findById(id: Uuid, listed: List): Found {
  const match = listed.byId.get(id);
  // A pipeline that is missing from a truncated list may still exist, and only a trigger can prove otherwise.
  if (match === undefined && !listed.mayBeTruncated) {
    return { problem: unknownName(id, `find the pipeline ${id}`, listed) };
  }
  return { pipeline: { id, name: match?.name ?? match?.apiName ?? null } };
}

function findByName(given: string, listed: List, resetTarget: boolean): Found {
  const attempted = `identify the pipeline ${quotedName(given)}`;
  if (listed.mayBeTruncated && resetTarget) {
    const cause = 'the list of pipelines may be incomplete, so another pipeline may have the same name';
    const remedy = "reset-target drops tables, so use the UUID, which is in the address of the pipeline's page.";
    return { problem: { attempted, cause, remedy } };
  }
  const matches = [...(listed.byName.get(given) ?? [])];
  const [match, another] = matches;
  if (match === undefined) return { problem: unknownName(given, attempted, listed) };
  if (another === undefined) return { pipeline: { id: match.id, name: match.name ?? match.apiName } };
  const cause = `${matches.length} pipelines have that name (${matches.slice(0, SUGGESTIONS).map(describe).join('; ')})`;
  return { problem: { attempted, cause, remedy: 'Use the API name or the UUID instead.' } };
}

function unknownName(given: string, attempted: string, listed: List): Problem {
  const count = listed.spellings.length;
  const near = nearest(given, listed.spellings, listed.budget);
  const hints = [
    near.length > 0 ? `Did you mean ${near.map((name) => quotedName(name)).join(' or ')}?` : undefined,
    given.includes(',') ? 'Separate pipelines with line breaks instead of commas.' : undefined,
    listed.mayBeTruncated
      ? 'The list may be incomplete, so try the UUID.'
      : count === 0
        ? 'Check that the API key belongs to the right workspace.'
        : 'Use an API name, a name or a UUID from the workspace of this API key.',
  ];
  const cause =
    count === 0
      ? 'this API key has no access to any pipeline'
      : `no pipeline has that API name, name or UUID (pipelines in the workspace of this API key: ${count})`;
  return { attempted, cause, remedy: hints.filter((hint) => hint !== undefined).join(' ') };
}

function describe(pipeline: Pipeline): string {
  const api = pipeline.apiName === null ? '' : `, API name ${quotedName(pipeline.apiName)}`;
  return `${quotedName(pipeline.name ?? '')}${api}, UUID ${pipeline.id}`;
}

/** Rejects targets that name the same pipeline twice, because they would queue two runs of it. */
function withoutRepeats(lookups: readonly Lookup[]): readonly Lookup[] {
  const firstBy = new Map<Uuid, string>();
  return lookups.map((lookup) => {
    const { run, pipeline } = lookup;
    const given = givenBy(run.target);
    if (pipeline === undefined || given === undefined) return lookup;
    const first = firstBy.get(pipeline.id);
    if (first === undefined) {
      firstBy.set(pipeline.id, given);
      return lookup;
    }
    const cause = `${quotedName(first)} and ${quotedName(given)} are the same pipeline (${pipeline.id})`;
    const remedy = 'List the pipeline only once, because the step would otherwise trigger two runs.';
    return { run, problem: { attempted: 'accept the pipeline input', cause, remedy } };
  });
}

/** Maximum number of suggested names. The list is short so that people read all of it. */
const SUGGESTIONS = 3;

/** Maximum number of characters of a name to compare. */
const LONGEST = 100;

/** Maximum number of character pairs to compare per step. 4 million pairs take 30 ms, which delays signal handling. */
const MOST_PAIRS = 4_000_000;

/**
 * Returns the candidates most similar to a name, best match first, or none if all differ too much. Suggests each
 * candidate once, by its closest spelling. Stops comparing when the budget runs out.
 */
export function nearest(
  given: string,
  candidates: readonly (readonly string[])[],
  budget = { pairs: MOST_PAIRS },
): string[] {
  const wanted = fold(given);
  const tolerated = Math.max(2, Math.floor(wanted.length / 3));
  const costOf = (name: string): number => (wanted.length + 1) * (Math.min(name.length, LONGEST) + 1);
  const awayOf = (name: string) => ({ name, away: awayFrom(wanted, fold(name)) });
  const byDistance = (a: { readonly away: number }, b: { readonly away: number }): number => a.away - b.away;
  const affordable: (readonly string[])[] = [];
  for (const spellings of candidates) {
    if (budget.pairs < 0) break;
    budget.pairs -= spellings.reduce((sum, name) => sum + costOf(name), 0);
    if (budget.pairs >= 0) affordable.push(spellings);
  }
  return affordable
    .flatMap((spellings) => spellings.map(awayOf).sort(byDistance).slice(0, 1))
    .filter(({ away }) => away <= tolerated)
    .sort(byDistance)
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name);
}

function fold(name: string): string {
  const begin = name.slice(0, LONGEST).toLowerCase();
  return begin.replace(/[\s_-]+/g, ' ').trim();
}

/** Returns the Levenshtein distance between two names, computed row by row, or 1 if one name contains the other. */
function awayFrom(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a))) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
