import type { Clock } from '../base/clock.ts';
import type { Failure, Problem } from './api.ts';
import {
  type BrokenBody,
  connectionProblem,
  incompleteProblem,
  type Subject,
  statusProblem,
} from './problem.ts';
import type { Reply } from './reply.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Answer, Answered } from './transport.ts';

/** A success whose body cannot be used, because it was not received as a whole. */
export interface Incomplete {
  readonly kind: 'incomplete';
  readonly how: BrokenBody;
  readonly problem: Problem;
}

/**
 * What an attempt that did not succeed means for its request. A success whose body is there as a whole is returned
 * as it is: only its call can tell whether that makes sense.
 */
export function successOf(
  subject: Subject,
  answer: Exclude<Answer, Answered> | Reply,
  clock: Clock,
): Reply | Incomplete | Failure {
  if (answer.kind === 'aborted') return answer;
  if (answer.kind === 'unanswered') {
    const { hopeless, ...problem } = connectionProblem(subject, answer);
    return answer.connected ? { kind: 'perhaps', problem } : { kind: 'not_processed', problem, hopeless };
  }
  if (isSuccess(answer)) {
    return answer.body === 'complete'
      ? answer
      : { kind: 'incomplete', how: answer.body, problem: incompleteProblem(subject, answer, answer.body) };
  }
  return statusFailure(subject, answer, clock);
}

/** Whether an answer's status is a 2xx. */
export function isSuccess(answer: Pick<Answered, 'status'>): boolean {
  return answer.status >= 200 && answer.status < 300;
}

function statusFailure(subject: Subject, answer: Reply, clock: Clock): Failure {
  const { status, headers } = answer;
  const problem = statusProblem(subject, answer);
  const waitMs = retryAfterMs(headers, clock.wall());
  const retry = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  if (status === 401) return { kind: 'unauthorized', problem };
  if (status === 429) return { kind: 'not_processed', problem, hopeless: false, ...retry };
  // Below 300 is left here what is no final answer at all.
  if (status === 408 || status >= 500 || status < 300) return { kind: 'perhaps', problem, ...retry };
  return { kind: 'rejected', problem };
}
