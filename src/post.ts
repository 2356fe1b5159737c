import { hostname } from 'node:os';
import { commandText, guardExit, nodeTooOld } from './action/runner/entry-guard.ts';
import { systemFiles } from './action/runner/files.ts';
import { isAllSettled, openIds } from './action/state/all-settled.ts';

// Post never fails the job, whatever happens.
const guard = guardExit(
  0,
  '::warning title=run-pipeline::Other code in this process, probably loaded through NODE_OPTIONS, ended the post step early. Runs may still be in progress. Cancel them in the application.',
);

/** The rest of the action is missing: the workspace with its checkout may have been cleaned since. */
function nameRuns(error: unknown): void {
  const ids = openIds(process.env, hostname(), systemFiles).join(', ');
  const runs = ids === '' ? 'Runs may still be in progress' : `These runs may still be in progress: ${ids}`;
  guard.endWith(
    `::warning title=run-pipeline::The post step could not be loaded (${commandText(error)}). ${runs}. Cancel them in the application.`,
  );
}

// Most posts find nothing to do, and end before anything else is loaded. On an old Node, main has triggered nothing.
if (nodeTooOld() === undefined && !isAllSettled(process.env)) {
  import('./start.ts').then(({ startPost }) => startPost(guard)).catch(nameRuns);
} else {
  guard.earlyExitCommand = undefined;
  // Not by itself, because a timer of other code would keep the process alive.
  guard.exitNow();
}
