import { checkAddress } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import { neutral } from '../base/safe-text.ts';
import { bounded } from '../run/bounded.ts';
import type { LedgerRun } from '../run/ledger.ts';
import type { Settlement } from '../run/settle.ts';
import { settleCalmly } from '../run/settle-calmly.ts';
import type { Interruption } from '../run/stop.ts';
import type { Problem, Service } from '../service/api.ts';
import { mistakeInKey } from './api-key.ts';
import { type Environment, inputOf } from './environment.ts';
import type { Files } from './files.ts';
import { type Found, gather } from './gather.ts';
import { type Chore, choreFor } from './leftovers.ts';
import { createPostReport, type PostReport } from './post-report.ts';
import type { Processes } from './processes.ts';
import type { OpenService } from './service.ts';
import { createStateWriter } from './state.ts';
import { stopMain } from './stop-main.ts';
import type { Toolkit } from './toolkit.ts';
import { debugLine } from './trace.ts';

/** All post steps of a job share about 4 min 45 s after a cancel; this one takes at most 3 min. */
const BUDGET_MS = 180_000;

export interface PostParts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly random: () => number;
  readonly files: Files;
  readonly processes: Processes;
  readonly toolkit: Toolkit;
  readonly print: (line: string) => void;
  readonly interruption: Interruption;
  readonly openService: OpenService;
}

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
  const all = gather(parts.env, parts.files).map((found) => seeTo(found, key, until, parts, report));
  // One that breaks off must not cut the others short.
  const ends = await Promise.allSettled(all);
  report.end();
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

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
  for (const { run } of left.filter(({ chore }) => chore === 'tell_left')) report.left(run);
  const open = left.filter(({ chore }) => chore === 'cancel');
  if (open.length > 0) await cancelAll(open, found, key, until, parts, report);
}

async function cancelAll(
  open: readonly Left[],
  found: Found,
  key: string,
  until: number,
  parts: PostParts,
  report: PostReport,
): Promise<void> {
  const opened = openService(found, key, parts);
  const journal = createStateWriter(
    parts.files,
    [found.main.journal].filter((path) => path !== ''),
    found.last,
  );
  await Promise.all(
    open.map(async ({ run }) => {
      const settlement =
        'service' in opened
          ? await settle(run, opened.service, found.main.pollIntervalMs, until, parts)
          : ({ kind: 'unsettled', problem: opened.problem } as const);
      if (settlement.kind === 'settled') {
        report.settled(run, settlement.job);
        noteSettled(run, settlement, journal);
      } else {
        report.unsettled(run, settlement.problem);
      }
    }),
  );
}

function openService(
  found: Found,
  key: string,
  parts: PostParts,
): { readonly service: Service } | { readonly problem: Problem } {
  const attempted = 'cancel the run';
  const wrongKey = mistakeInKey(key);
  if (wrongKey !== undefined) {
    return { problem: { attempted, came: `the input api-key ${wrongKey.what}`, remedy: wrongKey.how } };
  }
  const checked = checkAddress(found.main.baseUrl);
  if (!checked.ok) return { problem: { attempted, came: `the address in the state ${checked.why}` } };
  const { toolkit } = parts;
  const service = parts.openService({
    baseUrl: checked.url,
    apiKey: key,
    onSecret: toolkit.mask,
    onTrace: (trace) => toolkit.debug(debugLine(trace)),
  });
  return { service: bounded(service) };
}

async function settle(
  run: LedgerRun,
  service: Service,
  pollIntervalMs: number,
  until: number,
  parts: PostParts,
): Promise<Settlement> {
  const { clock, random, interruption } = parts;
  const noId: Problem = { attempted: 'cancel the run', came: 'its id was not written down' };
  if (run.jobId === undefined) return { kind: 'unsettled', problem: noId };
  const onTrouble = (problem: Problem): void =>
    parts.toolkit.debug(neutral(`${problem.attempted}: ${problem.came}`));
  return settleCalmly(run.jobId, {
    service,
    clock,
    random,
    interruption,
    until,
    pollIntervalMs,
    onTrouble,
    onSeen: () => undefined,
  });
}

/** So that another post step, which finds the same journal, has nothing left to do. */
function noteSettled(
  run: LedgerRun,
  settlement: Extract<Settlement, { kind: 'settled' }>,
  journal: ReturnType<typeof createStateWriter>,
): void {
  const { status } = settlement.job;
  try {
    journal.write({ kind: 'settled', run: run.run, status });
  } catch {
    // Then it is cancelled once more, which changes nothing.
  }
}
