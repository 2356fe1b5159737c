import { isRepeatable } from './first-failure.ts';
import type { History, RunHistory, Stopped } from './history.ts';
import { isBefore } from './stop.ts';

/**
 * Whether runs that nobody waits for had been let go of before a stop. That is when every run of the step has been
 * triggered, or never will be; 'maybe_processed' where a last trigger may have been tried again.
 */
export function letGoBefore({ runs }: History, stop: Stopped | undefined): 'yes' | 'no' | 'maybe_processed' {
  // Fail-fast stops nothing of what nobody waits for.
  if (stop === undefined || stop.why === 'fail_fast') return 'yes';
  const all = runs.map((run) => isBegunBefore(run, stop));
  if (all.includes('no')) return 'no';
  return all.includes('maybe_processed') ? 'maybe_processed' : 'yes';
}

function isBegunBefore(run: RunHistory, stop: Stopped): 'yes' | 'no' | 'maybe_processed' {
  const { knowledge, triggers } = run;
  if (knowledge.is === 'known') return isBefore(knowledge, stop) ? 'yes' : 'no';
  if (run.stop?.why === 'fail_fast') return 'maybe_processed';
  const last = triggers.at(-1);
  if (last === undefined || !isBefore(last, stop)) return 'no';
  return isRepeatable(last.observed, { always: true }) ? 'maybe_processed' : 'yes';
}
