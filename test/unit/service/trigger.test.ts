// Tests which responses to a trigger make the id of the run known, and the callback before each request.
import { describe, expect, it, vi } from 'vitest';
import type { TriggerOutcome } from '../../../src/service/api.ts';
import { meeting } from '../../support/meeting.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, bootstrap, JOB, ORDER, tokenOf } from '../../support/service.ts';

const QUEUED = { kind: 'queued', jobId: JOB };

function trigger(script: readonly Step[]): Promise<TriggerOutcome> {
  const { service, clock } = bench({ call: () => script });
  return clock.until(service.trigger(ORDER, { onSend: () => undefined }));
}

describe('the id of a triggered run', () => {
  it.each<[string, readonly Step[]]>([
    ['is complete', answers(200, JSON.stringify(JOB))],
    ['has white space around the id', answers(200, ` "${JOB}"\n`)],
    ['starts with a byte order mark', answers(200, `\uFEFF"${JOB}"`)],
    ['escapes a character', answers(200, `"${JOB.replace('-', '\\u002d')}"`)],
  ])('is known if the response %s', async (_how, script) => {
    expect(await trigger(script)).toEqual(QUEUED);
  });

  it.each<[string, readonly Step[]]>([
    ['is cut off before the last quotation mark', [{ status: 200 }, { text: `"${JOB}` }, { end: 'cut_off' }]],
    ['is a string other than a UUID', answers(200, '"run-1"')],
    ['has no quotation marks', answers(200, JOB)],
    ['has the status 500', answers(500, `"${JOB}"`)],
    ['contains null but is cut off', [{ status: 200 }, { text: 'null' }, { end: 'cut_off' }]],
  ])('is unknown if the response %s', async (_how, script) => {
    expect(await trigger(script)).toMatchObject({ kind: 'maybe_processed' });
  });

  it('is unknown, and does not appear in the outcome, if it equals the token', async () => {
    const { service, clock } = bench({
      exchange: () => answers(200, bootstrap({ token: JOB })),
      call: () => answers(200, `"${JOB}"`),
    });
    const outcome = await clock.until(service.trigger(ORDER, { onSend: () => undefined }));
    expect(outcome).toMatchObject({ kind: 'maybe_processed' });
    expect(JSON.stringify(outcome)).not.toContain(JOB);
  });

  it('is absent if the account has no sync credits', async () => {
    expect(await trigger(answers(200, ' null\n'))).toEqual({ kind: 'no_credits' });
  });
});

describe('onSend', () => {
  it('is called immediately before each trigger request, but not before an exchange', async () => {
    const events: string[] = [];
    const { service, clock } = bench({
      exchange: (nth) => {
        events.push('exchange');
        return answers(200, bootstrap({ token: `token-${nth}` }));
      },
      call: (sent) => {
        events.push('POST');
        return tokenOf(sent) === 'token-1' ? meeting('denied', 'trigger')('') : answers(200, `"${JOB}"`);
      },
    });
    const onSend = (): void => void events.push('onSend');
    expect(await clock.until(service.trigger(ORDER, { onSend }))).toEqual(QUEUED);
    expect(events).toEqual(['exchange', 'onSend', 'POST', 'exchange', 'onSend', 'POST']);
  });

  it('prevents the request if it throws, and the trigger rejects with the same error', async () => {
    const { service, clock, calls } = bench({});
    const onSend = (): void => {
      throw new Error('cannot write the state');
    };
    await expect(clock.until(service.trigger(ORDER, { onSend }))).rejects.toThrow('cannot write the state');
    expect(calls()).toEqual([]);
  });

  it('is not called if the exchange fails', async () => {
    const { service, clock } = bench({ exchange: () => meeting('http_503', 'exchange')('') });
    const onSend = vi.fn();
    await clock.until(service.trigger(ORDER, { onSend }));
    expect(onSend).not.toHaveBeenCalled();
  });
});
