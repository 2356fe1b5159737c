import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bench, JOB } from '../../support/service.ts';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

/** Megabytes that the outcomes of 100 reads keep in memory. */
async function keptBy(script: (nth: number) => readonly Step[]): Promise<number> {
  const outcomes: unknown[] = [];
  const { service, clock } = bench({ call: (_sent, nth) => script(nth) });
  // What the first read brings into memory is not kept by its outcome.
  await clock.until(service.read(JOB));
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let nth = 0; nth < 100; nth += 1) outcomes.push(await clock.until(service.read(JOB)));
  collect();
  const kept = (process.memoryUsage().heapUsed - before) / 1_048_576;
  expect(outcomes).toHaveLength(100);
  return kept;
}

/** Another one each time. */
const long = (nth: number): string => `${nth} ${'long message '.repeat(15_000)}`;
const row = (fields: Readonly<Record<string, unknown>>): Step[] =>
  answers(200, [{ id: JOB, job_status: 'running', status_message: null, ...fields }]);

describe('an outcome', () => {
  it.each<[string, (nth: number) => readonly Step[]]>([
    ['a long message', (nth) => row({ status_message: long(nth) })],
    ['a long status', (nth) => row({ job_status: long(nth) })],
    ['a long error', (nth) => answers(400, { message: long(nth) })],
    ['a long page', (nth) => answers(502, `<html><title>A page with a title</title>${long(nth)}`)],
  ])('of %s does not keep the answer in memory', async (_what, script) => {
    // The answers are 19 MB.
    expect(await keptBy(script)).toBeLessThan(4);
  });
});
