import { describe, expect, it } from 'vitest';
import { PROFILES, settleRun } from '../../../src/run/settle.ts';
import { Ledger, trackedRun } from '../../../src/run/state/ledger.ts';
import { MESSAGE_TOO_LONG } from '../../../src/service/statuses.ts';
import { aRun } from '../../support/action.ts';
import { interruptible } from '../../support/interruption.ts';
import { answers, type Sent, type Step } from '../../support/scripted-wire.ts';
import { type Bench, bench, JOB, PIPELINE } from '../../support/service.ts';
import { type PlayedStep, playStep } from '../../support/step.ts';

const ALL = 'select=id,job_status,status_message';
const SHORT = 'select=id,job_status';
const LONG = 'x'.repeat(300_000);

/** The row of a run whose message is too long, with the fields that the request asked for. */
function rowFor(sent: Sent, status = 'running'): Step[] {
  const row = { id: JOB, job_status: status };
  return answers(200, [sent.path.endsWith(ALL) ? { ...row, status_message: LONG } : row]);
}

const selects = ({ calls }: Bench): (string | undefined)[] =>
  calls().map(({ path, request }) => `${request.method} ${path.split('&').at(-1) ?? ''}`);

describe('a run whose status message is too long to read', () => {
  it('is an outage at the first read, and is read without its message from then on', async () => {
    const all = bench({ call: (sent) => rowFor(sent) });
    expect(await all.clock.until(all.service.read(JOB))).toMatchObject({ kind: 'maybe_processed' });
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await all.clock.until(all.service.read(JOB))).toEqual({
        kind: 'job',
        job: { id: JOB, status: 'running', statusMessage: MESSAGE_TOO_LONG },
      });
    }
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${SHORT}`, `GET ${SHORT}`]);
  });

  it('does not change how other runs are read', async () => {
    const all = bench({ call: (sent) => rowFor(sent) });
    await all.clock.until(all.service.read(JOB));
    await all.clock.until(all.service.read(PIPELINE));
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${ALL}`]);
  });

  it('is read again at once where the caller asks for it', async () => {
    const all = bench({ call: (sent) => rowFor(sent, 'completed') });
    const outcome = await all.clock.until(all.service.read(JOB, { repeatIfTooLarge: true }));
    expect(outcome).toMatchObject({ kind: 'job', job: { status: 'completed' } });
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${SHORT}`]);
  });

  it('is read again within the time of the caller', async () => {
    const slow: Step[] = [{ ms: 7_000, connected: true }, ...answers(200, [{ status_message: LONG }])];
    const all = bench({ call: (_sent, nth) => (nth === 1 ? slow : []) });
    const read = all.service.read(JOB, { repeatIfTooLarge: true, withinMs: () => 10_000 });
    expect(await all.clock.until(read)).toMatchObject({ kind: 'not_processed' });
    expect(all.clock.now()).toBe(10_000);
  });

  it('is cancelled without its message, and a read confirms the cancel', async () => {
    const all = bench({ call: (sent) => rowFor(sent, sent.request.method === 'PATCH' ? '' : 'cancelled') });
    expect(await all.clock.until(all.service.cancel(JOB))).toMatchObject({ kind: 'accepted' });
    expect(await all.clock.until(all.service.read(JOB))).toMatchObject({ job: { status: 'cancelled' } });
    await all.clock.until(all.service.cancel(JOB));
    expect(selects(all)).toEqual([`PATCH ${ALL}`, `GET ${SHORT}`, `PATCH ${SHORT}`]);
  });

  it('is settled at once although the cancel changes nothing', async () => {
    const all = bench({
      call: (sent) => (sent.request.method === 'PATCH' ? answers(200, []) : rowFor(sent, 'completed')),
    });
    const run = trackedRun(aRun());
    const parts = {
      ledger: new Ledger({ runs: [run], clock: all.clock, write: () => {}, observe: () => {} }),
      service: all.service,
      clock: all.clock,
      random: () => 0.5,
      interruption: interruptible().interruption,
      plan: { pollIntervalMs: 30_000 },
    };
    await all.clock.until(settleRun(run, parts, PROFILES.main));
    expect(run.phase).toEqual({ at: 'finished', status: 'completed' });
    expect(selects(all)).toEqual([`PATCH ${ALL}`, `GET ${ALL}`, `GET ${SHORT}`]);
  });
});

describe('a step whose run has a status message that is too long to read', () => {
  const withLong = (_nth: number, usual: string, sent: Sent): Step[] | undefined =>
    sent.path.endsWith(ALL) ? answers(200, usual.replace('null', `"${LONG}"`)) : undefined;
  const reported = ({ lines }: PlayedStep): string[] => lines.filter((line) => line.includes(MESSAGE_TOO_LONG));

  it('follows it to its end, and reports the message once in the log and as the output', async () => {
    const played = await playStep({
      statuses: ['queued', 'queued', 'running', 'completed'],
      scripts: { read: withLong },
    });
    expect(played.outputs).toMatchObject({ outcome: 'succeeded', 'status-message': MESSAGE_TOO_LONG });
    expect(reported(played)).toHaveLength(1);
    expect(played.files.read('/files/summary')).toContain('the status message is longer');
  });

  it('sees at the end of its timeout that the run has finished', async () => {
    const played = await playStep({
      inputs: { timeout: '15s' },
      statuses: ['running', 'completed'],
      scripts: { read: (nth, usual, sent) => (nth === 1 ? undefined : withLong(nth, usual, sent)) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'succeeded', 'job-status': 'completed' });
    expect(played.of('read').map(({ path }) => path.endsWith(ALL))).toEqual([true, true, false]);
  });

  it('confirms its cancel with a read that omits the message', async () => {
    const played = await playStep({
      inputs: { timeout: '5m' },
      interruptAtMs: 20_000,
      statuses: ['running'],
      cancelsAnyhow: true,
      scripts: { cancel: () => answers(200, [{ id: JOB, job_status: 'cancelled', status_message: LONG }]) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled' });
    expect(played.of('cancel')).toHaveLength(1);
    expect(played.of('read').at(-1)?.path).toMatch(/select=id,job_status$/);
  });
});

describe('a message that is not what makes an answer too large', () => {
  it.each([
    ['a web page', `<html>${LONG}`],
    ['blanks', ' '.repeat(300_000)],
  ])('is read again: %s', async (_what, body) => {
    const all = bench({ call: () => answers(200, body) });
    await all.clock.until(all.service.read(JOB, { repeatIfTooLarge: true }));
    await all.clock.until(all.service.read(JOB));
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${ALL}`]);
  });

  it('is not left out again when the row is too large without it', async () => {
    const all = bench({ call: () => answers(200, [{ id: LONG }]) });
    const outcome = await all.clock.until(all.service.read(JOB, { repeatIfTooLarge: true }));
    expect(outcome).toMatchObject({ kind: 'maybe_processed' });
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${SHORT}`]);
  });
});
