import { naturalEnd, pickedAfter } from './scenarios.ts';
import type { Job, Pipeline, RunParameters, Stage, World } from './types.ts';
import { newId } from './world.ts';

/** Queues a run. No other code creates runs. */
export function queueRun(world: World, pipeline: Pipeline, parameters: RunParameters, nowMs: number): Job {
  const scenario = world.scenarios[pipeline.scenario];
  const before = world.jobs.filter(({ pipelineId }) => pipelineId === pipeline.id).length;
  const timeline = scenario?.first?.[before] ?? scenario?.timeline ?? [[0, 'queued']];
  const job: Job = {
    id: newId(world),
    workspaceId: pipeline.workspaceId,
    pipelineId: pipeline.id,
    createdAt: nowMs,
    parameters,
    timeline: timeline.map(([after, status, message = null]): Stage => [after / world.speed, status, message]),
    heartbeatMs: world.heartbeatMs / world.speed,
    cancelledAt: null,
    abortedAt: null,
    reads: [],
    patches: [],
    pacedReadAt: null,
    confirmReadsLeft: 0,
    exemptReadsLeft: world.exemptReads,
  };
  world.jobs.push(job);
  return job;
}

export interface JobState {
  readonly status: string;
  readonly message: string | null;
}

/** Returns the contents of the job's row at a given time, or null before the job exists. */
export function stateAt(job: Job, atMs: number): JobState | null {
  if (atMs < job.createdAt) return null;
  if (job.cancelledAt !== null && atMs >= job.cancelledAt) {
    return { status: 'cancelled', message: 'Cancelled by request' };
  }
  const stage = job.timeline.findLast(([after]) => atMs >= job.createdAt + after);
  return { status: stage?.[1] ?? 'queued', message: stage?.[2] ?? null };
}

/** Whether an agent works on a run at a given time. It works on a cancelled run until the agent's next heartbeat. */
export function isWorkedOn(job: Job, atMs: number): boolean {
  const picked = pickedAfter(job.timeline);
  if (picked === null || atMs < job.createdAt + picked) return false;
  if (job.abortedAt !== null && atMs >= job.abortedAt) return false;
  const end = naturalEnd(job.timeline);
  return end === null || atMs < job.createdAt + end;
}

/** Cancels a run in progress. Its row changes at once, and the agent stops at its next heartbeat. */
export function cancelJob(job: Job, nowMs: number): void {
  job.cancelledAt = nowMs;
  job.abortedAt = abortInstant(job, nowMs);
}

/** The agent sends a heartbeat every `heartbeatMs` after it picks up the run. */
function abortInstant(job: Job, nowMs: number): number {
  const picked = pickedAfter(job.timeline);
  if (picked === null || nowMs < job.createdAt + picked) return nowMs;
  const since = nowMs - job.createdAt - picked;
  const beats = Math.floor(since / job.heartbeatMs) + 1;
  const heard = job.createdAt + picked + beats * job.heartbeatMs;
  const end = naturalEnd(job.timeline);
  return end === null ? heard : Math.min(heard, job.createdAt + end);
}
