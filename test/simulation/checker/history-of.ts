import type { Facts } from '../model/facts.ts';
import { firstFailure } from './first-failure.ts';
import type { History, ObservedRequest, RunHistory, Stopped } from './history.ts';
import { observe } from './observed.ts';
import { policyOf } from './policy.ts';
import { runHistory } from './run-history.ts';

/** Reads a scenario from its facts. */
export function historyOf(facts: Facts): History {
  const policy = policyOf(facts.spec);
  const observedRequests = facts.requests.map((request): ObservedRequest => {
    const { over } = request;
    return { request, observed: observe(request), step: over?.step ?? Infinity, atMs: over?.atMs ?? Infinity };
  });
  const verdictStep = verdictOf(facts);
  const first = facts.main.observed[0];
  const interrupted = first !== undefined && first.step <= verdictStep ? first : undefined;
  const exited = facts.main.end !== undefined && facts.main.end.how !== 'killed';
  const base = { facts, policy, observedRequests, interrupted, verdictStep, exited };
  const tell = (failed: Stopped | undefined): RunHistory[] =>
    facts.spec.pipelines.map((pipeline, index) =>
      runHistory(
        base,
        { id: facts.pipelineIds[index] ?? '', name: pipeline.name, earlier: facts.earlier[index] },
        failed,
      ),
    );
  const runs = tell(undefined);
  const failed = policy.failFast && runs.length > 1 ? firstFailure(base, runs) : undefined;
  return { ...base, runs: failed === undefined ? runs : tell(failed) };
}

/** The event in which main first said how it ended; its end if it never did. */
function verdictOf(facts: Facts): number {
  const said = facts.writes.find(
    ({ process, path, text }) => process === 'main' && path === facts.paths.output && /^outcome=/m.test(text),
  );
  return said?.step ?? facts.main.end?.step ?? Infinity;
}
