import { describe, expect, it } from 'vitest';
import { type Answered, createTransport, type Limits } from '../../../../src/service/http/transport.ts';
import { type Step, scriptedWire } from '../../../support/scripted-wire.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const REQUEST = { method: 'GET', url: new URL('https://api.example.test/'), headers: {} } as const;

/** Makes one attempt that is content with a text that ends with a full stop; tells what it was asked about. */
async function attempt(script: readonly Step[]) {
  const clock = new VirtualClock();
  const asked: Answered[] = [];
  const limits: Limits = {
    deadline: { allMs: 30_000 },
    maxBytes: 10_000,
    isEnough(soFar) {
      asked.push(soFar);
      return soFar.text.endsWith('.');
    },
  };
  const { connection } = scriptedWire(clock, () => script);
  const answer = await clock.until(createTransport({ connection, clock })(REQUEST, limits));
  return { answer, asked, atMs: clock.now(), pending: clock.pending };
}

describe('an answer of which a part is enough', () => {
  const head: readonly Step[] = [{ connected: true }, { status: 200, headers: { date: 'now' } }];

  it('is looked at with each part, as if that were all', async () => {
    const { asked } = await attempt([...head, { text: 'one' }, { text: ' two.' }]);
    const soFar = { kind: 'answered', status: 200, headers: { date: 'now' }, body: 'complete' };
    expect(asked).toEqual([
      { ...soFar, text: 'one' },
      { ...soFar, text: 'one two.' },
    ]);
  });

  it('has 100 ms for its end from there on, and is not looked at again', async () => {
    const { answer, asked, atMs, pending } = await attempt([...head, { text: 'a.' }, { ms: 60, text: ' ' }]);
    expect(answer).toMatchObject({ text: 'a. ', body: 'stalled' });
    expect({ times: asked.length, atMs, pending }).toEqual({ times: 1, atMs: 100, pending: 0 });
  });

  it('is whole if its end comes in that time', async () => {
    const { answer, atMs } = await attempt([...head, { text: 'a.' }, { ms: 99, end: 'complete' }]);
    expect(answer).toMatchObject({ text: 'a.', body: 'complete' });
    expect(atMs).toBe(99);
  });

  it.each([
    [1_024, 100],
    [1_025, 30_000],
  ])('is short: of %i bytes, it is waited for during %i ms', async (length, waitedMs) => {
    const { atMs } = await attempt([...head, { text: `${'a'.repeat(length - 1)}.` }]);
    expect(atMs).toBe(waitedMs);
  });

  it('has a head', async () => {
    const { answer, asked } = await attempt([{ connected: true }, { text: 'a.' }, { end: 'complete' }]);
    expect(answer).toEqual({ kind: 'unanswered', connected: true });
    expect(asked).toEqual([]);
  });
});
