import type { JobStatus } from './expressions.ts';
import { SIGTERM_AFTER_MS } from './step-process.ts';

/** How a kind of runner ends a step that is under way, and what comes after that. */
export interface Mode {
  /** What the main process hears: SIGINT and the rest of the ladder, one signal, or nothing at all. */
  readonly hears: 'ladder' | 'SIGTERM' | 'SIGKILL' | 'nothing';
  /** Nobody reads its output any more. */
  readonly stdoutCloses: boolean;
  /** How long the runner waits for its end, ms; then it goes on beside a main process that may be alive. */
  readonly waitsMs: number;
  /** Ms from SIGINT to SIGKILL; absent: as runners have it. */
  readonly killAfterMs?: number;
  /** What `job.status` says from then on. */
  readonly jobStatus: JobStatus;
  /** `lost`: post gets no state. */
  readonly post: 'with state' | 'state lost' | 'skipped';
}

const USUAL: Mode = {
  hears: 'ladder',
  stdoutCloses: false,
  waitsMs: Number.POSITIVE_INFINITY,
  jobStatus: 'cancelled',
  post: 'with state',
};

/** Every way in which a step is ended from outside. */
export const MODES = {
  /** By a user, by `concurrency`, by a matrix that fails fast, or when the job's time is up. */
  workflow: USUAL,
  /** The step's own `timeout-minutes`. */
  'step-timeout': { ...USUAL, jobStatus: 'failure' },
  /** `cancel:` on a step in the background: the job goes on, and the files are read 7.5 s later at the latest. */
  background: { ...USUAL, waitsMs: SIGTERM_AFTER_MS, jobStatus: 'success' },
  /** A job with `container:`: only the program that looks into the container is signalled. */
  container: { ...USUAL, hears: 'nothing', waitsMs: 0 },
  /** Forgejo's and Gitea's runners in a container, which never say that a job was cancelled. */
  forgejo: { ...USUAL, hears: 'nothing', waitsMs: 0, jobStatus: 'failure' },
  'forgejo-state-lost': { ...USUAL, hears: 'nothing', waitsMs: 0, jobStatus: 'failure', post: 'state lost' },
  /** `cancel:` on a composite in the background: what is inside hears nothing, and its files are never read. */
  composite: { ...USUAL, hears: 'nothing', waitsMs: SIGTERM_AFTER_MS, jobStatus: 'success', post: 'state lost' },
  /** Something other than a runner, such as a supervisor that stops everything. */
  terminated: { ...USUAL, hears: 'SIGTERM' },
  /** act without containers. */
  'act-host': { ...USUAL, hears: 'SIGKILL' },
  /** The machine goes: spot eviction, an autoscaler. */
  shutdown: { ...USUAL, stdoutCloses: true, post: 'skipped' },
  /** A workflow step with `if: always()` hears nothing; at last its runner is gone. */
  always: { ...USUAL, hears: 'nothing', stdoutCloses: true, post: 'skipped' },
} as const satisfies Record<string, Mode>;

export type ModeName = keyof typeof MODES;
