// Main's exit code, outcome, outputs and annotations are correct, and its outputs are complete before the deadline.
import { outcomeAfter } from '../endings.ts';
import { isAboutWrite, isFrozen, isOutputLost, isRead, isReadEarly, isRepeatedInDoubt } from '../exemptions.ts';
import { type Entry, entriesOf, type History, outputsOf, type Run } from '../history.ts';
import { isDetachedRefused, isUnwritten } from '../stored.ts';
import { stalledMs, TOLERANCE_MS } from '../time.ts';

export function verdict(history: History): string[] {
  return [
    ...(history.exited ? outcomes(history) : []),
    ...(history.runs.length === 1 ? history.runs.flatMap((run) => outputs(history, run)) : []),
    ...inTime(history),
  ];
}

function outcomes(history: History): string[] {
  const { facts, policy, interrupted, runs } = history;
  const code = facts.main.end?.code;
  const written = outputsOf(facts);
  const whole = written.get('outcome') ?? '';
  const entries = entriesOf(history);
  if (entries === undefined) {
    const isRefused = whole === 'not_triggered' && !facts.requests.some(({ on }) => on === 'main') && code === 1;
    return isRefused ? [] : ['the results output lacks entries'];
  }
  const got = entries.map((entry) => entry['outcome'] ?? '');
  const isGood = got.every((one) => one === 'succeeded' || (one === 'triggered' && !policy.wait));
  const worst = WORST_FIRST.find((one) => got.includes(one)) ?? '';
  // If no file accepts the record that a run is detached, post would cancel the run, so the step fails.
  const isUnrecorded =
    !policy.wait && policy.onCancel === 'cancel' && runs.some((run) => isDetachedRefused(facts, run));
  return [
    ...runs.flatMap((run, index) => outcome(history, run, entries[index] ?? {})),
    ...((code === 0) === (isGood && interrupted === undefined && !isUnrecorded && !isUnwritten(facts))
      ? []
      : [`exit code ${String(code)} with outcome ${got.join(', ')}`]),
    ...(whole === worst ? [] : [`the outcome of the step is ${whole} but should be ${worst}`]),
    ...((written.get('message') ?? '') === '' ? ['the output message is missing'] : []),
    ...annotations(history, got),
  ];
}

const WORST_FIRST = 'unknown lost wait_timed_out cancelled not_triggered failed triggered succeeded'.split(' ');

function outcome(history: History, run: Run, entry: Entry): string[] {
  const got = entry['outcome'] ?? '';
  const may = run.endings.map((one) => outcomeAfter(one, run, history.policy));
  const id = run.knowledge.is === 'known' ? run.knowledge.id : '';
  const status = entry['job-status'] ?? '';
  const statuses = statusesOf(history, run, Infinity, true);
  return [
    ...(may.includes(got) ? [] : [`the outcome is ${got} but should be ${may.join(' or ')}`]),
    ...(entry['job-id'] === id ? [] : [`the job-id of ${run.pipeline.name} is ${entry['job-id'] ?? ''}, not ${id}`]),
    ...(statuses.has(status) ? [] : [`the job-status is ${status} but should be ${[...statuses].join(' or ')}`]),
  ];
}

/** Every run that needs attention has an error; a successful run has neither an error nor a warning. */
function annotations({ facts, policy, runs }: History, got: readonly string[]): string[] {
  const error = facts.main.annotations.find(({ level }) => level === 'error');
  if (facts.main.end?.code === 0 && error !== undefined) return [`exit code 0 with the error ${error.message}`];
  // The warning that a reset will drop tables concerns no particular run.
  const all = facts.main.annotations.filter(({ title }) => !title.includes('reset-target'));
  const bad = got.find((one) => ['unknown', 'lost', 'not_triggered', 'failed', 'wait_timed_out'].includes(one));
  if (bad !== undefined && isRead(facts, 'main') && all.every(({ level }) => level !== 'error')) {
    return [`outcome ${bad} without an error annotation`];
  }
  const isQuiet = runs.every(({ ended }, index) => ended?.status === 'completed' && got[index] === 'succeeded');
  const needless = all.filter(({ message }) => !isAboutWrite(facts, message));
  return isQuiet && needless.length > 0 && !isRepeatedInDoubt(policy, runs)
    ? [`every run succeeded, but main printed the annotation ${needless[0]?.message ?? ''}`]
    : [];
}

/** The outputs of a run match what the service reported, whenever the runner reads them. */
function outputs(history: History, run: Run): string[] {
  const { facts, exited } = history;
  const { knowledge } = run;
  const { outputs: read } = facts.main;
  const id = read.get('job-id') ?? '';
  const status = read.get('job-status') ?? '';
  const found: string[] = [];
  const isWhole = exited && !isReadEarly(facts) && !isOutputLost(facts);
  const known = knowledge.is === 'known' ? knowledge.id : '';
  if (id !== '' && known !== id && (isWhole || !known.startsWith(id))) found.push(`the output job-id is ${id}`);
  if (isWhole && known !== '' && id === '') found.push('the output job-id is missing');
  const may = statusesOf(history, run, facts.filesReadStep ?? Infinity, isWhole);
  const isTorn = !isWhole && [...may].some((one) => one.startsWith(status));
  if ((status !== '' || isWhole) && !may.has(status) && !isTorn) {
    found.push(`the output job-status is ${status} but should be ${[...may].join(' or ')}`);
  }
  return found;
}

/** Every acceptable job-status: the last one that main observed or, if outputs may be missing, an earlier one. */
function statusesOf({ facts }: History, run: Run, readStep: number, isWhole: boolean): ReadonlySet<string> {
  const { knowledge, reads, cancels } = run;
  if (knowledge.is === 'none') return new Set(['not_queued', ...(isWhole ? [] : ['', 'unknown'])]);
  if (knowledge.is === 'doubt') return new Set(['unknown', ...(isWhole ? [] : ['not_queued'])]);
  const lastStep = Math.min(readStep, facts.main.end?.step ?? Infinity);
  const observed = [...reads, ...cancels]
    .filter(({ step }) => step <= lastStep)
    .sort((a, b) => a.step - b.step)
    .flatMap((one) => (one.observed.kind === 'row' ? [one.observed.status.replace(/\s+/g, ' ').trim()] : []));
  // The status of an existing run is unknown until main reads it.
  const all = [knowledge.id === run.pipeline.earlier ? 'unknown' : 'queued', ...observed];
  return new Set(isWhole ? all.slice(-1) : [...all, 'unknown', 'not_queued']);
}

/** Outputs are complete 6.5 s after the first signal, no matter how many requests are in progress. */
function inTime({ facts, interrupted }: History): string[] {
  if (interrupted === undefined) return [];
  const endedMs = facts.main.end?.atMs ?? Infinity;
  const dueMs = interrupted.atMs + 6_500 + TOLERANCE_MS + stalledMs(facts, 'main', interrupted.atMs, endedMs);
  const isWritten = facts.writes.some(({ path, text }) => path === facts.paths.output && /^outcome=/m.test(text));
  return endedMs <= dueMs || isWritten || isFrozen(facts) ? [] : ['no outcome within 6.5 s of the interruption'];
}
