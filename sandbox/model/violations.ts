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

/** Something that a correct client never does. */
export interface Violation {
  readonly kind: ViolationKind;
  readonly at: number;
  readonly detail: string;
}

/** Records something that a correct client never does. */
export function violate(world: World, kind: ViolationKind, at: number, detail: string): void {
  world.violations.push({ kind, at, detail });
}

/**
 * Counts a read of a job and holds it against the service's minimum interval. The reads that confirm a cancel,
 * and one more, may come at any time and do not count for the interval of the others.
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
    violate(world, 'read_too_soon', nowMs, `job ${job.id} was read ${String(since)} ms after its last read`);
    job.pacedReadAt = nowMs;
  }
}

/** Records a PATCH, after which a few reads may follow early to confirm its effect. */
export function notePatch(world: World, job: Job, nowMs: number): void {
  job.patches.push(nowMs);
  job.confirmReadsLeft = world.confirmReads;
}
