// The order of a change: it reaches the state, then the disk, and only then the observers.
import { describe, expect, it } from 'vitest';
import { Ledger, type Saved } from '../../../src/run/ledger.ts';
import { planned, resolved, stopped, triggering } from '../../../src/run/state.ts';

const PIPELINE = { id: '11111111-2222-4333-8444-555555555555', name: 'Orders', apiName: 'orders' };
const STOP = { why: 'interruption', policy: 'cancel', at: 1, detail: 'SIGINT' } as const;

/** A ledger of two runs whose saves and notifications are logged. `disk` decides what the store answers. */
function ledgerOfTwo() {
  const events: string[] = [];
  const disk = { unsaved: [] as readonly number[], problem: undefined as Saved['problem'], notes: [] as string[] };
  const saved = (): Saved => ({
    isUnsaved: (number) => disk.unsaved.includes(number),
    problem: disk.problem,
    notes: disk.notes,
  });
  const ledger = new Ledger(
    [1, 2].map((number) => ({ number, state: planned({ pipeline: `p${number}` }) })),
    {
      save(runs) {
        events.push(`save ${runs.map(({ number, state }) => `${number} ${state.phase.at}`).join(', ')}`);
        return saved();
      },
      repair() {
        events.push('repair');
        return saved();
      },
    },
    {
      changed: ({ number, state }) => void events.push(`tell ${number}${state.isUnsaved ? ' (unsaved)' : ''}`),
      note: (text) => void events.push(text),
      tick: () => undefined,
    },
  );
  const [first = expect.fail(), second = expect.fail()] = ledger.runs;
  return { ledger, first, second, events, disk };
}

describe('the ledger', () => {
  it('saves a change before it notifies observers', () => {
    const { ledger, first, events } = ledgerOfTwo();
    expect(ledger.apply(first, triggering(0, 0, false))).toBeUndefined();
    expect(events).toEqual(['save 1 triggering', 'tell 1']);
  });

  it('notifies observers only of changes', () => {
    const { ledger, first, events } = ledgerOfTwo();
    ledger.apply(first, resolved(PIPELINE));
    ledger.apply(first, (run) => run);
    expect(events.filter((event) => event.startsWith('tell'))).toEqual(['tell 1']);
  });

  it('returns why an intent could not be saved', () => {
    const { ledger, first, disk } = ledgerOfTwo();
    disk.problem = { attempted: 'save', cause: 'disk full', remedy: 'Free some.' };
    expect(ledger.apply(first, triggering(0, 0, false))).toEqual(disk.problem);
  });

  it('marks the runs whose last change is in neither file before it notifies observers', () => {
    const { ledger, first, second, events, disk } = ledgerOfTwo();
    Object.assign(disk, { unsaved: [1], notes: ['It could not be saved.'] });
    ledger.apply(first, triggering(0, 0, false));
    expect([first.state.isUnsaved, second.state.isUnsaved]).toEqual([true, false]);
    Object.assign(disk, { unsaved: [], notes: [] });
    ledger.apply(second, resolved(PIPELINE));
    expect(first.state.isUnsaved).toBe(false);
    expect(events).toEqual([
      'save 1 triggering',
      'It could not be saved.',
      'tell 1 (unsaved)',
      'save 2 waiting',
      'tell 2',
    ]);
  });

  it('marks a run other than the first if its last change is in neither file', () => {
    const { ledger, first, second, disk } = ledgerOfTwo();
    disk.unsaved = [2];
    ledger.apply(second, triggering(0, 0, false));
    expect([first.state.isUnsaved, second.state.isUnsaved]).toEqual([false, true]);
  });

  it('repairs the files if asked', () => {
    const { ledger, first, events, disk } = ledgerOfTwo();
    disk.unsaved = [1];
    ledger.apply(first, triggering(0, 0, false));
    Object.assign(disk, { unsaved: [], notes: ['It is saved again.'] });
    ledger.repair();
    expect(first.state.isUnsaved).toBe(false);
    expect(events.slice(2)).toEqual(['repair', 'It is saved again.']);
  });

  it('saves a stop of all runs in one call and aborts each run', () => {
    const { ledger, first, second, events } = ledgerOfTwo();
    ledger.stop(STOP);
    expect(events).toEqual(['save 1 waiting, 2 waiting', 'tell 1', 'tell 2']);
    expect([first.halted.aborted, second.halted.aborted]).toEqual([true, true]);
  });

  it('keeps the first stop', () => {
    const { ledger, first } = ledgerOfTwo();
    ledger.stop(STOP, [first]);
    ledger.stop({ ...STOP, why: 'timeout' });
    expect(first.state).toMatchObject(stopped(STOP)(planned({ pipeline: 'p1' })));
  });
});
