import type { History } from '../history.ts';
import { isRead } from '../stdout-read.ts';

/** Everything that needs attention has an error; a run that went as asked has neither error nor warning. */
export function annotations({ facts, policy, runs }: History, got: readonly string[]): string[] {
  // The warning before tables are dropped is none about the run.
  const said = facts.main.annotations.filter(({ title }) => !title.includes('reset-target'));
  const errors = said.filter(({ level }) => level === 'error');
  const bad = got.find((one) => ['unknown', 'lost', 'not_triggered', 'failed', 'wait_timed_out'].includes(one));
  if (bad !== undefined && errors.length === 0 && isRead(facts, 'main')) {
    return [`outcome ${bad} without an error annotation`];
  }
  const isQuiet = runs.every(({ ended }, index) => ended?.status === 'completed' && got[index] === 'succeeded');
  const doubled = policy.always && runs.some(({ triggers }) => triggers.length > 1);
  const failedWrite = facts.writes.some(({ failed }) => failed);
  return isQuiet && !doubled && !failedWrite && said.length > 0
    ? [`all went well, with the annotation ${said[0]?.message ?? ''}`]
    : [];
}
