import { pause } from '../base/clock.ts';
import type { ConnectOutcome, ListOutcome, Problem } from '../service/api.ts';
import type { Observe } from './events.ts';
import { beginRun, finishRun } from './life.ts';
import type { StepParts } from './parts.ts';
import type { ResolvedPipeline } from './plan.ts';
import { record } from './record.ts';
import { resolve } from './resolve.ts';
import { retrying } from './retry.ts';
import { newRun, type RunState } from './run-state.ts';
import { afterInterruption, GIVE_UP_AFTER_MS, REPORT_WITHIN_MS, type Stop, StopSwitch } from './stop.ts';

/** A run and the switch that ends its wait. */
interface Watched {
  readonly run: RunState;
  readonly stopSwitch: StopSwitch;
}

export interface StepResult {
  readonly runs: readonly RunState[];
  /** What kept the whole step from triggering anything; the runs then are `not_queued`. */
  readonly problems: readonly Problem[];
}

/**
 * The whole step: exchanges the key, resolves the pipelines, triggers and awaits their runs, settles them when
 * the wait is stopped. Always resolves: at the latest 9.3 s after an interruption, whatever hangs by then.
 */
export async function runStep(outside: StepParts, runs: readonly RunState[]): Promise<StepResult> {
  const { clock, interruption, plan } = outside;
  const watched = runs.map((run) => ({ run, stopSwitch: new StopSwitch() }));
  let untold: Stop | undefined;
  const tellStop = (): void => {
    const stop = untold;
    untold = undefined;
    if (stop !== undefined) outside.observe({ type: 'stopping', stop, runs });
  };
  const observe: Observe = (event) => {
    tellStop();
    outside.observe(event);
  };
  const parts: StepParts = { ...outside, observe };
  const stopAll = (stop: Stop): void => {
    for (const { stopSwitch } of watched) stopSwitch.throw(stop);
    // The cancels leave in the microtasks that follow this; saying so can wait for the next event or timer.
    untold ??= stop;
    clock.after(0, tellStop);
  };
  const onInterrupt = (): void => {
    const by = interruption.first?.by ?? 'signal';
    stopAll({ reason: { kind: 'interrupted', by }, policy: plan.onCancel, at: clock.now() });
  };
  const gaveUp = new Promise<readonly Problem[]>((settle) => {
    afterInterruption(clock, interruption, GIVE_UP_AFTER_MS, () => settle([]));
  });
  const takeBackReport = afterInterruption(clock, interruption, REPORT_WITHIN_MS, () =>
    parts.observe({ type: 'report_due', runs }),
  );
  if (interruption.signal.aborted) onInterrupt();
  else interruption.signal.addEventListener('abort', onInterrupt, { once: true });
  const over = new AbortController();
  try {
    const problems = await Promise.race([conduct(parts, watched, stopAll, over.signal), gaveUp]);
    return { runs, problems };
  } finally {
    over.abort();
    takeBackReport();
    tellStop();
    for (const { run, stopSwitch } of watched) if (isOpen(run)) run.stop ??= stopSwitch.thrown();
    interruption.signal.removeEventListener('abort', onInterrupt);
  }
}

async function conduct(
  parts: StepParts,
  watched: readonly Watched[],
  stopAll: (stop: Stop) => void,
  over: AbortSignal,
): Promise<readonly Problem[]> {
  const { signal } = parts.interruption;
  const connected = await retrying<ConnectOutcome>(parts, signal, () => parts.service.connect({ signal }));
  if (connected.kind !== 'connected') {
    return dropAll(watched, connected.kind === 'aborted' ? [] : [connected.problem]);
  }
  parts.observe({ type: 'connected', account: connected.account });
  const resolution = await resolve(parts);
  if (resolution.kind !== 'resolved') {
    return dropAll(watched, resolution.kind === 'aborted' ? [] : resolution.problems);
  }
  for (const [index, { run }] of watched.entries()) run.pipeline = resolution.pipelines[index];
  parts.observe({ type: 'resolved', runs: watched.map(({ run }) => run) });
  armTimeout(parts, stopAll, over);
  const all = runAll(parts, watched, resolution.pipelines);
  // Beside the triggers, which wait for none of it.
  nameThem(parts, watched, over).catch(() => undefined);
  await all;
  return [];
}

/** Whether the step ends without having seen to this run. */
function isOpen({ standing }: RunState): boolean {
  return standing.at === 'waiting' || standing.at === 'triggering' || standing.at === 'in_progress';
}

/** Triggers in order, and awaits each on its own beside that. */
async function runAll(
  parts: StepParts,
  watched: readonly Watched[],
  pipelines: readonly ResolvedPipeline[],
): Promise<void> {
  const lives: Promise<void>[] = [];
  for (const [index, each] of watched.entries()) {
    const pipeline = pipelines[index];
    if (pipeline === undefined) continue;
    await guarded(parts, each.run, () => beginRun(each.run, pipeline, parts, each.stopSwitch));
    lives.push(guarded(parts, each.run, () => finishRun(each.run, parts, each.stopSwitch)));
  }
  await Promise.all(lives);
}

/** An exception of our own must not take other runs along, nor cost this one its life: it is left, and told. */
async function guarded(parts: StepParts, run: RunState, life: () => Promise<void>): Promise<void> {
  try {
    await life();
  } catch (error) {
    const came = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const problem: Problem = {
      attempted: 'see to the run',
      came: `this action failed by itself (${came})`,
      remedy: 'This is a bug: please report it, with the log of a run with debug logging.',
    };
    giveUpOn(parts, run, problem);
  }
}

/** Nobody asked for a cancel: the run is left, and later steps know that it was. */
export function giveUpOn(
  parts: Pick<StepParts, 'ledger' | 'observe'>,
  run: RunState,
  problem: Problem,
): void {
  if (run.standing.at === 'triggering') {
    run.standing = { at: 'unknown', problem };
  } else if (run.standing.at === 'waiting') {
    run.standing = { at: 'not_queued', problem };
  } else if (run.standing.at === 'in_progress') {
    run.standing = { at: 'lost', problem };
    record(parts, run, { kind: 'left', run: run.number });
  }
}

function dropAll(watched: readonly Watched[], problems: readonly Problem[]): readonly Problem[] {
  for (const { run, stopSwitch } of watched) {
    run.standing = { at: 'not_queued' };
    run.stop = stopSwitch.thrown();
  }
  return problems;
}

/** The names of pipelines that were given by UUID, for people to read. Nothing waits for it or depends on it. */
async function nameThem(parts: StepParts, watched: readonly Watched[], over: AbortSignal): Promise<void> {
  const nameless = watched.filter(({ run }) => run.pipeline !== undefined && run.pipeline.name === null);
  if (nameless.length === 0) return;
  const signal = AbortSignal.any([over, parts.interruption.signal]);
  const listed: ListOutcome = await parts.service.list({ signal });
  if (listed.kind !== 'pipelines' || signal.aborted) return;
  for (const { run } of nameless) {
    const found = listed.pipelines.find(({ id }) => id === run.pipeline?.id);
    const name = found?.name ?? found?.apiName;
    if (run.pipeline === undefined || name === undefined || name === null) continue;
    run.pipeline = { id: run.pipeline.id, name };
    parts.observe({ type: 'named', run });
  }
}

function armTimeout(parts: StepParts, stopAll: (stop: Stop) => void, over: AbortSignal): void {
  const { timeoutMs, onTimeout } = parts.plan;
  if (timeoutMs === undefined) return;
  void pause(parts.clock, timeoutMs, over).then(() => {
    if (over.aborted) return;
    stopAll({
      reason: { kind: 'timeout', afterMs: timeoutMs },
      policy: onTimeout,
      at: parts.clock.now(),
    });
  });
}

/** The runs that a plan asks for, before anything happened to them. */
export function plannedRuns(parts: Pick<StepParts, 'plan'>): RunState[] {
  return parts.plan.targets.map((target, index) => newRun(index + 1, target));
}
