import { hostname } from 'node:os';
import { commandOf, commandText, guardExit, nodeTooOld } from './action/runner/entry-guard.ts';
import { systemFiles } from './action/runner/files.ts';
import { isAllSettled, openIds } from './action/state/all-settled.ts';

// Post never fails the job.
const guard = guardExit(0);
// Most post steps have nothing to do and load no other code. On an old version of Node, main never triggers a run.
if (nodeTooOld() === undefined && !isAllSettled(process.env)) {
  const ids = openIds({ env: process.env, host: hostname(), files: systemFiles }).join(', ');
  const warning = (why: string): string =>
    commandOf(
      'warning',
      `${why} ${ids === '' ? 'Runs may still be in progress' : `These runs may still be in progress: ${ids}`}. Cancel them in the application.`,
    );
  guard.earlyExitCommand = warning(
    'Other code in this process, probably loaded through NODE_OPTIONS, ended the post step early.',
  );
  import('./start.ts')
    .then(({ startPost }) => startPost(guard))
    // A later step may have cleaned the workspace that contains the checkout of the action.
    .catch((error: unknown) => guard.endWith(warning(`The post step could not be loaded (${commandText(error)}).`)));
} else {
  // Exit explicitly, because a timer in other code would keep the process alive.
  guard.exitNow();
}
