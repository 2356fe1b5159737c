import { pause } from '../base/clock.ts';
import type { ListOutcome, Problem } from '../service/api.ts';
import { cancelAgain } from './cancel-run.ts';
import { Gate } from './gate.ts';
import { beginRun, finishRun, recordDecision, type Watched } from './life.ts';
import { outcomeOf } from './outcome.ts';
import { createPace } from './pace.ts';
import type { StepParts } from './parts.ts';
import { loseRun } from './record.ts';
import type { RunState } from './run-state.ts';
import { type Stop, StopSwitch } from './stop.ts';
import { tryOut } from './try-out.ts';

/** Triggers all runs in order, so many at once as the plan says, and awaits each on its own beside that. */
export async function conductRuns(
  parts: StepParts,
  watched: readonly Watched[],
  stopAll: (stop: Stop) => void,
  over: AbortSignal,
): Promise<void> {
  if (parts.plan.dryRun) return tryOut(parts, watched);
  armTimeout(parts, stopAll, over);
  const all = runAll(parts, watched, stopAll);
  // Beside the triggers, which wait for none of it.
  nameThem(parts, watched, over).catch(() => undefined);
  return all;
}

async function runAll(
  parts: StepParts,
  watched: readonly Watched[],
  stopAll: (stop: Stop) => void,
): Promise<void> {
  const { plan } = parts;
  // Runs that exist already, or that nobody waits for, go on whatever the step does: they need no slot.
  const allExist = watched.every(({ run }) => run.target.kind === 'job');
  const atOnce = allExist || !plan.wait ? watched.length : Math.min(plan.maxParallel, watched.length);
  const slots = new Gate(atOnce);
  const pace = createPace(atOnce, plan.pollIntervalMs);
  const lives: Promise<void>[] = [];
  const allBegun = new AbortController();
  const alone = new AbortController();
  let awaited = watched.length;
  const noMore = new StopSwitch();
  const finish = async (each: Watched, leave: () => void): Promise<void> => {
    await guarded(parts, each, () => finishRun(each, parts, pace, allBegun.signal));
    leave();
    stopOthersAfter(each.run);
    awaited -= 1;
    if (awaited === 0) alone.abort();
    await guarded(parts, each, () => cancelAgain(each.run, parts, alone.signal));
    parts.observe({ type: 'over', run: each.run });
  };
  const stopOthersAfter = (run: RunState): void => {
    if (noMore.thrown() !== undefined || !plan.failFast || isGood(run, parts)) return;
    const failed: Stop = {
      reason: { kind: 'fail_fast', first: run },
      policy: plan.onCancel,
      at: parts.clock.now(),
    };
    noMore.throw(failed);
    // With `leave`, the runs that go on are awaited.
    if (plan.onCancel === 'cancel') stopAll(failed);
  };
  for (const each of watched) {
    const leave = await slots.enter();
    await guarded(parts, each, () => beginRun(each, parts, noMore));
    // One that was over before it began keeps the next one from being triggered.
    if (each.run.standing.at !== 'in_progress') stopOthersAfter(each.run);
    lives.push(finish(each, leave));
  }
  allBegun.abort();
  await Promise.all(lives);
}

function isGood(run: RunState, { plan }: StepParts): boolean {
  const outcome = outcomeOf(run, plan);
  return outcome === 'succeeded' || (outcome === 'triggered' && !plan.wait);
}

/** An exception of our own must not take other runs along, nor cost this one its life: it is left, and told. */
async function guarded(parts: StepParts, each: Watched, life: () => Promise<void>): Promise<void> {
  try {
    await life();
  } catch (error) {
    const came = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const problem: Problem = {
      attempted: 'see to the run',
      came: `this action failed by itself (${came})`,
      remedy: REPORT_IT,
    };
    giveUpOn(parts, each.run, problem, each.stopSwitch.thrown());
  }
}

/** What to do about a failure of our own. */
export const REPORT_IT = 'This is a bug: please report it, with the log of a run with debug logging.';

/**
 * Where our own work breaks off, nobody has asked for a cancel: the run is left, and later steps know that it was.
 * One that a `stop` has asked to cancel stays open, for the post step to settle.
 */
export function giveUpOn(
  parts: Pick<StepParts, 'ledger' | 'observe'>,
  run: RunState,
  problem: Problem,
  stop: Stop | undefined,
): void {
  if (run.standing.at === 'triggering') {
    run.standing = { at: 'unknown', problem };
  } else if (run.standing.at === 'waiting') {
    run.standing = { at: 'not_queued', problem };
  } else if (run.standing.at === 'in_progress' && stop?.policy === 'cancel') {
    run.stop = stop;
    run.standing = { at: 'unsettled', problem };
    recordDecision(run, stop, parts);
  } else if (run.standing.at === 'in_progress') {
    loseRun(parts, run, problem);
  }
}

/** The names of pipelines that were given by UUID, for people to read. Nothing waits for it or depends on it. */
async function nameThem(parts: StepParts, watched: readonly Watched[], over: AbortSignal): Promise<void> {
  const nameless = watched.filter(({ run }) => run.pipeline !== undefined && run.pipeline.name === null);
  if (nameless.length === 0) return;
  const signal = AbortSignal.any([over, parts.interruption.signal]);
  const listed: ListOutcome = await parts.service.list({ signal, isAside: true });
  if (listed.kind !== 'pipelines' || signal.aborted) return;
  const names = new Map(listed.pipelines.map(({ id, name, apiName }) => [id, name ?? apiName]));
  for (const { run } of nameless) {
    const { pipeline } = run;
    const name = pipeline === undefined ? null : (names.get(pipeline.id) ?? null);
    if (pipeline === undefined || name === null) continue;
    run.pipeline = { id: pipeline.id, name };
    parts.observe({ type: 'named', run });
  }
}

function armTimeout(parts: StepParts, stopAll: (stop: Stop) => void, over: AbortSignal): void {
  const { timeoutMs, onTimeout } = parts.plan;
  if (timeoutMs === undefined || !parts.plan.wait) return;
  void pause(parts.clock, timeoutMs, over).then(() => {
    if (over.aborted) return;
    stopAll({
      reason: { kind: 'timeout', afterMs: timeoutMs },
      policy: onTimeout,
      at: parts.clock.now(),
    });
  });
}
