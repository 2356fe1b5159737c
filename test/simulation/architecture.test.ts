// The diagrams in docs/architecture.md contain exactly the arrows that are seen when scenarios are played.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import type { RunState } from '../../src/run/state.ts';
import { existingRun } from '../support/steps.ts';
import { fakeWorld } from '../support/world.ts';
import { randomScenario } from './generate.ts';
import type { History, ProcessHistory } from './history.ts';
import { play } from './play.ts';

const SCENARIOS = 1_000;
const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;

/** The changes of phase that the transitions in `src/run/state.ts` made, such as `waiting --> triggering`. */
const changes = vi.hoisted(() => new Set<string>());

vi.mock('../../src/run/state.ts', async (importOriginal) => {
  type Work = (...parts: readonly unknown[]) => unknown;
  const isState = (value: unknown): value is RunState =>
    typeof value === 'object' && value !== null && 'phase' in value;
  const isWork = (value: unknown): value is Work => typeof value === 'function';
  const noted =
    (work: Work): Work =>
    (...parts) => {
      const result = work(...parts);
      if (isWork(result)) return noted(result);
      const [before] = parts;
      const isTransition = isState(before) && isState(result) && !before.earlier.includes(result);
      if (isTransition && before.phase.at !== result.phase.at) changes.add(`${before.phase.at} --> ${result.phase.at}`);
      return result;
    };
  const real = await importOriginal<Record<string, unknown>>();
  return Object.fromEntries(Object.entries(real).map(([name, value]) => [name, isWork(value) ? noted(value) : value]));
});

const seen: string[] = [];
beforeAll(async () => {
  const histories: History[] = [];
  for (let seed = 1; seed <= SCENARIOS; seed += 1) histories.push(await play(randomScenario(seed)));
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
  return path.endsWith('.stop') ? 'mark' : 'journal';
}

/** What one process of a step learns from the other. */
function arrowsBetween({ isJournalKept, isStateKept, main, post }: History['steps'][number]): string[] {
  const isStopped = main?.stops.some(({ by }) => by === 'mark') === true;
  // Without the state that the runner keeps, only the journal can tell the post step about a run, and the other way round.
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
