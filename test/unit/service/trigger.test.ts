import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, ORDER, tokenOf } from '../../support/service.ts';

const QUEUED = { kind: 'queued', jobId: JOB };
const head: readonly Step[] = [{ connected: true }, { status: 200 }];

function outcomeOf(script: readonly Step[]) {
  const { service, clock } = bench({ call: () => script });
  return clock.until(service.trigger(ORDER, { onSend: () => {} }));
}

describe('the id of a triggered run', () => {
  it.each<[string, readonly Step[]]>([
    ['whole', answers(200, JSON.stringify(JOB))],
    ['in capitals', answers(200, JSON.stringify(JOB.toUpperCase()))],
    ['with white space', answers(200, ` "${JOB}"\n`)],
    ['after a byte order mark', answers(200, `\uFEFF"${JOB}"`)],
    ['with a character escaped', answers(200, `"${JOB.replace('-', '\\u002d')}"`)],
    ['201', answers(201, `"${JOB}"`)],
    ['cut off after the closing quotation mark', [...head, { text: `"${JOB}"` }, { end: 'cut_off' }]],
    ['reset after it', [...head, { text: `"${JOB}"` }, { failed: { code: 'ECONNRESET', message: '' } }]],
    ['stalled after it', [...head, { text: `"${JOB}"` }]],
  ])('is known when the answer is %s', async (_how, script) => {
    expect(await outcomeOf(script)).toEqual(QUEUED);
  });

  it.each<[string, readonly Step[]]>([
    ['cut off before the closing quotation mark', [...head, { text: `"${JOB}` }, { end: 'cut_off' }]],
    ['stalled in the middle', [...head, { text: `"${JOB.slice(0, 20)}` }]],
    ['no UUID', answers(200, '"run-1"')],
    ['not quoted', answers(200, JOB)],
    ['in an object', answers(200, { id: JOB })],
    ['in a list', answers(200, [JOB])],
    ['a number', answers(200, '17')],
    ['true', answers(200, 'true')],
    ['with something before it', answers(200, `x"${JOB}"`)],
    ['with something behind it', answers(200, `"${JOB}" "${JOB}"`)],
    ['of a failure', answers(500, `"${JOB}"`)],
    ['null, cut off', [...head, { text: 'null' }, { end: 'cut_off' }]],
  ])('is not known when it is %s', async (_how, script) => {
    expect(await outcomeOf(script)).toMatchObject({ kind: 'maybe_processed' });
  });

  it('is not a token that has the form of an id', async () => {
    const { service, clock } = bench({
      exchange: () => answers(200, bootstrap({ token: JOB })),
      call: () => answers(200, `"${JOB}"`),
    });
    const outcome = await clock.until(service.trigger(ORDER, { onSend: () => {} }));
    expect(outcome).toMatchObject({ kind: 'maybe_processed' });
    expect(JSON.stringify(outcome)).not.toContain(JOB);
  });

  it('does not exist when the account is out of credits', async () => {
    expect(await outcomeOf(answers(200, ' null\n'))).toEqual({ kind: 'no_credits' });
  });
});

describe('onSend', () => {
  it('is called right before each request, and before no exchange', async () => {
    const events: string[] = [];
    const { service, clock } = bench({
      exchange: () => {
        events.push('exchange');
        return answers(200, {
          token: `token-${events.length}`,
          backend_url: 'https://api.example.test',
          backend_anon_key: 'anon',
        });
      },
      call: (sent) => {
        events.push('request');
        return tokenOf(sent) === 'token-1' ? answers(401, '') : answers(200, `"${JOB}"`);
      },
    });
    const onSend = (): void => {
      events.push('onSend');
    };
    expect(await clock.until(service.trigger(ORDER, { onSend }))).toEqual(QUEUED);
    expect(events).toEqual(['exchange', 'onSend', 'request', 'exchange', 'onSend', 'request']);
  });

  it('keeps the request from leaving by throwing, and its error reaches the caller', async () => {
    const { service, clock, calls } = bench({});
    const onSend = (): void => {
      throw new Error('cannot write the state');
    };
    await expect(clock.until(service.trigger(ORDER, { onSend }))).rejects.toThrow('cannot write the state');
    expect(calls()).toEqual([]);
  });

  it('is not called without a token', async () => {
    const { service, clock } = bench({ exchange: () => answers(503, '') });
    let called = false;
    const onSend = (): void => {
      called = true;
    };
    await clock.until(service.trigger(ORDER, { onSend }));
    expect(called).toBe(false);
  });
});

describe('the time of a trigger', () => {
  it('is over soon after the id has come, in however many parts, when no end follows', async () => {
    const { service, clock, sent } = bench({
      call: () => [
        ...head,
        { text: `"${JOB.slice(0, 9)}` },
        { ms: 5_000, text: `${JOB.slice(9)}"` },
        { ms: 60, text: '\n' },
      ],
    });
    expect(await clock.until(service.trigger(ORDER, { onSend: () => {} }))).toEqual(QUEUED);
    expect(clock.now()).toBe(5_100);
    expect(sent.at(-1)?.hungUpAtMs).toBe(5_100);
    expect(clock.pending).toBe(0);
  });

  it('goes on while what has come is no id, however much it is', async () => {
    const { service, clock } = bench({ call: () => [...head, { text: '"run' }, { text: ' '.repeat(2_000) }] });
    expect(await clock.until(service.trigger(ORDER, { onSend: () => {} }))).toMatchObject({ kind: 'maybe_processed' });
    expect(clock.now()).toBe(120_000);
  });

  it('is 15 s to connect', async () => {
    const { service, clock } = bench({ call: () => [] });
    expect(await clock.until(service.trigger(ORDER, { onSend: () => {} }))).toMatchObject({
      kind: 'not_processed',
      problem: { cause: 'no connection to api.example.test within 15s' },
    });
    expect(clock.now()).toBe(15_000);
  });

  it('is two minutes to answer', async () => {
    const { service, clock } = bench({
      call: () => [{ connected: true, ms: 10_000 }, ...answers(200, `"${JOB}"`).map((s) => ({ ...s, ms: 39_000 }))],
    });
    expect(await clock.until(service.trigger(ORDER, { onSend: () => {} }))).toEqual(QUEUED);
    const stalled = bench({ call: () => [{ connected: true, ms: 10_000 }] });
    expect(await stalled.clock.until(stalled.service.trigger(ORDER, { onSend: () => {} }))).toMatchObject({
      kind: 'maybe_processed',
      problem: { cause: 'no response from api.example.test within 2m' },
    });
    expect(stalled.clock.now()).toBe(130_000);
  });
});
