import type { RunStory, Story, Told } from '../story.ts';

/** What is about to happen is written down before it happens, what has happened right after. */
export function written(story: Story): string[] {
  return story.runs.flatMap((run) => [
    ...run.triggers.flatMap((trigger, index) => intended(story, run, trigger, index + 1)),
    ...known(story, run),
  ]);
}

/** Each trigger has an intent of its own, on a disk, before it leaves. */
function intended({ facts }: Story, run: RunStory, { request }: Told, nth: number): string[] {
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
function known({ facts }: Story, { knowledge, triggers }: RunStory): string[] {
  if (knowledge.is !== 'known') return [];
  const heard = triggers.find(({ step }) => step === knowledge.step)?.request.over;
  if (heard === undefined) return [];
  const others = facts.writes.filter(({ process, effect }) => process === 'main' && effect > heard.effect);
  const [first] = others;
  const { end } = facts.main;
  if (first === undefined) {
    return end?.how === 'killed' && end.step === knowledge.step
      ? []
      : ['the id of the run was never written down'];
  }
  const isLedger = first.path.includes('state') || first.path.endsWith('.journal');
  return isLedger && first.text.includes(knowledge.id)
    ? []
    : [`before the id something else was written: ${first.text.trim()}`];
}
