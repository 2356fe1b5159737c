// Invariants of every execution, with any inputs. They rely only on the service's data and on facts visible from
// outside, not on the history that the other checks use, so that a mistake there cannot hide a broken promise.
import { stateAt } from '../../../sandbox/model/index.ts';
import type { InputName } from '../../../src/action/inputs/input-table.ts';
import type { Facts } from '../model/facts.ts';
import {
  excuse,
  isBeside,
  isBlind,
  isForAll,
  isFrozen,
  isLeftInQueue,
  isOutOfContact,
  isOutputUnread,
  isSettledAgain,
  isUnrecorded,
} from './exemptions.ts';
import type { Job } from './history.ts';
import { secrets } from './invariants/secrets.ts';
import { isFinal } from './observed.ts';
import { durationMs, heldByLookupsMs, stalledMs } from './time.ts';

const TOLERANCE_MS = 100;
const FINAL_STATUS = /"(?:completed|completed_with_warning|failed|cancelled|timed_out|skipped)"/;

/** The value of an input. The other checks read inputs through `policyOf`. */
function inputOf({ inputs }: Facts['spec'], name: InputName, otherwise: string): string {
  const text = inputs[name] ?? '';
  return text === '' ? otherwise : text;
}

const listOf = (spec: Facts['spec'], name: InputName, otherwise: string): readonly string[] =>
  inputOf(spec, name, otherwise).split(/\s*,\s*/);
const mayRepeat = (spec: Facts['spec']): boolean => inputOf(spec, 'on-lost-response', 'fail') === 'retry';
const isWaiting = (spec: Facts['spec']): boolean => inputOf(spec, 'wait', 'true') === 'true';

function triggered({ world, earlier }: Facts): readonly Job[] {
  return world.jobs.filter(({ id }) => !earlier.includes(id));
}

/** Whether main could not know whether this trigger of a pipeline queued a run. */
function isUnclear(
  { on, call, subject, over, status = 0, connectedAtMs }: Facts['requests'][number],
  id: string,
): boolean {
  const isTrigger = on === 'main' && call === 'trigger' && subject === id && connectedAtMs !== undefined;
  return isTrigger && (over?.how !== 'complete' || status < 300 || status === 303 || status === 408 || status >= 500);
}

/** Each attempt queues at most one run. An input may permit another one for each trigger without a clear response. */
function oneRun(facts: Facts): string[] {
  const { spec } = facts;
  const allowed = spec.mode === 'trigger' || spec.mode === 'resume' ? Number(inputOf(spec, 'max-attempts', '1')) : 0;
  return facts.pipelineIds.flatMap((id) => {
    const runs = triggered(facts).filter(({ pipelineId }) => pipelineId === id);
    const unclear = facts.requests.filter((request) => isUnclear(request, id));
    const most = allowed + (allowed > 0 && mayRepeat(spec) ? unclear.length : 0);
    return runs.length > most ? [`${runs.length} runs of pipeline ${id}, where at most ${most} may exist`] : [];
  });
}

/** The next attempt starts only after main has seen the last run end and paused, never after a stop or `timeout`. */
function attempts(facts: Facts): string[] {
  const { main, requests, spec, pipelineIds } = facts;
  const retryOn = listOf(spec, 'retry-on', 'failed, timed_out');
  const retryDelayMs = durationMs(inputOf(spec, 'retry-delay', '1m'));
  const timeoutMs = isWaiting(spec) ? durationMs(inputOf(spec, 'timeout', '')) : Infinity;
  const triggers = requests.filter(({ on, call }) => on === 'main' && call === 'trigger');
  const begunMs = Math.min(...triggers.map(({ atMs }) => atMs));
  return pipelineIds.flatMap((id) => {
    const jobs = triggered(facts).filter(({ pipelineId }) => pipelineId === id);
    const isQueued = (atMs: number | undefined): boolean => jobs.some(({ createdAt }) => createdAt === atMs);
    const own = triggers.filter(({ subject, committedAtMs }) => subject === id && isQueued(committedAtMs));
    const mayDoubt = mayRepeat(spec) && facts.requests.some((request) => isUnclear(request, id));
    return own.slice(1).flatMap((request, index) => {
      const end = requests.find(
        ({ on, subject, text, over }) =>
          on === 'main' &&
          subject === jobs[index]?.id &&
          retryOn.some((status) => text.includes(`"${status}"`)) &&
          (over?.step ?? Infinity) < request.step,
      );
      const what = `attempt ${index + 2} of pipeline ${id} was triggered`;
      const isUnread = end === undefined && !excuse('several allowed', mayDoubt);
      return [
        ...(isUnread ? [`${what} although main read no final status of the preceding run`] : []),
        ...(request.atMs - (end?.over?.atMs ?? -Infinity) < retryDelayMs - TOLERANCE_MS
          ? [`${what} before the end of the pause`]
          : []),
        ...(request.atMs > begunMs + timeoutMs + TOLERANCE_MS ? [`${what} after the timeout`] : []),
        ...((main.observed[0]?.step ?? Infinity) < request.step ? [`${what} after a signal`] : []),
      ];
    });
  });
}

/** Main triggers nothing while `max-parallel` other runs are in progress that it has triggered. */
function atOnce(facts: Facts): string[] {
  const { requests, spec } = facts;
  const most = Number(inputOf(spec, 'max-parallel', 'Infinity'));
  if (most === Infinity || !isWaiting(spec)) return [];
  const mains = requests.filter(({ on }) => on === 'main');
  return mains
    .filter(({ call }) => call === 'trigger')
    .flatMap(({ step, subject, nth }) => {
      const before = mains.filter(({ over }) => (over?.step ?? Infinity) <= step);
      const open = triggered(facts).filter(({ id, pipelineId }) => {
        const own = before.filter((one) => one.subject === id || (one.call === 'trigger' && one.text.includes(id)));
        return pipelineId !== subject && own.length > 0 && !own.some(({ text }) => FINAL_STATUS.test(text));
      });
      const about = before.filter(({ call, subject: of }) => call === 'exchange' || open.some(({ id }) => id === of));
      if (open.length < most || isOutOfContact(about) || isLeftInQueue(spec)) return [];
      return [`trigger ${nth} of pipeline ${subject} was sent while ${open.length} other runs were in progress`];
    });
}

/** The output names every run in progress, by its id or, in an error or warning that a run may exist, by its pipeline. */
function named(facts: Facts): string[] {
  const { main, post, summaries, spec, pipelineIds } = facts;
  const processes = [main, ...(post === undefined ? [] : [post])];
  const annotations = processes.flatMap((one) => one.annotations);
  const worse = annotations.filter(({ level, message }) => level !== 'notice' && /\bmay\b/.test(message));
  const warnings = worse.map(({ title, message }) => `${title} ${message}`).join('\n');
  const printed = processes.flatMap(({ lines, outputs }) => [...lines, ...outputs.values()]);
  const texts = [...printed, ...annotations.map(({ message }) => message), summaries.main, summaries.post].join('\n');
  const nameless = triggered(facts).filter(({ id, pipelineId }) => {
    const pipeline = spec.pipelines[pipelineIds.indexOf(pipelineId)];
    const names = [pipelineId, pipeline?.name ?? pipelineId, pipeline?.apiName ?? pipelineId];
    return !texts.includes(id) && !names.some((name) => warnings.includes(name));
  });
  // Without inputs or beside other uses of the action, post does not name the pipelines of a main process without records.
  const isMute = spec.runner.postInputsEmpty || spec.placement.action === '__composite';
  return nameless
    .filter((job) => !isFinal(stateAt(job, facts.endMs)?.status ?? ''))
    .filter(() => !isOutputUnread(facts) && !isBlind(facts) && !(isMute && isUnrecorded(facts)))
    .map(({ id }) => `run ${id} is in progress, but nothing names it`);
}

/** Exit code 0 only if main saw every run succeed, if every run exists and `wait` is false, or in a dry run. */
function earnedSuccess(facts: Facts): string[] {
  const { main, spec, requests } = facts;
  if (main.end?.code !== 0) return [];
  if (spec.mode === 'dry_run') return [];
  if (spec.mode === 'bad_input') return ['exit code 0 although an input is invalid'];
  if (requests.some(({ on, call }) => on === 'main' && call === 'cancel'))
    return ['exit code 0 although main cancelled'];
  const outcome = main.outputs.get('outcome') ?? '';
  if (!['', 'succeeded', 'triggered'].includes(outcome)) return [`exit code 0 with the outcome ${outcome}`];
  const succeedOn = listOf(spec, 'succeed-on', 'completed, completed_with_warning, skipped');
  return facts.pipelineIds.flatMap((id) => {
    const jobs = facts.world.jobs.filter(({ pipelineId }) => pipelineId === id);
    const seen = jobs.some((job) => {
      if (!isWaiting(spec)) return true;
      const status = stateAt(job, facts.endMs)?.status ?? '';
      const row = requests.some(
        ({ on, subject, text }) => on === 'main' && subject === job.id && text.includes(`"${status}"`),
      );
      return succeedOn.includes(status) && row;
    });
    return seen ? [] : [`exit code 0, but main saw no run of pipeline ${id} succeed`];
  });
}

/** Main gives up 9.3 s after a signal, because the runner kills it after 10 s. */
const MAIN_ENDS_WITHIN_MS = 9_300;
/** Main notices its runner's death within 30 s, unless main started so recently that its parent may be a wrapper. */
const NOTICES_DEATH_WITHIN_MS = 31_000;
const WATCHES_AFTER_MS = 10_000;
/** No runner is left to kill main, so main has two minutes for a trigger in flight and one for its cancels. */
const UNHURRIED_MS = 185_000;
const POST_ENDS_WITHIN_MS = 180_000;
/** The shortest pause between two cancels that may overlap. */
const LAST_PAUSE_MS = 300;
/** Post may have to wait for a main process that does not exit. */
const POST_REACTS_WITHIN_MS = 9_900;

/** Every process exits, and does so in time after a signal. Blocked writes, lookups, and stdout add to that time. */
function bounded(facts: Facts): string[] {
  const { main, post, spec, ended, crashed, endMs } = facts;
  const isTimerLost = excuse('lost timer', main.lostTimer);
  const death = crashed.find(({ kind }) => kind === 'worker_killed');
  const isSeen = death !== undefined && death.atMs >= main.startedAtMs + WATCHES_AFTER_MS;
  const endedMs = main.end?.atMs ?? endMs;
  const slackMs = spec.runner.flushMs + TOLERANCE_MS;
  const tookMs = (on: 'main' | 'post', fromMs: number, toMs: number): number =>
    toMs - fromMs - stalledMs(facts, on, fromMs, toMs) - heldByLookupsMs(facts, on) - slackMs;
  const [signal] = main.observed;
  const [signalOfPost] = post?.observed ?? [];
  const mainMs = main.end === undefined || signal === undefined ? 0 : tookMs('main', signal.atMs, endedMs);
  const deathMs = isSeen ? tookMs('main', death.atMs, endedMs) : 0;
  const postMs = post?.end === undefined ? 0 : tookMs('post', post.startedAtMs, post.end.atMs);
  const reactionMs =
    post?.end === undefined || signalOfPost === undefined ? 0 : tookMs('post', signalOfPost.atMs, post.end.atMs);
  const broken: Readonly<Record<string, boolean>> = {
    'the scenario does not end': ended === 'too_long',
    'main does not end': main.end === undefined && !isTimerLost && !isFrozen(facts),
    [`main ends ${mainMs} ms after its first signal`]:
      mainMs > (death === undefined ? MAIN_ENDS_WITHIN_MS : UNHURRIED_MS) && !isTimerLost,
    'main continues although its runner has died': deathMs > NOTICES_DEATH_WITHIN_MS + UNHURRIED_MS && !isTimerLost,
    'post does not end': post !== undefined && post.end === undefined,
    [`post takes ${postMs} ms`]: postMs > POST_ENDS_WITHIN_MS + LAST_PAUSE_MS,
    [`post ends ${reactionMs} ms after its first signal`]: reactionMs > POST_REACTS_WITHIN_MS,
    'post fails the job': post?.end?.how === 'exited' && post.end.code !== 0,
  };
  return Object.keys(broken).filter((what) => broken[what]);
}

/** After a success that main awaited, post has no visible effect. */
function quiet(facts: Facts): string[] {
  const { main, post, spec, requests } = facts;
  if (post === undefined || main.end?.code !== 0 || !isWaiting(spec)) return [];
  const sent = requests.filter(({ on }) => on === 'post').length;
  const printed = post.lines.length + post.annotations.length;
  if (sent + printed === 0 || isBeside(facts) || isForAll(facts) || isSettledAgain(facts) || isUnrecorded(facts))
    return [];
  return [`post sent ${sent} requests and printed ${printed} lines after a success`];
}

/** In descending order of severity. */
export const HARD_INVARIANTS: Readonly<Record<string, (facts: Facts) => string[]>> = {
  'one run per trigger': oneRun,
  attempts,
  'max-parallel': atOnce,
  'runs in progress are named': named,
  'success was seen': earnedSuccess,
  'no secret leaks': secrets,
  'everything ends': bounded,
  'silent without work': quiet,
  // Any execution in the scenario may be responsible, so the violation counts for each of them.
  'nothing escapes': ({ escaped }) => escaped.map((error) => `an exception escaped: ${error}`),
};
