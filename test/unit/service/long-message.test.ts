// Tests responses with a status message that is too long to read, and the memory that long responses use.
import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MESSAGE_TOO_LONG } from '../../../src/service/statuses.ts';
import { answers, type Sent, type Step } from '../../support/scripted-wire.ts';
import { answersRow, type Bench, bench, bootstrap, JOB, PIPELINE } from '../../support/service.ts';
import { playStep } from '../../support/step.ts';

const ALL = 'select=id,job_status,status_message';
const SHORT = 'select=id,job_status';
const LONG = 'x'.repeat(300_000);

/** Returns the row of a run with an overlong message, reduced to the requested fields. */
function rowFor(sent: Sent, status = 'running'): Step[] {
  const row = { id: JOB, job_status: status };
  return answers(200, [sent.path.endsWith(ALL) ? { ...row, status_message: LONG } : row]);
}

const selects = ({ calls }: Bench): string[] =>
  calls().map(({ path, request }) => `${request.method} ${path.split('&').at(-1) ?? ''}`);

describe('a read of a message that is too long', () => {
  it('fails, and later reads omit the message for this run but not for other runs', async () => {
    const all = bench({ call: (sent) => rowFor(sent) });
    expect(await all.clock.until(all.service.read(JOB))).toMatchObject({ kind: 'maybe_processed' });
    const job = { id: JOB, status: 'running', statusMessage: MESSAGE_TOO_LONG };
    expect(await all.clock.until(all.service.read(JOB))).toEqual({ kind: 'job', job });
    expect(await all.clock.until(all.service.read(JOB))).toEqual({ kind: 'job', job });
    await all.clock.until(all.service.read(PIPELINE));
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${SHORT}`, `GET ${SHORT}`, `GET ${ALL}`]);
  });

  it('is repeated immediately without the message if the caller requests a repetition', async () => {
    const all = bench({ call: (sent) => rowFor(sent, 'completed') });
    const outcome = await all.clock.until(all.service.read(JOB, { repeatIfTooLarge: true }));
    expect(outcome).toMatchObject({ kind: 'job', job: { status: 'completed' } });
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${SHORT}`]);
  });

  it('has the same deadline as its repetition', async () => {
    const slow: Step[] = [{ ms: 7_000, connected: true }, ...answers(200, [{ status_message: LONG }])];
    const all = bench({ call: (_sent, nth) => (nth === 1 ? slow : []) });
    const read = all.service.read(JOB, { repeatIfTooLarge: true, withinMs: () => 10_000 });
    expect(await all.clock.until(read)).toMatchObject({ kind: 'not_processed' });
    expect(all.clock.now()).toBe(10_000);
  });

  it('is not repeated if its deadline has passed', async () => {
    const late = (ms: number, body: unknown): Step[] => [{ ms, connected: true }, ...answers(200, body)];
    const all = bench({
      exchange: () => late(3_000, bootstrap()),
      call: () => late(7_000, [{ status_message: LONG }]),
    });
    const read = all.service.read(JOB, { repeatIfTooLarge: true, withinMs: () => 10_000 });
    expect(await all.clock.until(read)).toMatchObject({ kind: 'maybe_processed' });
    expect(selects(all)).toEqual([`GET ${ALL}`]);
  });

  it('is repeated only once, and later reads never, if the row is too large even without the message', async () => {
    const all = bench({ call: () => answers(200, ` [ {"id": "${LONG}"}]`) });
    for (const expected of [
      [`GET ${ALL}`, `GET ${SHORT}`],
      [`GET ${ALL}`, `GET ${SHORT}`, `GET ${SHORT}`],
    ]) {
      const outcome = await all.clock.until(all.service.read(JOB, { repeatIfTooLarge: true }));
      expect(outcome).toMatchObject({ kind: 'maybe_processed' });
      expect(selects(all)).toEqual(expected);
    }
  });

  it.each([
    ['a web page', answers(200, `<html>${LONG}`)],
    ['white space', answers(200, ' '.repeat(300_000))],
    ['an object', answers(200, {})],
    ['cut off', [{ status: 200 }, { text: '[{"id":' }, { end: 'cut_off' }] satisfies Step[]],
  ])('leads to no request without the message if the response is %s', async (_what, script) => {
    const all = bench({ call: () => script });
    await all.clock.until(all.service.read(JOB, { repeatIfTooLarge: true }));
    await all.clock.until(all.service.read(JOB));
    expect(selects(all)).toEqual([`GET ${ALL}`, `GET ${ALL}`]);
  });
});

it('a cancel whose row has a message that is too long is accepted, and later calls omit the message', async () => {
  const all = bench({ call: (sent) => rowFor(sent, sent.request.method === 'PATCH' ? '' : 'cancelled') });
  expect(await all.clock.until(all.service.cancel(JOB))).toMatchObject({ kind: 'accepted' });
  expect(await all.clock.until(all.service.read(JOB))).toMatchObject({ job: { status: 'cancelled' } });
  await all.clock.until(all.service.cancel(JOB));
  expect(selects(all)).toEqual([`PATCH ${ALL}`, `GET ${SHORT}`, `PATCH ${SHORT}`]);
});

describe('a step whose run has a message that is too long', () => {
  const withLong = (_nth: number, usual: string, sent: Sent): Step[] | undefined =>
    sent.path.endsWith(ALL) ? answers(200, usual.replace('null', `"${LONG}"`)) : undefined;

  it('awaits the final status, and shows a placeholder in the output, in the summary and once in the log', async () => {
    const { outputs, lines, files } = await playStep({
      statuses: ['queued', 'queued', 'running', 'completed'],
      scripts: { read: withLong },
    });
    expect(outputs).toMatchObject({ outcome: 'succeeded', 'status-message': MESSAGE_TOO_LONG });
    expect(lines.filter((line) => line.includes(MESSAGE_TOO_LONG))).toHaveLength(1);
    expect(files.read('/files/summary')).toContain('status message is longer');
  });

  it('reads the final status without the message before the step times out', async () => {
    const played = await playStep({
      inputs: { timeout: '15s' },
      statuses: ['running', 'completed'],
      scripts: { read: (nth, usual, sent) => (nth === 1 ? undefined : withLong(nth, usual, sent)) },
    });
    expect(played.outputs).toMatchObject({ outcome: 'succeeded', 'job-status': 'completed' });
    expect(played.of('read').map(({ path }) => path.endsWith(ALL))).toEqual([true, true, false]);
  });

  it.each([
    ['changed the row', 'cancelled', [{ id: JOB, job_status: 'cancelled', status_message: LONG }]],
    ['had no effect because the run had finished', 'completed', []],
  ])('confirms a cancel with one read that omits the message if the cancel %s', async (_what, status, rows) => {
    const played = await playStep({
      interruptAtMs: 20_000,
      statuses: ['running'],
      scripts: {
        cancel: () => answers(200, rows),
        read: (nth, usual, sent) =>
          sent.atMs < 20_000
            ? undefined
            : (withLong(nth, usual, sent) ?? answers(200, usual.replace('running', status))),
      },
    });
    expect(played.outputs['job-status']).toBe(status);
    expect(played.endedAtMs).toBe(20_000);
    expect(played.of('cancel')).toHaveLength(1);
    expect(played.of('read').at(-1)?.path).toMatch(/select=id,job_status$/);
  });
});

describe('an outcome', () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  const longText = (nth: number): string => `${nth} ${'long message '.repeat(15_000)}`;

  it.each<[string, (nth: number) => readonly Step[]]>([
    ['message', (nth) => answersRow({ status_message: longText(nth) })],
    ['status', (nth) => answersRow({ job_status: longText(nth) })],
    ['error', (nth) => answers(400, { message: longText(nth) })],
    ['web page', (nth) => answers(502, `<html><title>A page with a title</title>${longText(nth)}`)],
  ])('does not keep a response with a long %s in memory', async (_what, script) => {
    const { service, clock } = bench({ call: (_sent, nth) => script(nth) });
    // The first read loads code that remains in memory.
    await clock.until(service.read(JOB));
    collect();
    const before = process.memoryUsage().heapUsed;
    const outcomes: unknown[] = [];
    for (let nth = 0; nth < 100; nth += 1) outcomes.push(await clock.until(service.read(JOB)));
    collect();
    const keptMb = (process.memoryUsage().heapUsed - before) / 1_048_576;
    // The responses have a total size of 19 MB.
    expect(keptMb).toBeLessThan(4);
    expect(outcomes).toHaveLength(100);
  });
});
