import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../src/base/duration.ts';
import type { Annotation } from '../support/action.ts';
import { API_KEY } from '../support/service.ts';
import { type PlayedStep, STEP_FILES } from '../support/step.ts';
import { annotationsOf, cancelAnnotations, timeless } from './annotations-of.ts';
import { FAULT_NAMES, type FaultName } from './faults.ts';
import { SERVICE_TABLE } from './service-table.ts';
import { callOf, ENDS_WITHIN_MS, type HowOften, PHASES, type Phase, playFault, stepCell } from './step-cell.ts';
import { ALWAYS, ONCE } from './step-tables.ts';
import { readTable } from './table.ts';

const TABLES = { always: readTable(ALWAYS), once: readTable(ONCE) } as const;
const SERVICE = readTable(SERVICE_TABLE);
const POLL_INTERVAL_MS = 30_000;

describe.each(['always', 'once'] as const)('the table of steps and faults that strike %s', (howOften) => {
  const table = TABLES[howOften];

  it('has a row for each fault, and a column for each call', () => {
    expect(table.rows).toEqual(FAULT_NAMES);
    expect(table.columns).toEqual(PHASES);
  });

  describe.each(PHASES)('%s', (phase) => {
    it.each(FAULT_NAMES)('%s', async (fault) => {
      const played = await playFault(fault, phase, howOften);
      expect(stepCell(played)).toBe(table.cell(fault, phase));
      expect(played.exitCode).toBe(played.outputs['outcome'] === 'succeeded' ? 0 : 1);
      expect(played.annotations.map(withoutTime)).toEqual(expectedAnnotations(fault, phase, played));
      expectBounded(played, phase, howOften);
      expectNoSecret(played);
    });
  });
});

function expectedAnnotations(fault: FaultName, phase: Phase, played: PlayedStep): Annotation[] {
  const { outputs } = played;
  if (phase === 'cancel' || phase === 'cancel on a signal') {
    return cancelAnnotations(fault, phase, outputs['job-status'] === 'cancelled');
  }
  return annotationsOf(fault, phase, outputs['outcome'] ?? '', oftenOf(fault, phase, played));
}

/** What failed again and again is told with how often, or for how long. */
function oftenOf(fault: FaultName, phase: Phase, { of, endedAtMs }: PlayedStep): string {
  const cell = SERVICE.cell(fault, callOf(phase));
  if (phase === 'read') {
    return /^(?:rejected|missing)/.test(cell)
      ? ', 3 times in a row'
      : `; no valid response for ${formatDuration(endedAtMs)}`;
  }
  const isTriedAgain = /^(?:maybe_processed|not_processed(?! not retryable))/.test(cell);
  const tried = of(callOf(phase)).length;
  return isTriedAgain && tried > 1 ? ` (${tried} attempts)` : '';
}

function withoutTime(annotation: Annotation): Annotation {
  const isCancel = /the cancel of|was cancelled/.test(annotation.message);
  return isCancel ? { ...annotation, message: timeless(annotation.message) } : annotation;
}

function expectBounded(played: PlayedStep, phase: Phase, howOften: HowOften): void {
  expect(played.endedAtMs).toBeLessThanOrEqual(ENDS_WITHIN_MS[phase]);
  expect(played.timersLeft).toBe(0);
  if (phase !== 'read' || howOften === 'once') return;
  const at = played.of('read').map(({ atMs }) => atMs);
  const tooClose = at.filter((ms, nth) => nth > 0 && ms - (at[nth - 1] ?? 0) < POLL_INTERVAL_MS);
  // A 401 is answered at once, with a new token.
  if (played.of('exchange').length === 1) expect(tooClose).toEqual([]);
}

/** A key or a token that people, files or the service's other ends could see. */
function expectNoSecret({ lines, annotations, files, sent }: PlayedStep): void {
  const texts = [
    ...lines,
    ...annotations.map(({ message, title }) => `${title} ${message}`),
    ...Object.values(STEP_FILES).map((path) => files.read(path) ?? ''),
    ...sent.map(({ request }) => `${request.url.href} ${request.body ?? ''}`),
  ].join('\n');
  expect(texts).not.toContain(API_KEY);
  expect(texts).not.toMatch(/token-\d/);
}
