import { PATHS } from '../../life/facts.ts';
import { recordsOf } from '../../life/runner-state.ts';
import { GRAIN_MS } from '../grain.ts';
import { isHeard } from '../stdout-heard.ts';
import { isBefore } from '../stop.ts';
import type { RunStory, Story } from '../story.ts';

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
  const failedOutputs = facts.writes.some(({ path, failed }) => path === PATHS.output && failed);
  const { records: outputs, torn } = recordsOf(facts.files.get(PATHS.output) ?? '');
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
    ...((code === 0) === isGood ? [] : [`exit code ${String(code)} with outcome ${got.join(', ')}`]),
    ...(whole === worst ? [] : [`the outcome of all is ${whole}, where it should be ${worst}`]),
    ...((outputs.get('message') ?? '') === '' ? ['no message'] : []),
    ...told(story, got),
  ];
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

/** Everything that needs attention has an error; a run that went as asked has neither error nor warning. */
function told({ facts, asked, runs }: Story, got: readonly string[]): string[] {
  const { annotations } = facts.main;
  const errors = annotations.filter(({ level }) => level === 'error');
  const bad = got.find((one) =>
    ['unknown', 'lost', 'not_triggered', 'failed', 'wait_timed_out'].includes(one),
  );
  if (bad !== undefined && errors.length === 0 && isHeard(facts, 'main')) {
    return [`outcome ${bad} without an error annotation`];
  }
  const isQuiet = runs.every(
    ({ ended }, index) => ended?.status === 'completed' && got[index] === 'succeeded',
  );
  const doubled = asked.always && runs.some(({ triggers }) => triggers.length > 1);
  const failedWrite = facts.writes.some(({ failed }) => failed);
  return isQuiet && !doubled && !failedWrite && annotations.length > 0
    ? [`all went well, with the annotation ${annotations[0]?.message ?? ''}`]
    : [];
}

/** Every outcome that would be true: more than one only where two things came at once. */
export function outcomesOf(story: Story, run: RunStory): ReadonlySet<string> {
  const { asked } = story;
  const { knowledge, stop, ended, isTie } = run;
  const may = new Set<string>();
  const stopped = (): void => {
    if (stop === undefined) return;
    if (isTie) may.add('cancelled').add('wait_timed_out').add('not_triggered');
    else if (stop.why === 'fail_fast') may.add(knowledge.is === 'none' ? 'not_triggered' : 'cancelled');
    else may.add(stop.why === 'interrupted' ? 'cancelled' : 'wait_timed_out');
  };
  if (knowledge.is === 'doubt') return may.add('unknown');
  if (knowledge.is === 'none') {
    stopped();
    // A disk that takes no intent keeps a run from being triggered.
    if (story.facts.writes.some(({ failed }) => failed)) may.add('not_triggered');
    const isUnread = story.facts.spec.mode === 'resume' && run.triggers.length === 0;
    if (stop === undefined || isTie || isUnread || isFinal(run, stop.atMs)) may.add('not_triggered');
    return may;
  }
  // An earlier run that was taken may be over already.
  const isOver = ended !== undefined && ended.step === knowledge.step;
  const isInTime = stop === undefined || isBefore(knowledge, stop);
  if (!asked.wait && !isOver && isInTime) return may.add('triggered');
  const endsFirst =
    ended !== undefined && (stop === undefined || isBefore(ended, stop) || isLast(story, run));
  if (endsFirst || (isTie && ended !== undefined)) {
    may.add(asked.succeedOn.includes(ended.status) ? 'succeeded' : 'failed');
    if (!isTie) return may;
  }
  const lostFirst = run.lost.may && (stop === undefined || isBefore(run.lost, stop));
  if (lostFirst || (isTie && run.lost.may)) may.add('lost');
  if (run.lost.must && !isTie) return may;
  stopped();
  return may;
}

/** An end that the last read at a time-out told counts as an end. */
function isLast({ interrupted }: Story, { ended, stop, cancels }: RunStory): boolean {
  if (ended === undefined || stop?.why !== 'timeout' || ended.request.call !== 'read') return false;
  const before = cancels.every(({ request }) => request.step > ended.step);
  return before && (interrupted === undefined || interrupted.step > ended.step);
}

/** The last trigger was refused for good before the wait was stopped. */
function isFinal({ triggers }: RunStory, stopMs: number): boolean {
  const last = triggers.at(-1);
  return last !== undefined && last.atMs <= stopMs + GRAIN_MS;
}

/** What the outputs say of a run is what the service said of it, at any moment at which they are read. */
function partial(story: Story, run: RunStory): string[] {
  const { facts } = story;
  const { knowledge } = run;
  const outputs = facts.main.outputs;
  const id = outputs.get('job-id') ?? '';
  const status = outputs.get('job-status') ?? '';
  const found: string[] = [];
  const strange = [...outputs.keys()].filter((key) => !OUTPUTS.has(key));
  if (strange.length > 0) found.push(`unknown outputs: ${strange.join(', ')}`);
  const known = knowledge.is === 'known' ? knowledge.id : '';
  const isPartial = !story.exited || isReadEarly(story);
  const isRight = known === id || (isPartial && known.startsWith(id));
  if (!isRight && id !== '') found.push(`the output job-id is ${id}`);
  const readStep = facts.filesReadStep ?? Infinity;
  const isWhole = !facts.writes.some(({ path, failed }) => path === PATHS.output && failed);
  const byItself = story.exited && !isReadEarly(story);
  if (byItself && isWhole && knowledge.is === 'known' && id === '')
    found.push('the output job-id is missing');
  const may = statusesOf(story, run, readStep);
  const mustSay = byItself && isWhole;
  const isTorn = isPartial && [...may].some((one) => one.startsWith(status));
  if ((status !== '' || mustSay) && isWhole && !may.has(status) && !isTorn) {
    found.push(`the output job-status is ${status}, where it should be ${[...may].join(' or ')}`);
  }
  return found;
}

const OUTPUTS: ReadonlySet<string> = new Set([
  'job-id',
  'job-status',
  'outcome',
  'message',
  'status-message',
  'pipeline-id',
  'pipeline-name',
  'duration',
  'results',
]);

/** The runner has read the outputs while main was still alive. */
function isReadEarly({ facts }: Story): boolean {
  return facts.struck.some(({ on, kind }) => on === 'main' && /^(?:beside|background)/.test(kind));
}

/** The last status that was heard; while main lives, also the one before it. */
function statusesOf(story: Story, run: RunStory, readStep: number): ReadonlySet<string> {
  const { knowledge, reads, cancels } = run;
  const { facts } = story;
  const exited = story.exited && !isReadEarly(story);
  if (knowledge.is === 'none') return new Set(['not_queued', ...(exited ? [] : ['', 'unknown'])]);
  if (knowledge.is === 'doubt') return new Set(['unknown', ...(exited ? [] : ['not_queued'])]);
  const heard = [...reads, ...cancels]
    .filter(({ step }) => step <= readStep && step <= (facts.main.end?.step ?? Infinity))
    .sort((a, b) => a.step - b.step)
    .flatMap(({ heard }) => (heard.kind === 'row' ? [flat(heard.status)] : []));
  // What somebody else has triggered is unknown until it is read.
  const all = [facts.spec.mode === 'attach' ? 'unknown' : 'queued', ...heard];
  return new Set(exited ? [all.at(-1) ?? ''] : [...all, 'unknown', 'not_queued']);
}

function flat(status: string): string {
  return status.replace(/\s+/g, ' ').trim();
}

/** Outputs are complete 6.5 s after the first signal, whatever hangs by then. */
function inTime({ facts, interrupted }: Story): string[] {
  if (interrupted === undefined) return [];
  const { end } = facts.main;
  const dueMs = interrupted.atMs + 6_500 + GRAIN_MS;
  if ((end?.atMs ?? Infinity) <= dueMs) return [];
  const said = facts.writes.find(({ path, text }) => path === PATHS.output && /^outcome=/m.test(text));
  const failed = facts.writes.some(({ path, failed }) => path === PATHS.output && failed);
  if (failed || facts.struck.some(({ kind }) => kind === 'beside_frozen')) return [];
  return said === undefined ? ['no outcome within 6.5 s of the interruption'] : [];
}
