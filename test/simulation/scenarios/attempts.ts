/** Crashes between two attempts. */
import { attemptsIn } from '../checker/attempts.ts';
import { MAIN_CRASHES } from '../model/crashes.ts';
import type { Facts } from '../model/facts.ts';
import { PLAIN_PIPELINE, plainCrash, plainSingle } from '../model/plain.ts';
import { createRandom, hashOf, type Random } from '../model/random.ts';
import type { CrashKind, Moment, SingleSpec } from '../model/spec.ts';
import { randomSingle } from './random-scenario.ts';

/** When a crash of main may come. */
const INSTANTS = ['end of the run', 'pause', 'end of the pause', 'next trigger', 'next run'] as const;

export interface AttemptCell {
  readonly instant: (typeof INSTANTS)[number];
  readonly crash: CrashKind;
}

export const ATTEMPT_CELLS: readonly AttemptCell[] = INSTANTS.flatMap((instant) =>
  MAIN_CRASHES.map((crash) => ({ instant, crash })),
);

export function nameOfAttemptCell({ instant, crash }: AttemptCell): string {
  return `between attempts, ${instant} × ${crash}`;
}

const PAUSE_MS = 60_000;
/** So close to the end of the run, or of the pause. */
const CLOSE_MS = 600;
/** Ends every scenario that is still in progress. */
export const LAST_RESORT = plainCrash(900_000, 'cancel');

/** A scenario that comes to such a cell; with another number, in another way. */
export function scenarioBetweenAttempts(cell: AttemptCell, number: number): SingleSpec {
  const random = createRandom(Math.imul(number, 0x9e3779b1) ^ hashOf(nameOfAttemptCell(cell)));
  return plainSingle({
    seed: number,
    pipelines: [{ ...PLAIN_PIPELINE, failsFirst: 1 }],
    inputs: { 'max-attempts': '3', 'retry-delay': '1m', 'on-cancel': random.pick(['cancel', 'cancel', 'leave']) },
    crashes: [plainCrash(momentAt(cell.instant, random), cell.crash), LAST_RESORT],
  });
}

/** Main reads the final status after 32.2 s, and triggers again after 92.2 s, with its sixth request. */
function momentAt(instant: AttemptCell['instant'], random: Random): Moment {
  switch (instant) {
    case 'end of the run':
      return { ms: random.between(32_300, 32_600) };
    case 'pause':
      return { ms: random.between(40_000, 85_000) };
    case 'end of the pause':
      return { ms: random.between(91_750, 92_050) };
    case 'next trigger':
      return { response: 6 };
    case 'next run':
      return { ms: random.between(94_000, 98_000) };
  }
}

/** The names of the cells that an execution has come to. */
export function attemptCellsOf({ spec, crashed, requests }: Facts): string[] {
  const crash = crashed.find(({ on }) => on === 'main');
  if (attemptsIn(spec).most === 1 || crash === undefined) return [];
  const own = requests.filter(({ on }) => on === 'main');
  const [, again] = own.filter(({ call }) => call === 'trigger');
  const end = own.find(({ call, text }) => call === 'read' && text.includes('"failed"'));
  const endMs = end?.over?.atMs ?? Infinity;
  const instant = ((): AttemptCell['instant'] | undefined => {
    if (again !== undefined && again.step <= crash.step) {
      return (again.over?.step ?? Infinity) < crash.step ? 'next run' : 'next trigger';
    }
    if (Math.abs(crash.atMs - endMs) < CLOSE_MS) return 'end of the run';
    if (crash.atMs < endMs) return undefined;
    return crash.atMs >= endMs + PAUSE_MS - CLOSE_MS ? 'end of the pause' : 'pause';
  })();
  return instant === undefined ? [] : [nameOfAttemptCell({ instant, crash: crash.kind })];
}

/** A random scenario in which runs fail and are tried again. */
export function randomAttempts(seed: number): SingleSpec {
  const random = createRandom(seed ^ 0x5bd1e995);
  const single = randomSingle(seed);
  const isPlain = single.mode !== 'trigger' || single.inputs['reset-target'] === 'true';
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
