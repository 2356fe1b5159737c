/* What main and post report: every run that may exist, once and by its name, and nothing else. */
import { canPostKnow, isBlind, isMute } from './exemptions.ts';
import {
  annotationsOf,
  isOrderly,
  isRead,
  isShared,
  type RunFacts,
  readableText,
  type StepFacts,
  type TargetFacts,
  textOf,
} from './facts.ts';
import { mustBeCancelledSince } from './settled.ts';

/** How long main waits for stdout to accept its report: usually, and after a signal. */
const PRINTS_WITHIN_MS = 5_000;
const HURRIED_PRINTS_WITHIN_MS = 250;

/** With more warnings, post names the runs in its log. */
const MOST_WARNINGS = 8;

/** Each run that may exist at the end is reported: by its id, or by its pipeline in a warning that it may be. */
export function named(facts: StepFacts): string[] {
  const { main, posts, scenario, targets } = facts;
  // The service may show a secret instead of a name.
  if (scenario.service.echo?.where === 'name') return [];
  const text = readableText(facts);
  const warnings = annotationsOf([main, ...posts])
    .filter(({ level, message }) => level !== 'notice' && /\bmay\b/.test(message))
    .map(({ message }) => message);
  const isNamed = ({ id }: RunFacts, { names }: TargetFacts): boolean =>
    text.includes(id) || warnings.some((message) => names.some((name) => message.includes(visible(name))));
  const unnamed = targets.flatMap((target) =>
    target.runs.filter((run) => run.isLeft && !run.isGiven && !isNamed(run, target)),
  );
  return unnamed
    .filter(() => !isMute(facts) && !(warnings.length > 0 && isBlind(facts)))
    .map(({ id }) => `run ${id} is in progress, but no text that a user can read mentions it`);
}

/** Messages show names without characters that could act as anything but text. */
function visible(name: string): string {
  return name.split(/[^\p{L}\p{N} _-]/u)[0] ?? name;
}

/** Post warns of each run that it should have cancelled and did not see finish. Its own log then has the id. */
export function warned(facts: StepFacts): string[] {
  const { main, post, runs, step } = facts;
  if (post === undefined || !isOrderly(post) || post.errors.length > 0 || !isRead(post)) return [];
  const warnings = post.annotations.filter(({ level }) => level === 'warning').map(({ message }) => message);
  const isReported = isOrderly(main) && isRead(main) && step.isStateKept;
  const silent = runs.filter(
    (run) =>
      run.isLeft &&
      mustBeCancelledSince(facts, run) !== undefined &&
      canPostKnow(facts, run) &&
      // Post may report before main receives the id, and then warns with the pipeline's name.
      (run.known?.order ?? 0) < (post.annotations[0]?.order ?? Infinity) &&
      !warnings.some((message) => message.includes(run.id)) &&
      !(warnings.length >= MOST_WARNINGS && textOf([post]).includes(run.id)) &&
      !(isReported && run.finalSeen.main !== undefined),
  );
  return [
    ...(post.annotations.some(({ level }) => level === 'error')
      ? ['post reported an error, which annotates the job as failed']
      : []),
    ...silent.map(({ id }) => `post does not warn about run ${id}, which it did not see finish`),
  ];
}

/** Post repeats main's report about its runs if the runner did not read it. */
export function repeated(facts: StepFacts): string[] {
  const { main, post, posts, runs, spec, step, wanted } = facts;
  if (post === undefined || !isOrderly(main) || !isOrderly(post) || post.errors.length > 0) return [];
  if (!posts.every(isRead)) return [];
  // While the machine sleeps, stdout may accept the report in time after all.
  const isStuck = spec.runner.flushMs > PRINTS_WITHIN_MS && spec.clock.sleep === null;
  const isUnread = main.annotations.some((each) => !each.isRead) || isStuck;
  const isBeside = facts.hadIncident('container_cancel', 'abandoned', 'error');
  // Of several attempts, the files have only the last.
  if (
    !isUnread ||
    isBeside ||
    !wanted.waits ||
    wanted.maxAttempts > 1 ||
    !step.isStateKept ||
    facts.hasDiskFault('main')
  )
    return [];
  const text = textOf(posts);
  return runs
    .filter(({ id, isGiven }) => !isGiven && step.outputs['job-id']?.includes(id) && !text.includes(id))
    .map(({ id }) => `post does not repeat what main reported about run ${id}`);
}

/** Post reports no run of another step. */
export function foreign(facts: StepFacts): string[] {
  const { history, post, runs } = facts;
  const text = textOf(post === undefined ? [] : [post]);
  return history.service.jobs
    .filter(({ id }) => text.includes(id) && !runs.some((run) => run.id === id) && !isShared(facts, id))
    .map(({ id }) => `post reports run ${id}, which belongs to another step`);
}

/** A post step with nothing to do is silent. */
export function silence(facts: StepFacts): string[] {
  const { history, main, post, runs, spec, step, stops, targets, wanted } = facts;
  if (post === undefined || !isOrderly(main) || !step.isStateKept || main.errors.length > 0) return [];
  if (facts.hasDiskFault('main', 'state') || stops.some(({ by }) => by === 'stdout' || by === 'mark')) return [];
  const printsWithinMs = stops.length > 0 ? HURRIED_PRINTS_WITHIN_MS : PRINTS_WITHIN_MS;
  // In a container, post may have started before main had saved that it was done.
  if (facts.hadIncident('stdout_closed', 'shutdown', 'container_cancel')) return [];
  const isUnclear = targets.some(({ triggers }) => triggers.some(({ answered }) => answered === undefined));
  if (!isRead(main) || spec.runner.flushMs >= printsWithinMs || isUnclear) return [];
  const isOver = runs.every(({ finalSeen, known }) => known === undefined || finalSeen.main !== undefined);
  const isLetGo = step.jobStatus !== 'cancelled' && main.end?.code === 0 && stops.length === 0;
  const isLeft = wanted.onCancel === 'leave' && wanted.onTimeout === 'leave';
  if (!isOver && !isLetGo && !isLeft) return [];
  if (history.steps.length > 1 && facts.hadIncident('abandoned')) return [];
  const said = post.lines.length + post.annotations.length;
  return said + post.requests.length > 0
    ? [`post sent ${post.requests.length} requests and printed ${said} lines with nothing to do`]
    : [];
}
