/** The external ways to end a step. The runners in real processes and in virtual time play the same table. */
import type { JobStatus } from './action.ts';

export interface Mode {
  /** The signals that the process receives, with their times in ms. */
  readonly signals: readonly (readonly [name: NodeJS.Signals, afterMs: number])[];
  /** Whether the runner stops reading what the process prints, or closes the pipe. */
  readonly stdout?: 'unread' | 'closed';
  /** Whether the process gets another parent, because its runner is dead. */
  readonly isOrphaned?: true;
  /** Whether the other steps of the job are ended in the same way. */
  readonly isOfJob?: true;
  /** Whether the runner waits for the process to end before it continues. */
  readonly isAwaited: boolean;
  /** The value of `job.status` afterwards, if it changes. A cancelled job stays cancelled. */
  readonly jobStatus?: JobStatus;
  /** `state lost` means that the post step receives no state. */
  readonly post: 'with state' | 'state lost' | 'skipped';
}

/** A runner sends SIGINT first, then SIGTERM and SIGKILL after these times if the process is still alive. */
const LADDER = [
  ['SIGINT', 0],
  ['SIGTERM', 7_500],
  ['SIGKILL', 10_000],
] as const;
const KILL = [['SIGKILL', 0]] as const;

const USUAL = { signals: LADDER, isAwaited: true, jobStatus: 'cancelled', post: 'with state' } as const;

export const MODES = {
  /** A user, `concurrency`, a matrix that fails fast or the job's time limit cancels the job. */
  cancel: { ...USUAL, isOfJob: true },
  /** `timeout-minutes` of the step. */
  step_timeout: { ...USUAL, jobStatus: 'failure' },
  /** `cancel: <step id>` on a background step. */
  cancel_step: {
    signals: [
      ['SIGINT', 0],
      ['SIGKILL', 7_500],
    ],
    isAwaited: true,
    post: 'with state',
  },
  /** A process that something else kills, for example because memory runs out. */
  kill: { ...USUAL, signals: KILL, jobStatus: 'failure' },
  /** act without containers. */
  act_cancel: { ...USUAL, signals: KILL },
  /** The machine shuts down, for example because of a spot eviction or an autoscaler. */
  shutdown: { signals: LADDER, stdout: 'closed', isAwaited: true, jobStatus: 'cancelled', post: 'skipped' },
  /** The runner's worker is killed, for example because memory runs out. */
  worker_killed: { signals: [], stdout: 'closed', isOrphaned: true, isAwaited: true, post: 'skipped' },
  /** A workflow step with `if: always()` receives no signal until its runner is gone. */
  always: { ...USUAL, signals: [], stdout: 'closed', post: 'skipped' },
  /** A job with `container:`, where only the `docker exec` outside the container receives the signal. */
  container_cancel: { ...USUAL, signals: [], stdout: 'unread', isAwaited: false },
  /** A background step that is a composite action: the runner abandons it without reading its files. */
  abandoned: { signals: [], stdout: 'unread', isAwaited: false, post: 'state lost' },
  /** Forgejo and Gitea runners in a container. They lose the state and never report that a job was cancelled. */
  forgejo_cancel: { signals: [], stdout: 'unread', isAwaited: false, jobStatus: 'failure', post: 'state lost' },
  /** The reader of the output is gone. */
  stdout_closed: { signals: [], stdout: 'closed', isAwaited: true, post: 'with state' },
} as const satisfies Readonly<Record<string, Mode>>;

export type ModeName = keyof typeof MODES;
