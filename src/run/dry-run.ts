import type { Run } from './ledger.ts';
import type { StepParts } from './parts.ts';
import { notQueued, triedOut } from './state.ts';
import { readFirst } from './watch.ts';

/** Checks whether the step could do its work. Triggers nothing and only reads existing runs. */
export async function dryRun(parts: StepParts): Promise<void> {
  await Promise.all(parts.ledger.runs.map((run) => tryOut(run, parts)));
}

async function tryOut(run: Run, parts: StepParts): Promise<void> {
  const { clock, ledger } = parts;
  const { jobId } = run.state.target;
  const checked = jobId === undefined ? undefined : await readFirst(run, jobId, parts);
  const problem = checked?.is === 'failure' ? checked.problem : undefined;
  if (run.stopped.aborted || problem !== undefined) {
    ledger.apply(run, notQueued(problem));
    return;
  }
  const found =
    jobId !== undefined && checked?.is === 'row' ? { jobId, job: checked.job, now: clock.now() } : undefined;
  ledger.apply(run, triedOut(found));
}
