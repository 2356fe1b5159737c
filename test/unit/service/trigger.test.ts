// Tests when the id of a triggered run is known, and the callback of a trigger before each request.
import { describe, expect, it, vi } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, ORDER, tokenOf } from '../../support/service.ts';

const QUEUED = { kind: 'queued', jobId: JOB };
const HEAD: readonly Step[] = [{ connected: true }, { status: 200 }];

/** Triggers a run with this response, and records the time at which the outcome is known. */
async function trigger(script: readonly Step[]) {
  const made = bench({ call: () => script });
  const outcome = await made.clock.until(made.service.trigger(ORDER, { onSend: () => undefined }));
  return { ...made, outcome, atMs: made.clock.now() };
}

describe('the id of a triggered run', () => {
  it.each<[string, readonly Step[]]>([
    ['is whole', answers(200, JSON.stringify(JOB))],
    ['is in capitals', answers(200, JSON.stringify(JOB.toUpperCase()))],
    ['has white space around it', answers(200, ` "${JOB}"\n`)],
    ['follows a byte order mark', answers(200, `\uFEFF"${JOB}"`)],
    ['has an escaped character', answers(200, `"${JOB.replace('-', '\\u002d')}"`)],
    ['has the status 201', answers(201, `"${JOB}"`)],
    ['is cut off after its quotation mark', [...HEAD, { text: `"${JOB}"` }, { end: 'cut_off' }]],
    ['is reset after it', [...HEAD, { text: `"${JOB}"` }, { failed: { code: 'ECONNRESET', message: '' } }]],
    ['stalls after it', [...HEAD, { text: `"${JOB}"` }]],
  ])('is known if the response %s', async (_how, script) => {
    expect((await trigger(script)).outcome).toEqual(QUEUED);
  });

  it.each<[string, readonly Step[]]>([
    ['is cut off before its quotation mark', [...HEAD, { text: `"${JOB}` }, { end: 'cut_off' }]],
    ['stalls in the middle', [...HEAD, { text: `"${JOB.slice(0, 20)}` }]],
    ['is another string', answers(200, '"run-1"')],
    ['has no quotation marks', answers(200, JOB)],
    ['is an object', answers(200, { id: JOB })],
    ['is a list', answers(200, [JOB])],
    ['is a number', answers(200, '17')],
    ['is true', answers(200, 'true')],
    ['has text before it', answers(200, `x"${JOB}"`)],
    ['has text after it', answers(200, `"${JOB}" "${JOB}"`)],
    ['has the status 500', answers(500, `"${JOB}"`)],
    ['is null, but cut off', [...HEAD, { text: 'null' }, { end: 'cut_off' }]],
  ])('is unknown if the response %s', async (_how, script) => {
    expect((await trigger(script)).outcome).toMatchObject({ kind: 'maybe_processed' });
  });

  it('is unknown and not shown if it equals the token', async () => {
    const { service, clock } = bench({
      exchange: () => answers(200, bootstrap({ token: JOB })),
      call: () => answers(200, `"${JOB}"`),
    });
    const outcome = await clock.until(service.trigger(ORDER, { onSend: () => undefined }));
    expect(outcome).toMatchObject({ kind: 'maybe_processed' });
    expect(JSON.stringify(outcome)).not.toContain(JOB);
  });

  it('is absent if the account has no sync credits', async () => {
    expect((await trigger(answers(200, ' null\n'))).outcome).toEqual({ kind: 'no_credits' });
  });
});

describe('onSend', () => {
  it('is called immediately before each POST, but not before an exchange', async () => {
    const events: string[] = [];
    const { service, clock } = bench({
      exchange: (nth) => {
        events.push('exchange');
        return answers(200, bootstrap({ token: `token-${nth}` }));
      },
      call: (sent) => {
        events.push('POST');
        return tokenOf(sent) === 'token-1' ? answers(401, '') : answers(200, `"${JOB}"`);
      },
    });
    const onSend = (): void => void events.push('onSend');
    expect(await clock.until(service.trigger(ORDER, { onSend }))).toEqual(QUEUED);
    expect(events).toEqual(['exchange', 'onSend', 'POST', 'exchange', 'onSend', 'POST']);
  });

  it('prevents the POST if it throws, and the exception is passed on', async () => {
    const { service, clock, calls } = bench({});
    const onSend = (): void => {
      throw new Error('cannot write the state');
    };
    await expect(clock.until(service.trigger(ORDER, { onSend }))).rejects.toThrow('cannot write the state');
    expect(calls()).toEqual([]);
  });

  it('is not called without a token', async () => {
    const { service, clock } = bench({ exchange: () => answers(503, '') });
    const onSend = vi.fn();
    await clock.until(service.trigger(ORDER, { onSend }));
    expect(onSend).not.toHaveBeenCalled();
  });
});

describe('a trigger', () => {
  it('ends 100 ms after the last part of the id if the response does not end', async () => {
    const parts = [{ text: `"${JOB.slice(0, 9)}` }, { ms: 5_000, text: `${JOB.slice(9)}"` }, { ms: 60, text: '\n' }];
    const { outcome, atMs, sent, clock } = await trigger([...HEAD, ...parts]);
    expect(outcome).toEqual(QUEUED);
    expect([atMs, sent.at(-1)?.hungUpAtMs, clock.pending]).toEqual([5_100, 5_100, 0]);
  });

  it.each<[string, readonly Step[], number, string]>([
    ['15 s to connect', [], 15_000, 'not_processed'],
    ['2 min to get a response once connected', [{ connected: true, ms: 10_000 }], 130_000, 'maybe_processed'],
    ['2 min for the id', [...HEAD, { text: '"run' }, { text: ' '.repeat(2_000) }], 120_000, 'maybe_processed'],
    [
      'the same 2 min for a slow body',
      [...HEAD, { ms: 119_999, text: `"${JOB}"` }, { end: 'complete' }],
      119_999,
      'queued',
    ],
  ])('has %s', async (_what, script, endsAtMs, kind) => {
    const { outcome, atMs } = await trigger(script);
    expect(outcome).toMatchObject({ kind });
    expect(atMs).toBe(endsAtMs);
  });
});
