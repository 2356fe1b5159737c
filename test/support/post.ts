// The records that main leaves for post, and the environment in which a runner starts post.
import type { Environment } from '../../src/action/inputs/input-table.ts';
import { journalPath, ownerOf } from '../../src/action/state/journals.ts';
import type { ClosedRecord, MainRecord, StoredFact, WrittenRecord } from '../../src/action/state/records.ts';
import { askedIn, sealOf } from '../../src/action/state/seal.ts';
import { createStateWriter } from '../../src/action/state/writer.ts';
import type { DurableFact, Stop, StopReason } from '../../src/run/state/facts.ts';
import type { TerminalStatus } from '../../src/service/statuses.ts';
import { type MemoryFiles, memoryFiles, valuesIn } from './memory-files.ts';
import { API_KEY, APP, JOB, PIPELINE } from './service.ts';

export const TEMP = '/temp';
export const STATE_FILE = '/files/state';
export const SUMMARY_FILE = '/files/summary';
export const PID = 4_711;
export const HOST = 'machine';

/** The environment that all steps of a job share. */
export const JOB_ENV: Environment = {
  GITHUB_RUN_ID: '77',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: 'load',
  RUNNER_TEMP: TEMP,
};

export const JOURNAL = journalPath(JOB_ENV, PID, 0.5);

/** Main's record about itself; `fields` override the defaults. */
export function mainRecord(fields: Partial<MainRecord> = {}): MainRecord {
  const { baseUrl = `https://${APP}/`, journal = JOURNAL } = fields;
  return {
    kind: 'main',
    pid: PID,
    startedAt: 'ticks:1',
    owner: ownerOf(JOB_ENV, HOST),
    asked: askedIn(JOB_ENV),
    baseUrl,
    onCancel: 'cancel',
    pollIntervalMs: 30_000,
    jobStatus: 'success',
    given: {},
    journal,
    seal: sealOf(API_KEY, baseUrl, journal),
    stateFile: STATE_FILE,
    ...fields,
  };
}

/** A fact about a run, as main records it. */
export function fact(durable: DurableFact, run = 1): StoredFact {
  const jobId = 'jobId' in durable ? durable.jobId : 'job' in durable ? durable.job.id : JOB;
  return { run, attempt: 1, fact: durable, ...(durable.kind !== 'intent' && { jobId }) };
}

/** The record that the run was queued, with the id JOB. */
export const queued = fact({ kind: 'queued', jobId: JOB });

/** The record that main exited by itself and printed everything. */
export function closed(left: ClosedRecord['left']): WrittenRecord {
  return { kind: 'closed', left, isPrinted: true };
}

/** The record that main saw the run finish. */
export function over(status: TerminalStatus): StoredFact {
  return fact({ kind: 'finished', job: { id: JOB, status, statusMessage: null } });
}

/** A stop as main records it, either for one run or for all runs. */
export function stopped(reason: StopReason, policy: Stop['policy'], run?: number): StoredFact {
  return { run, attempt: 1, fact: { kind: 'stopped', stop: { reason, policy, at: 0 } } };
}

/** The intent of a run, recorded one minute before the wall clock of the tests starts at noon. */
export function intent(run = 1, name: string | null = 'orders'): StoredFact {
  return fact({ kind: 'intent', pipeline: { id: PIPELINE, name }, wall: Date.parse('2026-01-05T11:59:00Z') }, run);
}

/** Writes records as main does, and returns the files. */
export function wrote(files: MemoryFiles, records: readonly WrittenRecord[], places: readonly string[]): MemoryFiles {
  const state = createStateWriter(files, places, 'main');
  for (const record of records) state.write(record);
  return files;
}

/** A journal, by default of the only main process, whose run is in progress. */
type Journal = Partial<{ path: string; pid: number; env: Environment; records: readonly WrittenRecord[] }>;

/** Returns files with journals that main processes of this step wrote. */
export function journals(...all: readonly Journal[]): MemoryFiles {
  const files = memoryFiles();
  for (const { path = JOURNAL, pid = 1, env = JOB_ENV, records = QUEUED_RUN } of all) {
    wrote(files, [mainRecord({ journal: path, pid, owner: ownerOf(env, HOST) }), ...records], [path]);
  }
  return files;
}

/** The variables into which a runner turns a state file. */
export function inState(text: string): Readonly<Record<string, string>> {
  const records = Object.entries(valuesIn(text));
  return Object.fromEntries(records.map(([name, value]): [string, string] => [`STATE_${name}`, value]));
}

/** The environment in which a runner starts post: the saved state and the inputs. */
export function postEnv(kept: readonly WrittenRecord[], rest: Environment = {}): Environment {
  const files = wrote(memoryFiles(), kept, ['/kept']);
  return {
    ...JOB_ENV,
    GITHUB_STEP_SUMMARY: SUMMARY_FILE,
    'INPUT_API-KEY': API_KEY,
    'INPUT_INTERNAL-JOB-STATUS': 'success',
    ...inState(files.read('/kept') ?? ''),
    ...rest,
  };
}

/** The records about a run in progress. */
export const QUEUED_RUN: readonly WrittenRecord[] = [intent(), queued];

/** The records that main leaves behind if a signal kills it while its run is in progress. */
export const OPEN: readonly WrittenRecord[] = [mainRecord(), ...QUEUED_RUN];
