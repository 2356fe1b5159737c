import type { Run } from './ledger.ts';
import type { StepParts } from './parts.ts';
import { notQueued, seen, triedOut } from './state.ts';
import { readFirst } from './watch.ts';

/** Checks whether the step could do its work. Triggers nothing and only reads existing runs. */
export async function dryRun(parts: StepParts): Promise<void> {
  for (const run of parts.ledger.runs) await tryOut(run, parts);
}

async function tryOut(run: Run, parts: StepParts): Promise<void> {
  const { clock, ledger } = parts;
  const { jobId } = run.state.target;
  if (jobId !== undefined) {
    const checked = await readFirst(run, jobId, parts);
    if (checked?.is !== 'row') {
      ledger.apply(run, notQueued(checked?.problem));
      return;
    }
    ledger.apply(run, (state) => ({ ...seen(checked.job, clock.now())(state), jobId, isGiven: true }));
  }
  ledger.apply(run, run.stopped.aborted ? notQueued() : triedOut);
}
