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
  const exact = new Map<string, Set<ListedPipeline>>();
  const seen = new Map<string, Set<ListedPipeline>>();
  for (const name of names) {
    exact.set(name, new Set());
    seen.set(asSeen(name), new Set());
  }
  for await (const pipeline of inSlices(pipelines, clock)) {
    for (const name of pipeline.received) exact.get(name)?.add(pipeline);
    for (const name of namesOf(pipeline)) seen.get(name)?.add(pipeline);
  }
  return (name) => [...(exact.get(name)?.size ? (exact.get(name) ?? []) : (seen.get(asSeen(name)) ?? []))];
}

/** Returns a pipeline's names as people see them. */
export function namesOf({ apiName, name }: Pipeline): string[] {
  return [apiName, name].filter((each) => each !== '');
}
