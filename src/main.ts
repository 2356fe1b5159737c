import { appendFileSync, statSync } from 'node:fs';
import { commandOf, commandText, guardExit, nodeTooOld } from './action/runner/entry-guard.ts';

const ENDED_EARLY =
  'Other code in this process, probably loaded through NODE_OPTIONS, ended the step early. Runs that the step triggered may still be in progress. The post step handles them at the end of the job.';
const guard = guardExit(1, commandOf('error', ENDED_EARLY));

/** Fails a step that cannot start. */
function refuse(reason: string, remedy: string): void {
  const message = `${reason} Nothing was triggered.`;
  const outputs = process.env['GITHUB_OUTPUT'] ?? '';
  try {
    // A write to a FIFO without a reader would never return.
    if (statSync(outputs).isFile())
      appendFileSync(outputs, `job-status=not_queued\noutcome=not_triggered\nmessage=${message}\nresults=[]\n`);
  } catch {
    // The step fails anyway, and its log contains the reason.
  }
  guard.endWith(commandOf('error', `${message} ${remedy}`));
}

const tooOld = nodeTooOld();
if (tooOld === undefined) {
  // An old version of Node might not even be able to load the rest.
  import('./start.ts')
    .then(({ startMain }) => startMain(guard))
    .catch((error: unknown) =>
      refuse(
        `The action could not be loaded (${commandText(error)}).`,
        "The action's folder may be incomplete. Check out or download the action again.",
      ),
    );
} else {
  refuse(tooOld, 'Update the runner, or update Node.js on its PATH.');
}
