import type { Uuid } from '../base/uuid.ts';
import type { Problem, Service, TriggerOutcome } from '../service/api.ts';

/**
 * The service, from which an id that this step knows already is no answer to a trigger: a gateway that repeats an old
 * answer would make two runs look like one, and its success look like theirs. `given` are the ids of runs that existed before.
 */
export function distinguishing(service: Service, given: readonly Uuid[]): Service {
  const known = new Set(given);
  return {
    ...service,
    async trigger(order, options): Promise<TriggerOutcome> {
      const outcome = await service.trigger(order, options);
      if (outcome.kind !== 'queued') return outcome;
      if (known.has(outcome.jobId)) return { kind: 'perhaps', problem: knownAlready(outcome.jobId) };
      known.add(outcome.jobId);
      return outcome;
    },
  };
}

function knownAlready(jobId: Uuid): Problem {
  return {
    attempted: 'trigger the run',
    came: `the service answered with the id of another run, ${jobId}, which this step knows already`,
  };
}
