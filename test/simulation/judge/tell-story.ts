import type { Facts } from '../life/facts.ts';
import { askedOf } from './asked.ts';
import { firstFailure } from './first-failure.ts';
import { heardOf } from './heard.ts';
import { runStory } from './run-story.ts';
import type { RunStory, Stopped, Story, Told } from './story.ts';

/** Reads a life from its facts. */
export function storyOf(facts: Facts): Story {
  const asked = askedOf(facts.spec);
  const told = facts.requests.map((request): Told => {
    const { over } = request;
    return { request, heard: heardOf(request), step: over?.step ?? Infinity, atMs: over?.atMs ?? Infinity };
  });
  const verdictStep = verdictOf(facts);
  const first = facts.main.heard[0];
  const interrupted = first !== undefined && first.step <= verdictStep ? first : undefined;
  const exited = facts.main.end !== undefined && facts.main.end.how !== 'killed';
  const base = { facts, asked, told, interrupted, verdictStep, exited };
  const tell = (failed: Stopped | undefined): RunStory[] =>
    facts.spec.pipelines.map((pipeline, index) =>
      runStory(
        base,
        { id: facts.pipelineIds[index] ?? '', name: pipeline.name, earlier: facts.earlier[index] },
        failed,
      ),
    );
  const runs = tell(undefined);
  const failed = asked.failFast && runs.length > 1 ? firstFailure(base, runs) : undefined;
  return { ...base, runs: failed === undefined ? runs : tell(failed) };
}

/** The event in which main first said how it ended; its end if it never did. */
function verdictOf(facts: Facts): number {
  const said = facts.writes.find(
    ({ process, path, text }) => process === 'main' && path === facts.paths.output && /^outcome=/m.test(text),
  );
  return said?.step ?? facts.main.end?.step ?? Infinity;
}
