// In a scenario without a fault, the requests are exactly these, at exactly these times.
import { isCancellable, SLOW_MS } from '../exemptions.ts';
import type { History, Run } from '../history.ts';
import { isFinal } from '../observed.ts';
import { heldByLookupsMs, stalledMs, TOLERANCE_MS } from '../time.ts';

const FIRST_READ_MS = 2_000;

export function exact(history: History): string[] {
  const { facts } = history;
  const { spec } = facts;
  const faults = [spec.faults, spec.outages, spec.disk, spec.stalls].flat();
  if (faults.length > 0 || spec.keyRevokedAtMs !== null || spec.echo !== null || history.policy.failFast) return [];
  const interrupted = facts.crashed.length > 0 || facts.main.observed.length > 0;
  return [
    ...cancels(history, interrupted),
    ...(interrupted || isTimed(history) || spec.mode === 'resume'
      ? []
      : [...beginning(history), ...history.runs.flatMap((run) => reads(history, run))]),
  ];
}

function isTimed({ policy }: History): boolean {
  return policy.timeoutMs < Infinity || policy.queueTimeoutMs < Infinity;
}

/** The key is exchanged, names are looked up once, every run is triggered once. */
function beginning({ requests, facts }: History): string[] {
  const main = requests.filter(({ request }) => request.on === 'main');
  const count = (call: string): number => main.filter(({ request }) => request.call === call).length;
  const { pipelines, ttlSeconds } = facts.spec;
  const lastMs = main.at(-1)?.request.atMs ?? 0;
  const renewals = Math.ceil(lastMs / (ttlSeconds * 900)) + 1;
  const found: string[] = [];
  if (count('exchange') < 1 || count('exchange') > renewals) found.push(`${count('exchange')} exchanges`);
  // One to find names, and one beside the triggers for those that were given without a name.
  const isAttach = facts.spec.mode === 'attach';
  const lists = isAttach ? 0 : new Set(pipelines.map(({ given }) => given === 'uuid')).size;
  if (count('list') !== lists) found.push(`${count('list')} lists`);
  if (count('trigger') !== (isAttach ? 0 : pipelines.length)) found.push(`${count('trigger')} triggers`);
  return found;
}

function reads({ policy, facts }: History, run: Run): string[] {
  const { knowledge, jobs } = run;
  const [job] = jobs;
  if (knowledge.is !== 'known' || job === undefined) return ['no run, although nothing went wrong'];
  if (!policy.wait) return run.reads.length === 0 ? [] : ['a run that is not waited for was read'];
  const late = Math.abs(facts.spec.clocks.main.timerLateMs) + 1;
  const soon = facts.spec.mode === 'attach' ? 0 : Math.min(FIRST_READ_MS, policy.pollMs);
  let due = knowledge.atMs + soon;
  const found: string[] = [];
  for (const [index, { request, atMs }] of run.reads.entries()) {
    // A read may have to wait for a token that was renewed, also when it had expired on the way.
    const isAgain = run.reads[index - 1]?.observed.kind === 'denied';
    const wait = isAgain ? 0 : request.atMs - due;
    if (wait < -late || wait > late + 4 * facts.spec.latencyMs) found.push(`a read came ${wait} ms too late`);
    due = atMs + policy.pollMs;
  }
  const last = run.reads.at(-1);
  const ends = run.reads.filter(({ observed }) => observed.kind === 'row' && isFinal(observed.status));
  if (ends.length !== 1 || ends[0] !== last) found.push('the last read is not the one that saw the end');
  return found;
}

/** One cancel for each run that should be cancelled, and no others. */
function cancels(history: History, isCrashed: boolean): string[] {
  const { requests, interrupted, facts, exited, policy } = history;
  const all = requests.filter(({ request }) => request.call === 'cancel');
  if (!isCrashed && !isTimed(history) && policy.wait) return all.length === 0 ? [] : [`${all.length} cancels`];
  const calm = exited && !isTimed(history) && interrupted !== undefined && facts.main.observed.length === 1;
  if (!calm || facts.spec.latencyMs > SLOW_MS) return [];
  return facts.world.jobs.flatMap((job) => {
    const ours = all.filter(({ request }) => request.subject === job.id);
    // A token that expires on the way is answered by 401, and the cancel is sent again.
    const odd = ours.some(
      ({ request, observed }) =>
        observed.kind === 'denied' || !isCancellable(job, (request.committedAtMs ?? request.atMs + TOLERANCE_MS) - 1),
    );
    return ours.length > 1 && !odd ? [`${ours.length} cancels of run ${job.id}`] : [];
  });
}

/** After a signal, main ends as soon as the end of each of its runs is known. */
export function prompt({ interrupted, facts, exited, runs }: History): string[] {
  const { main, spec, crashed } = facts;
  if (interrupted === undefined || main.end === undefined || !exited) return [];
  const lastMs = runs.map(({ knowledge, ended, triggers }) =>
    knowledge.is === 'known' ? (ended?.atMs ?? Infinity) : Math.max(0, ...triggers.map(({ atMs }) => atMs)),
  );
  const knownMs = Math.max(interrupted.atMs, ...lastMs);
  // Timers, each of which may be late, ask whether the thread pool is busy. A dead runner leaves time for a flush.
  const isUnhurried = crashed.some(({ kind }) => kind === 'worker_killed');
  const lateMs = 2 * spec.clocks.main.timerLateMs + (isUnhurried ? UNHURRIED_FLUSH_MS : 0);
  const heldMs = stalledMs(facts, 'main', knownMs, main.end.atMs) + heldByLookupsMs(facts, 'main');
  const tookMs = Math.round(main.end.atMs - knownMs);
  return tookMs > spec.runner.flushMs + TOLERANCE_MS + lateMs + heldMs
    ? [`main went on for ${tookMs} ms with nothing left to do`]
    : [];
}

/** The longest flush without a signal of a live runner. */
const UNHURRIED_FLUSH_MS = 5_000;
