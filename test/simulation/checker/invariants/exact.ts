import { stateAt } from '../../../../sandbox/model/index.ts';
import type { History, ObservedRequest, RunHistory } from '../history.ts';
import { isEnd } from '../observed.ts';
import { TOLERANCE_MS } from '../tolerance.ts';

const FIRST_READ_MS = 2_000;

/** In a scenario in which nothing goes wrong, the requests are exactly these, at exactly these times. */
export function exact(history: History): string[] {
  const { facts } = history;
  const { spec } = facts;
  const isCalm =
    spec.faults.length === 0 &&
    spec.outages.length === 0 &&
    spec.disk.length === 0 &&
    spec.stalls.length === 0 &&
    spec.keyRevokedAtMs === null &&
    spec.lostTimer === null &&
    spec.echo === null &&
    !history.policy.failFast;
  if (!isCalm) return [];
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
function beginning({ observedRequests, facts }: History): string[] {
  const main = observedRequests.filter(({ request }) => request.on === 'main');
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

function reads({ policy, facts }: History, run: RunHistory): string[] {
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
  const ends = run.reads.filter(({ observed }) => observed.kind === 'row' && isEnd(observed.status));
  if (ends.length !== 1 || ends[0] !== last) found.push('the last read is not the one that saw the end');
  return found;
}

/** One cancel for each run that was to be cancelled, and none else. */
function cancels(history: History, isCrashed: boolean): string[] {
  const { observedRequests, interrupted, facts, exited, policy } = history;
  const all = observedRequests.filter(({ request }) => request.call === 'cancel');
  if (!isCrashed && !isTimed(history) && policy.wait) return all.length === 0 ? [] : [`${all.length} cancels`];
  const calm = exited && !isTimed(history) && interrupted !== undefined && facts.main.observed.length === 1;
  if (!calm || facts.spec.latencyMs > 200) return [];
  return facts.world.jobs.flatMap((job) => {
    const ours = all.filter(({ request }) => request.subject === job.id);
    // A token that expires on the way is answered by 401, and the cancel is sent again.
    const odd = ours.some(({ request, observed }) => !isNormal(job, request) || observed.kind === 'denied');
    return ours.length > 1 && !odd ? [`${ours.length} cancels of run ${job.id}`] : [];
  });
}

function isNormal(job: History['facts']['world']['jobs'][number], request: ObservedRequest['request']): boolean {
  const at = request.committedAtMs ?? request.atMs + TOLERANCE_MS;
  return ['queued', 'picked', 'running'].includes(stateAt(job, at - 1)?.status ?? '');
}
