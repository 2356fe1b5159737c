import type { ConnectOutcome, Problem } from '../service/api.ts';
import { bounded, rejectKnownJobIds } from './guards.ts';
import { afterInterruption, GIVE_UP_AFTER_MS, onInterruption, REPORT_WITHIN_MS, stopBy } from './interruption.ts';
import { settleStopped } from './one-run.ts';
import type { StepParts } from './parts.ts';
import { type Lookup, resolve } from './resolve.ts';
import { problemsOf, retrying } from './retry.ts';
import { runAll } from './run-all.ts';

/** Time to write the final report, per run, in milliseconds. A report of 1,000 runs takes up to half a second. */
const REPORT_MS_PER_RUN = 0.5;
const LONGEST_REPORT_MS = 500;

/**
 * Runs the whole step: exchanges the key, resolves the pipelines, triggers and awaits their runs, and settles the runs
 * if a stop ends the wait. Always resolves within 9.3 s of an interruption, even if a call hangs.
 * Returns the problems if they prevented every trigger.
 */
export async function runStep(outside: StepParts): Promise<readonly Problem[]> {
  const { clock, interruption, ledger, plan } = outside;
  let takeBackGivingUp = (): void => undefined;
  const gaveUp = new Promise<readonly Problem[]>((settle) => {
    const reportMs = Math.min(LONGEST_REPORT_MS, (ledger.runs.length - 1) * REPORT_MS_PER_RUN);
    takeBackGivingUp = afterInterruption(clock, interruption, GIVE_UP_AFTER_MS - reportMs, () => settle([]));
  });
  const takeBackReport = afterInterruption(clock, interruption, REPORT_WITHIN_MS, () =>
    ledger.notice({ notice: 'report_due' }),
  );
  // Claim existing runs first, so that no stop can miss them.
  if (!plan.dryRun) ledger.claimGiven();
  const takeBackStop = onInterruption(interruption, () => {
    const stop = stopBy(interruption, plan.onCancel);
    if (stop !== undefined) ledger.stop(stop);
  });
  const stepEnded = new AbortController();
  try {
    const given = ledger.runs.flatMap(({ jobId }) => jobId ?? []);
    const service = rejectKnownJobIds(bounded(outside.service), given);
    return await Promise.race([perform({ ...outside, service }, stepEnded.signal), gaveUp]);
  } finally {
    stepEnded.abort();
    takeBackReport();
    takeBackGivingUp();
    takeBackStop();
    ledger.reportStop();
  }
}

async function perform(parts: StepParts, stepEnded: AbortSignal): Promise<readonly Problem[]> {
  const { ledger, service } = parts;
  const connected = await retrying<ConnectOutcome>(parts, (options) => service.connect(options));
  if (connected.kind !== 'connected') return endEarly(parts, problemsOf(connected), []);
  ledger.notice({ notice: 'connected', account: connected.account });
  const { mayTrigger, lookups, problems } = await resolve(ledger.runs, parts);
  if (!mayTrigger) return endEarly(parts, problems, lookups);
  for (const { run, pipeline } of lookups) {
    if (pipeline !== undefined) ledger.apply(run, { kind: 'resolved', pipeline });
  }
  ledger.notice({ notice: 'ready', runs: ledger.runs });
  await runAll(parts, stepEnded);
  return [];
}

/** Ends the step without a trigger. Stops existing runs as requested, or marks them as lost because of the problems. */
async function endEarly(
  parts: StepParts,
  problems: readonly Problem[],
  lookups: readonly Lookup[],
): Promise<readonly Problem[]> {
  const { ledger } = parts;
  const own = new Map(lookups.map(({ run, problem }) => [run, problem]));
  await Promise.all(
    ledger.runs.map(async (run) => {
      if (run.phase.at === 'waiting') ledger.apply(run, { kind: 'kept_back', problem: own.get(run) });
      else if (run.stop !== undefined) await settleStopped(run, parts);
      else ledger.apply(run, { kind: 'lost', problem: own.get(run) ?? problems[0] });
    }),
  );
  return problems;
}
