import type { JobStatus } from './expressions.ts';
import { SIGTERM_AFTER_MS } from './step-process.ts';

/** The way in which a kind of runner ends a step in progress, and the runner's actions afterwards. */
export interface Mode {
  /** The signals that the main process receives: SIGINT, SIGTERM and SIGKILL in turn, one signal, or none. */
  readonly hears: 'ladder' | 'SIGTERM' | 'SIGKILL' | 'nothing';
  /** Whether the runner stops reading the process's output. */
  readonly stdoutCloses: boolean;
  /** The time in ms that the runner waits for the process to end. Then it continues, even if the process is alive. */
  readonly waitsMs: number;
  /** The time in ms from SIGINT to SIGKILL, by default that of GitHub's runner. */
  readonly killAfterMs?: number;
  /** The value of `job.status` afterwards. */
  readonly jobStatus: JobStatus;
  /** `state lost` means that post receives no state. */
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
  /** A user, `concurrency`, a matrix that fails fast or the job's time limit cancels the job. */
  workflow: USUAL,
  /** The step's own `timeout-minutes` elapses. */
  'step-timeout': { ...USUAL, jobStatus: 'failure' },
  /** `cancel:` on a background step: the job continues, and the runner reads the files after at most 7.5 s. */
  background: { ...USUAL, waitsMs: SIGTERM_AFTER_MS, jobStatus: 'success' },
  /** A job with `container:`, where only the `docker exec` outside the container receives the signal. */
  container: { ...USUAL, hears: 'nothing', waitsMs: 0 },
  /** Runners of Forgejo and Gitea in a container, which never report that a job was cancelled. */
  forgejo: { ...USUAL, hears: 'nothing', waitsMs: 0, jobStatus: 'failure' },
  'forgejo-state-lost': { ...USUAL, hears: 'nothing', waitsMs: 0, jobStatus: 'failure', post: 'state lost' },
  /** `cancel:` on a composite in the background: the step inside receives no signal. The runner ignores its files. */
  composite: { ...USUAL, hears: 'nothing', waitsMs: SIGTERM_AFTER_MS, jobStatus: 'success', post: 'state lost' },
  /** Something other than a runner, such as a supervisor, stops all processes. */
  terminated: { ...USUAL, hears: 'SIGTERM' },
  /** act without containers. */
  'act-host': { ...USUAL, hears: 'SIGKILL' },
  /** The machine shuts down, for example because of a spot eviction or an autoscaler. */
  shutdown: { ...USUAL, stdoutCloses: true, post: 'skipped' },
  /** A workflow step with `if: always()` receives no signal until its runner is gone. */
  always: { ...USUAL, hears: 'nothing', stdoutCloses: true, post: 'skipped' },
} as const satisfies Record<string, Mode>;

export type ModeName = keyof typeof MODES;
