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
import type { Environment } from './environment.ts';
import type { Files } from './files.ts';
import type { Found } from './gather.ts';
import type { PostReport } from './post-report.ts';
import type { Processes } from './processes.ts';
import { mistakeInProxy } from './proxy.ts';
import { type OpenService, openFor } from './service.ts';
import { createStateWriter } from './state.ts';
import type { Toolkit } from './toolkit.ts';

/** What a post step works with. */
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

/**
 * Cancels runs that main left and confirms each, until `until` (an instant of the monotonic clock, in ms); what
 * could not be cancelled is told by `report`.
 */
export async function cancelLeft(
  open: readonly LedgerRun[],
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
    open.map(async (run) => {
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

/** Main had one: it would not have begun without. */
const KEY_GONE =
  'Inputs are evaluated again for the post step, and inside a composite action that is called by another one the ' +
  'outputs of steps are gone by then: hand the secret down as an input.';

function openService(
  found: Found,
  key: string,
  parts: PostParts,
): { readonly service: Service } | { readonly problem: Problem } {
  const attempted = 'cancel the run';
  if (key === '')
    return { problem: { attempted, came: 'the input api-key is empty by now', remedy: KEY_GONE } };
  const wrongKey = mistakeInKey(key);
  if (wrongKey !== undefined) {
    return { problem: { attempted, came: `the input api-key ${wrongKey.what}`, remedy: wrongKey.how } };
  }
  const wrongProxy = mistakeInProxy(parts.env);
  if (wrongProxy !== undefined) {
    return { problem: { attempted, came: wrongProxy.what, remedy: wrongProxy.how } };
  }
  const checked = checkAddress(found.main.baseUrl);
  if (!checked.ok) return { problem: { attempted, came: `the address in the state ${checked.why}` } };
  return { service: bounded(openFor(parts, checked.url, key)) };
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
