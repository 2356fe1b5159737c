import { type Facts, PATHS } from '../life/facts.ts';
import type { RequestFact } from '../life/network/request-fact.ts';
import { pipelineId } from '../life/pipeline-id.ts';
import { type Asked, askedOf } from './asked.ts';
import { type Heard, heardOf, isEnd } from './heard.ts';

type Job = Facts['world']['jobs'][number];

/** A request with what came of it. */
export interface Told {
  readonly request: RequestFact;
  readonly heard: Heard;
  /** When it was heard, as the event and the instant; Infinity if never. */
  readonly step: number;
  readonly atMs: number;
}

/** Why main stopped waiting for a run. */
export interface Stopped {
  readonly why: 'interrupted' | 'timeout' | 'queue_timeout' | 'fail_fast';
  readonly atMs: number;
  readonly step: number;
  /** The pipelines whose runs failed in that event, for `fail_fast`. */
  readonly of?: readonly string[];
}

/** What main knew of a run when it was over for main. */
export type Knowledge =
  /** There surely is no run. */
  | { readonly is: 'none' }
  /** A trigger's fate is unknown: its answer was lost, or had not come. */
  | { readonly is: 'doubt'; readonly pending: boolean }
  | { readonly is: 'known'; readonly id: string; readonly atMs: number; readonly step: number };

/** The story of one run, as far as somebody can tell it who sees everything but the code. */
export interface RunStory {
  readonly pipeline: {
    readonly id: string;
    readonly name: string;
    /** A run of it that was there before. */
    readonly earlier: string | undefined;
  };
  /** Every run that the service queued for it. */
  readonly jobs: readonly Job[];
  readonly triggers: readonly Told[];
  readonly reads: readonly Told[];
  readonly cancels: readonly Told[];
  readonly knowledge: Knowledge;
  /** The first terminal row of the run that main heard of. */
  readonly ended: (Told & { readonly status: string }) | undefined;
  readonly stop: Stopped | undefined;
  /** The stop came so close to something else that either order is right. */
  readonly isTie: boolean;
  /** When contact was lost: from this event on it may be, and it must be. */
  readonly lost: {
    readonly may: boolean;
    readonly must: boolean;
    readonly step: number;
    readonly atMs: number;
  };
}

export interface Story {
  readonly facts: Facts;
  readonly asked: Asked;
  readonly told: readonly Told[];
  /** Main's first interruption, if it came before the verdict. */
  readonly interrupted: { readonly atMs: number; readonly step: number; readonly name: string } | undefined;
  /** The event in which main came to its verdict. */
  readonly verdictStep: number;
  /** Main ended by itself, which tells its user of everything. */
  readonly exited: boolean;
  readonly runs: readonly RunStory[];
}

/** Whether something came before a wait was stopped; a time-out is no event that anybody sees. */
export function isBefore(what: { readonly step: number; readonly atMs: number }, stop: Stopped): boolean {
  return stop.step === Infinity ? what.atMs < stop.atMs : what.step < stop.step;
}

/** Nobody reads what a process says once its stdout is gone. */
export function isHeard({ struck }: Facts, on: 'main' | 'post'): boolean {
  return struck.every((one) => one.on !== on || (one.kind !== 'stdout' && one.kind !== 'shutdown'));
}

/** How far timers and clocks may be off, in milliseconds. */
export const GRAIN_MS = 60;

/** Reads a life from its facts. */
export function storyOf(facts: Facts): Story {
  const asked = askedOf(facts.spec);
  const told = facts.requests.map((request): Told => {
    const { over } = request;
    return { request, heard: heardOf(request), step: over?.step ?? Infinity, atMs: over?.atMs ?? Infinity };
  });
  const verdictStep = verdictOf(facts);
  const first = facts.main.heard[0];
  const interrupted = first !== undefined && first.step <= verdictStep ? first : undefined;
  const exited = facts.main.end !== undefined && facts.main.end.how !== 'killed';
  const base = { facts, asked, told, interrupted, verdictStep, exited };
  const tell = (failed: Stopped | undefined): RunStory[] =>
    facts.spec.pipelines.map((pipeline, index) =>
      runStory(base, { id: pipelineId(index), name: pipeline.name, earlier: facts.earlier[index] }, failed),
    );
  const runs = tell(undefined);
  const failed = asked.failFast && runs.length > 1 ? firstFailure(base, runs) : undefined;
  return { ...base, runs: failed === undefined ? runs : tell(failed) };
}

/** The first run that was no success stops the others, where that was asked for. */
function firstFailure({ asked }: Base, runs: readonly RunStory[]): Stopped | undefined {
  const failures = runs.flatMap((run): Stopped[] => {
    const at = failedAt(run, asked);
    return at === undefined || at.step === Infinity
      ? []
      : [{ why: 'fail_fast', of: [run.pipeline.id], step: at.step, atMs: at.atMs }];
  });
  const first = failures.sort((a, b) => a.atMs - b.atMs)[0];
  const together = failures.filter(({ step }) => step === first?.step);
  return first && { ...first, of: together.flatMap(({ of = [] }) => of) };
}

function failedAt(
  { knowledge, ended, lost, triggers, stop }: RunStory,
  asked: Asked,
): { readonly step: number; readonly atMs: number } | undefined {
  if (knowledge.is !== 'known') {
    // One that would have been tried again is stopped with all the others.
    const last = triggers.at(-1);
    return last === undefined || (stop !== undefined && isRepeatable(last.heard, asked)) ? undefined : last;
  }
  if (!asked.wait) return undefined;
  if (ended !== undefined && !asked.succeedOn.includes(ended.status)) return ended;
  if (stop?.why === 'queue_timeout') return stop;
  return lost.may ? lost : undefined;
}

/** Whether a trigger may be sent again after this. */
function isRepeatable(heard: Heard, { always }: Asked): boolean {
  return heard.kind === 'perhaps' ? always : heard.kind === 'unsent' && !heard.hopeless;
}

/** The event in which main first said how it ended; its end if it never did. */
function verdictOf(facts: Facts): number {
  const said = facts.writes.find(
    ({ process, path, text }) => process === 'main' && path === PATHS.output && /^outcome=/m.test(text),
  );
  return said?.step ?? facts.main.end?.step ?? Infinity;
}

type Base = Omit<Story, 'runs'>;

function runStory(base: Base, pipeline: RunStory['pipeline'], failed: Stopped | undefined): RunStory {
  const { facts, told, asked } = base;
  const mains = told.filter(({ request }) => request.on === 'main');
  const triggers = mains.filter(
    ({ request }) => request.call === 'trigger' && request.subject === pipeline.id,
  );
  const knowledge = taken(base, mains, pipeline.earlier) ?? knowledgeOf(triggers);
  const about = (call: string): Told[] =>
    knowledge.is === 'known'
      ? mains.filter(({ request }) => request.call === call && request.subject === knowledge.id)
      : [];
  const reads = about('read');
  const cancels = about('cancel');
  const rows = [...reads, ...cancels]
    .filter(({ heard }) => heard.kind === 'row')
    .sort((a, b) => a.step - b.step);
  const end = rows.find(({ heard }) => heard.kind === 'row' && isEnd(heard.status));
  const ended = end?.heard.kind === 'row' ? { ...end, status: end.heard.status } : undefined;
  const { stop, isTie } = stopOf(base, { pipeline: pipeline.id, reads, cancels, knowledge, ended, failed });
  const exchanges = mains.filter(({ request }) => request.call === 'exchange');
  const lost = lostContact(
    { reads, exchanges, knowledge, stop, isAttached: facts.spec.mode === 'attach' },
    asked,
  );
  return {
    pipeline,
    jobs: facts.world.jobs.filter((job) => job.pipelineId === pipeline.id),
    triggers,
    reads,
    cancels,
    knowledge,
    ended,
    stop,
    isTie: isTie || (stop !== undefined && lost.may && lost.step === stop.step),
    lost,
  };
}

/** A run that existed before, if main took it: then there is nothing to trigger. */
function taken(
  { facts, asked, interrupted }: Base,
  mains: readonly Told[],
  id: string | undefined,
): Knowledge | undefined {
  if (id === undefined) return undefined;
  if (facts.spec.mode === 'attach') {
    const token = mains.find(({ heard }) => heard.kind === 'token');
    const isLate = token !== undefined && interrupted !== undefined && interrupted.step < token.step;
    if (token === undefined || isLate) return { is: 'none' };
    return { is: 'known', id, atMs: token.atMs, step: token.step };
  }
  const seen = mains.find(({ request, heard }) => request.subject === id && heard.kind === 'row');
  if (seen?.heard.kind !== 'row') return undefined;
  const { status } = seen.heard;
  const isTaken = !isEnd(status) || asked.succeedOn.includes(status);
  return isTaken ? { is: 'known', id, atMs: seen.atMs, step: seen.step } : undefined;
}

function knowledgeOf(triggers: readonly Told[]): Knowledge {
  const known = triggers.find(({ heard }) => heard.kind === 'id');
  if (known?.heard.kind === 'id')
    return { is: 'known', id: known.heard.id, atMs: known.atMs, step: known.step };
  const pending = triggers.some(({ heard }) => heard.kind === 'nothing');
  const doubt = triggers.some(({ heard }) => heard.kind === 'perhaps');
  return doubt || pending ? { is: 'doubt', pending } : { is: 'none' };
}

interface SoFar {
  readonly pipeline: string;
  readonly reads: readonly Told[];
  readonly cancels: readonly Told[];
  readonly knowledge: Knowledge;
  readonly ended: Told | undefined;
  readonly failed: Stopped | undefined;
}

function stopOf(
  { asked, interrupted, facts, told }: Base,
  { pipeline, reads, cancels, knowledge, ended, failed }: SoFar,
): { readonly stop: Stopped | undefined; readonly isTie: boolean } {
  const stops: Stopped[] = [];
  if (interrupted !== undefined) stops.push({ why: 'interrupted', ...interrupted });
  // The whole step's time runs from its first trigger or read.
  const begins = told.find(({ request }) => request.call === 'trigger' || request.call === 'read');
  const begun = begins?.request.atMs ?? Infinity;
  const due = begun + asked.timeoutMs;
  const frozen = facts.struck.find(({ kind }) => kind === 'beside_frozen');
  const lastMs = frozen?.atMs ?? facts.main.end?.atMs ?? facts.endMs;
  // The last read at a time-out tells an end that came before it.
  const firstCancel = cancels[0]?.request.step ?? Infinity;
  const lastRead = reads.find(({ request }) => request.atMs >= due - GRAIN_MS && request.step < firstCancel);
  const inTime =
    ended !== undefined && (ended.atMs < due || ended === lastRead || sameRequest(ended, lastRead));
  if (asked.wait && due <= lastMs + GRAIN_MS && !inTime)
    stops.push({ why: 'timeout', atMs: due, step: Infinity });
  const queuedDue = knowledge.is === 'known' && asked.wait ? knowledge.atMs + asked.queueTimeoutMs : Infinity;
  const queued = queuedTooLong(reads, queuedDue);
  if (queued !== undefined) {
    stops.push({ why: 'queue_timeout', atMs: queued.told.atMs, step: queued.told.step });
  }
  // A run that failed by itself is not stopped by its own failure.
  const own = failed?.of?.includes(pipeline) === true;
  const isShared = own && (failed.of?.length ?? 0) > 1;
  // With `leave`, a run that goes on is awaited; one that waits for its turn is not begun any more.
  const concerned = asked.onCancel === 'cancel' || knowledge.is === 'none';
  if (failed !== undefined && (!own || isShared) && concerned) stops.push(failed);
  stops.sort((a, b) => a.atMs - b.atMs);
  const [first, second] = stops;
  const close = (atMs: number | undefined): boolean =>
    first !== undefined && atMs !== undefined && Math.abs(atMs - first.atMs) <= GRAIN_MS;
  const diedAtMs = facts.main.end?.how === 'killed' ? facts.main.end.atMs : undefined;
  const isOdd = first?.why === 'queue_timeout' && queued?.odd === true;
  return {
    stop: first,
    isTie:
      isOdd ||
      isShared ||
      (first?.why !== 'interrupted' && close(diedAtMs)) ||
      close(second?.atMs) ||
      (first?.why !== 'interrupted' && close(ended?.atMs)),
  };
}

function sameRequest(a: Told | undefined, b: Told | undefined): boolean {
  return a !== undefined && a.request === b?.request;
}

/** The read that finds a run still queued when it should not be; `odd` if it was seen otherwise before. */
function queuedTooLong(
  reads: readonly Told[],
  dueMs: number,
): { readonly told: Told; readonly odd: boolean } | undefined {
  let odd = false;
  for (const told of reads) {
    if (told.heard.kind !== 'row') continue;
    if (told.heard.status !== 'queued') odd = true;
    else if (told.atMs >= dueMs) return { told, odd };
  }
  return undefined;
}

/** A read that was not let in is followed at once by the same with a new token: only that one counts. */
function isFollowed(told: Told, reads: readonly Told[], { pollMs }: Asked): boolean {
  const { atMs } = told;
  return (
    told.heard.kind === 'denied' &&
    reads.some(({ request }) => request.atMs >= atMs && request.atMs < atMs + pollMs / 2)
  );
}

interface Contact {
  readonly reads: readonly Told[];
  readonly exchanges: readonly Told[];
  readonly knowledge: Knowledge;
  readonly stop: Stopped | undefined;
  /** A run that was given by its id: it may not exist at all. */
  readonly isAttached: boolean;
}

/** Three refusals or three empty answers in a row, no good answer for too long, or a key that is refused. */
function lostContact(
  { reads, exchanges, knowledge, stop, isAttached }: Contact,
  asked: Asked,
): RunStory['lost'] {
  if (knowledge.is !== 'known') return { may: false, must: false, step: Infinity, atMs: Infinity };
  const before = ({ atMs }: Told): boolean => atMs <= (stop?.atMs ?? Infinity) + GRAIN_MS;
  const attempts = [...reads, ...exchanges]
    .filter(({ step }) => step > knowledge.step)
    .filter((told) => told.heard.kind !== 'nothing' && before(told) && !isFollowed(told, reads, asked))
    .sort((a, b) => a.step - b.step);
  const refused = attempts.find(({ heard }) => heard.kind === 'refused');
  let goodAtMs = knowledge.atMs;
  let [may, must] = [refused !== undefined, false];
  let [step, at] = [refused?.step ?? Infinity, refused?.atMs ?? Infinity];
  const row = { kind: '', lenient: 0, strict: 0 };
  let [bad, isUnseen] = [0, isAttached];
  for (const { request, heard, atMs, step: heardStep } of attempts) {
    if (heard.kind === 'row') {
      goodAtMs = atMs;
      [bad, isUnseen] = [0, false];
      Object.assign(row, { kind: '', lenient: 0, strict: 0 });
      continue;
    }
    if (request.call === 'exchange' && heard.kind === 'token') continue;
    bad += 1;
    // Where reads are rarer than that, one that fails is no outage yet.
    const isOut = bad > 1 && atMs - goodAtMs >= asked.maxOutageMs - GRAIN_MS;
    const same = heard.kind === row.kind && request.call === 'read';
    if (request.call === 'read') {
      row.strict = same ? row.strict + 1 : 1;
      row.lenient = same ? row.lenient + 1 : 1;
      row.kind = heard.kind;
    } else {
      row.strict = 0;
    }
    const counts = row.kind === 'no' || row.kind === 'none';
    const isNowhere = isUnseen && heard.kind === 'none';
    if (isNowhere && atMs < (stop?.atMs ?? Infinity) - GRAIN_MS) must = true;
    if (isOut || isNowhere || (counts && row.lenient >= 3)) {
      may = true;
      step = Math.min(step, heardStep);
      at = Math.min(at, atMs);
    }
    if (request.call === 'read' && counts && row.strict >= 3 && atMs < (stop?.atMs ?? Infinity) - GRAIN_MS) {
      must = true;
    }
  }
  return { may, must, step, atMs: at };
}
