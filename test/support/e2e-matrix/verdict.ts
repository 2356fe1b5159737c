import type { Cell, CellPlayed } from './cell.ts';

const IN_PROGRESS: ReadonlySet<string> = new Set(['queued', 'picked', 'running']);
const UNSETTLED = /may (?:still )?be in progress|was not confirmed/;

/** Main goes on for so long at most after a signal, ms; a service that answers is no reason to take half of that. */
const OVER_WITHIN_MS = 9_300;
const SETTLED_WITHIN_MS = 4_650;

/** What a machine may add to a deadline: some ms for ending, and ten times what it took to start a process. */
function slackMs({ startUpMs }: CellPlayed): number {
  return 500 + 10 * startUpMs;
}

/** Everything that is wrong with how a case ended; nothing when every promise was kept. */
export function complaints(cell: Cell, played: CellPlayed): readonly string[] {
  const { main, post, mainAlive } = played;
  const checks: readonly [right: boolean, otherwise: string][] = [
    [played.runs.length <= 1, 'there are two runs'],
    [main.exitCode !== 0, 'main ended as a success'],
    [post?.exitCode === 0, 'post failed'],
    [!mainAlive.after, 'main outlived post'],
    ...(isSignalled(cell) ? afterSignal(cell, played) : []),
    ...(isToBeCancelled(cell) ? whenToBeCancelled(cell, played) : whenToBeLeft(played)),
  ];
  return checks.filter(([right]) => !right).map(([, otherwise]) => otherwise);
}

type Checks = readonly [right: boolean, otherwise: string][];

function isSignalled({ death }: Cell): boolean {
  return death.mode.hears === 'ladder' || death.mode.hears === 'SIGTERM';
}

function isToBeCancelled({ instant, policy }: Cell): boolean {
  return policy === 'cancel' || instant.cancelling === true;
}

function afterSignal(cell: Cell, played: CellPlayed): Checks {
  const { main, post, calls } = played;
  const { outcome } = main.files.outputs;
  const gone = cell.service.gone === true;
  const triggers = calls.filter((kind) => kind === 'trigger').length;
  const [run] = played.runs;
  const knows = run === undefined || main.files.outputs['job-id'] === run.id;
  const patience = (gone ? OVER_WITHIN_MS : SETTLED_WITHIN_MS) + slackMs(played);
  const expected = cell.instant.cancelling === true ? ['wait_timed_out'] : ['cancelled'];
  return [
    [triggers === played.triggersBefore, 'it triggered after the signal'],
    [(played.mainTookMs ?? Number.POSITIVE_INFINITY) < patience, `main took ${String(played.mainTookMs)} ms`],
    [[...expected, ...(gone ? ['unknown'] : [])].includes(outcome ?? ''), `its outcome is ${String(outcome)}`],
    [knows || outcome === 'unknown', 'the outputs do not have the id'],
    [gone || post?.lines.length === 0, 'post had something to say'],
    [gone || calls.length === played.callsBefore, 'post had something to ask'],
  ];
}

function whenToBeCancelled(cell: Cell, played: CellPlayed): Checks {
  const goesOn = played.statuses.some((status) => IN_PROGRESS.has(status));
  const excused = cell.service.gone === true || (goesOn && isUnknowable(cell, played));
  const told = isTold(played);
  // A cancel that took effect, and whose answer was lost, cannot be told from one that did not.
  const answerLost = cell.service.gone === true && cell.instant.cancelling === true;
  return [
    [!goesOn || excused, 'the run goes on'],
    [!goesOn || told, 'the run goes on and nobody was told'],
    [goesOn || !told || answerLost, 'somebody was told of a run that goes on, and none does'],
  ];
}

function whenToBeLeft(played: CellPlayed): Checks {
  const { runs, statuses, calls } = played;
  const idKnown = runs.every(({ id }) => played.written.includes(id));
  return [
    [!statuses.includes('cancelled'), 'the run was cancelled'],
    [!calls.includes('cancel'), 'a cancel was sent'],
    [isTold(played) === !idKnown, 'a run without a known id was to be told of, and no other'],
  ];
}

/** Killed before the answer to the trigger came, or could be written down. */
function isUnknowable({ instant, death }: Cell, { runs, written }: CellPlayed): boolean {
  const known = runs.every(({ id }) => written.includes(id));
  return death.mode.hears === 'SIGKILL' && instant.idKnown !== 'yes' && !known;
}

/** Whether a warning, or main's own error, names a run that may go on although it should not. */
function isTold({ main, post }: CellPlayed): boolean {
  return [...main.annotations, ...(post?.annotations ?? [])].some(
    ({ level, message }) => level !== 'notice' && UNSETTLED.test(message),
  );
}
