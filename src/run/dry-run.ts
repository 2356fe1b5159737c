import type { RowOutcome } from '../service/api.ts';
import { noSuchRun } from '../service/problem.ts';
import type { Run } from './ledger.ts';
import type { Outside } from './parts.ts';
import { repeating } from './repeat.ts';
import { notQueued, seen, triedOut } from './state.ts';

/** Checks whether the step could do its work. Triggers nothing and only reads existing runs. */
export async function dryRun(parts: Outside): Promise<void> {
  for (const run of parts.ledger.runs) await tryOut(run, parts);
}

async function tryOut(run: Run, parts: Outside): Promise<void> {
  const { clock, ledger, service } = parts;
  const { jobId } = run.state.target;
  if (jobId !== undefined) {
    const row = await repeating<RowOutcome>(parts, (options) => service.read(jobId, options));
    if (row.kind !== 'job') {
      const problem = row.kind === 'none' ? noSuchRun(`read run ${jobId}`) : row.problem;
      return void ledger.apply(run, notQueued(problem));
    }
    ledger.apply(run, (state) => ({ ...seen(row.job, clock.now())(state), jobId, isGiven: true }));
  }
  ledger.apply(run, triedOut);
}
