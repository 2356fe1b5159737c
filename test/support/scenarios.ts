// Tests as tables: a row says what happens to a step, and what can be observed afterwards.
import { expect, it } from 'vitest';
import { type PlayedStep, playStep, STEP_FILES, type StepOptions } from './step.ts';

export type Scenario = readonly [
  name: string,
  options: StepOptions,
  /** Compared by toMatchObject. */
  seen: { readonly [Field in keyof PlayedStep]?: unknown },
];

/** One test for each row. `common`: options that all rows share. */
export function scenarios(rows: readonly Scenario[], common: StepOptions = {}): void {
  it.each(rows)('%s', async (_name, options, seen) => {
    const inputs = { ...common.inputs, ...options.inputs };
    const service = { ...common.service, ...options.service };
    expect(await playStep({ ...common, ...options, inputs, service })).toMatchObject(seen);
  });
}

/** A disk on which no record can be written that matches, from and until these instants in milliseconds. */
export function fullDisk(fullFor = /^/, fullAtMs?: number, fullUntilMs?: number): StepOptions {
  return {
    env: { RUNNER_TEMP: '' },
    full: [STEP_FILES.state],
    fullFor,
    ...(fullAtMs !== undefined && { fullAtMs }),
    ...(fullUntilMs !== undefined && { fullUntilMs }),
  };
}
