import type { Job, World } from './types.ts';

export type ViolationKind =
  | 'read_too_soon'
  | 'read_without_id'
  | 'cancel_without_id'
  | 'cancel_without_precondition'
  | 'missing_apikey'
  | 'wrong_apikey'
  | 'missing_bearer'
  | 'unknown_token'
  | 'key_as_token'
  | 'legacy_key'
  | 'exchange_with_body'
  | 'no_media_type'
  | 'bad_request'
  | 'unknown_route'
  | 'wrong_method';

/** A client action that no correct client takes. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly at: number;
  readonly detail: string;
}

/** Records a violation. */
export function violate(world: World, kind: ViolationKind, at: number, detail: string): void {
  world.violations.push({ kind, at, detail });
}

/**
 * Counts a read of a job, and checks the service's minimum interval. The reads that confirm a cancellation,
 * and one more, may arrive at any time and do not affect the interval of the other reads.
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
    violate(world, 'read_too_soon', nowMs, `job ${job.id} was read ${String(since)} ms after its previous read`);
    job.pacedReadAt = nowMs;
  }
}

/** Records a PATCH. The client may then make a few reads ahead of schedule to confirm its effect. */
export function notePatch(world: World, job: Job, nowMs: number): void {
  job.patches.push(nowMs);
  job.confirmReadsLeft = world.confirmReads;
}
