var __webpack_exports__ = {};

;// CONCATENATED MODULE: ./build/action/runner/entry-guard.js
const OLDEST = { major: 20, minor: 16 };
function nodeTooOld(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}.`;
}
function guardExit(code, earlyExitCommand) {
  const host = process;
  const { reallyExit } = host;
  const guard = {
    code,
    earlyExitCommand,
    exitNow: () => {
      tellEarlyExit();
      reallyExit.call(process, guard.code);
    },
  };
  const tellEarlyExit = () => {
    if (guard.earlyExitCommand !== undefined) process.stdout.write(`${guard.earlyExitCommand}\n`);
    guard.earlyExitCommand = undefined;
  };
  host.reallyExit = guard.exitNow;
  const setCode = () => {
    process.exitCode = guard.code;
  };
  process.on('exit', () => {
    tellEarlyExit();
    setCode();
  });
  setCode();
  return guard;
}

;// CONCATENATED MODULE: ./build/cancel.js

const guard = guardExit(
  1,
  '::error title=run-pipeline/cancel::Other code in this process, probably loaded through NODE_OPTIONS, ended the step early. Runs may still be in progress. Cancel them in the application.',
);
const tooOld = nodeTooOld();
if (tooOld === undefined) {
  void import(/* webpackIgnore: true */ '../start/index.js').then(({ startCancel }) => startCancel(guard));
} else {
  guard.earlyExitCommand = undefined;
  process.stdout.write(
    `::error title=run-pipeline/cancel::${tooOld} Nothing was cancelled. Update the runner, or the Node.js on its PATH.\n`,
    guard.exitNow,
  );
}

