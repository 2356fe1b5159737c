// The promises that every case of the cancel matrix must keep, and a test for each case.
import { describe, expect, it } from 'vitest';
import { broken, type Checks, doubtsOf, inProgress, logOf, slackMs, unreported, useAction } from '../e2e.ts';
import { type CellPlayed, playCell } from './cell.ts';
import { type Cell, nameOf } from './cells.ts';

/** Maximum time from a signal to main's exit, in milliseconds. It is half as long if the service responds. */
const ENDED_WITHIN_MS = 9_300;
const SETTLED_WITHIN_MS = 4_650;

/** Tests whether a step keeps its promises in each of these cases. */
export function testCells(cells: readonly Cell[]): void {
  const action = useAction();
  describe.concurrent('a step keeps its promises when stopped by', () => {
    it.each(cells.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, cell) => {
      const played = await playCell(action, cell);
      expect(faultsIn(cell, played), logOf(played)).toEqual([]);
    });
  });
}

function faultsIn(cell: Cell, played: CellPlayed): readonly string[] {
  const { main, post, mainAlive } = played;
  const mustCancel = cell.policy === 'cancel' || cell.instant.cancelling === true;
  const { hears } = cell.stop.mode;
  const checks: Checks = [
    [played.runs.length <= 1, 'there are two runs'],
    [main.exitCode !== 0, 'main succeeded'],
    [post?.exitCode === 0, 'post failed'],
    // Nobody kills main, which tries to cancel its run for a minute.
    [!mainAlive.after || cell.service.gone === true || cell.instant.stalls === true, 'main outlived post'],
    ...(hears === 'ladder' || hears === 'SIGTERM' ? afterSignal(cell, played) : []),
    ...(mustCancel ? ifCancelled(cell, played) : ifLeft(played)),
  ];
  return broken(checks);
}

function afterSignal({ service, instant }: Cell, played: CellPlayed): Checks {
  const { main, post, calls, mainTookMs } = played;
  const { outcome = '', 'job-id': id } = main.files.outputs;
  const gone = service.gone === true;
  const triggers = calls.filter((kind) => kind === 'trigger').length;
  const [run] = played.runs;
  const patience = (gone ? ENDED_WITHIN_MS : SETTLED_WITHIN_MS) + slackMs(main);
  const expected = [instant.cancelling === true ? 'wait_timed_out' : 'cancelled', ...(gone ? ['unknown'] : [])];
  return [
    [triggers === played.triggersBefore, 'main triggered after the signal'],
    [mainTookMs < patience, `main took ${mainTookMs} ms`],
    [expected.includes(outcome), `the outcome is ${outcome}`],
    [run === undefined || id === run.id || outcome === 'unknown', 'the outputs do not contain the id'],
    // Post would print each of its requests, because debug logging is on.
    [gone || post?.lines.length === 0, 'post was not silent'],
  ];
}

function ifCancelled(cell: Cell, played: CellPlayed): Checks {
  const isOpen = inProgress(played).length > 0;
  const excused = cell.service.gone === true || isUnknowable(cell, played);
  // A successful cancel with a lost response looks the same as a cancel without an effect.
  const responseLost = cell.service.gone === true && cell.instant.cancelling === true;
  return [
    [!isOpen || excused, 'the run is in progress'],
    [unreported(played).length === 0, 'no warning names the run in progress'],
    [isOpen || doubtsOf(played).length === 0 || responseLost, 'a warning names a run in progress, but there is none'],
  ];
}

function ifLeft(played: CellPlayed): Checks {
  const { runs, statuses, calls } = played;
  const idKnown = runs.every(({ id }) => played.records.includes(id));
  const isWarned = doubtsOf(played).length > 0;
  return [
    [!statuses.includes('cancelled'), 'the run was cancelled'],
    [!calls.includes('cancel'), 'a cancel was sent'],
    [isWarned !== idKnown, 'a warning must appear exactly if the id of the run is unknown'],
    [idKnown || unreported(played).length === 0, 'no warning names the pipeline of the run'],
  ];
}

/** Whether main may have been killed before it could receive or record the response to the trigger. */
function isUnknowable({ instant, stop }: Cell, { runs, records }: CellPlayed): boolean {
  const known = runs.every(({ id }) => records.includes(id));
  return stop.mode.hears === 'SIGKILL' && instant.idKnown !== 'yes' && !known;
}
