// What the files contain of main's records, and therefore what post can know.
import { type Facts, type Instant, ledgerOf, parsed, recordsOf } from '../model/facts.ts';
import type { BareRun } from './history.ts';

type Kind =
  | 'main'
  | 'claimed'
  | 'intent'
  | 'queued'
  | 'refused'
  | 'unknown'
  | 'stopped'
  | 'detached'
  | 'lost'
  | 'finished'
  | 'not_resumed'
  | 'closed';

/** Records that end a run for main. Without any of them, post takes the run for one that main still awaited. */
const CLOSING = ['stopped', 'detached', 'lost', 'finished', 'not_resumed'] as const;
/** Records after which post knows what became of a trigger. */
const ANSWERED = ['queued', 'refused', 'unknown', 'stopped', 'detached', 'lost', 'finished'] as const;

/** Whether post can find a run in the state that it received or in a journal. */
export function isReadable(facts: Facts, id: string): boolean {
  // A journal without its first record does not show which step it belongs to.
  if (hasLostState(facts) && !hasJournal(facts)) return false;
  return ledgerOf(facts).some((record) => record.text.includes(id) && isWhole(facts, record));
}

function isWhole({ files }: Facts, { path, text }: { readonly path: string; readonly text: string }): boolean {
  return files.get(path)?.includes(text.trim()) === true;
}

/** Whether post's state lacks main's first record, so that post does not know which step it belongs to. */
export function hasLostState(facts: Facts): boolean {
  return !isKept(facts, 0);
}

/** Whether the state that post received contains main's first (0) or last (-1) record. */
export function isKept(facts: Facts, at: 0 | -1): boolean {
  const entries = [...recordsOf(stateOf(facts).at(at)?.text ?? '').records];
  return entries.length > 0 && entries.every(([key, value]) => facts.postEnv[`STATE_${key}`] === value);
}

/** Whether the write of main's first or last record to the state failed. */
export function hasFailedState(facts: Facts): boolean {
  return [0, -1].some((at) => stateOf(facts).at(at)?.failed === true);
}

function stateOf(facts: Facts): Facts['writes'] {
  return ledgerOf(facts).filter(({ path }) => path === facts.paths.state);
}

/** If a write failed: main's records of these kinds, whether a file accepted each, and whether one contains it. */
function recordsOfKinds(facts: Facts, kinds: readonly Kind[]) {
  if (!ledgerOf(facts).some(({ failed }) => failed)) return [];
  const all = ledgerOf(facts).map((one) => ({ ...one, content: one.text.replace(/^[^=]*=/, '').trim() }));
  const accepted = new Set(all.filter(({ failed }) => !failed).map(({ content }) => content));
  const stored = new Set(all.filter((one) => !one.failed || isWhole(facts, one)).map(({ content }) => content));
  return all.flatMap(({ content, atMs, step }) => {
    const { kind, run } = parsed(content) as { readonly kind: Kind; readonly run?: number };
    return kinds.includes(kind)
      ? [{ kind, run, atMs, step, isAccepted: accepted.has(content), isStored: stored.has(content) }]
      : [];
  });
}

/** The same, without records about other runs. */
function recordsAbout(facts: Facts, { number }: BareRun, kinds: readonly Kind[]) {
  return recordsOfKinds(facts, kinds).filter(({ run = number }) => run === number);
}

/** Whether no file accepted the record that a run is detached, not even when main wrote the record again. */
export function isDetachedRefused(facts: Facts, run: BareRun): boolean {
  return recordsAbout(facts, run, ['detached']).some(({ isAccepted }) => !isAccepted);
}

/** When main gave up triggering a run because no file accepted the intent. */
export function intentRefusedAt(facts: Facts, run: BareRun): Instant | undefined {
  return recordsAbout(facts, run, ['intent']).find(({ isAccepted }) => !isAccepted);
}

/** Whether post finds an intent to trigger a run, although no file accepted one. */
export function isIntentUnseen(facts: Facts, run: BareRun): boolean {
  const records = recordsAbout(facts, run, ['intent']);
  return records.some(({ isStored }) => isStored) && records.every(({ isAccepted }) => !isAccepted);
}

/** Whether post finds that main awaits an existing run, although main gave up because no file accepted that record. */
export function isClaimUnseen(facts: Facts, run: BareRun): boolean {
  const last = recordsAbout(facts, run, ['claimed', 'not_resumed']).findLast(({ isStored }) => isStored);
  return last?.kind === 'claimed' && !last.isAccepted;
}

/** Whether a file contains a `main` record that main takes for refused, so that post may find either it or the next one. */
export function isMainRepeated(facts: Facts, run: BareRun): boolean {
  return recordsAbout(facts, run, ['main']).some(({ isAccepted, isStored }) => isStored && !isAccepted);
}

/** Whether a file contains main's first record in a journal. */
export function hasJournal(facts: Facts): boolean {
  const [first] = ledgerOf(facts).filter(({ path }) => path.endsWith('.journal'));
  return first !== undefined && !facts.spec.runner.noTemp && isWhole(facts, first);
}

/** Whether main's records of how its wait for a run ended are all lost, so that post follows on-cancel. */
export function isFateLost(facts: Facts, run: BareRun): boolean {
  const records = recordsAbout(facts, run, CLOSING);
  return records.length > 0 && records.every(({ isStored }) => !isStored);
}

/** Whether one of main's records of how its wait for a run ended is lost, so that post settles the run again. */
export function isEndLost(facts: Facts, run: BareRun): boolean {
  return recordsAbout(facts, run, CLOSING).some(({ isStored }) => !isStored);
}

/** Whether post finds a trigger without what became of it, so that post reports the trigger. */
export function isResponseLost(facts: Facts, run: BareRun): boolean {
  // A stop of the whole step does not contain the id.
  const all = recordsAbout(facts, run, ['intent', ...ANSWERED]);
  const records = all.filter(({ kind, run: of }) => kind !== 'stopped' || of !== undefined);
  const last = records.findLast(({ isStored }) => isStored);
  return last?.kind === 'intent' && records.at(-1)?.kind !== 'intent';
}

/** Whether the step fails because outputs are missing: its last write failed, or part of a write remains. */
export function isUnwritten({ writes, paths }: Facts): boolean {
  const own = writes.filter(({ path }) => path === paths.output);
  return own.some(({ failed, partial }, index) => failed && (index === own.length - 1 || partial));
}

/** Whether no file contains the record that a run finished or that main exited, so that post settles runs again. */
export function isExitLost(facts: Facts): boolean {
  return recordsOfKinds(facts, ['finished', 'closed']).some(({ isStored }) => !isStored);
}
