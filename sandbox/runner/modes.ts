import type { JobStatus } from './expressions.ts';
import { SIGTERM_AFTER_MS } from './step-process.ts';

/** How a kind of runner ends a step in progress, and what it does afterwards. */
export interface Mode {
  /** The signals that the main process receives: SIGINT, SIGTERM and SIGKILL in turn, one signal, or none. */
  readonly hears: 'ladder' | 'SIGTERM' | 'SIGKILL' | 'nothing';
  /** The runner stops reading its output. */
  readonly stdoutCloses: boolean;
  /** How long the runner waits for the process to end, in ms. It then continues, even if the process is alive. */
  readonly waitsMs: number;
  /** Ms from SIGINT to SIGKILL. Default: GitHub's. */
  readonly killAfterMs?: number;
  /** The value of `job.status` afterwards. */
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

/** The ways to end a step from outside. */
export const MODES = {
  /** By a user, by `concurrency`, by a matrix that fails fast, or when the job times out. */
  workflow: USUAL,
  /** The step's own `timeout-minutes`. */
  'step-timeout': { ...USUAL, jobStatus: 'failure' },
  /** `cancel:` on a background step: the job continues, and the runner reads the files within 7.5 s. */
  background: { ...USUAL, waitsMs: SIGTERM_AFTER_MS, jobStatus: 'success' },
  /** A job with `container:`, where only the `docker exec` outside the container gets the signal. */
  container: { ...USUAL, hears: 'nothing', waitsMs: 0 },
  /** Forgejo's and Gitea's runners in a container, which never say that a job was cancelled. */
  forgejo: { ...USUAL, hears: 'nothing', waitsMs: 0, jobStatus: 'failure' },
  'forgejo-state-lost': { ...USUAL, hears: 'nothing', waitsMs: 0, jobStatus: 'failure', post: 'state lost' },
  /** `cancel:` on a composite in the background: the step inside gets no signal, and its files are never read. */
  composite: { ...USUAL, hears: 'nothing', waitsMs: SIGTERM_AFTER_MS, jobStatus: 'success', post: 'state lost' },
  /** Not a runner but, for example, a supervisor that stops all processes. */
  terminated: { ...USUAL, hears: 'SIGTERM' },
  /** act without containers. */
  'act-host': { ...USUAL, hears: 'SIGKILL' },
  /** The machine shuts down: spot eviction, an autoscaler. */
  shutdown: { ...USUAL, stdoutCloses: true, post: 'skipped' },
  /** A workflow step with `if: always()` gets no signal until its runner is gone. */
  always: { ...USUAL, hears: 'nothing', stdoutCloses: true, post: 'skipped' },
} as const satisfies Record<string, Mode>;

export type ModeName = keyof typeof MODES;
