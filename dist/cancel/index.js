var __webpack_exports__ = {};

;// CONCATENATED MODULE: ./build/action/runner/entry-guard.js
const OLDEST = { major: 20, minor: 16 };
function nodeTooOld(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}.`;
}
function titleOf(subject = '', action = 'run-pipeline') {
  return subject === '' ? action : `${action}: ${subject}`;
}
function commandOf(level, message, action) {
  return `::${level} title=${titleOf('', action)}::${message}`;
}
function commandText(error) {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll('%', '%25').replace(/\s+/g, ' ').slice(0, 500);
}
function guardExit(code, earlyExitCommand) {
  const host = process;
  const { reallyExit } = host;
  const printEarlyExit = () => {
    if (guard.earlyExitCommand !== undefined) process.stdout.write(`${guard.earlyExitCommand}\n`);
    guard.earlyExitCommand = undefined;
  };
  const guard = {
    code,
    earlyExitCommand,
    exitNow: () => {
      printEarlyExit();
      reallyExit.call(process, guard.code);
    },
    endWith: (command) => {
      guard.earlyExitCommand = undefined;
      process.stdout.write(`${command}\n`, guard.exitNow);
    },
  };
  host.reallyExit = guard.exitNow;
  process.on('exit', () => {
    printEarlyExit();
    process.exitCode = guard.code;
  });
  process.exitCode = code;
  return guard;
}

;// CONCATENATED MODULE: ./build/cancel.js

const failure = (message) => commandOf('error', message, 'run-pipeline/cancel');
const ENDED_EARLY =
  'Other code in this process, probably loaded through NODE_OPTIONS, ended the step early. Runs may still be in progress. Cancel them in the application.';
const guard = guardExit(1, failure(ENDED_EARLY));
const tooOld = nodeTooOld();
if (tooOld === undefined) {
  import(/* webpackIgnore: true */ '../start/index.js')
    .then(({ startCancel }) => startCancel(guard))
    .catch((error) => {
      const why = `The action could not be loaded (${commandText(error)}). Its folder may be incomplete.`;
      guard.endWith(failure(`${why} Nothing was cancelled. Check out or download the action again.`));
    });
} else {
  guard.endWith(failure(`${tooOld} Nothing was cancelled. Update the runner, or update Node.js on its PATH.`));
}

