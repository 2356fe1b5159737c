import type { Run } from './ledger.ts';
import type { StepParts } from './parts.ts';
import { dryRunPassed, notQueued } from './state.ts';
import { readFirst } from './watch.ts';

/** Checks whether the step could do its work. Triggers nothing and only reads existing runs. */
export async function dryRun(parts: StepParts): Promise<void> {
  await Promise.all(parts.ledger.runs.map((run) => tryOut(run, parts)));
}

async function tryOut(run: Run, parts: StepParts): Promise<void> {
  const { clock, ledger } = parts;
  const { jobId } = run.state.target;
  const checked = jobId === undefined ? undefined : await readFirst(run, jobId, parts);
  if (checked?.is === 'failure') ledger.apply(run, notQueued(checked.problem));
  else if (run.halted.aborted) ledger.apply(run, notQueued());
  else ledger.apply(run, dryRunPassed(checked && { job: checked.job, now: clock.now() }));
}
