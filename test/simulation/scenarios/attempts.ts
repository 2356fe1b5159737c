/** Crashes between two attempts of a run. */
import { policyOf } from '../checker/policy.ts';
import { MAIN_CRASHES } from '../model/crashes.ts';
import type { Facts } from '../model/facts.ts';
import { PLAIN_PIPELINE, plainCrash, plainSingle } from '../model/plain.ts';
import { createRandom, hashOf } from '../model/random.ts';
import type { SingleSpec } from '../model/spec.ts';
import { randomSingle } from './random-scenario.ts';

/** When main may crash. It reads the final status after 32.2 s, and its sixth request is the next trigger. */
const INSTANTS = {
  'end of the run': [32_300, 32_600],
  pause: [40_000, 85_000],
  'end of the pause': [91_750, 92_050],
  'next trigger': undefined,
  'next run': [94_000, 98_000],
} as const;
type Instant = keyof typeof INSTANTS;

type AttemptCell = (typeof ATTEMPT_CELLS)[number];

export const ATTEMPT_CELLS = (Object.keys(INSTANTS) as Instant[]).flatMap((instant) =>
  MAIN_CRASHES.map((crash) => ({ instant, crash })),
);

export function nameOfAttemptCell({ instant, crash }: AttemptCell): string {
  return `between attempts, ${instant} × ${crash}`;
}

const PAUSE_MS = 60_000;
/** A crash counts as being at the end of the run or of the pause if it is closer to that end than this. */
const CLOSE_MS = 600;
/** Ends every scenario that is still in progress. */
export const LAST_RESORT = plainCrash(900_000, 'cancel');

export function scenarioBetweenAttempts(cell: AttemptCell, number: number): SingleSpec {
  const random = createRandom(Math.imul(number, 0x9e3779b1) ^ hashOf(nameOfAttemptCell(cell)));
  const inputs = { 'max-attempts': '3', 'retry-delay': '1m', 'on-cancel': random.pick(['cancel', 'cancel', 'leave']) };
  const range = INSTANTS[cell.instant];
  const at = range === undefined ? { response: 6 } : random.between(range[0], range[1]);
  const crashes = [plainCrash(at, cell.crash), LAST_RESORT];
  return plainSingle({ seed: number, pipelines: [{ ...PLAIN_PIPELINE, failsFirst: 1 }], inputs, crashes });
}

export function attemptCellsOf({ spec, crashed, requests }: Facts): string[] {
  const crash = crashed.find(({ on }) => on === 'main');
  if (policyOf(spec).maxAttempts === 1 || crash === undefined) return [];
  const own = requests.filter(({ on }) => on === 'main');
  const [, again] = own.filter(({ call }) => call === 'trigger');
  const end = own.find(({ call, text }) => call === 'read' && text.includes('"failed"'));
  const endMs = end?.over?.atMs ?? Infinity;
  const cellAt = (instant: Instant): string[] => [nameOfAttemptCell({ instant, crash: crash.kind })];
  if (again !== undefined && again.step <= crash.step) {
    return cellAt((again.over?.step ?? Infinity) < crash.step ? 'next run' : 'next trigger');
  }
  if (Math.abs(crash.atMs - endMs) < CLOSE_MS) return cellAt('end of the run');
  if (crash.atMs < endMs) return [];
  return cellAt(crash.atMs >= endMs + PAUSE_MS - CLOSE_MS ? 'end of the pause' : 'pause');
}

export function randomAttempts(seed: number): SingleSpec {
  const random = createRandom(seed ^ 0x5bd1e995);
  const single = randomSingle(seed);
  const isPlain = !['trigger', 'resume'].includes(single.mode) || single.inputs['reset-target'] === 'true';
  if (isPlain) return scenarioBetweenAttempts(random.pick(ATTEMPT_CELLS), seed);
  const pipelines = single.pipelines.map((pipeline) => ({ ...pipeline, failsFirst: random.pick([0, 1, 1, 2, 3]) }));
  const inputs = {
    ...single.inputs,
    wait: 'true',
    'succeed-on': '',
    'max-attempts': random.pick(['2', '3', '10']),
    'retry-delay': random.pick(['1s', '30s', '1m', '5m']),
    'retry-on': random.pick(['', 'failed', 'timed_out']),
  };
  return { ...single, pipelines, inputs };
}
