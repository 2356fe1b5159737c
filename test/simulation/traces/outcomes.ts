import type { Facts, ProcessFacts } from '../model/facts.ts';

/** The outcome of the step, and the outcome of each of its runs, by its outputs. */
export function outcomesIn(outputs: ReadonlyMap<string, string>): string[] {
  const outcome = outputs.get('outcome');
  return [...(outcome === undefined ? [] : [outcome]), ...resultsIn(outputs.get('results') ?? '[]')];
}

function resultsIn(json: string): string[] {
  try {
    const results = JSON.parse(json) as Readonly<Record<string, string>>[];
    // A run that is awaited by its id has no pipeline.
    return results.map(
      ({ pipeline = '', outcome, ...one }) => `${pipeline === '' ? one['job-id'] : pipeline}: ${outcome}`,
    );
  } catch {
    return [`unreadable results: ${json}`];
  }
}

/**
 * What the warnings and errors of a process are about, whatever their words: the ids of runs, or the pipelines of those
 * that name no id.
 */
export function warnedIn({ spec, pipelineIds, world }: Facts, { annotations }: ProcessFacts): string[] {
  const pipelines = [...spec.pipelines.flatMap(({ name, apiName }) => [name, apiName]), ...pipelineIds];
  const warned = annotations
    .filter(({ level }) => level !== 'notice')
    .flatMap(({ title, message }) => {
      const text = `${title} ${message}`;
      const runs = world.jobs.map(({ id }) => id).filter((id) => text.includes(id));
      return runs.length > 0 ? runs : pipelines.filter((name) => text.includes(name));
    });
  return [...new Set(warned)].sort();
}
