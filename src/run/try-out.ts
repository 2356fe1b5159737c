import type { Uuid } from '../base/uuid.ts';
import { NOT_FOUND } from './await-run.ts';
import type { Watched } from './life.ts';
import type { StepParts } from './parts.ts';
import { readEarlier } from './resume.ts';
import { type RunState, takeOver } from './run-state.ts';
import type { StopSwitch } from './stop.ts';

/** A dry run: everything but the trigger. Runs that exist already are read once, and left as they are. */
export async function tryOut(parts: StepParts, watched: readonly Watched[]): Promise<void> {
  for (const { run, stopSwitch } of watched) {
    if (stopSwitch.thrown() !== undefined) {
      run.standing = { at: 'not_queued' };
      run.stop = stopSwitch.thrown();
      continue;
    }
    run.standing = { at: 'tried' };
    if (run.target.kind !== 'pipeline') await look(run, run.target.jobId, parts, stopSwitch);
    parts.observe({ type: 'over', run });
  }
}

async function look(run: RunState, jobId: Uuid, parts: StepParts, stopSwitch: StopSwitch): Promise<void> {
  const outcome = await readEarlier(run, jobId, parts, stopSwitch);
  if (outcome.kind === 'job') {
    run.jobId = jobId;
    takeOver(run, outcome.job, parts.clock.now());
    run.standing = { at: 'tried' };
    return;
  }
  run.stop = stopSwitch.thrown();
  if (outcome.kind === 'aborted') {
    run.standing = { at: 'not_queued' };
    return;
  }
  const problem = outcome.kind === 'missing' ? NOT_FOUND : outcome.problem;
  run.standing = { at: 'not_queued', problem: { ...problem, attempted: `read the run ${jobId}` } };
}
