import { oneLine, shorten } from '../base/text.ts';
import { isGoal, outcomeOf, statusOf } from '../run/outcome.ts';
import type { RunState } from '../run/state.ts';
import { textOf } from './ending.ts';
import { endingOf } from './endings.ts';
import { type OutputContext, outputsOf, wholeSeconds } from './outputs.ts';
import { sharedContext } from './step-endings.ts';

/** The maximum size of `results`. Later steps may receive it in an environment variable, whose size is limited. */
const MOST_BYTES = 30_000;

/** Returns the result of each run as JSON in input order, on one line so that scripts can write it to GITHUB_OUTPUT. */
export function resultsOf(runs: readonly RunState[], context: OutputContext): string {
  return `[${resultEntriesOf(runs, context).join()}]`;
}

/**
 * Returns the entries of `results`. If they do not all fit, entries are shortened or omitted, starting with those of
 * successful runs.
 */
export function resultEntriesOf(runs: readonly RunState[], context: OutputContext): string[] {
  const shared = sharedContext(runs, context);
  const entries = runs.map((run) => entryOf(run, shared));
  const inOrder = entries.toSorted((a, b) => Number(a.isGood) - Number(b.isGood));
  const shown = new Map<Entry, string>();
  let free = MOST_BYTES - '[]'.length;
  const sizeOf = (json?: string): number => (json === undefined ? 0 : Buffer.byteLength(`${json},`));
  const show = (entry: Entry, json: string): void => {
    const added = sizeOf(json) - sizeOf(shown.get(entry));
    if (added > free) return;
    free -= added;
    shown.set(entry, json);
  };
  for (const entry of inOrder) show(entry, entry.short);
  for (const entry of inOrder) show(entry, entry.whole);
  return entries.flatMap((entry) => shown.get(entry) ?? []);
}

/** An entry in `results` as JSON, whole and shortened. */
interface Entry {
  readonly isGood: boolean;
  readonly whole: string;
  readonly short: string;
}

function entryOf(run: RunState, context: OutputContext): Entry {
  const ending = endingOf(run, context);
  const outcome = outcomeOf(run, context);
  const isError = ending.level === 'error' || outcome === 'not_triggered';
  const outputs = { pipeline: oneLine(run.target.pipeline ?? '', 200), ...outputsOf([run], context) };
  const { 'run-url': _, ...withoutLink } = outputs;
  const attempts = [...run.earlier, run].map((each) => ({
    'job-id': each.jobId ?? '',
    'job-status': oneLine(statusOf({ ...each, earlier: [] }), 100),
    duration: wholeSeconds(each.startedAt, each.endedAt),
  }));
  const whole = {
    ...outputs,
    error: isError ? oneLine(textOf(ending), 1_000) : '',
    ...((context.maxAttempts ?? 1) > 1 && { attempts }),
  };
  const short = {
    ...withoutLink,
    message: '',
    'status-message': '',
    'pipeline-name': shorten(outputs['pipeline-name'], 40),
    error: isError ? 'see the log' : '',
  };
  return { isGood: isGoal(outcome), whole: JSON.stringify(whole), short: JSON.stringify(short) };
}
