import { pause } from '../base/clock.ts';
import { namedMessageOf } from '../base/safe-text.ts';
import { REPORT_IT } from '../base/version.ts';
import { Gate } from './guards.ts';
import { beginRun, finishRun } from './one-run.ts';
import { createPace } from './pace.ts';
import type { StepParts } from './parts.ts';
import { lookAt } from './resume.ts';
import { cancelAgain } from './settle.ts';
import type { Run } from './state/ledger.ts';
import { outcomeOf } from './state/outcome.ts';

/** Triggers all runs in order, with at most `maxParallel` runs in progress, and awaits each of them. */
export async function runAll(parts: StepParts, stepEnded: AbortSignal): Promise<void> {
  const { clock, ledger, plan } = parts;
  if (plan.dryRun) return dryRun(parts);
  const { onTimeout: policy, timeoutMs = Infinity } = plan;
  const until = clock.now() + timeoutMs;
  if (timeoutMs < Infinity && plan.wait) {
    void pause(clock, timeoutMs, stepEnded).then(() => {
      if (!stepEnded.aborted) ledger.stop({ reason: { kind: 'timeout', afterMs: timeoutMs }, policy, at: clock.now() });
    });
  }
  const all = triggerAndAwait(parts, until);
  // Triggers do not wait for the names.
  nameRuns(parts, stepEnded).catch(() => undefined);
  return all;
}

/** Performs a dry run, which triggers nothing and only reads existing runs. */
async function dryRun(parts: StepParts): Promise<void> {
  const { ledger } = parts;
  for (const run of ledger.runs) {
    if (run.stopped.aborted) continue;
    if (run.target.kind === 'pipeline') ledger.apply(run, { kind: 'dry_run' });
    else await lookAt(run, run.target.jobId, parts);
    ledger.notice({ notice: 'run_done', run });
  }
}

/** Triggers and awaits all runs. `until` is when `timeout` expires, as a monotonic time in milliseconds. */
async function triggerAndAwait(parts: StepParts, until: number): Promise<void> {
  const { clock, ledger, plan } = parts;
  const { runs } = ledger;
  // Existing runs and runs that the step does not await need no slot.
  const allExist = runs.every(({ target }) => target.kind === 'job');
  const atOnce = allExist || !plan.wait ? runs.length : Math.min(plan.maxParallel, runs.length);
  const slots = new Gate(atOnce);
  const pace = createPace(atOnce, plan.pollIntervalMs);
  const lives: Promise<void>[] = [];
  const allBegun = new AbortController();
  const noRunsLeft = new AbortController();
  let awaited = runs.length;
  const awaitEnd = async (run: Run, leave: () => void): Promise<void> => {
    await guarded(run, parts, () => finishRun(run, parts, pace, allBegun.signal));
    leave();
  };
  const finish = async (run: Run, leave: () => void): Promise<void> => {
    await awaitEnd(run, leave);
    while (isRepeated(run, parts) && clock.now() + plan.retryDelayMs < until) await attemptAgain(run);
    stopOthersAfter(run, parts);
    awaited -= 1;
    if (awaited === 0) noRunsLeft.abort();
    await guarded(run, parts, () => cancelAgain(run, parts, noRunsLeft.signal));
    ledger.notice({ notice: 'run_done', run });
  };
  const attemptAgain = async (run: Run): Promise<void> => {
    ledger.apply(run, { kind: 'again', inMs: plan.retryDelayMs });
    await pause(clock, plan.retryDelayMs, AbortSignal.any([run.stopped, ledger.triggersStopped]));
    const leave = await slots.enter(true);
    await guarded(run, parts, () => beginRun(run, parts));
    await awaitEnd(run, leave);
  };
  for (const run of runs) {
    const leave = await slots.enter();
    await guarded(run, parts, () => beginRun(run, parts));
    // If this run has already ended, `fail-fast` must prevent the next trigger.
    if (run.phase.at !== 'in_progress') stopOthersAfter(run, parts);
    lives.push(finish(run, leave));
  }
  allBegun.abort();
  await Promise.all(lives);
}

/** Returns true if another attempt follows, which requires that the run finished and that no stop applies to it. */
function isRepeated({ attempt, doubt, phase, stop, unrecorded }: Run, { ledger, plan }: StepParts): boolean {
  if (stop !== undefined || ledger.triggersStopped.aborted) return false;
  // If the final status is unrecorded, post treats this attempt as open. After a lost response, another run may exist.
  if (unrecorded !== undefined || doubt !== undefined) return false;
  return phase.at === 'finished' && plan.retryOn.has(phase.status) && attempt < plan.maxAttempts;
}

/** Applies `fail-fast`: the first run that does not succeed stops the others. With `leave`, only triggers stop. */
function stopOthersAfter(run: Run, { clock, ledger, plan }: StepParts): void {
  if (!plan.failFast || ledger.triggersStopped.aborted) return;
  const outcome = outcomeOf(run, plan);
  if (outcome === 'succeeded' || (outcome === 'triggered' && !plan.wait)) return;
  const after = run.pipeline?.name ?? ('pipeline' in run.target ? run.target.pipeline : run.target.jobId);
  const policy = plan.onCancel === 'cancel' ? 'cancel' : 'await';
  ledger.stop({ reason: { kind: 'fail_fast', after }, policy, at: clock.now() });
}

/** Catches an internal error in the handling of one run and abandons that run, while the other runs continue. */
async function guarded(run: Run, { ledger }: StepParts, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    const cause = `internal error in this action (${namedMessageOf(error)})`;
    ledger.abandon(run, { attempted: 'handle the run', cause, remedy: REPORT_IT });
  }
}

/** Looks up the names of pipelines that the user identified by UUID. Only messages use these names. */
async function nameRuns({ interruption, ledger, service }: StepParts, stepEnded: AbortSignal): Promise<void> {
  const nameless = ledger.runs.filter(({ pipeline }) => pipeline?.name === null);
  if (nameless.length === 0) return;
  const signal = AbortSignal.any([stepEnded, interruption.signal]);
  const listed = await service.list({ signal, isBackground: true });
  if (listed.kind !== 'pipelines' || signal.aborted) return;
  const names = new Map(listed.pipelines.map(({ id, name, apiName }) => [id, name ?? apiName]));
  for (const run of nameless) {
    const { pipeline } = run;
    const name = pipeline && names.get(pipeline.id);
    if (pipeline && typeof name === 'string') ledger.apply(run, { kind: 'resolved', pipeline: { ...pipeline, name } });
  }
}
