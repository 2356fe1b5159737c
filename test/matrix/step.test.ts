// Plays whole steps in which one call meets a fault of each class every time, only once, or during an interruption.
import { describe, expect, it } from 'vitest';
import { CALLS, type Call } from '../support/fault-scripts.ts';
import { ALL_FAULTS, canHappen, type FaultName, SIMULATED_FAULTS } from '../support/faults.ts';
import { meets } from '../support/meeting.ts';
import { type PlayedStep, playStep, type StepOptions } from '../support/step.ts';
import { serviceCell } from './service-cell.ts';

const MINUTE = 60_000;
/** A time at which the run is in progress and no read is due. */
const SIGNAL_AT_MS = 40_000;
const SIGNAL: StepOptions = { interruptAtMs: SIGNAL_AT_MS, statuses: ['running'] };
/** The longest time that a step may take to end after a signal. */
const ENDS_AFTER_SIGNAL_MS = 9_300;
/** The longest duration of eight attempts, with the longest pauses between them. */
const triesWithin = (deadlineMs: number): number => 8 * deadlineMs + 7 * MINUTE;

/**
 * The results if every call in each of the first four columns meets the fault, and if only the first call does. Each
 * result is the output `outcome` and the number of triggers, with `job-status` in between if unusual for the outcome.
 */
const ROWS: readonly (readonly [faults: readonly FaultName[], every: string, first: string])[] = [
  [
    ['refused', 'hanging_tcp', 'busy_20s'],
    'not_triggered 0, not_triggered 0, not_triggered 8, not_triggered 8',
    'succeeded 1, succeeded 1, succeeded 2, succeeded 2',
  ],
  [
    ['certificate_authority', 'json_null', 'http_400'],
    'not_triggered 0, not_triggered 0, not_triggered 1, not_triggered 1',
    'not_triggered 0, not_triggered 0, not_triggered 1, not_triggered 1',
  ],
  [
    ['denied'],
    'not_triggered 0, not_triggered 0, not_triggered 3, not_triggered 3',
    'not_triggered 0, succeeded 1, succeeded 2, succeeded 2',
  ],
  [
    ['reset', 'no_response', 'down_20s'],
    'not_triggered 0, not_triggered 0, unknown 1, unknown 8',
    'succeeded 1, succeeded 1, unknown 1, succeeded 2',
  ],
  [
    ['stalled_whole'],
    'not_triggered 0, not_triggered 0, succeeded 1, succeeded 1',
    'succeeded 1, succeeded 1, succeeded 1, succeeded 1',
  ],
];

/** The results in the other columns, which are the same for all faults. */
const EVERY = 'lost 1, wait_timed_out running 1, cancelled running 1';
const FIRST = 'succeeded 1, wait_timed_out cancelled 1, cancelled cancelled 1, cancelled cancelled 1';

/** The call that fails, the options of the step, and the latest end of the step if every call fails. */
type Column = readonly [name: string, call: Call, options: StepOptions, endsWithinMs: number];

const COLUMNS: readonly Column[] = [
  ['exchange', 'exchange', {}, triesWithin(30_000)],
  ['list', 'list', {}, triesWithin(30_000)],
  ['trigger', 'trigger', {}, triesWithin(15_000)],
  ['trigger with on-lost-response retry', 'trigger', { inputs: { 'on-lost-response': 'retry' } }, triesWithin(120_000)],
  // The sum of the longest outage, one interval and one request.
  ['read', 'read', {}, 16.5 * MINUTE],
  ['cancel after a timeout', 'cancel', { inputs: { timeout: '5m' }, statuses: ['running'] }, 6 * MINUTE],
  ['cancel after a signal', 'cancel', SIGNAL, SIGNAL_AT_MS + ENDS_AFTER_SIGNAL_MS],
  ['accepted cancel after a signal', 'cancel', { ...SIGNAL, cancelsAnyhow: true }, SIGNAL_AT_MS + ENDS_AFTER_SIGNAL_MS],
];

interface Cell {
  readonly column: Column;
  readonly name: string;
  readonly fault: FaultName;
  readonly expected: string;
}

function cellsOf(faults: readonly FaultName[], results: string): readonly Cell[] {
  const expected = results.split(', ');
  return faults.flatMap((fault) =>
    COLUMNS.slice(0, expected.length).map((column, at) => {
      return { column, name: column[0], fault, expected: expected[at] ?? '' };
    }),
  );
}

const CELLS = {
  every: ROWS.flatMap(([faults, every]) => cellsOf(faults, `${every}, ${EVERY}`)),
  'the first': ROWS.flatMap(([faults, , first]) => cellsOf(faults, `${first}, ${FIRST}`)),
};
const REPRESENTATIVES = ROWS.flatMap(([faults]) => faults);

/** The usual `job-status` of an outcome. */
const USUAL_STATUS: Readonly<Record<string, string>> = {
  not_triggered: 'not_queued',
  unknown: 'unknown',
  lost: 'queued',
  succeeded: 'completed',
};

function resultOf({ outputs, of }: PlayedStep): string {
  const { outcome = '', 'job-status': status = '' } = outputs;
  const words = [outcome, USUAL_STATUS[outcome] === status ? '' : status, `${of('trigger').length}`];
  return words.filter((word) => word !== '').join(' ');
}

/** Expects that an unsuccessful step reports one failure, with the cause and the remedy of its last problem. */
async function expectReport({ annotations, outputs }: PlayedStep, { fault, column: [, call] }: Cell): Promise<void> {
  const { problem } = await serviceCell(fault, call);
  const reports = annotations.filter(({ level }) => level !== 'warning');
  const isCancelled = outputs['job-status'] === 'cancelled';
  const level = outputs['outcome'] === 'cancelled' && isCancelled ? 'notice' : 'error';
  expect(reports.map((report) => report.level)).toEqual(outputs['outcome'] === 'succeeded' ? [] : [level]);
  if (outputs['outcome'] === 'succeeded' || isCancelled || problem === undefined) return;
  expect(reports[0]?.message).toContain(problem.cause.replace(/ within \S+$/, ''));
  // A trigger with an unknown outcome has its own remedy.
  if (outputs['outcome'] !== 'unknown') expect(reports[0]?.message).toContain(problem.remedy ?? '');
}

/** The outcome classes of these faults, each with its call. An outcome without a problem has no class. */
async function classesOf(faults: readonly FaultName[], unit: RegExp): Promise<readonly string[]> {
  const cells = CALLS.flatMap((call) =>
    faults.filter((fault) => canHappen(fault, call)).map((fault) => serviceCell(fault, call)),
  );
  const failed = (await Promise.all(cells)).filter(({ problem }) => problem !== undefined);
  return failed.map(({ call, text }) => `${call} ${text.replace(unit, '')}`);
}

it.each([
  ['this table', REPRESENTATIVES, /(?<=wait|after) .*/],
  ['the simulation', SIMULATED_FAULTS, / (?:wait|after) .*/],
] as const)('the fault table contains no outcome class that %s lacks', async (_, faults, unit) => {
  const known = await classesOf(faults, unit);
  expect((await classesOf(ALL_FAULTS, unit)).filter((one) => !known.includes(one))).toEqual([]);
});

describe.each(['every', 'the first'] as const)('a step in which %s', (which) => {
  it.each(CELLS[which])('$name meets the fault "$fault" ends with the result "$expected"', async (cell) => {
    const { fault, column, expected } = cell;
    const [, call, options, endsWithinMs] = column;
    const last = which === 'every' ? Infinity : 1;
    const statuses = call === 'read' && which === 'every' ? ['running'] : ['running', 'completed'];
    const played = await playStep({ statuses, ...options, scripts: { [call]: meets(fault, 1, last, call) } });
    expect(resultOf(played)).toBe(expected);
    expect(played.exitCode).toBe(expected.startsWith('succeeded') ? 0 : 1);
    expect(played.endedAtMs).toBeLessThanOrEqual(endsWithinMs);
    expect(played.timersLeft).toBe(0);
    await expectReport(played, cell);
  });
});

describe.each([5, 10_000, 45_000])('an interruption after %i ms', (interruptAtMs) => {
  it.each(CALLS.flatMap((call) => REPRESENTATIVES.map((fault) => [call, fault] as const)))(
    'ends a step in which every "%s" meets the fault "%s" within 9.3 s and prevents triggers',
    async (call, fault) => {
      const scripts = { [call]: meets(fault, 1, Infinity, call) };
      const played = await playStep({ interruptAtMs, statuses: ['running'], scripts });
      expect(played.endedAtMs - interruptAtMs).toBeLessThanOrEqual(ENDS_AFTER_SIGNAL_MS);
      expect(played.exitCode).toBe(1);
      expect(played.of('trigger').filter(({ atMs }) => atMs > interruptAtMs)).toEqual([]);
    },
  );
});
