import type { LedgerRun } from '../run/ledger.ts';
import type { Problem } from '../service/api.ts';
import { inputOf } from './environment.ts';
import { type Found, gather, orphans } from './gather.ts';
import { type Chore, choreFor } from './leftovers.ts';
import { cancelLeft, type PostParts } from './post-cancel.ts';
import { createPostReport, type PostReport } from './post-report.ts';
import { stopMain } from './stop-main.ts';

/** All post steps of a job share about 4 min 45 s after a cancel; this one takes at most 3 min. */
const BUDGET_MS = 180_000;

/** A run that main left, and what to do about it. */
interface Left {
  readonly run: LedgerRun;
  readonly chore: Chore;
}

/**
 * Settles what a main step left behind: cancels and confirms by the policy that was written down, tells what
 * cannot be. Never triggers. Whatever happens is a warning: a post step that fails would fail the job.
 */
export async function performPost(parts: PostParts): Promise<void> {
  const key = inputOf(parts.env, 'api-key');
  if (key !== '') parts.toolkit.mask(key);
  const report = createPostReport(parts);
  const until = parts.clock.now() + BUDGET_MS;
  const found = gather(parts.env, parts.files);
  const all = found.map((one) => seeTo(one, key, until, parts, report));
  for (const run of orphans(parts.env, parts.files, found)) tellOrphan(run, report);
  // One that breaks off must not cut the others short.
  const ends = await Promise.allSettled(all);
  report.end();
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

function tellOrphan(run: LedgerRun, report: PostReport): void {
  if (run.standing === 'intent') report.intent(run);
  if (run.standing === 'open' || run.standing === 'cancelling') report.unsettled(run, NO_ADDRESS);
}

const NO_ADDRESS: Problem = {
  attempted: 'cancel the run',
  came: 'the address of the service is missing from what the step had written down',
};

async function seeTo(
  first: Found,
  key: string,
  until: number,
  parts: PostParts,
  report: PostReport,
): Promise<void> {
  const found = first.closed ? first : await stopMain(first, parts, report);
  const jobStatus = inputOf(parts.env, 'internal-job-status');
  const left = found.runs.map((run) => ({ run, chore: choreFor(run, found.main, jobStatus) }));
  // What came of the trigger was written down as unknown, but main was killed before it could say so.
  const isUntold = ({ run }: Left): boolean => run.standing === 'unknown' && !found.closed;
  for (const one of left) if (one.chore === 'tell_intent' || isUntold(one)) report.intent(one.run);
  // Main was to say so at its end, and was killed before that.
  const goesOn = ({ run, chore }: Left): boolean =>
    chore !== 'tell_left' && run.standing === 'left' && !found.closed;
  for (const one of left) if (goesOn(one)) report.goesOn(one.run);
  for (const { run, chore } of left) if (chore === 'tell_left') report.left(run);
  const open = left.flatMap(({ run, chore }) => (chore === 'cancel' ? [run] : []));
  if (open.length > 0) await cancelLeft(open, found, key, until, parts, report);
}
