import type { Uuid } from '../base/uuid.ts';
import type { StepParts } from './parts.ts';
import { readEarlier } from './resume.ts';
import type { Run } from './state/ledger.ts';
import { NOT_FOUND } from './wait.ts';

/** A dry run does everything but the trigger. Runs that exist already are read once, and left as they are. */
export async function dryRun(runs: readonly Run[], parts: StepParts): Promise<void> {
  const { ledger } = parts;
  for (const run of runs) {
    if (run.stopped.aborted) continue;
    if (run.target.kind === 'pipeline') ledger.apply(run, { kind: 'dry_run' });
    else await look(run, run.target.jobId, parts);
    ledger.notice({ notice: 'run_done', run });
  }
}

async function look(run: Run, jobId: Uuid, parts: StepParts): Promise<void> {
  const { ledger } = parts;
  const outcome = await readEarlier(run, jobId, parts);
  if (outcome.kind === 'job') {
    ledger.apply(run, { kind: 'dry_run', job: outcome.job });
  } else if (outcome.kind !== 'aborted') {
    const problem = outcome.kind === 'missing' ? NOT_FOUND : outcome.problem;
    ledger.apply(run, { kind: 'kept_back', problem: { ...problem, attempted: `read the run ${jobId}` } });
  }
}
