import { stateAt } from '../../../../sandbox/model/index.ts';
import { GRAIN_MS } from '../grain.ts';
import { isEnd } from '../heard.ts';
import type { RunStory, Story, Told } from '../story.ts';

const FIRST_READ_MS = 2_000;

/** In a life in which nothing goes wrong, the requests are exactly these, at exactly these times. */
export function exact(story: Story): string[] {
  const { facts } = story;
  const { spec } = facts;
  const isCalm =
    spec.faults.length === 0 &&
    spec.outages.length === 0 &&
    spec.disk.length === 0 &&
    spec.keyRevokedAtMs === null &&
    spec.lostTimer === null &&
    !story.asked.failFast;
  if (!isCalm) return [];
  const interrupted = facts.struck.length > 0 || facts.main.heard.length > 0;
  return [
    ...cancels(story, interrupted),
    ...(interrupted || isTimed(story) || spec.mode === 'resume'
      ? []
      : [...beginning(story), ...story.runs.flatMap((run) => reads(story, run))]),
  ];
}

function isTimed({ asked }: Story): boolean {
  return asked.timeoutMs < Infinity || asked.queueTimeoutMs < Infinity;
}

/** The key is exchanged, names are looked up once, every run is triggered once. */
function beginning({ told, facts }: Story): string[] {
  const main = told.filter(({ request }) => request.on === 'main');
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

function reads({ asked, facts }: Story, run: RunStory): string[] {
  const { knowledge, jobs } = run;
  const [job] = jobs;
  if (knowledge.is !== 'known' || job === undefined) return ['no run, although nothing went wrong'];
  if (!asked.wait) return run.reads.length === 0 ? [] : ['a run that is not waited for was read'];
  const late = Math.abs(facts.spec.clocks.main.timerLateMs) + 1;
  const soon = facts.spec.mode === 'attach' ? 0 : Math.min(FIRST_READ_MS, asked.pollMs);
  let due = knowledge.atMs + soon;
  const found: string[] = [];
  for (const [index, { request, atMs }] of run.reads.entries()) {
    // A read may have to wait for a token that was renewed, also when it had expired on the way.
    const isAgain = run.reads[index - 1]?.heard.kind === 'denied';
    const wait = isAgain ? 0 : request.atMs - due;
    if (wait < -late || wait > late + 4 * facts.spec.latencyMs) found.push(`a read came ${wait} ms too late`);
    due = atMs + asked.pollMs;
  }
  const last = run.reads.at(-1);
  const ends = run.reads.filter(({ heard }) => heard.kind === 'row' && isEnd(heard.status));
  if (ends.length !== 1 || ends[0] !== last) found.push('the last read is not the one that saw the end');
  return found;
}

/** One cancel for each run that was to be cancelled, and none else. */
function cancels(story: Story, isStruck: boolean): string[] {
  const { told, interrupted, facts, exited, asked } = story;
  const all = told.filter(({ request }) => request.call === 'cancel');
  if (!isStruck && !isTimed(story) && asked.wait) return all.length === 0 ? [] : [`${all.length} cancels`];
  const calm = exited && !isTimed(story) && interrupted !== undefined && facts.main.heard.length === 1;
  if (!calm || facts.spec.latencyMs > 200) return [];
  return facts.world.jobs.flatMap((job) => {
    const ours = all.filter(({ request }) => request.subject === job.id);
    const odd = ours.some(({ request }) => !isNormal(job, request));
    return ours.length > 1 && !odd ? [`${ours.length} cancels of run ${job.id}`] : [];
  });
}

function isNormal(job: Story['facts']['world']['jobs'][number], request: Told['request']): boolean {
  const at = request.committedAtMs ?? request.atMs + GRAIN_MS;
  return ['queued', 'picked', 'running'].includes(stateAt(job, at - 1)?.status ?? '');
}
