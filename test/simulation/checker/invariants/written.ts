import type { History, ObservedRequest, RunHistory } from '../history.ts';
import { isKilledInWrite } from '../stalls.ts';

/** What is about to happen is written down before it happens, what has happened right after. */
export function written(history: History): string[] {
  return history.runs.flatMap((run) => [
    ...run.triggers.flatMap((trigger, index) => intended(history, run, trigger, index + 1)),
    ...known(history, run),
  ]);
}

/** Each trigger has an intent of its own, on a disk, before it leaves. */
function intended({ facts }: History, run: RunHistory, { request }: ObservedRequest, nth: number): string[] {
  const before = facts.writes.filter(
    ({ process, effect, text, failed }) =>
      process === 'main' && effect < request.effect && !failed && text.includes(run.pipeline.id),
  );
  const places = new Map<string, number>();
  for (const { path } of before) places.set(path, (places.get(path) ?? 0) + 1);
  const ledgers = [...places].filter(([path]) => path.includes('state') || path.endsWith('.journal'));
  return ledgers.some(([, count]) => count >= nth)
    ? []
    : [`trigger ${nth} of ${run.pipeline.name} left before its intent was written down`];
}

/** The id is on a disk before anything else is done that anybody could see, debug lines aside. */
function known({ facts }: History, { knowledge, triggers }: RunHistory): string[] {
  if (knowledge.is !== 'known') return [];
  const observed = triggers.find(({ step }) => step === knowledge.step)?.request.over;
  if (observed === undefined) return [];
  const others = facts.writes.filter(({ process, effect }) => process === 'main' && effect > observed.effect);
  const [first] = others;
  const { end } = facts.main;
  if (first === undefined) {
    return end?.how === 'killed' && (end.step === knowledge.step || isKilledInWrite(facts))
      ? []
      : ['the id of the run was never written down'];
  }
  const isLedger = first.path.includes('state') || first.path.endsWith('.journal');
  return isLedger && first.text.includes(knowledge.id)
    ? []
    : [`before the id something else was written: ${first.text.trim()}`];
}
