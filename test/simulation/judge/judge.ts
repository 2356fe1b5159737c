import type { Facts } from '../life/facts.ts';
import { bounds } from './laws/bounds.ts';
import { drained } from './laws/drained.ts';
import { dry } from './laws/dry.ts';
import { exact } from './laws/exact.ts';
import { once } from './laws/once.ts';
import { pace } from './laws/pace.ts';
import { secrets } from './laws/secrets.ts';
import { settled } from './laws/settled.ts';
import { silence } from './laws/silence.ts';
import { verdict } from './laws/verdict.ts';
import { written } from './laws/written.ts';
import type { Story } from './story.ts';
import { storyOf } from './tell-story.ts';

/** Something that should not have come out. */
export interface Finding {
  readonly law: string;
  readonly what: string;
}

type Law = (story: Story) => string[];

/** What holds whatever happens. */
const ALWAYS: Readonly<Record<string, Law>> = { once, written, secrets, drained };

/** What holds for a process whose timers come. */
const LAWS: Readonly<Record<string, Law>> = { settled, verdict, pace, exact, silence, bounds };

/** Judges a life by what was asked, what was done to it, and what the service's own data say. */
export function judge(facts: Facts): Finding[] {
  const story = storyOf(facts);
  const laws = lawsFor(facts);
  return Object.entries(laws).flatMap(([law, holds]) => holds(story).map((what) => ({ law, what })));
}

function lawsFor({ spec }: Facts): Readonly<Record<string, Law>> {
  if (spec.lostTimer !== null) return ALWAYS;
  return spec.mode === 'dry_run' ? { ...ALWAYS, dry, bounds, silence } : { ...ALWAYS, ...LAWS };
}
