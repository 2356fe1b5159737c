/** The runs of a world over time. The API calls a run a job. */
import type { Stage } from './scenarios.ts';
import { type Job, newId, type Pipeline, type RunParameters, violate, type World } from './world.ts';

/** The number of reads after a PATCH that can confirm its effect before the minimum interval has passed. */
const CONFIRM_READS = 3;

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
    cancelledAt: null,
    reads: [],
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

/** Returns the contents of the run's row at a given time, or null before the run exists. */
export function stateAt(job: Job, atMs: number): JobState | null {
  if (atMs < job.createdAt) return null;
  if (job.cancelledAt !== null && atMs >= job.cancelledAt) {
    return { status: 'cancelled', message: 'Cancelled by request' };
  }
  const stage = job.timeline.findLast(([after]) => atMs >= job.createdAt + after);
  return { status: stage?.[1] ?? 'queued', message: stage?.[2] ?? null };
}

/**
 * Counts a read of a run and checks the service's minimum interval. The reads that confirm a cancellation, and
 * `exemptReads` more, are allowed at any time and do not affect the interval of the other reads.
 */
export function noteRead(world: World, job: Job, nowMs: number): void {
  job.reads.push(nowMs);
  const since = job.pacedReadAt === null ? Number.POSITIVE_INFINITY : nowMs - job.pacedReadAt;
  if (since >= world.minReadIntervalMs) {
    job.pacedReadAt = nowMs;
  } else if (job.confirmReadsLeft > 0) {
    job.confirmReadsLeft -= 1;
  } else if (job.exemptReadsLeft > 0) {
    job.exemptReadsLeft -= 1;
  } else {
    violate(world, 'read_too_soon', nowMs, `job ${job.id} was read ${since} ms after its previous read`);
    job.pacedReadAt = nowMs;
  }
}

/** Notes a PATCH of a run, even one that changes nothing. */
export function notePatch(job: Job): void {
  job.confirmReadsLeft = CONFIRM_READS;
}
