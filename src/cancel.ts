import { commandOf, commandText, guardExit, nodeTooOld } from './action/runner/entry-guard.ts';

const failure = (message: string): string => commandOf('error', message, 'run-pipeline/cancel');

const ENDED_EARLY =
  'Other code in this process, probably loaded through NODE_OPTIONS, ended the step early. Runs may still be in progress. Cancel them in the application.';
const guard = guardExit(1, failure(ENDED_EARLY));

const tooOld = nodeTooOld();
if (tooOld === undefined) {
  import('./start.ts')
    .then(({ startCancel }) => startCancel(guard))
    .catch((error: unknown) => {
      const why = `The action could not be loaded (${commandText(error)}). Its folder may be incomplete.`;
      guard.endWith(failure(`${why} Nothing was cancelled. Check out or download the action again.`));
    });
} else {
  guard.endWith(failure(`${tooOld} Nothing was cancelled. Update the runner, or update Node.js on its PATH.`));
}
