import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
var __webpack_exports__ = {};

;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
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

;// CONCATENATED MODULE: ./build/main.js


const ENDED_EARLY =
  'Other code in this process, probably loaded through NODE_OPTIONS, ended the step early. Runs that the step triggered may still be in progress. The post step handles them at the end of the job.';
const guard = guardExit(1, commandOf('error', ENDED_EARLY));
function refuse(reason, remedy) {
  const message = `${reason} Nothing was triggered.`;
  const outputs = process.env['GITHUB_OUTPUT'] ?? '';
  try {
    if ((0,external_node_fs_namespaceObject.statSync)(outputs).isFile())
      (0,external_node_fs_namespaceObject.appendFileSync)(outputs, `job-status=not_queued\noutcome=not_triggered\nmessage=${message}\nresults=[]\n`);
  } catch {}
  guard.endWith(commandOf('error', `${message} ${remedy}`));
}
const tooOld = nodeTooOld();
if (tooOld === undefined) {
  import(/* webpackIgnore: true */ '../start/index.js')
    .then(({ startMain }) => startMain(guard))
    .catch((error) =>
      refuse(
        `The action could not be loaded (${commandText(error)}).`,
        "The action's folder may be incomplete. Check out or download the action again.",
      ),
    );
} else {
  refuse(tooOld, 'Update the runner, or update Node.js on its PATH.');
}

