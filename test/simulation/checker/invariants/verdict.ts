import { recordsOf } from '../../model/runner-state.ts';
import type { History, RunHistory } from '../history.ts';
import { outcomesOf } from '../outcomes.ts';
import { stalledMs } from '../stalls.ts';
import { statusesOf } from '../statuses.ts';
import { TOLERANCE_MS } from '../tolerance.ts';
import { annotations } from './verdict-annotations.ts';
import { partial } from './verdict-outputs.ts';

/** The exit code, the outcome and the outputs are true. */
export function verdict(history: History): string[] {
  return [
    ...(history.exited ? outcomes(history) : []),
    ...(history.runs.length === 1 ? history.runs.flatMap((run) => partial(history, run)) : []),
    ...inTime(history),
  ];
}

/** One entry of the output `results`. */
type Entry = Readonly<Record<string, string>>;

function outcomes(history: History): string[] {
  const { facts, policy } = history;
  const code = facts.main.end?.code;
  const failedOutputs = facts.writes.some(({ path, failed }) => path === facts.paths.output && failed);
  const { records: outputs, torn } = recordsOf(facts.files.get(facts.paths.output) ?? '');
  const whole = outputs.get('outcome') ?? '';
  if (failedOutputs) {
    // A file that the runner cannot read fails the step by itself.
    return code === 0 && whole === '' && !torn ? ['exit code 0 although the outputs could not be written'] : [];
  }
  const entries = entriesOf(outputs.get('results') ?? '');
  const isRefused = entries.length === 0 && whole === 'not_triggered' && facts.requests.length === 0;
  if (isRefused) return code === 0 ? ['exit code 0 although nothing was done'] : [];
  if (entries.length !== history.runs.length) return [`the output results has ${entries.length} entries`];
  const got = entries.map((entry) => entry['outcome'] ?? '');
  const good = policy.wait ? ['succeeded'] : ['succeeded', 'triggered'];
  const isGood = got.every((one) => good.includes(one)) && history.interrupted === undefined;
  const worst = WORST_FIRST.find((one) => got.includes(one)) ?? '';
  return [
    ...history.runs.flatMap((run, index) => outcome(history, run, entries[index] ?? {})),
    ...((code === 0) === isGood || isLetGoUnseen(history)
      ? []
      : [`exit code ${String(code)} with outcome ${got.join(', ')}`]),
    ...(whole === worst ? [] : [`the outcome of all is ${whole}, where it should be ${worst}`]),
    ...((outputs.get('message') ?? '') === '' ? ['no message'] : []),
    ...annotations(history, got),
  ];
}

/** That nobody waits for a run may be what the disk did not take; then the step must fail, since post may cancel it. */
function isLetGoUnseen({ facts, policy }: History): boolean {
  return !policy.wait && facts.main.end?.code === 1 && facts.writes.some(({ failed }) => failed);
}

const WORST_FIRST = [
  'unknown',
  'lost',
  'wait_timed_out',
  'cancelled',
  'not_triggered',
  'failed',
  'triggered',
  'succeeded',
];

function entriesOf(json: string): readonly Entry[] {
  try {
    return JSON.parse(json) as readonly Entry[];
  } catch {
    return [];
  }
}

function outcome(history: History, run: RunHistory, entry: Entry): string[] {
  const got = entry['outcome'] ?? '';
  const may = outcomesOf(history, run);
  const id = run.knowledge.is === 'known' ? run.knowledge.id : '';
  const status = entry['job-status'] ?? '';
  const statuses = statusesOf(history, run, Infinity);
  return [
    ...(may.has(got) ? [] : [`outcome ${got}, where it should be ${[...may].join(' or ')}`]),
    ...(entry['job-id'] === id ? [] : [`the job-id of ${run.pipeline.name} is ${entry['job-id'] ?? ''}, not ${id}`]),
    ...(statuses.has(status) ? [] : [`the job-status is ${status}, where it should be ${[...statuses].join(' or ')}`]),
  ];
}

/** Outputs are complete 6.5 s after the first signal, whatever hangs by then. */
function inTime({ facts, interrupted }: History): string[] {
  if (interrupted === undefined) return [];
  const { end } = facts.main;
  const dueMs = interrupted.atMs + 6_500 + TOLERANCE_MS;
  const endedMs = end?.atMs ?? Infinity;
  if (endedMs <= dueMs + stalledMs(facts, 'main', interrupted.atMs, endedMs)) return [];
  const said = facts.writes.find(({ path, text }) => path === facts.paths.output && /^outcome=/m.test(text));
  const failed = facts.writes.some(({ path, failed }) => path === facts.paths.output && failed);
  if (failed || facts.crashed.some(({ kind }) => kind === 'beside_frozen')) return [];
  return said === undefined ? ['no outcome within 6.5 s of the interruption'] : [];
}
