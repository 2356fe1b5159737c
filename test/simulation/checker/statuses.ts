import type { History, RunHistory } from './history.ts';

/** Every job-status that would be true: the last that was observed; while main lives, also the ones before it. */
export function statusesOf(history: History, run: RunHistory, readStep: number): ReadonlySet<string> {
  const { knowledge, reads, cancels } = run;
  const { facts } = history;
  const exited = history.exited && !isReadEarly(history);
  if (knowledge.is === 'none') return new Set(['not_queued', ...(exited ? [] : ['', 'unknown'])]);
  if (knowledge.is === 'doubt') return new Set(['unknown', ...(exited ? [] : ['not_queued'])]);
  const observed = [...reads, ...cancels]
    .filter(({ step }) => step <= readStep && step <= (facts.main.end?.step ?? Infinity))
    .sort((a, b) => a.step - b.step)
    .flatMap(({ observed }) => (observed.kind === 'row' ? [flat(observed.status)] : []));
  // What somebody else has triggered is unknown until it is read.
  const all = [knowledge.id === run.pipeline.earlier ? 'unknown' : 'queued', ...observed];
  return new Set(exited ? [all.at(-1) ?? ''] : [...all, 'unknown', 'not_queued']);
}

function flat(status: string): string {
  return status.replace(/\s+/g, ' ').trim();
}

/** Whether the runner has read the outputs while main was still alive. */
export function isReadEarly({ facts }: History): boolean {
  return facts.crashed.some(({ on, kind }) => on === 'main' && /^(?:beside|background)/.test(kind));
}
