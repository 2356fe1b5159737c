import type { Clock } from '../base/clock.ts';
import { inSlices } from '../base/slices.ts';
import { asSeen } from '../base/text.ts';
import type { ListedPipeline, Pipeline } from '../service/api.ts';

/** Returns the pipelines with a name. */
export type Lookup = (name: string) => readonly ListedPipeline[];

/**
 * Looks up all names in one pass over the list, which may be long. A name finds the pipelines with exactly this name or,
 * if there are none, those whose name looks the same to people.
 */
export async function lookUp(
  names: readonly string[],
  pipelines: Iterable<ListedPipeline>,
  clock: Clock,
): Promise<Lookup> {
  const exact = new Map(names.map((name): [string, ListedPipeline[]] => [name, []]));
  const seen = new Map(names.map((name): [string, ListedPipeline[]] => [asSeen(name), []]));
  for await (const pipeline of inSlices(pipelines, clock)) {
    for (const name of new Set(pipeline.received)) exact.get(name)?.push(pipeline);
    for (const name of new Set(namesOf(pipeline))) seen.get(name)?.push(pipeline);
  }
  return (name) => {
    const found = exact.get(name) ?? [];
    return found.length > 0 ? found : (seen.get(asSeen(name)) ?? []);
  };
}

/** Returns a pipeline's names as people see them. */
export function namesOf({ apiName, name }: Pipeline): string[] {
  return [apiName, name].filter((each) => each !== '');
}
