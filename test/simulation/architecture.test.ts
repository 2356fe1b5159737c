// The diagrams in docs/architecture.md contain exactly the arrows that are seen when scenarios are played.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Ledger, type Run } from '../../src/run/ledger.ts';
import { existingRun } from '../support/steps.ts';
import { fakeWorld } from '../support/world.ts';
import { randomScenario } from './generate.ts';
import type { History, ProcessHistory } from './history.ts';
import { play } from './play.ts';
import { parseScenario } from './scenario.ts';

const SCENARIOS = 1_000;
/** A rare change: the id arrives after a cancellation with on-cancel: leave. */
const LEAVES = {
  inputs: { 'on-cancel': 'leave' },
  incidents: [{ on: 'main', what: 'cancel', at: { call: 'trigger', nth: 1, phase: 'connected', plusMs: 0 } }],
};
const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;

/** The changes of phase that ledgers made, such as `waiting --> triggering`. */
const changes = new Set<string>();

/** Lets all ledgers note what a method changes. */
function watchLedgers(): void {
  const { abandon, apply, applyToAll, stop } = Ledger.prototype;
  const noting = <T>(runs: readonly Run[], change: () => T): T => {
    const before = runs.map(({ state }) => state.phase.at);
    const result = change();
    for (const [index, { state }] of runs.entries())
      if (before[index] !== state.phase.at) changes.add(`${before[index]} --> ${state.phase.at}`);
    return result;
  };
  vi.spyOn(Ledger.prototype, 'apply').mockImplementation(function (this: Ledger, run, transition) {
    return noting([run], () => apply.call(this, run, transition));
  });
  vi.spyOn(Ledger.prototype, 'applyToAll').mockImplementation(function (this: Ledger, transition) {
    noting(this.runs, () => applyToAll.call(this, transition));
  });
  vi.spyOn(Ledger.prototype, 'abandon').mockImplementation(function (this: Ledger, run, why) {
    return noting([run], () => abandon.call(this, run, why));
  });
  vi.spyOn(Ledger.prototype, 'stop').mockImplementation(function (this: Ledger, reason, runs = this.runs) {
    noting(runs, () => stop.call(this, reason, runs));
  });
}

const seen: string[] = [];
beforeAll(async () => {
  watchLedgers();
  const histories: History[] = [];
  for (let seed = 1; seed <= SCENARIOS; seed += 1) histories.push(await play(randomScenario(seed)));
  histories.push(await play(parseScenario(JSON.stringify({ steps: [LEAVES] }))));
  const steps = histories.flatMap((history) => history.steps);
  const { id, service } = existingRun('endless');
  const cancel = fakeWorld({
    service,
    inputs: { 'job-id': id },
    faults: [{ call: 'cancel', times: 1, what: 'empty' }],
  });
  cancel.start('cancel');
  await cancel.ended();
  seen.push(
    ...arrowsFrom(
      'main',
      steps.map(({ main }) => main),
    ),
    ...arrowsFrom(
      'post',
      steps.map(({ post }) => post),
    ),
    ...arrowsFrom('cancel', [cancel.history]),
    ...steps.flatMap(arrowsBetween),
  );
});

afterAll(() => vi.restoreAllMocks());

it('the diagram of phases shows every change of phase', () => {
  expect([...changes].sort()).toEqual(arrowsOf('stateDiagram-v2'));
});

it('the diagram of processes shows every request, every written file, and what reaches another process', () => {
  expect([...new Set(seen)].sort()).toEqual(arrowsOf('flowchart LR'));
});

/** What the processes of an action send and write. */
function arrowsFrom(name: string, processes: readonly (ProcessHistory | undefined)[]): string[] {
  const sent = new Set(processes.flatMap((process) => process?.requests ?? []).map(({ call }) => call));
  const calls = CALLS.filter((call) => sent.has(call));
  const writes = processes.flatMap((process) => process?.writes ?? []).filter(({ failed }) => !failed);
  return [`${name} -->|${calls.join(', ')}| service`, ...writes.map((write) => `${name} --> ${fileOf(write)}`)];
}

function fileOf({ file, path }: { readonly file: string; readonly path: string }): string {
  if (file !== 'mark') return file;
  return path.endsWith('-post') ? 'clock' : 'mark';
}

/** What one process of a step learns from the other. */
function arrowsBetween({ isJournalKept, isStateKept, main, post }: History['steps'][number]): string[] {
  const isStopped = main?.stops.some(({ by }) => by === 'mark') === true;
  // Without the state that the runner keeps, only the journal can inform the post step about a run, and vice versa.
  const knows = post?.requests.some(({ call }) => call === 'cancel') === true;
  return [
    ...(isStopped ? ['mark --> main'] : []),
    ...(knows && isStateKept && !isJournalKept ? ['state --> post'] : []),
    ...(knows && isJournalKept && !isStateKept ? ['journal --> post'] : []),
  ];
}

/** The arrows of a Mermaid diagram. Dotted ones show what the workflow passes on, and arrows from `[*]` where a run begins. */
function arrowsOf(kind: string): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
  const [, diagram = ''] = page.split(`\`\`\`mermaid\n${kind}\n`);
  const [text = ''] = diagram.split('```');
  const arrows = text.match(/^ *\w+ -->.*$/gm) ?? [];
  return arrows.map((line) => line.trim().replace(/ : .*/, '')).sort();
}
