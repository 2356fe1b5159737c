import type { Asked } from './asked.ts';
import type { Heard } from './heard.ts';
import type { Outline, RunStory, Stopped } from './story.ts';

/** The first run that was no success stops the others, where that was asked for. */
export function firstFailure({ asked }: Outline, runs: readonly RunStory[]): Stopped | undefined {
  const failures = runs.flatMap((run): Stopped[] => {
    const at = failedAt(run, asked);
    return at === undefined || at.step === Infinity
      ? []
      : [{ why: 'fail_fast', of: [run.pipeline.id], step: at.step, atMs: at.atMs }];
  });
  const first = failures.sort((a, b) => a.atMs - b.atMs)[0];
  const together = failures.filter(({ step }) => step === first?.step);
  return first && { ...first, of: together.flatMap(({ of = [] }) => of) };
}

function failedAt(
  { knowledge, ended, cancels, lost, triggers, stop }: RunStory,
  asked: Asked,
): { readonly step: number; readonly atMs: number } | undefined {
  if (knowledge.is !== 'known') {
    // One that would have been tried again is stopped with all the others.
    const last = triggers.at(-1);
    return last === undefined || (stop !== undefined && isRepeatable(last.heard, asked)) ? undefined : last;
  }
  if (!asked.wait) return undefined;
  if (ended !== undefined && !asked.succeedOn.includes(ended.status)) return ended;
  // It is over when it is cancelled: until then it may still have had its own time-out as the others.
  if (stop?.why === 'queue_timeout') return ended ?? cancels.at(-1) ?? stop;
  return lost.may ? lost : undefined;
}

/** Whether a trigger may be sent again after this. */
export function isRepeatable(heard: Heard, { always }: Pick<Asked, 'always'>): boolean {
  return heard.kind === 'perhaps' ? always : heard.kind === 'unsent' && !heard.hopeless;
}
