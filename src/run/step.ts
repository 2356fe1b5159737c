import type { ConnectOutcome, Problem } from '../service/api.ts';
import { bounded, rejectKnownJobIds } from './guards.ts';
import { afterInterruption, GIVE_UP_AFTER_MS, REPORT_WITHIN_MS, stopBy } from './interruption.ts';
import { settleStopped } from './one-run.ts';
import type { StepParts } from './parts.ts';
import { type Lookup, problemsIn, resolve } from './resolve.ts';
import { retrying } from './retry.ts';
import { runAll } from './run-all.ts';

/** The final report of 1,000 runs takes up to half a second, and has to be over before the runner kills. */
const REPORT_MS_PER_RUN = 0.5;
const LONGEST_REPORT_MS = 500;

/**
 * The whole step: exchanges the key, resolves the pipelines, triggers and awaits their runs, settles them when
 * the wait is stopped. Always resolves: at the latest 9.3 s after an interruption, whatever hangs by then.
 * Returns what kept the whole step from triggering anything; the runs then are not queued.
 */
export async function runStep(outside: StepParts): Promise<readonly Problem[]> {
  const { clock, interruption, ledger, plan } = outside;
  const onInterrupt = (): void => {
    const stop = stopBy(interruption, plan.onCancel);
    if (stop !== undefined) ledger.stop(stop);
  };
  let takeBackGivingUp = (): void => undefined;
  const gaveUp = new Promise<readonly Problem[]>((settle) => {
    const reportMs = Math.min(LONGEST_REPORT_MS, (ledger.runs.length - 1) * REPORT_MS_PER_RUN);
    takeBackGivingUp = afterInterruption(clock, interruption, GIVE_UP_AFTER_MS - reportMs, () => settle([]));
  });
  const takeBackReport = afterInterruption(clock, interruption, REPORT_WITHIN_MS, () =>
    ledger.notice({ notice: 'report_due' }),
  );
  // Runs that exist are claimed before a stop can find them.
  if (!plan.dryRun) ledger.claimGiven();
  if (interruption.signal.aborted) onInterrupt();
  else interruption.signal.addEventListener('abort', onInterrupt, { once: true });
  const stepEnded = new AbortController();
  try {
    const given = ledger.runs.flatMap(({ jobId }) => jobId ?? []);
    const service = rejectKnownJobIds(bounded(outside.service), given);
    return await Promise.race([perform({ ...outside, service }, stepEnded.signal), gaveUp]);
  } finally {
    stepEnded.abort();
    takeBackReport();
    takeBackGivingUp();
    interruption.signal.removeEventListener('abort', onInterrupt);
    ledger.reportStop();
  }
}

async function perform(parts: StepParts, stepEnded: AbortSignal): Promise<readonly Problem[]> {
  const { interruption, ledger, service } = parts;
  const { runs } = ledger;
  const { signal } = interruption;
  const connected = await retrying<ConnectOutcome>(parts, signal, () => service.connect({ signal }));
  if (connected.kind !== 'connected') {
    return endEarly(parts, connected.kind === 'aborted' ? [] : [connected.problem]);
  }
  ledger.notice({ notice: 'connected', account: connected.account });
  const resolution = await resolve(runs, parts);
  if (resolution.kind === 'aborted') return endEarly(parts, []);
  if (resolution.kind === 'unresolved') {
    return endEarly(parts, problemsIn(resolution), resolution.lookups);
  }
  for (const { run, pipeline } of resolution.lookups) {
    if (pipeline !== undefined) ledger.apply(run, { kind: 'resolved', pipeline });
  }
  ledger.notice({ notice: 'ready', runs });
  await runAll(parts, stepEnded);
  return [];
}

/** Nothing is triggered. Runs that exist are stopped as was asked, or are lost because of the same problems. */
async function endEarly(
  parts: StepParts,
  problems: readonly Problem[],
  lookups: readonly Lookup[] = [],
): Promise<readonly Problem[]> {
  const { ledger } = parts;
  const own = new Map(lookups.map(({ run, problem }) => [run, problem]));
  await Promise.all(
    ledger.runs.map(async (run) => {
      const problem = own.get(run) ?? problems[0];
      if (run.phase.at === 'waiting') ledger.apply(run, { kind: 'kept_back', problem: own.get(run) });
      else if (run.stop !== undefined) await settleStopped(run, parts);
      else if (problem !== undefined) ledger.apply(run, { kind: 'lost', problem });
    }),
  );
  return problems;
}
