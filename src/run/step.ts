import type { ConnectOutcome, Problem } from '../service/api.ts';
import { bounded } from './bounded.ts';
import { conductRuns } from './conduct.ts';
import type { Observe } from './events.ts';
import { applyStop, claim, type Watched } from './life.ts';
import { distinguishing } from './own-ids.ts';
import type { StepParts } from './parts.ts';
import { loseRun } from './record.ts';
import { resolve } from './resolve.ts';
import { retrying } from './retry.ts';
import { isOpen, newRun, type RunState } from './run-state.ts';
import {
  afterInterruption,
  GIVE_UP_AFTER_MS,
  REPORT_WITHIN_MS,
  type Stop,
  StopSwitch,
  stopBy,
} from './stop.ts';

/** The runs that a plan asks for, before anything happened to them. */
export function plannedRuns({ plan }: Pick<StepParts, 'plan'>): RunState[] {
  return plan.targets.map((target, index) => newRun(index + 1, target));
}

/**
 * The whole step: exchanges the key, resolves the pipelines, triggers and awaits their runs, settles them when
 * the wait is stopped. Always resolves: at the latest 9.3 s after an interruption, whatever hangs by then.
 * Returns what kept the whole step from triggering anything; the runs then are `not_queued`.
 */
export async function runStep(outside: StepParts, runs: readonly RunState[]): Promise<readonly Problem[]> {
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
  const stopAll = (stop: Stop): void => {
    const thrown = watched.filter(({ stopSwitch }) => stopSwitch.throw(stop));
    if (thrown.length === 0) return;
    // The cancels leave in the microtasks that follow this; saying so can wait for the next event or timer.
    untold ??= stop;
    clock.after(0, tellStop);
  };
  const onInterrupt = (): void => {
    const stop = stopBy(interruption, plan.onCancel);
    if (stop !== undefined) stopAll(stop);
  };
  let takeBackGivingUp = (): void => undefined;
  const gaveUp = new Promise<readonly Problem[]>((settle) => {
    takeBackGivingUp = afterInterruption(clock, interruption, GIVE_UP_AFTER_MS, () => settle([]));
  });
  const takeBackReport = afterInterruption(clock, interruption, REPORT_WITHIN_MS, () =>
    observe({ type: 'report_due', runs }),
  );
  if (interruption.signal.aborted) onInterrupt();
  else interruption.signal.addEventListener('abort', onInterrupt, { once: true });
  const over = new AbortController();
  try {
    const given = plan.targets.flatMap((target) => (target.kind === 'pipeline' ? [] : [target.jobId]));
    const service = distinguishing(bounded(outside.service), given);
    const parts = { ...outside, observe, service };
    return await Promise.race([conduct(parts, watched, stopAll, over.signal), gaveUp]);
  } finally {
    over.abort();
    takeBackReport();
    takeBackGivingUp();
    interruption.signal.removeEventListener('abort', onInterrupt);
    tellStop();
    for (const { run, stopSwitch } of watched) if (isOpen(run)) run.stop ??= stopSwitch.thrown();
  }
}

async function conduct(
  parts: StepParts,
  watched: readonly Watched[],
  stopAll: (stop: Stop) => void,
  over: AbortSignal,
): Promise<readonly Problem[]> {
  const { interruption, plan } = parts;
  const { signal } = interruption;
  for (const { run } of plan.dryRun ? [] : watched) {
    if (run.target.kind !== 'pipeline') claim(run, run.target.jobId, parts);
  }
  const connected = await retrying<ConnectOutcome>(parts, signal, () => parts.service.connect({ signal }));
  if (connected.kind !== 'connected') {
    return endEarly(parts, watched, connected.kind === 'aborted' ? [] : [connected.problem]);
  }
  parts.observe({ type: 'connected', account: connected.account });
  const resolution = await resolve(parts);
  if (resolution.kind !== 'resolved') {
    const { problems, byTarget } =
      resolution.kind === 'aborted' ? { problems: [], byTarget: [] } : resolution;
    return endEarly(parts, watched, problems, byTarget);
  }
  for (const [index, { run }] of watched.entries()) run.pipeline = resolution.pipelines[index];
  parts.observe({ type: 'resolved', runs: watched.map(({ run }) => run) });
  await conductRuns(parts, watched, stopAll, over);
  return [];
}

/** Nothing is triggered. Runs that exist are stopped as was asked, or are out of reach for the same problems. */
async function endEarly(
  parts: StepParts,
  watched: readonly Watched[],
  problems: readonly Problem[],
  byTarget: readonly (Problem | undefined)[] = [],
): Promise<readonly Problem[]> {
  const end = async ({ run, stopSwitch }: Watched, index: number): Promise<void> => {
    const stop = stopSwitch.thrown();
    const own = byTarget[index];
    const problem = own ?? problems[0];
    if (run.standing.at !== 'in_progress') {
      run.standing = { at: 'not_queued', ...(own && { problem: own }) };
      run.stop = stop;
    } else if (stop !== undefined) {
      await applyStop(run, stop, parts);
    } else if (problem !== undefined) {
      loseRun(parts, run, problem);
    }
  };
  await Promise.all(watched.map(end));
  return problems;
}
