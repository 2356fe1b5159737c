// What happened to each run of an execution, derived from its requests and main's writes rather than from the code.
import { type Facts, type Instant, ledgerOf, type RequestFact, recordsOf } from '../model/facts.ts';
import { type Lost, lostContact } from './contact.ts';
import { type Ending, endingsOf, firstFailure, type Stop, stopsOf, timeoutAtMs } from './endings.ts';
import { isFinal, type Observed, observe } from './observed.ts';
import { type Policy, policyOf } from './policy.ts';
import { TOLERANCE_MS } from './time.ts';

export type Job = Facts['world']['jobs'][number];

/** A request, what the client learned from it, and when the client learned it (Infinity if never). */
export interface ObservedRequest extends Instant {
  readonly request: RequestFact;
  readonly observed: Observed;
}

/** What main knew of a run when main stopped handling the run. */
export type Knowledge =
  /** No run exists. */
  | { readonly is: 'none' }
  /** A trigger may have queued a run, because its response was lost or had not arrived. */
  | { readonly is: 'doubt'; readonly pending: boolean }
  /** The run exists. The instant is Infinity if main resumed an earlier run and never read it. */
  | ({ readonly is: 'known'; readonly id: string } & Instant);

/** One run of the step, as main's requests show it. */
export interface BareRun {
  /** The position in the input, from 1. */
  readonly number: number;
  /** `earlier` is an existing run of the same pipeline. */
  readonly pipeline: { readonly id: string; readonly name: string; readonly earlier: string | undefined };
  /** Every run that the service queued for this pipeline. */
  readonly jobs: readonly Job[];
  readonly triggers: readonly ObservedRequest[];
  readonly reads: readonly ObservedRequest[];
  readonly cancels: readonly ObservedRequest[];
  readonly knowledge: Knowledge;
  /** The first row with a final status that main received. */
  readonly ended: (ObservedRequest & { readonly status: string }) | undefined;
  readonly lost: Lost;
}

export interface Run extends BareRun {
  readonly stop: Stop | undefined;
  /** How main's wait may have ended. Several endings are possible if the order of two events is unknown. */
  readonly endings: readonly Ending[];
}

/** Main's report on one run: an entry of the output `results`. */
export type Entry = Readonly<Record<string, string>>;

export interface Outline {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly requests: readonly ObservedRequest[];
  /** Main's first interruption, if it came before the verdict. */
  readonly interrupted: (Instant & { readonly name: string }) | undefined;
  /** Main exited by itself, so it reported everything. */
  readonly exited: boolean;
}

export interface History extends Outline {
  readonly runs: readonly Run[];
}

export function historyOf(facts: Facts): History {
  const policy = policyOf(facts.spec);
  const requests = facts.requests.map((request): ObservedRequest => {
    const { over } = request;
    return { request, observed: observe(request), step: over?.step ?? Infinity, atMs: over?.atMs ?? Infinity };
  });
  const [first] = facts.main.observed;
  const verdict = facts.writes.find(
    ({ process, path, text }) => process === 'main' && path === facts.paths.output && /^outcome=/m.test(text),
  );
  const interrupted = (first?.step ?? Infinity) <= ((verdict ?? facts.main.end)?.step ?? Infinity) ? first : undefined;
  const exited = facts.main.end !== undefined && facts.main.end.how !== 'killed';
  const outline = { facts, policy, requests, interrupted, exited };
  const bare = facts.spec.pipelines.map(({ name }, index) =>
    bareRun(outline, index + 1, { id: facts.pipelineIds[index] ?? '', name, earlier: facts.earlier[index] }),
  );
  const failure = firstFailure(outline, bare);
  const stopped = bare.map((run) => ({ ...run, stops: stopsOf(outline, run, failure) }));
  const runs = stopped.map((run) => ({ ...run, stop: run.stops[0], endings: endingsOf(outline, run, stopped) }));
  return { ...outline, runs };
}

function bareRun(outline: Outline, number: number, pipeline: BareRun['pipeline']): BareRun {
  const { facts } = outline;
  const mains = outline.requests.filter(({ request }) => request.on === 'main');
  const triggers = mains.filter(({ request }) => request.call === 'trigger' && request.subject === pipeline.id);
  const knowledge = takenRun(outline, mains, pipeline.earlier) ?? triggeredRun(triggers, outline);
  const about = (call: string): ObservedRequest[] =>
    mains.filter(
      ({ request }) => request.call === call && knowledge.is === 'known' && request.subject === knowledge.id,
    );
  const [reads, cancels] = [about('read'), about('cancel')];
  const [ended] = [...reads, ...cancels]
    .sort((a, b) => a.step - b.step)
    .flatMap((one) =>
      one.observed.kind === 'row' && isFinal(one.observed.status) ? [{ ...one, status: one.observed.status }] : [],
    );
  const lost = lostContact(outline, { reads, knowledge });
  const jobs = facts.world.jobs.filter((job) => job.pipelineId === pipeline.id);
  return { number, pipeline, jobs, triggers, reads, cancels, knowledge, ended, lost };
}

/**
 * An existing run if main awaits one, in which case main triggers nothing. Its instant is when main starts to
 * await the run, or Infinity if main got no token or no row.
 */
function takenRun(outline: Outline, mains: readonly ObservedRequest[], id: string | undefined): Knowledge | undefined {
  const { facts, policy, interrupted } = outline;
  if (id === undefined || facts.spec.mode === 'dry_run') return undefined;
  const isAttach = facts.spec.mode === 'attach';
  const isClaimed = ledgerOf(facts).some(({ text, failed }) => !failed && text.includes(id));
  if (!isClaimed) return isAttach ? { is: 'none' } : undefined;
  const never: Knowledge = { is: 'known', id, atMs: Infinity, step: Infinity };
  if (isAttach) {
    const token = mains.find(({ observed }) => observed.kind === 'token');
    const isLate = token !== undefined && (interrupted?.step ?? Infinity) < token.step;
    return token === undefined || isLate ? never : { is: 'known', id, atMs: token.atMs, step: token.step };
  }
  const about = mains.filter(({ request }) => request.subject === id);
  const cancelled = about.find(({ request }) => request.call === 'cancel')?.request.step ?? Infinity;
  const seen = about.find(({ step, observed }) => observed.kind === 'row' && step < cancelled);
  if (seen?.observed.kind !== 'row') return never;
  const { status } = seen.observed;
  // Main triggers nothing after a timeout, so the row from the last read is the result.
  const isLast = seen.request.atMs >= timeoutAtMs(outline) - TOLERANCE_MS;
  const isTaken = !isFinal(status) || policy.succeedOn.includes(status) || isLast;
  return isTaken ? { is: 'known', id, atMs: seen.atMs, step: seen.step } : undefined;
}

/** What main learned of a run from the responses to its triggers. */
function triggeredRun(triggers: readonly ObservedRequest[], { facts, exited }: Outline): Knowledge {
  const known = triggers.find(({ observed }) => observed.kind === 'id');
  if (known?.observed.kind === 'id') return { is: 'known', id: known.observed.id, atMs: known.atMs, step: known.step };
  // A response that arrives after main's last record has no effect.
  const lastStep = exited ? (ledgerOf(facts).at(-1)?.step ?? Infinity) : Infinity;
  const pending = triggers.some(({ observed, step }) => observed.kind === 'nothing' || step > lastStep);
  const doubt = triggers.some(({ observed }) => observed.kind === 'maybe_processed');
  return doubt || pending ? { is: 'doubt', pending } : { is: 'none' };
}

/** Main's outputs, whether or not a disk stored them. */
export function outputsOf({ writes, paths }: Facts): ReadonlyMap<string, string> {
  const own = writes.filter(({ process, path }) => process === 'main' && path === paths.output);
  return recordsOf(own.map(({ text }) => text).join('')).records;
}

/** Main's final report on its runs; undefined if there is none. */
export function entriesOf({ facts, exited, runs }: History): readonly Entry[] | undefined {
  if (!exited) return undefined;
  const entries = JSON.parse(outputsOf(facts).get('results') ?? '[]') as readonly Entry[];
  return entries.length === runs.length ? entries : undefined;
}
