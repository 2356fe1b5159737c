import { appendFileSync, statSync } from 'node:fs';
import { guardExit, nodeTooOld } from './action/runner/entry-guard.ts';

const guard = guardExit(
  1,
  '::error title=run-pipeline::Other code in this process, probably loaded through NODE_OPTIONS, ended the step early. Runs that it triggered may still be in progress; the post step handles them at the end of the job.',
);
const tooOld = nodeTooOld();
if (tooOld === undefined) {
  // Only now: an old Node might not even be able to load the rest.
  void import('./start.ts').then(({ startMain }) => startMain(guard));
} else {
  guard.earlyExitCommand = undefined;
  const message = `${tooOld} Nothing was triggered.`;
  const outputs = process.env['GITHUB_OUTPUT'] ?? '';
  try {
    // Nothing else: writing to a FIFO without a reader would never return.
    if (statSync(outputs).isFile())
      appendFileSync(
        outputs,
        `job-status=not_queued\noutcome=not_triggered\nmessage=${message}\nresults=[]\n`,
      );
  } catch {
    // The step fails anyway, and its log says why.
  }
  const line = `::error title=run-pipeline::${message} Update the runner, or the Node.js on its PATH.\n`;
  process.stdout.write(line, guard.exitNow);
}
