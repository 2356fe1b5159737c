import type { RunStory, Story } from './story.ts';

/** Every job-status that would be true: the last that was heard; while main lives, also the ones before it. */
export function statusesOf(story: Story, run: RunStory, readStep: number): ReadonlySet<string> {
  const { knowledge, reads, cancels } = run;
  const { facts } = story;
  const exited = story.exited && !isReadEarly(story);
  if (knowledge.is === 'none') return new Set(['not_queued', ...(exited ? [] : ['', 'unknown'])]);
  if (knowledge.is === 'doubt') return new Set(['unknown', ...(exited ? [] : ['not_queued'])]);
  const heard = [...reads, ...cancels]
    .filter(({ step }) => step <= readStep && step <= (facts.main.end?.step ?? Infinity))
    .sort((a, b) => a.step - b.step)
    .flatMap(({ heard }) => (heard.kind === 'row' ? [flat(heard.status)] : []));
  // What somebody else has triggered is unknown until it is read.
  const all = [knowledge.id === run.pipeline.earlier ? 'unknown' : 'queued', ...heard];
  return new Set(exited ? [all.at(-1) ?? ''] : [...all, 'unknown', 'not_queued']);
}

function flat(status: string): string {
  return status.replace(/\s+/g, ' ').trim();
}

/** Whether the runner has read the outputs while main was still alive. */
export function isReadEarly({ facts }: Story): boolean {
  return facts.struck.some(({ on, kind }) => on === 'main' && /^(?:beside|background)/.test(kind));
}
