import type { CancelOutcome, Failure, Problem, ReadOutcome } from '../service/api.ts';
import { isFailure } from './retry.ts';

/** Time was over before the service was asked at all. */
export const NO_TIME: Problem = { attempted: 'cancel the run', came: 'there was no time left to ask' };

/** Why an answer to a cancel, or to the read behind it, settles nothing; undefined: nobody waited for it. */
export function trouble(answer: CancelOutcome | ReadOutcome): Problem | undefined {
  if (isFailure(answer)) return problemOf(answer);
  switch (answer.kind) {
    case 'accepted':
      return answer.problem;
    case 'unchanged':
      return {
        attempted: 'cancel the run',
        came: 'the service changed nothing, and no end of the run was seen',
      };
    case 'missing':
      return {
        attempted: 'confirm the cancel',
        came: 'the service shows no run of this id to this API key',
        remedy: 'Check that the API key belongs to the workspace of the run.',
      };
    case 'job':
      return { attempted: 'cancel the run', came: `its status is still ${answer.job.status}` };
  }
}

function problemOf(failure: Failure): Problem | undefined {
  return failure.kind === 'aborted' ? undefined : failure.problem;
}
