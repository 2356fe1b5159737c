// Runs, plans and whole reports for the tests of what users see.

import { OutputWriter } from '../../../src/report/output-writer.ts';
import { Report } from '../../../src/report/report.ts';
import type { Run } from '../../../src/run/ledger.ts';
import type { Plan } from '../../../src/run/plan.ts';
import { Reads } from '../../../src/run/reads.ts';
import { planned, type RunState, type Stop } from '../../../src/run/state.ts';
import { noSuchRun, problemOf } from '../../../src/service/problem.ts';
import { BASE_URL, fakeWorld } from '../../support/world.ts';

export const JOB = '11111111-2222-4333-8444-555555555555';
export const PIPELINE = '99999999-8888-4777-8666-555555555555';
export const PROBLEM = problemOf('read', 'HTTP 503 "away"');

export const PLAN: Plan = {
  targets: [{ pipeline: 'orders' }],
  fullResync: false,
  resetTarget: false,
  wait: true,
  dryRun: false,
  pollIntervalMs: 30_000,
  timeoutMs: Infinity,
  queueTimeoutMs: Infinity,
  onTimeout: 'cancel',
  onCancel: 'cancel',
  succeedOn: ['completed', 'completed_with_warning', 'skipped'],
  maxAttempts: 1,
  retryOn: ['failed', 'timed_out'],
  retryDelayMs: 60_000,
  maxParallel: Infinity,
  failFast: false,
  onLostResponse: 'fail',
  maxOutageMs: 900_000,
};

/** A run of orders that has not finished. */
export function aRun(fields: Partial<RunState> = {}): RunState {
  return {
    ...planned({ pipeline: 'orders' }),
    pipeline: { id: PIPELINE, name: 'Orders', apiName: 'orders' },
    phase: { at: 'in_progress' },
    jobId: JOB,
    isSeen: true,
    status: 'running',
    history: [
      { status: 'queued', at: 0 },
      { status: 'running', at: 30_000 },
    ],
    startedAt: 0,
    ...fields,
  };
}

/** The fields of a run that finished at this time. */
export function finished(status: string, endedAt = 90_000): Partial<RunState> {
  return { phase: { at: 'finished' }, status, endedAt };
}

/** The fields of a run that was never queued. */
export const NO_RUN: Partial<RunState> = {
  phase: { at: 'not_queued' },
  jobId: undefined,
  status: undefined,
  isSeen: false,
  history: [],
  startedAt: undefined,
};

/** The fields of an existing run, whose pipeline is unknown. */
export const EXISTING: Partial<RunState> = { target: { jobId: JOB }, pipeline: undefined, isGiven: true };

/** The fields of an existing run that no status check found. */
export const NOT_FOUND: Partial<RunState> = {
  ...EXISTING,
  phase: { at: 'lost', problem: noSuchRun("read the run's status") },
  isMissing: true,
  isSeen: false,
  status: undefined,
  history: [],
};

export function stopBy(why: Stop['why'], policy: Stop['policy'] = 'cancel'): Partial<RunState> {
  const details = { interruption: 'SIGINT', timeout: '45m', queue_timeout: '10m', fail_fast: 'pipeline "customers"' };
  return { stop: { why, policy, at: 80_000, detail: why in details ? details[why as keyof typeof details] : '' } };
}

/** Returns `count` runs of pipelines with different names. */
export function manyRuns(count: number, fields: Partial<RunState>): RunState[] {
  return Array.from({ length: count }, (_, nth) => {
    const digits = String(nth).padStart(12, '0');
    const pipeline = { id: `99999999-8888-4777-8666-${digits}`, name: `pipeline ${nth}`, apiName: '' };
    return aRun({ jobId: `11111111-2222-4333-8444-${digits}`, pipeline, ...fields });
  });
}

/** A report in a separate world. `change` changes the state of a run and notifies the report. */
export function aReport(states: readonly RunState[], plan: Partial<Plan> = {}, runUrl = '') {
  const fake = fakeWorld();
  const settings = { plan: { ...PLAN, ...plan }, baseUrl: new URL(BASE_URL), runUrl, summary: true };
  const report = new Report(fake.world, settings, new OutputWriter(fake.world));
  const reads = new Reads();
  const runs: Run[] = states.map((state, number) => ({ number, state, reads, halted: new AbortController().signal }));
  report.begin(runs);
  const change = (fields: Partial<RunState>, number = 0): void => {
    const run = runs[number];
    if (run === undefined) throw new Error(`There is no run ${number}`);
    const before = run.state;
    run.state = { ...before, ...fields };
    report.changed(run, before);
  };
  const announce = (region = 'eu-1'): void => report.announce({ apiUrl: new URL('https://api.example.test'), region });
  /** Ends the step as the main step does. */
  const end = (): boolean => {
    const areWritten = report.writeOutputs();
    report.writeSummary();
    report.conclude();
    return areWritten;
  };
  return { fake, report, runs, change, announce, end };
}
