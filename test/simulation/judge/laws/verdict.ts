import { recordsOf } from '../../life/runner-state.ts';
import { GRAIN_MS } from '../grain.ts';
import { outcomesOf } from '../outcomes.ts';
import { statusesOf } from '../statuses.ts';
import type { RunStory, Story } from '../story.ts';
import { annotations } from './verdict-annotations.ts';
import { partial } from './verdict-outputs.ts';

/** The exit code, the outcome and the outputs are true. */
export function verdict(story: Story): string[] {
  const { facts } = story;
  return [
    ...(story.exited ? outcomes(story) : []),
    ...(story.runs.length === 1 ? story.runs.flatMap((run) => partial(story, run)) : []),
    ...inTime(story),
    ...facts.escaped.map((error) => `an exception escaped: ${error}`),
  ];
}

/** One entry of the output `results`. */
type Entry = Readonly<Record<string, string>>;

function outcomes(story: Story): string[] {
  const { facts, asked } = story;
  const code = facts.main.end?.code;
  const failedOutputs = facts.writes.some(({ path, failed }) => path === facts.paths.output && failed);
  const { records: outputs, torn } = recordsOf(facts.files.get(facts.paths.output) ?? '');
  const whole = outputs.get('outcome') ?? '';
  if (failedOutputs) {
    // A file that the runner cannot read fails the step by itself.
    return code === 0 && whole === '' && !torn
      ? ['exit code 0 although the outputs could not be written']
      : [];
  }
  const entries = entriesOf(outputs.get('results') ?? '');
  const isRefused = entries.length === 0 && whole === 'not_triggered' && facts.requests.length === 0;
  if (isRefused) return code === 0 ? ['exit code 0 although nothing was done'] : [];
  if (entries.length !== story.runs.length) return [`the output results has ${entries.length} entries`];
  const got = entries.map((entry) => entry['outcome'] ?? '');
  const good = asked.wait ? ['succeeded'] : ['succeeded', 'triggered'];
  const isGood = got.every((one) => good.includes(one)) && story.interrupted === undefined;
  const worst = WORST_FIRST.find((one) => got.includes(one)) ?? '';
  return [
    ...story.runs.flatMap((run, index) => outcome(story, run, entries[index] ?? {})),
    ...((code === 0) === isGood || isLetGoUnseen(story)
      ? []
      : [`exit code ${String(code)} with outcome ${got.join(', ')}`]),
    ...(whole === worst ? [] : [`the outcome of all is ${whole}, where it should be ${worst}`]),
    ...((outputs.get('message') ?? '') === '' ? ['no message'] : []),
    ...annotations(story, got),
  ];
}

/** That nobody waits for a run may be what the disk did not take; then the step must fail, since post may cancel it. */
function isLetGoUnseen({ facts, asked }: Story): boolean {
  return !asked.wait && facts.main.end?.code === 1 && facts.writes.some(({ failed }) => failed);
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

function outcome(story: Story, run: RunStory, entry: Entry): string[] {
  const got = entry['outcome'] ?? '';
  const may = outcomesOf(story, run);
  const id = run.knowledge.is === 'known' ? run.knowledge.id : '';
  const status = entry['job-status'] ?? '';
  const statuses = statusesOf(story, run, Infinity);
  return [
    ...(may.has(got) ? [] : [`outcome ${got}, where it should be ${[...may].join(' or ')}`]),
    ...(entry['job-id'] === id
      ? []
      : [`the job-id of ${run.pipeline.name} is ${entry['job-id'] ?? ''}, not ${id}`]),
    ...(statuses.has(status)
      ? []
      : [`the job-status is ${status}, where it should be ${[...statuses].join(' or ')}`]),
  ];
}

/** Outputs are complete 6.5 s after the first signal, whatever hangs by then. */
function inTime({ facts, interrupted }: Story): string[] {
  if (interrupted === undefined) return [];
  const { end } = facts.main;
  const dueMs = interrupted.atMs + 6_500 + GRAIN_MS;
  if ((end?.atMs ?? Infinity) <= dueMs) return [];
  const said = facts.writes.find(({ path, text }) => path === facts.paths.output && /^outcome=/m.test(text));
  const failed = facts.writes.some(({ path, failed }) => path === facts.paths.output && failed);
  if (failed || facts.struck.some(({ kind }) => kind === 'beside_frozen')) return [];
  return said === undefined ? ['no outcome within 6.5 s of the interruption'] : [];
}
