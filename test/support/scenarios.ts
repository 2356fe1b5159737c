// Tests as tables, whose rows state what happens to a step and which results are visible afterwards.
import { expect, it } from 'vitest';
import { type PlayedStep, playStep, STEP_FILES, type StepOptions } from './step.ts';

/** Visible results, in the form that toMatchObject compares. */
type Seen = { readonly [Field in keyof PlayedStep]?: unknown };
/** In `seen`, a plain text stands for the outcomes. */
type Row = readonly [options: StepOptions, seen: Seen | string];

/** A row with its name, for tables that are derived from other lists. */
export type Scenario = readonly [name: string, ...Row];

export function rows(scenarioList: readonly Scenario[]): Readonly<Record<string, Row>> {
  return Object.fromEntries(scenarioList.map(([name, ...row]) => [name, row]));
}

/** Any text that contains this one or matches this pattern. */
export const saying = (text: string): unknown => expect.stringContaining(text);
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

/** One test for each row. `common`: options that all rows share. */
export function scenarios(table: Readonly<Record<string, Row>>, common: StepOptions = {}): void {
  it.each(Object.entries(table))('%s', async (_name, [options, seen]) => {
    const inputs = { ...common.inputs, ...options.inputs };
    const service = { ...common.service, ...options.service };
    expect(await playStep({ ...common, ...options, inputs, service })).toMatchObject(
      typeof seen === 'string' ? { outcomes: seen } : seen,
    );
  });
}

/** A disk that refuses every matching record, from and until these instants in milliseconds. */
export function fullDisk(fullFor = /^/, fullAtMs?: number, fullUntilMs?: number): StepOptions {
  return {
    env: { RUNNER_TEMP: '' },
    full: [STEP_FILES.state],
    fullFor,
    ...(fullAtMs !== undefined && { fullAtMs }),
    ...(fullUntilMs !== undefined && { fullUntilMs }),
  };
}
