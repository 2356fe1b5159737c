import { GRAIN_MS } from '../grain.ts';
import { isEnd } from '../heard.ts';
import type { RunStory, Story, Told } from '../story.ts';

/** At most one run per pipeline, unless it was said that a second one is the lesser evil. */
export function once(story: Story): string[] {
  const { facts, asked, told } = story;
  const strays = told.filter(
    ({ request }) => request.call === 'other' || (request.on === 'post' && isForMain(request.call)),
  );
  return [
    ...strays.map(({ request }) => `${request.on} sent a ${request.call} to ${request.url}`),
    ...story.runs.flatMap((run) => [
      ...tooMany(run, asked.always),
      ...run.triggers.flatMap((trigger, index) => wrongAgain(story, run, trigger, run.triggers[index - 1])),
    ]),
    ...unknownJobs(story, facts.world.jobs.length),
  ];
}

function isForMain(call: string): boolean {
  return call === 'trigger' || call === 'list';
}

function tooMany({ jobs, pipeline }: RunStory, always: boolean): string[] {
  const ours = jobs.filter(({ id }) => id !== pipeline.earlier).length;
  return ours > 1 && !always ? [`${ours} runs of ${pipeline.name} were queued`] : [];
}

function unknownJobs({ runs }: Story, all: number): string[] {
  const ours = runs.reduce((sum, { jobs }) => sum + jobs.length, 0);
  return ours === all ? [] : [`${all - ours} runs of foreign pipelines were queued`];
}

/** A trigger that must not have left: after an interruption or a time-out, or after one that may have worked. */
function wrongAgain(story: Story, run: RunStory, trigger: Told, before: Told | undefined): string[] {
  const { interrupted, asked } = story;
  const { request } = trigger;
  const name = `trigger ${request.nth} of ${run.pipeline.name}`;
  const found: string[] = [];
  const { mode } = story.facts.spec;
  if (mode === 'attach' || mode === 'dry_run') found.push(`${name} left, which nobody had asked for`);
  if (run.knowledge.is === 'known' && run.knowledge.id === run.pipeline.earlier) {
    found.push(`${name} left, although an earlier run had been taken`);
  }
  if (interrupted !== undefined && request.step >= interrupted.step) {
    found.push(`${name} left after the interruption by ${interrupted.name}`);
  }
  if (run.stop?.why === 'fail_fast' && request.step > run.stop.step && !run.isTie) {
    found.push(`${name} left after another run had failed`);
  }
  if (mode === 'resume' && !isOverAndBad(story, run, request.step)) {
    found.push(`${name} left, although the earlier run may be in progress`);
  }
  if (goingOn(story, run, request.step) >= asked.maxParallel) found.push(`${name} left before its turn`);
  // A timer that was lost is one that never came.
  const hasTimers = story.facts.spec.lostTimer === null;
  if (hasTimers && run.stop?.why === 'timeout' && request.atMs > run.stop.atMs + GRAIN_MS) {
    found.push(`${name} left after the time-out`);
  }
  if (before === undefined) return found;
  const may =
    before.heard.kind === 'denied' ||
    (before.heard.kind === 'unsent' && !before.heard.hopeless) ||
    (before.heard.kind === 'perhaps' && asked.always);
  if (!may) found.push(`${name} left after one of which is known: ${before.heard.kind}`);
  return found;
}

/** The earlier run was seen to have ended, and not as a success. */
function isOverAndBad({ told, asked }: Story, { pipeline }: RunStory, step: number): boolean {
  return told.some(
    ({ request, heard, step: at }) =>
      request.subject === pipeline.earlier &&
      at <= step &&
      heard.kind === 'row' &&
      isEnd(heard.status) &&
      !asked.succeedOn.includes(heard.status),
  );
}

/** How many other runs of the step take a place at this moment. */
function goingOn({ runs, asked }: Story, run: RunStory, step: number): number {
  return runs.filter((other) => {
    const [first] = other.triggers;
    if (other === run || first === undefined || first.request.step >= step) return false;
    if (other.knowledge.is !== 'known') return other.triggers.every((trigger) => trigger.step > step);
    if (!asked.wait || other.lost.step <= step) return false;
    return (other.ended?.step ?? Infinity) > step && other.stop === undefined;
  }).length;
}
