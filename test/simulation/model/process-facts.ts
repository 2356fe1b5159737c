import type { ProcessFacts } from './facts.ts';
import type { Started } from './machine.ts';

/** What was seen of a process from outside. `outputs` is what its runner has read of them. */
export function factsOf(started: Started, outputs: ReadonlyMap<string, string>): ProcessFacts {
  const { process, stdout, atMs, step, observed } = started;
  const { end } = process;
  return {
    startedAtMs: atMs,
    startedStep: step,
    end: end && { how: end.how, code: 'code' in end ? end.code : undefined, atMs: end.atMs, step: end.step },
    drained: process.host.drained,
    effects: process.effects,
    observed,
    lines: stdout.lines,
    received: stdout.received,
    annotations: stdout.annotations,
    masked: stdout.masked,
    outputs,
  };
}
