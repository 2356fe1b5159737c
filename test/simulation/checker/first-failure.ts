import type { Outline, RunHistory, Stopped } from './history.ts';
import type { Observed } from './observed.ts';
import type { Policy } from './policy.ts';

/** The first run that was no success stops the others, where that was asked for. */
export function firstFailure({ policy }: Outline, runs: readonly RunHistory[]): Stopped | undefined {
  const failures = runs.flatMap((run): Stopped[] => {
    const at = failedAt(run, policy);
    return at === undefined || at.step === Infinity
      ? []
      : [{ why: 'fail_fast', of: [run.pipeline.id], step: at.step, atMs: at.atMs }];
  });
  const first = failures.sort((a, b) => a.atMs - b.atMs)[0];
  const together = failures.filter(({ step }) => step === first?.step);
  return first && { ...first, of: together.flatMap(({ of = [] }) => of) };
}

function failedAt(
  { knowledge, ended, cancels, lost, triggers, stop }: RunHistory,
  policy: Policy,
): { readonly step: number; readonly atMs: number } | undefined {
  if (knowledge.is !== 'known') {
    // One that would have been tried again is stopped with all the others.
    const last = triggers.at(-1);
    const isTriedAgain = last !== undefined && (isRepeatable(last.observed, policy) || last.observed.kind === 'denied');
    return last === undefined || (stop !== undefined && isTriedAgain) ? undefined : last;
  }
  if (!policy.wait) return undefined;
  if (ended !== undefined && !policy.succeedOn.includes(ended.status)) return ended;
  // It is over when it is cancelled: until then it may still have had its own time-out as the others.
  if (stop?.why === 'queue_timeout') return ended ?? cancels.at(-1) ?? stop;
  return lost.may ? lost : undefined;
}

/** Whether a trigger may be sent again after this. */
export function isRepeatable(observed: Observed, { always }: Pick<Policy, 'always'>): boolean {
  return observed.kind === 'maybe_processed' ? always : observed.kind === 'unsent' && observed.retryable;
}
