import type { Random } from '../model/random.ts';
import type { PipelineSpec, Stage } from '../model/spec.ts';
import { MINUTE, SECOND } from './durations.ts';

/** What a run can end with, for good. */
export const ENDS = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];

/** Texts that would like to be something else than text. */
const TEXTS = [
  null,
  'Loading: 3 of 5 objects',
  'done\n::error title=forged::CANARY',
  '\u2028::add-mask::completed',
  '##[error]CANARY',
  'x\r\noutcome=succeeded\r\n',
  '<b>CANARY</b> | @everyone [a](b)\u202e',
  '\u001b[2K\u001b[1A::set-output name=outcome::succeeded',
];

/** A pipeline, by its place in a scenario, and what its run goes through. */
export function pipelineOf(random: Random, index: number): PipelineSpec {
  const name = ['Orders', 'Customers | <b>', 'Überweisungen ::x::', '@team/billing'][index] ?? `Load ${index}`;
  return {
    name,
    apiName: `load_${index}`,
    given: random.pick(['api', 'uuid', 'name']),
    failsFirst: 0,
    earlierMs: null,
    timeline: timelineOf(random),
  };
}

function timelineOf(random: Random): Stage[] {
  const scale = random.pick([2 * SECOND, 20 * SECOND, MINUTE, 4 * MINUTE]);
  const text = (): string | null => random.pick(TEXTS);
  const stages: Stage[] = [[0, 'queued', null]];
  let at = 0;
  const add = (status: string): void => {
    at += random.below(scale);
    stages.push([at, status, text()]);
  };
  if (random.chance(0.1)) return stages;
  add('picked');
  add('running');
  if (random.chance(0.15)) add(random.pick(['paused', 'retrying', 'Running', '']));
  if (random.chance(0.3)) add('running');
  if (random.chance(0.75)) add(random.pick(ENDS));
  return stages;
}
