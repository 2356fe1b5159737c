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
  { knowledge, ended, lost, triggers, stop }: RunStory,
  asked: Asked,
): { readonly step: number; readonly atMs: number } | undefined {
  if (knowledge.is !== 'known') {
    // One that would have been tried again is stopped with all the others.
    const last = triggers.at(-1);
    return last === undefined || (stop !== undefined && isRepeatable(last.heard, asked)) ? undefined : last;
  }
  if (!asked.wait) return undefined;
  if (ended !== undefined && !asked.succeedOn.includes(ended.status)) return ended;
  if (stop?.why === 'queue_timeout') return stop;
  return lost.may ? lost : undefined;
}

/** Whether a trigger may be sent again after this. */
function isRepeatable(heard: Heard, { always }: Asked): boolean {
  return heard.kind === 'perhaps' ? always : heard.kind === 'unsent' && !heard.hopeless;
}
