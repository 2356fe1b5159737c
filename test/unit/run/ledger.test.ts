// The order of a change: it reaches the state, then the disk, and only then the observers.
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/run/ledger.ts';
import {
  claimed,
  planned,
  type RunState,
  resolved,
  stopped,
  type Transition,
  triggering,
} from '../../../src/run/state.ts';

const PIPELINE = { id: '11111111-2222-4333-8444-555555555555', name: 'Orders', apiName: 'orders' };
const STOP = { why: 'signal', policy: 'cancel', at: 1, detail: 'SIGINT' } as const;

/** A ledger of two runs whose saves and notifications are logged. `problem` makes saves fail. */
function ledgerOfTwo(begun: Transition = (run) => run) {
  const events: string[] = [];
  const disk = { problem: undefined as string | undefined };
  const encode = ({ phase, stop }: RunState) =>
    phase.at === 'waiting' && !stop ? undefined : `${phase.at}${stop ? '!' : ''}`;
  const ledger = new Ledger(
    [1, 2].map((number) => ({ number, state: begun(planned({ pipeline: `p${number}` })) })),
    {
      encode,
      save(lines) {
        events.push(
          `save ${lines.map(({ number, text, isIntent }) => `${number} ${text}${isIntent ? ' (intent)' : ''}`).join(', ')}`,
        );
        return disk.problem === undefined ? undefined : { cause: disk.problem, remedy: 'Free some.' };
      },
    },
    {
      changed: ({ number, state }) => void events.push(`tell ${number}${state.isUnsaved ? ' (unsaved)' : ''}`),
      note: (text) => void events.push(text),
      waiting: () => undefined,
    },
  );
  const [first = expect.fail(), second = expect.fail()] = ledger.runs;
  return { ledger, first, second, events, disk };
}

describe('the ledger', () => {
  it('saves a change before it notifies observers', () => {
    const { ledger, first, events } = ledgerOfTwo();
    expect(ledger.apply(first, triggering(0, 0))).toBeUndefined();
    expect(events).toEqual(['save 1 triggering (intent)', 'tell 1']);
  });

  it('saves only changes that concern the post step, and notifies observers only of changes', () => {
    const { ledger, first, events } = ledgerOfTwo();
    ledger.apply(first, resolved(PIPELINE));
    ledger.apply(first, (run) => run);
    expect(events).toEqual(['tell 1']);
  });

  it('does not save the first line of an existing run again', () => {
    const { ledger, first, events } = ledgerOfTwo(claimed(PIPELINE.id, 0));
    expect(ledger.firstLines()).toMatchObject([{ number: 1, text: 'in_progress' }, { number: 2 }]);
    ledger.apply(first, resolved(PIPELINE));
    expect(events).toEqual(['tell 1']);
  });

  it('retries a failed save with the next change of any run', () => {
    const { ledger, first, second, events, disk } = ledgerOfTwo();
    disk.problem = 'disk full';
    expect(ledger.apply(first, triggering(0, 0))).toEqual({ cause: 'disk full', remedy: 'Free some.' });
    expect(first.state.isUnsaved).toBe(true);
    disk.problem = undefined;
    ledger.apply(second, resolved(PIPELINE));
    expect(first.state.isUnsaved).toBe(false);
    expect(events).toEqual([
      'save 1 triggering (intent)',
      'The state of the runs could not be saved: disk full.',
      'tell 1 (unsaved)',
      'save 1 triggering (intent)',
      'tell 2',
    ]);
  });

  it('saves a stop of all runs in one call and aborts each run', () => {
    const { ledger, first, second, events } = ledgerOfTwo();
    ledger.stop(STOP);
    expect(events).toEqual(['save 1 waiting!, 2 waiting!', 'tell 1', 'tell 2']);
    expect([first.stopped.aborted, second.stopped.aborted]).toEqual([true, true]);
  });

  it('keeps the first stop', () => {
    const { ledger, first } = ledgerOfTwo();
    ledger.stop(STOP, [first]);
    ledger.stop({ ...STOP, why: 'timeout' });
    expect(first.state).toMatchObject(stopped(STOP)(planned({ pipeline: 'p1' })));
  });
});
