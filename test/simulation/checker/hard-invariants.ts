import { stateAt } from '../../../sandbox/model/index.ts';
import type { Facts, ProcessFacts } from '../model/facts.ts';
import { KEY } from '../model/world.ts';
import { attemptsIn } from './attempts.ts';
import { hasLostState } from './history.ts';
import { heldByLookupsMs } from './lookups.ts';
import { stalledMs } from './stalls.ts';
import { isRead } from './stdout-read.ts';

/*
 * What must be true of every execution, whatever its inputs ask for. These invariants know the service's data and what
 * could be seen from outside. They share neither the policy nor the history with the other checks, so that
 * a mistake there cannot hide a broken promise.
 */

type HardInvariant = (facts: Facts) => string[];

const TERMINAL: ReadonlySet<string> = new Set([
  'completed',
  'completed_with_warning',
  'failed',
  'cancelled',
  'timed_out',
  'skipped',
]);

/** The runner kills a step 10 s after the first signal. A flush, a blocked disk and late timers come on top. */
const ENDS_WITHIN_MS = 9_600;
/** All post steps of a job share 4:45 after a cancel. */
const POST_ENDS_WITHIN_MS = 285_000;
const TOLERANCE_MS = 100;

type Job = Facts['world']['jobs'][number];

/** The runs that this execution triggered. */
function triggered({ world, earlier }: Facts): readonly Job[] {
  return world.jobs.filter(({ id }) => !earlier.includes(id));
}

function statusAtEnd(job: Job, { endMs }: Facts): string {
  return stateAt(job, endMs)?.status ?? '';
}

/** At most one run per requested trigger, unless an input allows a second one. */
function oneRun(facts: Facts): string[] {
  const { mode, inputs } = facts.spec;
  const allowed = mode === 'trigger' || mode === 'resume' ? attemptsIn(facts.spec).most : 0;
  if (allowed > 0 && inputs['on-lost-response'] === 'retry') return [];
  return facts.pipelineIds.flatMap((id) => {
    const runs = triggered(facts).filter(({ pipelineId }) => pipelineId === id);
    return runs.length > allowed ? [`${runs.length} runs of pipeline ${id}, where ${allowed} may exist`] : [];
  });
}

/** The next attempt follows only an end that was seen, after the pause, and neither a stop nor the end of `timeout`. */
function attempts(facts: Facts): string[] {
  const { main, requests, spec, pipelineIds } = facts;
  if (spec.inputs['on-lost-response'] === 'retry') return [];
  const { pauseMs, timeoutMs, retryOn } = attemptsIn(spec);
  const triggers = requests.filter(({ on, call }) => on === 'main' && call === 'trigger');
  const begunMs = Math.min(...triggers.map(({ atMs }) => atMs));
  return pipelineIds.flatMap((id) => {
    const jobs = triggered(facts).filter(({ pipelineId }) => pipelineId === id);
    const isQueued = (atMs: number | undefined): boolean => jobs.some(({ createdAt }) => createdAt === atMs);
    const own = triggers.filter(({ subject, committedAtMs }) => subject === id && isQueued(committedAtMs));
    return own.slice(1).flatMap((request, index) => {
      const end = requests.find(
        ({ on, subject, text, over }) =>
          on === 'main' &&
          subject === jobs[index]?.id &&
          retryOn.some((status) => text.includes(`"${status}"`)) &&
          (over?.step ?? Infinity) < request.step,
      );
      const what = `attempt ${index + 2} of pipeline ${id} was triggered`;
      if (end === undefined) return [`${what} although no end of the run before was seen`];
      return [
        ...(request.atMs - (end.over?.atMs ?? 0) < pauseMs - TOLERANCE_MS ? [`${what} before the pause was over`] : []),
        ...(request.atMs > begunMs + timeoutMs + TOLERANCE_MS ? [`${what} after the timeout`] : []),
        ...((main.observed[0]?.step ?? Infinity) < request.step ? [`${what} after a signal`] : []),
      ];
    });
  });
}

/** A run in progress at the end is named: by its id anywhere, or by its pipeline where problems are reported. */
function named(facts: Facts): string[] {
  const { main, post, summaries, spec, pipelineIds } = facts;
  if ((main.end?.how === 'killed' || !isRead(facts, 'main')) && !couldSpeak(post)) return [];
  const processes = [main, ...(post === undefined ? [] : [post])];
  const reports = [
    ...processes.flatMap(({ annotations }) => annotations.map(({ title, message }) => `${title} ${message}`)),
    main.outputs.get('message') ?? '',
    summaries.main,
    summaries.post,
  ];
  const texts = [
    ...reports,
    ...processes.flatMap(({ lines, outputs }) => [...lines.map(({ text }) => text), ...outputs.values()]),
  ];
  const namesOf = (id: string): string[] => {
    const pipeline = spec.pipelines[pipelineIds.indexOf(id)];
    return pipeline === undefined ? [id] : [id, pipeline.name, pipeline.apiName];
  };
  const isAccepted = spec.inputs['on-lost-response'] === 'retry';
  // Main looks for the mark of post in the middle of writes that block, so the model answers before post has laid it.
  const isBlind = stalledMs(facts, 'main', (post?.startedAtMs ?? Infinity) - 1, post?.startedAtMs ?? 0) > 0;
  if (isBlind && spec.runner.sight !== 'all') return [];
  // Post without a record, and without its inputs, can only say just that.
  const knowsNothing = post?.annotations.some(({ message }) => message.includes('left no record')) === true;
  if (knowsNothing && spec.runner.postInputsEmpty) return [];
  return (
    triggered(facts)
      .filter((job) => !TERMINAL.has(statusAtEnd(job, facts)))
      .filter(({ id }) => !texts.some((text) => text.includes(id)))
      // Who accepts second runs finds those that may exist in the log.
      .filter(
        ({ pipelineId }) =>
          !namesOf(pipelineId).some((name) => (isAccepted ? texts : reports).some((text) => text.includes(name))),
      )
      .map(({ id }) => `run ${id} is in progress, and nothing names it`)
  );
}

/** The only exemption: main was killed or not read, and no post step came to its end with a stdout. */
function couldSpeak(post: ProcessFacts | undefined): boolean {
  return post?.end?.how === 'exited' && post.observed.length === 0;
}

/** Exit code 0 only if every run was seen to succeed; or exists, where nobody waits; or in a dry run. */
function earnedSuccess(facts: Facts): string[] {
  const { main, spec, requests } = facts;
  if (main.end?.code !== 0) return [];
  if (spec.mode === 'dry_run') return [];
  if (spec.mode === 'bad_input') return ['exit code 0 although an input is wrong'];
  const wanted = spec.inputs['succeed-on'] ?? '';
  const good = (wanted === '' ? 'completed,completed_with_warning,skipped' : wanted)
    .split(',')
    .map((status) => status.trim());
  const waits = spec.inputs['wait'] !== 'false';
  return facts.pipelineIds.flatMap((id) => {
    const jobs = facts.world.jobs.filter(({ pipelineId }) => pipelineId === id);
    const seen = jobs.some((job) => {
      if (!waits) return true;
      const status = statusAtEnd(job, facts);
      const row = requests.some(({ subject, text }) => subject === job.id && text.includes(`"${status}"`));
      return good.includes(status) && row;
    });
    return seen ? [] : [`exit code 0, but no run of pipeline ${id} was seen to succeed`];
  });
}

/** No secret is in plain text anywhere. */
function noSecret(facts: Facts): string[] {
  const secrets = [KEY, ...facts.world.tokens.map(({ value }) => value)];
  const processes = [facts.main, ...(facts.post === undefined ? [] : [facts.post])];
  const texts = [
    ...facts.files.values(),
    ...processes.flatMap(({ lines, annotations }) => [
      ...lines.map(({ text }) => text),
      ...annotations.map(({ title, message }) => `${title} ${message}`),
    ]),
  ];
  const leaked = secrets.filter((secret) => texts.some((text) => text.includes(secret)));
  return leaked.map((secret) => `${secret.slice(0, 6)}… is readable`);
}

/**
 * A main whose runner has died notices that within half a minute, and settles its runs as after a signal. A parent that ends
 * in the first ten seconds may be a wrapper that started Node.
 */
const NOTICES_DEATH_WITHIN_MS = 31_000;
const WATCHES_AFTER_MS = 10_000;
/** Nobody kills it then: it has two minutes for a trigger in flight, and one for its cancels. */
const UNHURRIED_MS = 185_000;

/** Everything comes to an end, and after a signal in time. */
function bounded(facts: Facts): string[] {
  const { main, post, spec, ended, crashed, endMs } = facts;
  const death = crashed.find(
    ({ kind, atMs }) => kind === 'worker_killed' && atMs >= main.startedAtMs + WATCHES_AFTER_MS,
  );
  const unseen = death === undefined ? 0 : (main.end?.atMs ?? endMs) - death.atMs;
  const slack = spec.runner.flushMs + TOLERANCE_MS;
  const [signal] = main.observed;
  const isEnded = main.end !== undefined && signal !== undefined && signal.step <= main.end.step;
  const tookMs = isEnded ? main.end.atMs - signal.atMs : 0;
  const bySystemMs = stalledMs(facts, 'main', signal?.atMs ?? 0, main.end?.atMs ?? 0) + heldByLookupsMs(facts, 'main');
  return [
    ...(ended === 'too_long' ? ['the scenario does not end'] : []),
    // The timer that is never heard of again may be the one that ends main.
    ...(spec.lostTimer === null && tookMs > (death === undefined ? ENDS_WITHIN_MS : UNHURRIED_MS) + slack + bySystemMs
      ? [`main ended ${tookMs} ms after its first signal`]
      : []),
    ...(unseen > NOTICES_DEATH_WITHIN_MS + UNHURRIED_MS + slack ? ['main goes on although its runner has died'] : []),
    ...((post?.end?.atMs ?? 0) - (post?.startedAtMs ?? 0) > POST_ENDS_WITHIN_MS + slack
      ? ['post took longer than all post steps of a job have']
      : []),
  ];
}

/** After a success that was waited for, post does nothing that anybody could notice. */
function quiet(facts: Facts): string[] {
  const { main, post, spec, requests, writes } = facts;
  if (post === undefined || main.end?.code !== 0 || spec.inputs['wait'] === 'false') return [];
  // That the run has ended may be what the disk did not take.
  if (writes.some(({ failed }) => failed)) return [];
  // Without a state, it sees to all steps of its job; without a journal, it says that it knows nothing.
  if (hasLostState(facts) && (facts.hasNeighbours || spec.runner.noTemp)) return [];
  // The runner gave main up, and kept no record that main had reported everything.
  if ((facts.filesReadStep ?? Infinity) < main.end.step) return [];
  // It is started beside a main that goes on.
  if (main.end.step > post.startedStep) return [];
  const sent = requests.filter(({ on }) => on === 'post').length;
  const said = post.lines.length + post.annotations.length;
  return sent + said > 0 ? [`post sent ${sent} requests and printed ${said} lines after a success`] : [];
}

/** In the order of their weight. */
export const HARD_INVARIANTS: Readonly<Record<string, HardInvariant>> = {
  'one run per trigger': oneRun,
  attempts,
  'runs in progress are named': named,
  'success was seen': earnedSuccess,
  'no secret leaks': noSecret,
  'everything ends': bounded,
  'silent without work': quiet,
  // Which execution is at fault cannot be known, so it counts for each of them.
  'nothing escapes': ({ escaped }) => escaped.map((error) => `an exception escaped: ${error}`),
};
