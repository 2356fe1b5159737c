import { guardExit, nodeTooOld } from './action/runner/entry-guard.ts';

const guard = guardExit(
  1,
  '::error title=run-pipeline/cancel::Other code in this process, probably loaded through NODE_OPTIONS, ended the step early. Runs may still be in progress. Cancel them in the application.',
);
const tooOld = nodeTooOld();
if (tooOld === undefined) {
  void import('./start.ts').then(({ startCancel }) => startCancel(guard));
} else {
  guard.earlyExitCommand = undefined;
  process.stdout.write(
    `::error title=run-pipeline/cancel::${tooOld} Nothing was cancelled. Update the runner, or the Node.js on its PATH.\n`,
    guard.exitNow,
  );
}
