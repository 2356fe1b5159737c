// Plays whole steps in which one call meets a fault of each class every time, once, or during an interruption.
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../support/service.ts';
import { type PlayedStep, playStep, STEP_FILES, type StepOptions } from '../support/step.ts';
import { CALLS, type CallName } from './fault.ts';
import { FAULT_NAMES, FAULTS, type FaultName } from './faults.ts';
import { serviceCell } from './service-cell.ts';

/**
 * The results of steps in which a call always meets the fault: the output `outcome`, `job-status` if it is not the usual
 * one for the outcome, and the number of triggers. `signal` is a cancel on a signal, `retry` a trigger with
 * on-lost-response: retry.
 */
const ALWAYS = `
fault                                 | exchange        | list            | trigger         | retry           | read   | cancel                   | signal
connection refused                    | not_triggered 0 | not_triggered 0 | not_triggered 8 | not_triggered 8 | lost 1 | wait_timed_out running 1 | cancelled running 1
connect never answers                 | not_triggered 0 | not_triggered 0 | not_triggered 8 | not_triggered 8 | lost 1 | wait_timed_out running 1 | cancelled running 1
TLS: certificate unknown              | not_triggered 0 | not_triggered 0 | not_triggered 1 | not_triggered 1 | lost 1 | wait_timed_out running 1 | cancelled running 1
reset after the request body          | not_triggered 0 | not_triggered 0 | unknown 1       | unknown 8       | lost 1 | wait_timed_out running 1 | cancelled running 1
headers never come                    | not_triggered 0 | not_triggered 0 | unknown 1       | unknown 8       | lost 1 | wait_timed_out running 1 | cancelled running 1
body cut off halfway                  | not_triggered 0 | not_triggered 0 | unknown 1       | unknown 8       | lost 1 | wait_timed_out running 1 | cancelled running 1
body stalls right after its last byte | not_triggered 0 | not_triggered 0 | succeeded 1     | succeeded 1     | lost 1 | wait_timed_out running 1 | cancelled running 1
JSON null                             | not_triggered 0 | not_triggered 0 | not_triggered 1 | not_triggered 1 | lost 1 | wait_timed_out running 1 | cancelled running 1
empty array                           | not_triggered 0 | not_triggered 0 | unknown 1       | unknown 8       | lost 1 | wait_timed_out running 1 | cancelled running 1
row without a status                  | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1     | lost 1 | wait_timed_out running 1 | cancelled running 1
HTTP 400                              | not_triggered 0 | not_triggered 0 | not_triggered 1 | not_triggered 1 | lost 1 | wait_timed_out running 1 | cancelled running 1
HTTP 401                              | not_triggered 0 | not_triggered 0 | not_triggered 3 | not_triggered 3 | lost 1 | wait_timed_out running 1 | cancelled running 1
HTTP 429, Retry-After in seconds      | not_triggered 0 | not_triggered 0 | not_triggered 8 | not_triggered 8 | lost 1 | wait_timed_out running 1 | cancelled running 1
HTTP 503, Retry-After in seconds      | not_triggered 0 | not_triggered 0 | unknown 1       | unknown 8       | lost 1 | wait_timed_out running 1 | cancelled running 1
`;

/** The same results if only the first call meets the fault. `anyhow` is a cancel on a signal that still takes effect. */
const ONCE = `
fault                                 | exchange        | list            | trigger         | retry           | read        | cancel                     | signal                | anyhow
connection refused                    | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
connect never answers                 | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
TLS: certificate unknown              | not_triggered 0 | not_triggered 0 | not_triggered 1 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
reset after the request body          | succeeded 1     | succeeded 1     | unknown 1       | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
headers never come                    | succeeded 1     | succeeded 1     | unknown 1       | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
body cut off halfway                  | succeeded 1     | succeeded 1     | unknown 1       | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
body stalls right after its last byte | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
JSON null                             | not_triggered 0 | not_triggered 0 | not_triggered 1 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
empty array                           | not_triggered 0 | not_triggered 0 | unknown 1       | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
row without a status                  | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
HTTP 400                              | not_triggered 0 | not_triggered 0 | not_triggered 1 | not_triggered 1 | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
HTTP 401                              | not_triggered 0 | succeeded 1     | succeeded 2     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
HTTP 429, Retry-After in seconds      | succeeded 1     | succeeded 1     | succeeded 2     | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
HTTP 503, Retry-After in seconds      | succeeded 1     | succeeded 1     | unknown 1       | succeeded 2     | succeeded 1 | wait_timed_out cancelled 1 | cancelled cancelled 1 | cancelled cancelled 1
`;

const MINUTE = 60_000;
/** A time at which the run is in progress and no read is due. */
const SIGNAL_AT_MS = 40_000;
const SIGNAL: StepOptions = { interruptAtMs: SIGNAL_AT_MS, statuses: ['running'] };
/** The longest time that a step may take to end after a signal. */
const ENDS_AFTER_SIGNAL_MS = 9_300;
/** The longest duration of eight attempts, with the longest pauses between them. */
const triesWithin = (deadlineMs: number): number => 8 * deadlineMs + 7 * MINUTE;

/** The call that fails, the options of the step, and the latest end of the step if the call always fails. */
type Column = readonly [call: CallName, options: StepOptions, endsWithinMs: number];

const COLUMNS: Readonly<Record<string, Column>> = {
  exchange: ['exchange', {}, triesWithin(30_000)],
  list: ['list', {}, triesWithin(30_000)],
  trigger: ['trigger', {}, triesWithin(15_000)],
  retry: ['trigger', { inputs: { 'on-lost-response': 'retry' } }, triesWithin(120_000)],
  // The sum of the longest outage, one interval and one request.
  read: ['read', {}, 16.5 * MINUTE],
  cancel: ['cancel', { inputs: { timeout: '5m' }, statuses: ['running'] }, 6 * MINUTE],
  signal: ['cancel', SIGNAL, SIGNAL_AT_MS + ENDS_AFTER_SIGNAL_MS],
  anyhow: ['cancel', { ...SIGNAL, cancelsAnyhow: true }, SIGNAL_AT_MS + ENDS_AFTER_SIGNAL_MS],
};

interface Cell {
  readonly settings: Column;
  readonly fault: FaultName;
  readonly column: string;
  readonly expected: string;
}

function cellsOf(table: string): readonly Cell[] {
  const [head = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.flatMap(([name, ...cells]) =>
    cells.map((expected, at) => {
      const fault = FAULT_NAMES.find((known) => known === name);
      const column = head[at + 1] ?? '';
      const settings = COLUMNS[column];
      if (fault === undefined || settings === undefined) throw new Error(`The table has no cell ${name}, ${column}.`);
      return { settings, fault, column, expected };
    }),
  );
}

const CELLS = { always: cellsOf(ALWAYS), once: cellsOf(ONCE) };
const REPRESENTATIVES = [...new Set(CELLS.always.map(({ fault }) => fault))];

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

/** Expects that a step without success reports this once, with the cause and the remedy of the last failure. */
async function expectReport({ annotations, outputs }: PlayedStep, { fault, settings: [call] }: Cell): Promise<void> {
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

describe('the faults in the tables', () => {
  it('include a fault for every outcome of every call', async () => {
    const classOf = async (fault: FaultName, call: CallName): Promise<string> =>
      `${call} ${(await serviceCell(fault, call)).text.replace(/(?<=wait|after) .*/, '')}`;
    const classesOf = async (faults: readonly FaultName[]): Promise<readonly string[]> =>
      Promise.all(CALLS.flatMap((call) => faults.map((fault) => classOf(fault, call))));
    const represented = await classesOf(REPRESENTATIVES);
    expect((await classesOf(FAULT_NAMES)).filter((one) => !represented.includes(one))).toEqual([]);
  }, 60_000);
});

describe.each(['always', 'once'] as const)('a step in which one call fails %s', (howOften) => {
  it.each(CELLS[howOften])('ends with $expected if the column is "$column" and the fault is "$fault"', async (cell) => {
    const { fault, settings, expected } = cell;
    const [call, options, endsWithinMs] = settings;
    const meets = (nth: number, good: string) => (howOften === 'always' || nth === 1 ? FAULTS[fault](good) : undefined);
    const statuses = call === 'read' && howOften === 'always' ? ['running'] : ['running', 'completed'];
    const played = await playStep({ statuses, ...options, scripts: { [call]: meets } });
    expect(resultOf(played)).toBe(expected);
    expect(played.exitCode).toBe(expected.startsWith('succeeded') ? 0 : 1);
    expect(played.endedAtMs).toBeLessThanOrEqual(endsWithinMs);
    expect(played.timersLeft).toBe(0);
    await expectReport(played, cell);
    expectNoSecret(played);
  });
});

describe.each(CALLS)('an interruption while %s fails', (call) => {
  it.each([5, 10_000, 45_000])('ends the step in time if it occurs after %i ms', async (interruptAtMs) => {
    for (const fault of REPRESENTATIVES) {
      const meets = (_nth: number, good: string) => FAULTS[fault](good);
      const played = await playStep({ interruptAtMs, statuses: ['running'], scripts: { [call]: meets } });
      expect.soft(played.endedAtMs - interruptAtMs, fault).toBeLessThanOrEqual(ENDS_AFTER_SIGNAL_MS);
      expect.soft(played.exitCode, fault).toBe(1);
      expect
        .soft(
          played.of('trigger').filter(({ atMs }) => atMs > interruptAtMs),
          fault,
        )
        .toEqual([]);
    }
  });
});
