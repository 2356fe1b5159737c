// Runs tests from tables. Each row contains the options of a step and the results that must be visible afterwards.
import { expect, it } from 'vitest';
import type { ReadOutcome, Service } from '../../src/service/api.ts';
import { type PlayedStep, playStep, STEP_FILES, type Stage, type StepOptions } from './step.ts';

/** Visible results, in the form that toMatchObject compares. */
type Seen = { readonly [Field in keyof PlayedStep]?: unknown };
/** In `seen`, a plain string stands for the outcomes. */
type Row = readonly [options: StepOptions, seen: Seen | string];

/** A row with its name. */
export type Scenario = readonly [name: string, ...Row];

/** Returns a row for each item of a list. */
export function each<const Item>(
  items: readonly Item[],
  scenario: (item: Item) => Scenario,
): Readonly<Record<string, Row>> {
  const table = Object.fromEntries(items.map(scenario).map(([name, ...row]) => [name, row]));
  if (Object.keys(table).length < items.length) throw new Error('Two scenarios have the same name.');
  return table;
}

/** Match any text that contains these strings in this order or matches this pattern. */
export const saying = (...texts: readonly string[]): unknown =>
  matching(new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')));
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

/** Runs one test for each row. All rows share the options in `common`. */
export function scenarios(table: Readonly<Record<string, Row>>, common: StepOptions = {}): void {
  it.each(Object.entries(table))('%s', async (_name, [options, seen]) => {
    const inputs = { ...common.inputs, ...options.inputs };
    const service = { ...common.service, ...options.service };
    const played = await playStep({ ...common, ...options, inputs, service });
    const printed = [...played.lines, ...played.annotations.map(({ message }) => message)].join('\n');
    expect(played, printed).toMatchObject(typeof seen === 'string' ? { outcomes: seen } : seen);
  });
}

/** Interrupts the step when the response to a read arrives, from an instant on. `instead` replaces each response. */
export const signalAtRead =
  (instead?: ReadOutcome, fromMs = 0) =>
  (service: Service, { clock, interrupt }: Stage): Service => ({
    ...service,
    async read(jobId, options) {
      const outcome = await service.read(jobId, options);
      if (clock.now() >= fromMs) interrupt();
      return instead ?? outcome;
    },
  });

/** A disk that rejects every matching record between two instants, in milliseconds, and a runner without a journal. */
export function fullDisk(fullFor = /^/, fullAtMs?: number, fullUntilMs?: number): StepOptions {
  return { env: { RUNNER_TEMP: '' }, full: [STEP_FILES.state], fullFor, fullAtMs, fullUntilMs };
}
