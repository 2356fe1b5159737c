import { describe, expect, it } from 'vitest';
import { JOB } from '../support/service.ts';
import { type PlayedStep, playStep } from '../support/step.ts';
import { CALLS } from './fault.ts';
import { FAULT_NAMES, FAULTS, type FaultName } from './faults.ts';
import { SERVICE_TABLE } from './service-table.ts';
import { stepCell } from './step-cell.ts';
import { ONCE } from './step-tables.ts';
import { readTable } from './table.ts';

const SERVICE = readTable(SERVICE_TABLE);
const once = readTable(ONCE);
/** No signal may keep a step longer, whatever hangs. */
const ENDS_AFTER_SIGNAL_MS = 9_300;

function perhapsAt(call: string): FaultName[] {
  return FAULT_NAMES.filter((fault) => SERVICE.cell(fault, call).startsWith('maybe_processed'));
}

function warnings({ annotations }: PlayedStep): readonly string[] {
  return annotations.filter(({ level }) => level === 'warning').map(({ message }) => message);
}

describe('on-lost-response: retry', () => {
  const play = (fault: FaultName) =>
    playStep({
      inputs: { 'on-lost-response': 'retry' },
      scripts: { trigger: (nth, good) => (nth === 1 ? FAULTS[fault](good) : undefined) },
    });

  it.each(perhapsAt('trigger'))('triggers again after %s, and says that two may be queued', async (fault) => {
    const played = await play(fault);
    expect(stepCell(played)).toBe('succeeded 2');
    expect(warnings(played)).toEqual([
      'The response to a trigger was lost. Because on-lost-response is retry, the step triggers again, and two runs may be queued.',
    ]);
  });

  it.each(FAULT_NAMES.filter((fault) => !perhapsAt('trigger').includes(fault)))(
    'changes nothing after %s',
    async (fault) => {
      const played = await play(fault);
      expect(stepCell(played)).toBe(once.cell(fault, 'trigger'));
      expect(warnings(played)).toEqual([]);
    },
  );
});

describe('a trigger with reset-target whose fate is unknown', () => {
  it.each(perhapsAt('trigger'))('is not repeated after %s, and says that tables may be dropped', async (fault) => {
    const played = await playStep({
      inputs: { 'reset-target': 'true', 'full-resync': 'true' },
      scripts: { trigger: (_nth, good) => FAULTS[fault](good) },
    });
    expect(stepCell(played)).toBe('unknown 1');
    expect(played.annotations.at(-1)?.message).toContain('\nIt may be dropping tables right now.\n');
  });
});

describe('a cancel that took effect although its answer was lost', () => {
  const accepted = FAULT_NAMES.filter((fault) => SERVICE.cell(fault, 'cancel').startsWith('accepted'));

  it.each([...perhapsAt('cancel'), ...accepted])('is confirmed after %s', async (fault) => {
    const played = await playStep({
      interruptAtMs: 40_000,
      statuses: ['running'],
      cancelsAnyhow: true,
      scripts: { cancel: (nth, good) => (nth === 1 ? FAULTS[fault](good) : undefined) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled', 'job-id': JOB });
    expect(played.of('cancel').length).toBeLessThanOrEqual(2);
    expect(played.annotations.map(({ level }) => level)).toEqual(['notice']);
  });
});

describe('an interruption while a call meets the fault', () => {
  describe.each(CALLS)('%s', (call) => {
    it.each([5, 10_000, 45_000])('ends in time, %i ms after the start', async (interruptAtMs) => {
      for (const fault of FAULT_NAMES) {
        const played = await playStep({
          interruptAtMs,
          statuses: ['running'],
          scripts: { [call]: (_nth: number, good: string) => FAULTS[fault](good) },
        });
        const took = played.endedAtMs - interruptAtMs;
        expect.soft(took, fault).toBeLessThanOrEqual(ENDS_AFTER_SIGNAL_MS);
        expect.soft(played.exitCode, fault).toBe(1);
        const late = played.of('trigger').filter(({ atMs }) => atMs > interruptAtMs);
        expect.soft(late, fault).toEqual([]);
      }
    });
  });
});
