import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
import * as __WEBPACK_EXTERNAL_MODULE__no_extras_index_js_f8e9f0cd__ from "../no-extras/index.js";
/******/ // The require scope
/******/ var __nccwpck_require__ = {};
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/************************************************************************/
var __webpack_exports__ = {};

// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  DL: () => (/* binding */ startCancel),
  Ym: () => (/* binding */ startMain),
  V2: () => (/* binding */ startPost)
});

;// CONCATENATED MODULE: external "node:os"
const external_node_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");
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

;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
;// CONCATENATED MODULE: ./build/base/safe-text.js
function oneLine(text, longest = 500) {
  return neutral(shorten(flat(text), longest));
}
const LOOKED_AT = 65_536;
function flat(text) {
  return withoutEscapes(text.slice(0, LOOKED_AT)).replace(INVISIBLE, ' ').replace(/\s+/gu, ' ').trim();
}
function withoutEscapes(text) {
  return text.replace(ESCAPE_SEQUENCE, '');
}
function neutral(line) {
  const visible = withoutEscapes(line).replace(CONTROL, ' ');
  return visible.replaceAll('##[', '#\u200B#[').replace(/^(\s*):(?=:)/u, '$1:\u200B');
}
function quoted(text, longest = 200) {
  return `"${oneLine(text, longest).replaceAll('"', "'")}"`;
}
function quotedName(name, longest = 200) {
  const escaped = (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  };
  return quoted(name.replace(HIDDEN, escaped), longest);
}
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
function namedMessageOf(error) {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
function shorten(text, longest) {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '');
  return `${kept.trimEnd()}…`;
}
function copyOf(text) {
  return Buffer.from(text).toString();
}
const WITHIN = String.raw`\0-\x17\x19\x1C-\x1F\x7F`;
const ESCAPE_SEQUENCE = new RegExp(
  [
    String.raw`(?:\x1B[${WITHIN}]*\[|\x9B)[${WITHIN} -?]*[@-~]?`,
    String.raw`\x1B[${WITHIN}]*[PX\]^_][^\x07\x18\x1A\x1B\x9C]*(?:[\x07\x18\x1A\x9C]|\x1B\\)?`,
    String.raw`[\x90\x98\x9D-\x9F][^\x07\x18\x1A\x1B\x80-\x9F]*(?:[\x07\x18\x1A\x9C]|\x1B\\)`,
    String.raw`\x1B[${WITHIN} -/]*[0-~]?`,
  ].join('|'),
  'g',
);
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]|[^\S ]|^ | $|(?<= ) /gu;

;// CONCATENATED MODULE: ./build/base/file-errors.js

class UnsuitableFile extends Error {
  name = 'UnsuitableFile';
}
class PartialWrite extends Error {
  name = 'PartialWrite';
}
const REMEDIES = {
  EACCES: 'Give the user that runs this step write access to this path.',
  EDQUOT: 'Free disk space or raise the disk quota of the user that runs this step.',
  EFBIG: 'Raise the file size limit on the runner.',
  EIO: "Check the runner's disk for errors.",
  EISDIR: 'Use the path of a regular file instead.',
  ELOOP: 'Correct the path, because its symbolic links form a loop.',
  ENOENT: 'Create the parent directory of this path, or correct the path.',
  ENOSPC: 'Free disk space on the runner.',
  ENOTDIR: 'Correct the path, because one of its parents is not a directory.',
  ENXIO: 'Use the path of a regular file instead.',
  EPERM: 'Give the user that runs this step write access to this path.',
  EROFS: 'Use a path on a writable file system, or mount this one as writable.',
};
function fileRemedy(error) {
  if (error instanceof UnsuitableFile) return 'Use the path of a regular file instead.';
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') {
    return REMEDIES[error.code] ?? "Check the runner's file system.";
  }
  return fileRemedy(error.cause);
}
function writeFailure(what, error, meaning) {
  return sentences(`Could not write ${what}: ${oneLine(messageOf(error))}.`, meaning, fileRemedy(error));
}
function sentences(...all) {
  return all.filter((sentence) => sentence !== '').join(' ');
}

;// CONCATENATED MODULE: ./build/action/runner/files.js



const FILE_KINDS = {
  missing: 'a path without a file',
  file: 'a regular file',
  directory: 'a directory',
  character_device: 'a character device',
  block_device: 'a block device',
  fifo: 'a FIFO (named pipe)',
  socket: 'a socket',
  stdout: "this step's standard output",
};
const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDONLY, O_WRONLY } = external_node_fs_namespaceObject.constants;
const systemFiles = {
  kindOf: (path) => orElse('missing', () => kindIn(external_node_fs_namespaceObject.statSync(path, { bigint: true }))),
  openToAppend: (path, check) => withFile(path, O_WRONLY | O_CREAT | O_APPEND, check, () => undefined),
  append: (path, text, check) =>
    withFile(path, O_WRONLY | O_CREAT | O_APPEND, check, (file, bytes) =>
      orUndo(path, bytes, check, () => external_node_fs_namespaceObject.appendFileSync(file, endsInsideLine(path) ? `\n${text}` : text)),
    ),
  write: (path, text, check) =>
    withFile(path, O_WRONLY | O_CREAT, check, (file) => {
      external_node_fs_namespaceObject.ftruncateSync(file);
      external_node_fs_namespaceObject.writeFileSync(file, text);
    }),
  read: (path, check) => orElse(undefined, () => withFile(path, O_RDONLY, check, textOf)),
  list: (folder) => orElse([], () => external_node_fs_namespaceObject.readdirSync(folder)),
};
function orElse(otherwise, task) {
  try {
    return task();
  } catch {
    return otherwise;
  }
}
function withFile(path, flags, check, use) {
  const file = external_node_fs_namespaceObject.openSync(path, flags | O_NONBLOCK, 0o600);
  try {
    const stats = external_node_fs_namespaceObject.fstatSync(file, { bigint: true });
    const bytes = Number(stats.size);
    check({ kind: kindIn(stats), bytes });
    return use(file, bytes);
  } finally {
    external_node_fs_namespaceObject.closeSync(file);
  }
}
function orUndo(path, bytes, check, write) {
  try {
    write();
  } catch (error) {
    const isUndone = orElse(false, () => {
      withFile(path, O_WRONLY, check, (file) => external_node_fs_namespaceObject.ftruncateSync(file, bytes));
      return true;
    });
    throw isUndone ? error : new PartialWrite(messageOf(error), { cause: error });
  }
}
function kindIn(stats) {
  const stdout = orElse(undefined, () => external_node_fs_namespaceObject.fstatSync(1, { bigint: true }));
  if (stats.ino !== 0n && stats.ino === stdout?.ino && stats.dev === stdout.dev) return 'stdout';
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isCharacterDevice()) return 'character_device';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'block_device';
}
function textOf(file, bytes) {
  const content = Buffer.alloc(bytes);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes; length += count) {
    count = external_node_fs_namespaceObject.readSync(file, content, length, bytes - length, length);
  }
  return content.toString('utf8', 0, length);
}
function endsInsideLine(path) {
  const endsInside = (file, bytes) => {
    const last = Buffer.alloc(1);
    return bytes > 0 && external_node_fs_namespaceObject.readSync(file, last, 0, 1, bytes - 1) === 1 && last.toString() !== '\n';
  };
  return orElse(false, () => withFile(path, O_RDONLY, () => undefined, endsInside));
}

;// CONCATENATED MODULE: ./build/run/interruption.js
const REPORT_WITHIN_MS = 6_500;
const GIVE_UP_AFTER_MS = 9_300;
function stopBy({ first }, policy) {
  return first && { reason: { kind: 'signal', by: first.by }, policy, at: first.at };
}
function hurriedSince({ first }) {
  return first === undefined || first.isUnhurried === true ? Infinity : first.at;
}
function onInterruption({ signal }, task) {
  if (signal.aborted) task();
  else signal.addEventListener('abort', task);
  return () => signal.removeEventListener('abort', task);
}
function afterInterruption(clock, interruption, ms, task) {
  let stopTimer;
  const stopListening = onInterruption(interruption, () => {
    const since = hurriedSince(interruption);
    if (since < Infinity) stopTimer = clock.after(Math.max(0, since + ms - clock.now()), task);
  });
  return () => {
    stopListening();
    stopTimer?.();
  };
}

;// CONCATENATED MODULE: ./build/action/runner/process.js



function print(line) {
  process.stdout.write(`${line}\n`);
}
const THREAD_POOL_REQUEST = /^(?:GetAddrInfoReq|GetNameInfoReq|FSReq|FileHandleCloseReq)/;
function controlOf(guard) {
  return {
    setInitialCode(code) {
      guard.code = code;
    },
    setFinalCode(code) {
      guard.code = code;
      guard.earlyExitCommand = undefined;
    },
    onError(listener) {
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
    },
    onDrained: (listener) => void process.on('beforeExit', listener),
    onFlushed: (listener) => void process.stdout.write('', (error) => listener(!error)),
    isThreadPoolBusy: () => process.getActiveResourcesInfo().some((name) => THREAD_POOL_REQUEST.test(name)),
    exit() {
      try {
        process.exit(guard.code);
      } finally {
        guard.exitNow();
      }
    },
    exitNow: guard.exitNow,
    kill: () => void process.kill(process.pid, 'SIGKILL'),
  };
}
function runMain(step, debug, parts) {
  const drained = 'nothing was left to wait for, although the run had not finished';
  runStep(step, { initialCode: 1, drained, debug }, parts);
}
function runPost(post, { warn, onStray }, parts) {
  const crash = (why) => {
    warn(why);
    return 0;
  };
  const drained = 'nothing was left to wait for, although it was not done';
  const step = { run: () => post().then(() => 0), crash, close: () => undefined };
  runStep(step, { initialCode: 0, drained, onStray }, parts);
}
function runStep(step, { initialCode, drained, debug, onStray }, parts) {
  const { control } = parts;
  control.setInitialCode(initialCode);
  let isEnding = false;
  const end = (finalCode) => {
    if (isEnding) return;
    isEnding = true;
    endProcess(orElse(initialCode, finalCode), parts, (isPrinted) => step.close(isPrinted));
  };
  const crash = (error) => {
    if (error instanceof Error && error.stack !== undefined) debug?.(error.stack);
    return step.crash(namedMessageOf(error));
  };
  const fail = (error) => end(() => crash(error));
  control.onError(onStray === undefined ? fail : (error) => onStray(namedMessageOf(error)));
  control.onDrained(() => fail(drained));
  step.run().then((code) => end(() => code), fail);
}
const FLUSH_MS = 5_000;
const INTERRUPTED_FLUSH_MS = 250;
const CHECK_EVERY_MS = 25;
function endProcess(code, parts, onEnd) {
  const { control, clock, interruption } = parts;
  const since = clock.now();
  const until = () => Math.min(since + FLUSH_MS, Math.max(since, hurriedSince(interruption)) + INTERRUPTED_FLUSH_MS);
  let isAccepted;
  let hasEnded = false;
  const tryEnd = () => {
    if (hasEnded) return;
    const isHeldUp = code !== 0 && control.isThreadPoolBusy();
    if (clock.now() < until() && (isAccepted === undefined || isHeldUp)) return;
    hasEnded = true;
    onEnd(isAccepted === true);
    if (isHeldUp) control.kill();
    else if (code === 0) control.exit();
    else control.exitNow();
  };
  const check = () => {
    tryEnd();
    if (!hasEnded) clock.after(CHECK_EVERY_MS, check);
  };
  control.setFinalCode(code);
  control.onFlushed((accepted) => {
    isAccepted = accepted;
    tryEnd();
  });
  check();
}

;// CONCATENATED MODULE: ./build/action/runner/processes.js


const START_TOLERANCE_MS = 3_000;
function ownStart() {
  const ticks = startTicks('self');
  return ticks === undefined ? `ms:${Math.round(performance.timeOrigin)}` : `${ticks}/${pidNamespace()}`;
}
const pidNamespace = () => orElse('', () => (0,external_node_fs_namespaceObject.readlinkSync)('/proc/self/ns/pid'));
const systemProcesses = {
  stateOf(pid, startedAt) {
    const [started, namespace = ''] = startedAt.split('/');
    if (namespace !== '' && namespace !== pidNamespace()) return 'unknown';
    if (!exists(pid)) return 'dead';
    if (startedAt.startsWith('ticks:')) {
      const ticks = startTicks(String(pid));
      if (ticks === undefined) return exists(pid) ? 'unknown' : 'dead';
      return ticks === started ? 'alive' : 'dead';
    }
    const awayMs = Math.abs(startAsPrinted(pid) - Number(/^ms:(\d+)$/.exec(startedAt)?.[1]));
    if (Number.isNaN(awayMs)) return 'unknown';
    return awayMs <= START_TOLERANCE_MS ? 'alive' : 'dead';
  },
  signal: (pid, name) => void orElse(false, () => process.kill(pid, name)),
};
function exists(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
function startTicks(pid) {
  if (process.platform !== 'linux') return undefined;
  const stat = orElse('', () => (0,external_node_fs_namespaceObject.readFileSync)(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat.replace(/^.*\)\s*/s, '').split(' ');
  const [state, start] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return 'ended';
  return start === undefined ? undefined : `ticks:${start}`;
}
function startAsPrinted(pid) {
  const powershell = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`;
  const [tool, ...args] =
    process.platform === 'win32'
      ? ['powershell.exe', '-NoProfile', '-Command', powershell]
      : ['env', 'LC_ALL=C', 'ps', '-o', 'lstart=', '-p', String(pid)];
  return orElse(Number.NaN, () => {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const stdio = ['ignore', 'pipe', 'ignore'];
    return Date.parse(execFileSync(tool, args, { encoding: 'utf8', timeout: 10_000, stdio }).trim());
  });
}

;// CONCATENATED MODULE: external "node:events"
const external_node_events_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");
;// CONCATENATED MODULE: ./build/action/runner/signals.js

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'];
const WATCH_PARENT_AFTER_MS = 10_000;
const LOOK_EVERY_MS = 5_000;
const LOOK_AGAIN_AFTER_MS = 1_000;
function listenForInterruption(source, clock) {
  const controller = new AbortController();
  (0,external_node_events_namespaceObject.setMaxListeners)(0, controller.signal);
  let first;
  const interrupt = (by, isUnhurried = false) => {
    if (first !== undefined) return;
    first = { by, at: clock.now(), ...(isUnhurried && { isUnhurried }) };
    controller.abort();
  };
  for (const name of SIGNALS) source.onSignal(name, () => interrupt(name));
  source.onStdoutGone(() => interrupt('stdout was closed'));
  let parent = 0;
  let goneSince = Infinity;
  const lookAtParent = () => {
    if (parent <= 1 || source.parentId() === parent) {
      goneSince = Infinity;
    } else if (goneSince === Infinity) {
      goneSince = clock.now();
      source.later(LOOK_AGAIN_AFTER_MS, lookAtParent);
    } else if (clock.now() - goneSince >= LOOK_AGAIN_AFTER_MS) {
      interrupt('its runner died', true);
    }
  };
  const causes = [];
  const look = () => {
    lookAtParent();
    for (const cause of first === undefined ? causes : []) {
      const by = cause();
      if (by !== undefined) interrupt(by);
    }
  };
  const lookRegularly = () => {
    look();
    source.later(LOOK_EVERY_MS, lookRegularly);
  };
  source.later(WATCH_PARENT_AFTER_MS, () => {
    parent = source.parentId();
    lookRegularly();
  });
  return {
    signal: controller.signal,
    get first() {
      return first;
    },
    lookFor: (cause) => void causes.push(cause),
    look,
  };
}
const processEvents = {
  onSignal: (name, listener) => void process.prependListener(name, listener),
  onStdoutGone(listener) {
    process.stdout.on('error', listener);
    process.stderr.on('error', () => undefined);
  },
  parentId: () => process.ppid,
  later: (ms, task) => void setTimeout(task, ms).unref(),
};

;// CONCATENATED MODULE: external "os"
const external_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("os");
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/utils.js
// We use any as a valid input type
/* eslint-disable @typescript-eslint/no-explicit-any */
/**
 * Sanitizes an input into a string so it can be passed into issueCommand safely
 * @param input input to sanitize into a string
 */
function utils_toCommandValue(input) {
    if (input === null || input === undefined) {
        return '';
    }
    else if (typeof input === 'string' || input instanceof String) {
        return input;
    }
    return JSON.stringify(input);
}
/**
 *
 * @param annotationProperties
 * @returns The command properties to send with the actual annotation command
 * See IssueCommandProperties: https://github.com/actions/runner/blob/main/src/Runner.Worker/ActionCommandManager.cs#L646
 */
function toCommandProperties(annotationProperties) {
    if (!Object.keys(annotationProperties).length) {
        return {};
    }
    return {
        title: annotationProperties.title,
        file: annotationProperties.file,
        line: annotationProperties.startLine,
        endLine: annotationProperties.endLine,
        col: annotationProperties.startColumn,
        endColumn: annotationProperties.endColumn
    };
}
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/command.js


/**
 * Issues a command to the GitHub Actions runner
 *
 * @param command - The command name to issue
 * @param properties - Additional properties for the command (key-value pairs)
 * @param message - The message to include with the command
 * @remarks
 * This function outputs a specially formatted string to stdout that the Actions
 * runner interprets as a command. These commands can control workflow behavior,
 * set outputs, create annotations, mask values, and more.
 *
 * Command Format:
 *   ::name key=value,key=value::message
 *
 * @example
 * ```typescript
 * // Issue a warning annotation
 * issueCommand('warning', {}, 'This is a warning message');
 * // Output: ::warning::This is a warning message
 *
 * // Set an environment variable
 * issueCommand('set-env', { name: 'MY_VAR' }, 'some value');
 * // Output: ::set-env name=MY_VAR::some value
 *
 * // Add a secret mask
 * issueCommand('add-mask', {}, 'secretValue123');
 * // Output: ::add-mask::secretValue123
 * ```
 *
 * @internal
 * This is an internal utility function that powers the public API functions
 * such as setSecret, warning, error, and exportVariable.
 */
function command_issueCommand(command, properties, message) {
    const cmd = new Command(command, properties, message);
    process.stdout.write(cmd.toString() + external_os_namespaceObject.EOL);
}
function command_issue(name, message = '') {
    command_issueCommand(name, {}, message);
}
const CMD_STRING = '::';
class Command {
    constructor(command, properties, message) {
        if (!command) {
            command = 'missing.command';
        }
        this.command = command;
        this.properties = properties;
        this.message = message;
    }
    toString() {
        let cmdStr = CMD_STRING + this.command;
        if (this.properties && Object.keys(this.properties).length > 0) {
            cmdStr += ' ';
            let first = true;
            for (const key in this.properties) {
                if (this.properties.hasOwnProperty(key)) {
                    const val = this.properties[key];
                    if (val) {
                        if (first) {
                            first = false;
                        }
                        else {
                            cmdStr += ',';
                        }
                        cmdStr += `${key}=${escapeProperty(val)}`;
                    }
                }
            }
        }
        cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
        return cmdStr;
    }
}
function escapeData(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A');
}
function escapeProperty(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A')
        .replace(/:/g, '%3A')
        .replace(/,/g, '%2C');
}
;// CONCATENATED MODULE: external "crypto"
const external_crypto_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("crypto");
;// CONCATENATED MODULE: external "fs"
const external_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("fs");
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/file-command.js
// For internal use, subject to change.
// We use any as a valid input type
/* eslint-disable @typescript-eslint/no-explicit-any */




function file_command_issueFileCommand(command, message) {
    const filePath = process.env[`GITHUB_${command}`];
    if (!filePath) {
        throw new Error(`Unable to find environment variable for file command ${command}`);
    }
    if (!fs.existsSync(filePath)) {
        throw new Error(`Missing file at path: ${filePath}`);
    }
    fs.appendFileSync(filePath, `${toCommandValue(message)}${os.EOL}`, {
        encoding: 'utf8'
    });
}
function file_command_prepareKeyValueMessage(key, value) {
    const delimiter = `ghadelimiter_${crypto.randomUUID()}`;
    const convertedValue = toCommandValue(value);
    // These should realistically never happen, but just in case someone finds a
    // way to exploit uuid generation let's not allow keys or values that contain
    // the delimiter.
    if (key.includes(delimiter)) {
        throw new Error(`Unexpected input: name should not contain the delimiter "${delimiter}"`);
    }
    if (convertedValue.includes(delimiter)) {
        throw new Error(`Unexpected input: value should not contain the delimiter "${delimiter}"`);
    }
    return `${key}<<${delimiter}${os.EOL}${convertedValue}${os.EOL}${delimiter}`;
}
;// CONCATENATED MODULE: external "path"
const external_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("path");
;// CONCATENATED MODULE: external "../no-extras/index.js"
var x = (y) => {
	var x = {}; __nccwpck_require__.d(x, y); return x
} 
var y = (x) => (() => (x))
const index_js_namespaceObject = x({  });
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/core.js
var __awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};






/**
 * The code to exit an action
 */
var ExitCode;
(function (ExitCode) {
    /**
     * A code indicating that the action was successful
     */
    ExitCode[ExitCode["Success"] = 0] = "Success";
    /**
     * A code indicating that the action was a failure
     */
    ExitCode[ExitCode["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
//-----------------------------------------------------------------------
// Variables
//-----------------------------------------------------------------------
/**
 * Sets env variable for this action and future actions in the job
 * @param name the name of the variable to set
 * @param val the value of the variable. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function exportVariable(name, val) {
    const convertedVal = toCommandValue(val);
    process.env[name] = convertedVal;
    const filePath = process.env['GITHUB_ENV'] || '';
    if (filePath) {
        return issueFileCommand('ENV', prepareKeyValueMessage(name, val));
    }
    issueCommand('set-env', { name }, convertedVal);
}
/**
 * Registers a secret which will get masked from logs
 *
 * @param secret - Value of the secret to be masked
 * @remarks
 * This function instructs the Actions runner to mask the specified value in any
 * logs produced during the workflow run. Once registered, the secret value will
 * be replaced with asterisks (***) whenever it appears in console output, logs,
 * or error messages.
 *
 * This is useful for protecting sensitive information such as:
 * - API keys
 * - Access tokens
 * - Authentication credentials
 * - URL parameters containing signatures (SAS tokens)
 *
 * Note that masking only affects future logs; any previous appearances of the
 * secret in logs before calling this function will remain unmasked.
 *
 * @example
 * ```typescript
 * // Register an API token as a secret
 * const apiToken = "abc123xyz456";
 * setSecret(apiToken);
 *
 * // Now any logs containing this value will show *** instead
 * console.log(`Using token: ${apiToken}`); // Outputs: "Using token: ***"
 * ```
 */
function setSecret(secret) {
    command_issueCommand('add-mask', {}, secret);
}
/**
 * Prepends inputPath to the PATH (for this action and future actions)
 * @param inputPath
 */
function addPath(inputPath) {
    const filePath = process.env['GITHUB_PATH'] || '';
    if (filePath) {
        issueFileCommand('PATH', inputPath);
    }
    else {
        issueCommand('add-path', {}, inputPath);
    }
    process.env['PATH'] = `${inputPath}${path.delimiter}${process.env['PATH']}`;
}
/**
 * Gets the value of an input.
 * Unless trimWhitespace is set to false in InputOptions, the value is also trimmed.
 * Returns an empty string if the value is not defined.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string
 */
function getInput(name, options) {
    const val = process.env[`INPUT_${name.replace(/ /g, '_').toUpperCase()}`] || '';
    if (options && options.required && !val) {
        throw new Error(`Input required and not supplied: ${name}`);
    }
    if (options && options.trimWhitespace === false) {
        return val;
    }
    return val.trim();
}
/**
 * Gets the values of an multiline input.  Each value is also trimmed.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string[]
 *
 */
function getMultilineInput(name, options) {
    const inputs = getInput(name, options)
        .split('\n')
        .filter(x => x !== '');
    if (options && options.trimWhitespace === false) {
        return inputs;
    }
    return inputs.map(input => input.trim());
}
/**
 * Gets the input value of the boolean type in the YAML 1.2 "core schema" specification.
 * Support boolean input list: `true | True | TRUE | false | False | FALSE` .
 * The return value is also in boolean type.
 * ref: https://yaml.org/spec/1.2/spec.html#id2804923
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   boolean
 */
function getBooleanInput(name, options) {
    const trueValue = ['true', 'True', 'TRUE'];
    const falseValue = ['false', 'False', 'FALSE'];
    const val = getInput(name, options);
    if (trueValue.includes(val))
        return true;
    if (falseValue.includes(val))
        return false;
    throw new TypeError(`Input does not meet YAML 1.2 "Core Schema" specification: ${name}\n` +
        `Support boolean input list: \`true | True | TRUE | false | False | FALSE\``);
}
/**
 * Sets the value of an output.
 *
 * @param     name     name of the output to set
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function setOutput(name, value) {
    const filePath = process.env['GITHUB_OUTPUT'] || '';
    if (filePath) {
        return issueFileCommand('OUTPUT', prepareKeyValueMessage(name, value));
    }
    process.stdout.write(os.EOL);
    issueCommand('set-output', { name }, toCommandValue(value));
}
/**
 * Enables or disables the echoing of commands into stdout for the rest of the step.
 * Echoing is disabled by default if ACTIONS_STEP_DEBUG is not set.
 *
 */
function setCommandEcho(enabled) {
    issue('echo', enabled ? 'on' : 'off');
}
//-----------------------------------------------------------------------
// Results
//-----------------------------------------------------------------------
/**
 * Sets the action status to failed.
 * When the action exits it will be with an exit code of 1
 * @param message add error issue message
 */
function setFailed(message) {
    process.exitCode = ExitCode.Failure;
    error(message);
}
//-----------------------------------------------------------------------
// Logging Commands
//-----------------------------------------------------------------------
/**
 * Gets whether Actions Step Debug is on or not
 */
function isDebug() {
    return process.env['RUNNER_DEBUG'] === '1';
}
/**
 * Writes debug message to user log
 * @param message debug message
 */
function debug(message) {
    command_issueCommand('debug', {}, message);
}
/**
 * Adds an error issue
 * @param message error issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function error(message, properties = {}) {
    command_issueCommand('error', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a warning issue
 * @param message warning issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function warning(message, properties = {}) {
    command_issueCommand('warning', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a notice issue
 * @param message notice issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function notice(message, properties = {}) {
    command_issueCommand('notice', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Writes info to log with console.log.
 * @param message info message
 */
function info(message) {
    process.stdout.write(message + os.EOL);
}
/**
 * Begin an output group.
 *
 * Output until the next `groupEnd` will be foldable in this group
 *
 * @param name The name of the output group
 */
function startGroup(name) {
    issue('group', name);
}
/**
 * End an output group.
 */
function endGroup() {
    issue('endgroup');
}
/**
 * Wrap an asynchronous function call in a group.
 *
 * Returns the same type as the function itself.
 *
 * @param name The name of the group
 * @param fn The function to wrap in the group
 */
function group(name, fn) {
    return __awaiter(this, void 0, void 0, function* () {
        startGroup(name);
        let result;
        try {
            result = yield fn();
        }
        finally {
            endGroup();
        }
        return result;
    });
}
//-----------------------------------------------------------------------
// Wrapper action state
//-----------------------------------------------------------------------
/**
 * Saves state for current action, the state can only be retrieved by this action's post job execution.
 *
 * @param     name     name of the state to store
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function saveState(name, value) {
    const filePath = process.env['GITHUB_STATE'] || '';
    if (filePath) {
        return issueFileCommand('STATE', prepareKeyValueMessage(name, value));
    }
    issueCommand('save-state', { name }, toCommandValue(value));
}
/**
 * Gets the value of an state set by this action's main execution.
 *
 * @param     name     name of the state to get
 * @returns   string
 */
function getState(name) {
    return process.env[`STATE_${name}`] || '';
}
function getIDToken(aud) {
    return __awaiter(this, void 0, void 0, function* () {
        return yield OidcClient.getIDToken(aud);
    });
}
/**
 * Summary exports
 */

/**
 * @deprecated use core.summary
 */

/**
 * Path exports
 */

/**
 * Platform utilities exports
 */

;// CONCATENATED MODULE: ./build/action/runner/toolkit.js

const ANNOTATE = { error: error, warning: warning, notice: notice };
const githubToolkit = {
  mask: (secret) => setSecret(secret),
  annotate: (level, title, message) => ANNOTATE[level](message, { title }),
  debug(line) {
    if (isDebug()) debug(line);
  },
};

;// CONCATENATED MODULE: ./build/base/version.js
const VERSION = '0.1.0';
const REPORT_IT = 'Please report this bug, and attach a log with debug logging enabled.';

;// CONCATENATED MODULE: ./build/run/guards.js
class Gate {
  #free;
  #queue = [];
  #before = [];
  constructor(width) {
    this.#free = width;
  }
  async enter(isNext = false) {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise((next) => (isNext ? this.#before : this.#queue).push(next));
    return () => {
      const next = this.#before.shift() ?? this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}
const WIDTH = 50;
function bounded(service) {
  const gate = new Gate(WIDTH);
  const inTurn = async (options = {}, call) => {
    const leave = await gate.enter();
    try {
      const isTooLate = options.signal?.aborted === true || (options.withinMs?.() ?? Infinity) <= 0;
      return isTooLate ? { kind: 'aborted' } : await call();
    } finally {
      leave();
    }
  };
  return {
    ...service,
    read: (jobId, options) => inTurn(options, () => service.read(jobId, options)),
    cancel: (jobId, options) => inTurn(options, () => service.cancel(jobId, options)),
  };
}
function rejectKnownJobIds(service, given) {
  const known = new Set(given);
  return {
    ...service,
    async trigger(order, options) {
      const outcome = await service.trigger(order, options);
      if (outcome.kind !== 'queued') return outcome;
      const { jobId } = outcome;
      if (!known.has(jobId)) {
        known.add(jobId);
        return outcome;
      }
      const cause = `the service returned the id of a run that this step already knows (${jobId})`;
      return { kind: 'maybe_processed', problem: { attempted: 'trigger the run', cause } };
    },
  };
}

;// CONCATENATED MODULE: ./build/base/clock.js
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const systemClock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}
function pause(clock, ms, signal) {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      takeBack();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const takeBack = clock.after(Math.max(0, ms), done);
    signal?.addEventListener('abort', done);
  });
}

;// CONCATENATED MODULE: ./build/service/statuses.js
const TERMINAL_STATUSES = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];
const CANCELLABLE_STATUSES = ['queued', 'picked', 'running'];
function isTerminal(status) {
  return TERMINAL_STATUSES.includes(status);
}
function isKnownStatus(status) {
  return isTerminal(status) || CANCELLABLE_STATUSES.includes(status);
}
const MESSAGE_TOO_LONG = '(the status message is longer than 256 KiB and is not shown)';

;// CONCATENATED MODULE: ./build/run/retry.js

const BASE_MS = 1_000;
const CAP_MS = 30_000;
const TRIES = 8;
function backoffMs(random, tried, baseMs = BASE_MS, capMs = CAP_MS) {
  return random() * Math.min(capMs, baseMs * 2 ** tried);
}
function isTransient(failure) {
  return failure.kind === 'maybe_processed' || (failure.kind === 'not_processed' && failure.retryable);
}
function retryAfterMs(outcome) {
  return outcome.retryAfterMs ?? 0;
}
function retryPauseMs(random, tried, failure) {
  return Math.max(retryAfterMs(failure), backoffMs(random, tried));
}
function afterAllTries(problem) {
  return { ...problem, cause: `${problem.cause} (${TRIES} attempts)` };
}
function problemsOf(failure) {
  return failure.kind === 'aborted' ? [] : [failure.problem];
}
async function retrying({ clock, interruption, ledger, random }, call) {
  const { signal } = interruption;
  for (let tried = 0; ; tried += 1) {
    if (signal.aborted) return { kind: 'aborted' };
    const outcome = await call({ signal });
    if (!isFailure(outcome) || !isTransient(outcome)) return outcome;
    if (tried + 1 >= TRIES) return { ...outcome, problem: afterAllTries(outcome.problem) };
    const inMs = retryPauseMs(random, tried, outcome);
    ledger.notice({ notice: 'retry', problem: outcome.problem, inMs });
    await pause(clock, inMs, signal);
  }
}
const FAILURES = {
  not_processed: true,
  maybe_processed: true,
  unauthorized: true,
  rejected: true,
  key_refused: true,
  aborted: true,
};
function isFailure(outcome) {
  return outcome.kind in FAILURES;
}

;// CONCATENATED MODULE: ./build/run/state/facts.js

function rowFact(job, confirming = false) {
  return { kind: isTerminal(job.status) ? 'finished' : 'seen', job, ...(confirming && { confirming }) };
}
const DURABLE = {
  claimed: true,
  queued: true,
  not_resumed: true,
  intent: true,
  refused: true,
  unknown: true,
  stopped: true,
  detached: true,
  lost: true,
  finished: true,
};
function isDurable(fact) {
  return fact.kind in DURABLE;
}

;// CONCATENATED MODULE: ./build/base/duration.js
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
function parseDuration(text) {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/i.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  }
  return Number.isFinite(total) ? Math.round(total) : undefined;
}
function formatDuration(ms) {
  if (ms <= 0 || !Number.isFinite(ms)) return '0s';
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${Math.floor(ms / 100) / 10}s`;
  const seconds = Math.floor(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  const shown = parts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return shown.map(([amount, unit]) => `${amount}${unit}`).join(' ');
}

;// CONCATENATED MODULE: ./build/run/wait.js




const IN_A_ROW = 3;
const KEY_REJECTIONS = 3;
const KEY_REJECTED_FOR_MS = 60_000;
async function awaitRun(run, jobId, parts, reads) {
  const { plan, clock, interruption, ledger, service } = parts;
  const { stopped } = run;
  const begun = clock.now();
  const queue = new QueuedStretch(run, begun);
  let outage = new Outage(begun);
  let nextReadAt = reads.at;
  let delayMs = reads.delayAfterMs;
  while (!stopped.aborted) {
    await pause(clock, nextReadAt - clock.now(), stopped);
    interruption.look();
    if (stopped.aborted) return;
    const outcome = await service.read(jobId, { signal: stopped });
    const now = clock.now();
    if (outcome.kind === 'job') {
      outage = new Outage(now);
      ledger.apply(run, rowFact(outcome.job));
      if (run.phase.at === 'finished') return;
      const afterMs = plan.queueTimeoutMs ?? Infinity;
      if (queue.add(outcome.job.status, now) >= afterMs) {
        ledger.stop({ reason: { kind: 'queue_timeout', afterMs }, policy: plan.onTimeout, at: clock.now() }, run);
      }
    } else if (outcome.kind !== 'aborted' && !stopped.aborted) {
      const { problem, isFinal } = outage.add(outcome, now, run, plan.maxOutageMs);
      if (isFinal) {
        ledger.apply(run, { kind: 'lost', problem });
        return;
      }
      ledger.apply(run, { kind: 'read_failed', problem, sinceMs: now - outage.lastGoodAt });
    }
    nextReadAt = now + Math.max(plan.pollIntervalMs + delayMs, retryAfterMs(outcome));
    delayMs = 0;
  }
}
class QueuedStretch {
  #since;
  #reads;
  constructor({ status, lastReadAt }, begun) {
    this.#since = status === 'queued' ? (lastReadAt ?? begun) : undefined;
    this.#reads = lastReadAt === undefined ? 0 : 1;
  }
  add(status, now) {
    if (status !== 'queued') {
      this.#since = undefined;
      this.#reads = 0;
      return 0;
    }
    this.#since ??= now;
    this.#reads += 1;
    return this.#reads > 1 ? now - this.#since : 0;
  }
}
class Outage {
  lastGoodAt;
  #kind;
  #inARow = 0;
  #reads = 0;
  #keyRejections = 0;
  #keyRejectedAt = 0;
  constructor(lastGoodAt) {
    this.lastGoodAt = lastGoodAt;
  }
  add(outcome, now, run, maxOutageMs) {
    const problem = problemOf(outcome);
    const kind = outcome.kind === 'missing' || outcome.kind === 'rejected' ? outcome.kind : undefined;
    this.#inARow = kind === this.#kind ? this.#inARow + 1 : 1;
    this.#kind = kind;
    this.#reads += 1;
    if (outcome.kind === 'key_refused') {
      if (this.#keyRejections === 0) this.#keyRejectedAt = now;
      this.#keyRejections += 1;
    }
    const howLong = this.#whyFinal(outcome.kind, now, maxOutageMs);
    if (howLong !== undefined) return { problem: { ...problem, cause: `${problem.cause}${howLong}` }, isFinal: true };
    return { problem, isFinal: outcome.kind === 'missing' && run.attached && run.status === undefined };
  }
  #whyFinal(kind, now, maxOutageMs) {
    if (this.#kind !== undefined && this.#inARow >= IN_A_ROW) return `; ${IN_A_ROW} status checks in a row failed`;
    const sinceMs = now - this.lastGoodAt;
    if (sinceMs >= maxOutageMs && this.#reads > 1) return `; no valid response for ${formatDuration(sinceMs)}`;
    const rejectedForMs = now - this.#keyRejectedAt;
    return kind === 'key_refused' && this.#keyRejections >= KEY_REJECTIONS && rejectedForMs >= KEY_REJECTED_FOR_MS
      ? `; the API key was rejected ${this.#keyRejections} times over ${formatDuration(rejectedForMs)}`
      : undefined;
  }
}
function problemOf(outcome) {
  if (outcome.kind !== 'missing') return outcome.problem;
  return {
    attempted: "read the run's status",
    cause: 'the workspace of this API key has no run with this id',
    remedy: "Check the id, and check that the API key belongs to the run's workspace.",
  };
}

;// CONCATENATED MODULE: ./build/run/settle.js






const FREE_READS = 3;
const settle_BASE_MS = 400;
const SHORT_MS = 1_000;
const MOST_OVERLAPPING = 12;
const POST = {
  giveUpAfterMs: 180_000,
  giveUpAfterSignalMs: 6_500,
  calm: { attemptMs: 10_000, pauseMs: 15_000 },
  hurried: { attemptMs: 2_000, pauseMs: 2_000 },
};
const PROFILES = {
  main: {
    giveUpAfterMs: 60_000,
    giveUpAfterSignalMs: GIVE_UP_AFTER_MS - 100,
    calm: { attemptMs: 10_000, pauseMs: 8_000 },
    hurried: { attemptMs: 2_000, pauseMs: 1_000 },
  },
  post: POST,
  cancel: { ...POST, mostMissing: 3 },
};
async function settleRun(run, parts, profile, { since = parts.clock.now(), mostTries = Infinity } = {}) {
  const { ledger, interruption } = parts;
  if (run.jobId === undefined) return;
  const isCalm = () => hurriedSince(interruption) === Infinity;
  const afterSignal = () => hurriedSince(interruption) + profile.giveUpAfterSignalMs;
  const settlement = await confirmCancel(run.jobId, {
    ...parts,
    until: () => Math.min(since + profile.giveUpAfterMs, afterSignal()),
    pace: () => (isCalm() ? profile.calm : profile.hurried),
    pollIntervalMs: parts.plan.pollIntervalMs,
    mostTries: () => (isCalm() ? mostTries : Infinity),
    staysOpen: () => !isCalm() && ledger.runs.length <= MOST_OVERLAPPING,
    mostMissing: profile.mostMissing,
    hurry: interruption.signal,
    reads: run.confirming,
    onTrouble: (problem) => ledger.apply(run, { kind: 'cancel_failed', problem }),
    onSeen: (job) => ledger.apply(run, rowFact(job, true)),
  });
  if (settlement.kind === 'unsettled') ledger.apply(run, settlement);
}
async function cancelAgain(run, parts, noRunsLeft) {
  const { clock, interruption, ledger, plan } = parts;
  const either = AbortSignal.any([noRunsLeft, interruption.signal]);
  while (run.phase.at === 'unsettled' && !either.aborted) {
    ledger.apply(run, { kind: 'cancel_failed', problem: run.phase.problem });
    await pause(clock, plan.pollIntervalMs, either);
    if (!noRunsLeft.aborted) await settleRun(run, parts, PROFILES.main, { mostTries: 1 });
  }
}
async function confirmCancel(jobId, settling) {
  const { clock, hurry, reads, service, until } = settling;
  const attempts = new Attempts(settling);
  let missing = 0;
  let rejection;
  let isOpen = false;
  for (let tried = 0; clock.now() < until() && attempts.ended === undefined; tried += 1) {
    const patched = await attempts.send((options) => service.cancel(jobId, options));
    let last = patched;
    const isUnclear = !isFailure(patched) && !isEnd(patched);
    if (isUnclear && (reads.done < FREE_READS || clock.now() - reads.lastAt >= settling.pollIntervalMs)) {
      last = await attempts.send((options) => service.read(jobId, { ...options, repeatIfTooLarge: true }));
      reads.done += 1;
      reads.lastAt = clock.now();
    }
    if (attempts.ended !== undefined) break;
    isOpen = last === TOO_LONG;
    if (last.kind === 'missing') missing += 1;
    else if (last.kind === 'job') missing = 0;
    if (last.kind === 'key_refused') rejection = last.problem;
    else if (!isFailure(last)) rejection = undefined;
    if (missing >= (settling.mostMissing ?? Infinity)) break;
    if (last.kind === 'aborted') continue;
    if (tried + 1 >= (settling.mostTries?.() ?? Infinity)) break;
    const pauseMs = nextPauseMs(tried, last, settling);
    if (pauseMs >= until() - clock.now()) break;
    if (!isOpen) settling.onTrouble(attempts.lastProblem ?? NO_TIME);
    await pause(clock, pauseMs, hurry.aborted ? attempts.over : AbortSignal.any([hurry, attempts.over]));
  }
  await attempts.close();
  const job = attempts.ended;
  if (job !== undefined) return { kind: 'settled', job };
  return { kind: 'unsettled', problem: rejection ?? attempts.lastProblem ?? (isOpen ? TOO_LONG.problem : NO_TIME) };
}
class Attempts {
  ended;
  lastProblem;
  #settling;
  #over = new AbortController();
  over = this.#over.signal;
  #answers = [];
  constructor(settling) {
    this.#settling = settling;
  }
  async send(request) {
    const { clock, hurry, pace, staysOpen, until } = this.#settling;
    const leftMs = () => Math.max(0, until() - clock.now());
    const withinMs = () => Math.min(pace().attemptMs, leftMs());
    const overlaps = staysOpen?.() === true;
    const signal = hurry.aborted ? this.over : AbortSignal.any([hurry, this.over]);
    const options = { withinMs, signal, ...(overlaps && { requestWithinMs: leftMs }) };
    const startedWithMs = leftMs();
    const answer = request(options).then((one) => this.#look(one, startedWithMs));
    this.#answers.push(answer);
    if (!overlaps) return answer;
    const answered = new AbortController();
    const tooLong = pause(clock, withinMs(), AbortSignal.any([answered.signal, this.over]));
    const first = await Promise.race([answer, tooLong.then(() => TOO_LONG)]);
    answered.abort();
    return first;
  }
  async close() {
    const { clock, until } = this.#settling;
    await Promise.race([Promise.allSettled(this.#answers), pause(clock, until() - clock.now(), this.over)]);
    this.#over.abort();
  }
  #look(answer, startedWithMs) {
    const isCutShort = startedWithMs < SHORT_MS && this.lastProblem !== undefined;
    if (!isCutShort) this.lastProblem = trouble(answer) ?? this.lastProblem;
    if (answer.kind !== 'job' || this.over.aborted) return answer;
    this.#settling.onSeen(answer.job);
    if (!isEnd(answer)) return answer;
    this.ended = answer.job;
    this.#over.abort();
    return answer;
  }
}
const NO_TIME = { attempted: 'cancel the run', cause: 'there was no time left for a request' };
const TOO_LONG = {
  kind: 'maybe_processed',
  problem: { attempted: 'cancel the run', cause: 'no response had arrived when the step had to end' },
};
function isEnd(answer) {
  return answer.kind === 'job' && isTerminal(answer.job.status);
}
function nextPauseMs(tried, answer, { clock, pace, random, until }) {
  const { attemptMs, pauseMs } = pace();
  const own = settle_BASE_MS / 2 + backoffMs(random, tried, settle_BASE_MS, pauseMs);
  const lastChance = until() - clock.now() - attemptMs;
  return Math.max(own, Math.min(retryAfterMs(answer), lastChance));
}
function trouble(answer) {
  if (answer.kind === 'aborted') return undefined;
  if (isFailure(answer)) return answer.problem;
  switch (answer.kind) {
    case 'accepted':
      return answer.problem;
    case 'unchanged':
      return { attempted: 'cancel the run', cause: 'the service changed nothing, and no read showed a final status' };
    case 'missing':
      return { ...problemOf(answer), attempted: 'confirm the cancellation' };
    case 'job':
      return { attempted: 'cancel the run', cause: `its status is still ${answer.job.status}` };
  }
}

;// CONCATENATED MODULE: ./build/run/state/run-state.js

function newRun(number, target) {
  return {
    number,
    target,
    attempt: 1,
    earlier: [],
    pipeline: undefined,
    jobId: undefined,
    status: undefined,
    statusMessage: null,
    history: [],
    phase: { at: 'waiting' },
    stop: undefined,
    doubt: undefined,
    startedAt: undefined,
    endedAt: undefined,
    intentWall: undefined,
    attached: false,
    unrecorded: undefined,
    lastReadAt: undefined,
    outageSince: undefined,
  };
}
function isOpen({ phase }) {
  return phase.at === 'waiting' || phase.at === 'triggering' || phase.at === 'in_progress';
}
function reduce(before, entry) {
  if (entry.attempt < before.attempt) return before;
  const current = entry.attempt > before.attempt ? nextAttempt(before, entry.attempt) : before;
  const run = withLostId(current, entry);
  const change = isImmune(run, entry.fact) ? undefined : changeOf(run, entry);
  if (change === undefined) return before;
  const { fact, jobId } = entry;
  return { ...run, ...(run.jobId === undefined && fact.kind !== 'intent' && { jobId }), ...change };
}
function nextAttempt(run, attempt) {
  const { number, target, pipeline } = run;
  return { ...newRun(number, target), attempt, pipeline, earlier: [...run.earlier, { ...run }] };
}
function attemptsOf(run) {
  const { earlier, phase } = run;
  const isSent = earlier.length === 0 || (phase.at !== 'waiting' && phase.at !== 'not_queued');
  return isSent ? [...earlier, run] : earlier;
}
function lastKnown(run) {
  return attemptsOf(run).findLast(({ jobId }) => jobId !== undefined) ?? run;
}
function begunAt({ earlier: [first], startedAt }) {
  return first === undefined ? startedAt : first.startedAt;
}
function withLostId(run, { fact, jobId, at }) {
  const isUnqueued = run.phase.at === 'triggering' || run.phase.at === 'waiting';
  if (jobId === undefined || !isUnqueued || !AFTER_QUEUED.has(fact.kind)) return run;
  return { ...run, ...changeOf(run, { run: run.number, attempt: run.attempt, fact: { kind: 'queued', jobId }, at }) };
}
const AFTER_QUEUED = new Set(['stopped', 'detached', 'lost', 'finished']);
const AFTER_LEAVING = new Set(['finished', 'seen', 'not_resumed', 'resolved']);
function isImmune({ phase }, { kind }) {
  if (phase.at === 'finished') return kind !== 'resolved';
  return (phase.at === 'left' || phase.at === 'lost') && !AFTER_LEAVING.has(kind);
}
function changeOf(run, { fact, at }) {
  const { stop, doubt } = run;
  switch (fact.kind) {
    case 'resolved':
      return { pipeline: fact.pipeline };
    case 'again':
    case 'cancel_failed':
      return {};
    case 'claimed':
      return { attached: true, jobId: fact.jobId, phase: { at: 'in_progress' } };
    case 'intent':
      return {
        phase: { at: 'triggering' },
        jobId: undefined,
        pipeline: run.pipeline ?? fact.pipeline,
        intentWall: fact.wall,
        startedAt: run.startedAt ?? at,
      };
    case 'queued':
      return {
        ...noted(run, 'queued', at),
        jobId: fact.jobId,
        phase: inProgress(stop),
        stop: stop?.policy === 'await' ? undefined : stop,
      };
    case 'not_resumed': {
      const phase = { at: stop === undefined ? 'waiting' : 'not_queued' };
      return { attached: false, jobId: undefined, lastReadAt: undefined, phase };
    }
    case 'refused':
      return { phase: fact.retryInMs === undefined ? withoutRun(run, fact.problem) : { at: 'waiting' } };
    case 'unknown': {
      const first = doubt ?? { problem: fact.problem };
      return { doubt: first, phase: fact.retryInMs === undefined ? { at: 'unknown', ...first } : { at: 'waiting' } };
    }
    case 'kept_back':
      return { phase: withoutRun(run, fact.problem) };
    case 'unanswered':
      return { phase: { at: 'unknown', problem: fact.problem } };
    case 'stopped':
      return stopped(run, fact.stop);
    case 'detached':
      return { phase: { at: 'detached' }, stop: undefined };
    case 'lost':
      return { phase: { at: 'lost', problem: fact.problem }, ...(run.lastReadAt !== undefined && { lastReadAt: at }) };
    case 'unsettled':
      return { phase: { at: 'unsettled', problem: fact.problem } };
    case 'awaited':
      return { startedAt: at, ...(fact.job && { ...shown(run, fact.job, at), lastReadAt: at }) };
    case 'seen':
      return { ...shown(run, fact.job, at), ...(!fact.confirming && { lastReadAt: at, outageSince: undefined }) };
    case 'finished':
      return finished(run, fact.job, fact.confirming === true, at);
    case 'read_failed':
      return {
        lastReadAt: at,
        ...(fact.retryInMs === undefined && { outageSince: run.outageSince ?? (at ?? 0) - fact.sinceMs }),
      };
    case 'dry_run':
      return { phase: { at: 'dry_run' }, ...(fact.job && { ...shown(run, fact.job, at), jobId: fact.job.id }) };
  }
}
function withoutRun({ doubt }, problem) {
  if (doubt !== undefined) return { at: 'unknown', ...doubt };
  return problem === undefined ? { at: 'not_queued' } : { at: 'not_queued', problem };
}
function stopped(run, stop) {
  if (run.stop !== undefined && run.stop.policy !== 'await') return undefined;
  switch (run.phase.at) {
    case 'waiting':
      return { stop, phase: withoutRun(run) };
    case 'triggering':
      return { stop };
    case 'in_progress':
      if (stop.policy === 'await') return undefined;
      return { stop, phase: inProgress(stop) };
    case 'detached':
      return stop.reason.kind === 'job_cancelled' ? { stop, phase: { at: 'in_progress' } } : undefined;
    default:
      return undefined;
  }
}
function inProgress(stop) {
  return { at: stop?.policy === 'leave' ? 'left' : 'in_progress' };
}
function finished(run, job, confirming, at) {
  if (!isTerminal(job.status) || (run.jobId !== undefined && job.id !== run.jobId)) return undefined;
  return {
    ...shown(run, job, at),
    ...(!confirming && { stop: undefined, lastReadAt: at, outageSince: undefined }),
    phase: { at: 'finished', status: job.status },
    endedAt: run.endedAt ?? at,
  };
}
const MOST_CHANGES = 200;
function shown(run, job, at) {
  return { ...noted(run, job.status, at), statusMessage: job.statusMessage };
}
function noted(run, status, at = 0) {
  if (run.history.at(-1)?.status === status) return { status };
  return { status, history: [...run.history.slice(0, MOST_CHANGES - 1), { status, at }] };
}

;// CONCATENATED MODULE: ./build/run/state/ledger.js




const ABORT = new WeakMap();
function plannedRuns({ targets }) {
  return targets.map((target, index) => trackedRun(newRun(index + 1, target)));
}
function trackedRun(state) {
  const controller = new AbortController();
  const confirming = { done: 0, lastAt: -Infinity };
  const run = { ...state, stopped: controller.signal, confirming };
  ABORT.set(run, controller);
  return run;
}
class IntentRefused extends Error {}
class Ledger {
  runs;
  #parts;
  #triggersStopped = new AbortController();
  triggersStopped = this.#triggersStopped.signal;
  #unreported;
  #stopOfAll;
  #isOver = false;
  constructor(parts) {
    this.runs = parts.runs;
    this.#parts = parts;
  }
  apply(run, fact) {
    const stops = this.#isOver || this.triggersStopped.aborted || run.stopped.aborted;
    if (fact.kind === 'intent' && stops) throw new IntentRefused();
    const entry = this.#entryOf(run, fact);
    if (!isDurable(fact) || fact.kind === 'intent') this.recordLate([run]);
    const unwritten = isDurable(fact) ? this.#write({ ...entry, fact: storedFact(run, fact) }) : undefined;
    const before = { ...run };
    const after = reduce(run, entry);
    if (after !== run) Object.assign(run, after, isDurable(fact) && { unrecorded: owed(after, fact, unwritten) });
    const stop = this.#stopOfAll;
    if (run.phase.at === 'waiting' && stop !== undefined) {
      Object.assign(run, reduce(run, this.#entryOf(run, { kind: 'stopped', stop })));
    }
    this.#tell({ fact, before, run, ...(unwritten && { unwritten }) });
  }
  claimGiven() {
    for (const run of this.runs) {
      if (run.target.kind !== 'pipeline') this.apply(run, { kind: 'claimed', jobId: run.target.jobId });
    }
  }
  stop(stop, only) {
    const runs = only === undefined ? this.runs : [only];
    const fact = { kind: 'stopped', stop };
    const next = runs.map((run) => ({ run, state: reduce(run, this.#entryOf(run, fact)) }));
    const changed = next.filter(({ run, state }) => state !== run);
    const isNew = runs.some((run) => !run.stopped.aborted);
    const isWritten = stop.reason.kind !== 'signal' && changed.length > 0;
    const entry = { run: only?.number, attempt: only?.attempt ?? 1, fact, jobId: only?.jobId };
    const unwritten = isWritten ? this.#write(entry) : undefined;
    const replaces = isWritten && only !== undefined;
    for (const { run, state } of changed) {
      const before = { ...run };
      const kept = replaces ? undefined : before.unrecorded;
      Object.assign(run, state, { unrecorded: unwritten ? { fact, remedy: unwritten.remedy } : kept });
      if (unwritten !== undefined) this.#tell({ fact, before, run, unwritten });
    }
    if (only === undefined) {
      this.#stopOfAll ??= stop;
      this.#triggersStopped.abort();
    }
    if (stop.policy === 'await') return;
    for (const run of runs) ABORT.get(run)?.abort();
    if (only !== undefined || !isNew) return;
    this.#unreported ??= stop;
    this.#parts.clock.after(0, () => this.reportStop());
  }
  notice(notice) {
    this.#tell(notice);
  }
  reportStop() {
    const stop = this.#unreported;
    this.#unreported = undefined;
    if (stop !== undefined) this.#parts.observe({ notice: 'stopping', stop, runs: this.runs });
  }
  abandon(run, problem) {
    if (!isOpen(run)) return;
    if (run.phase.at === 'triggering') this.apply(run, { kind: 'unanswered', problem });
    else if (run.phase.at === 'waiting') this.apply(run, { kind: 'kept_back', problem });
    else if (run.stop?.policy === 'cancel') this.apply(run, { kind: 'unsettled', problem });
    else this.apply(run, { kind: 'lost', problem });
  }
  recordLate(runs = this.runs) {
    for (const run of runs) {
      const fact = run.unrecorded?.fact;
      if (fact === undefined) continue;
      const unwritten = this.#write(this.#entryOf(run, storedFact(run, fact)));
      if (unwritten === undefined) Object.assign(run, { unrecorded: undefined });
    }
  }
  end() {
    this.#isOver = true;
  }
  #tell(news) {
    this.reportStop();
    this.#parts.observe(news);
  }
  #entryOf(run, fact) {
    const { number, attempt, jobId } = run;
    const at = this.#parts.clock.now();
    if (fact.kind === 'again') return { run: number, attempt: attempt + 1, fact, at };
    return { run: number, attempt, fact, jobId, at };
  }
  #write(entry) {
    try {
      this.#parts.write(entry);
      return undefined;
    } catch (error) {
      if (entry.fact.kind === 'intent') throw error;
      return { reason: messageOf(error), remedy: fileRemedy(error) };
    }
  }
}
function owed(run, fact, unwritten) {
  if (unwritten !== undefined) return { fact, remedy: unwritten.remedy };
  const { stop, unrecorded } = run;
  const isStop = unrecorded?.fact.kind === 'stopped' && unrecorded.fact.stop === stop;
  return fact.kind === 'queued' && isStop ? unrecorded : undefined;
}
function storedFact(run, fact) {
  return fact.kind === 'refused' && run.doubt !== undefined ? { ...fact, kind: 'unknown' } : fact;
}

;// CONCATENATED MODULE: ./build/action/inputs/input-table.js
const INPUTS = {
  'api-key': { required: true },
  'base-url': { required: true },
  pipeline: {},
  'job-id': {},
  'full-resync': { default: 'false' },
  'reset-target': { default: 'false' },
  wait: { default: 'true' },
  'poll-interval': { default: '30s' },
  timeout: {},
  'queue-timeout': {},
  'on-timeout': {},
  'on-cancel': {},
  'succeed-on': { default: 'completed, completed_with_warning, skipped' },
  'max-attempts': { default: '1' },
  'retry-on': { default: 'failed, timed_out' },
  'retry-delay': { default: '1m' },
  'max-parallel': {},
  'fail-fast': { default: 'false' },
  'on-lost-response': { default: 'fail' },
  'max-outage': { default: '15m' },
  'run-url': {},
  'dry-run': { default: 'false' },
  summary: { default: 'true' },
  'internal-job-status': { default: '${{ job.status }}' },
};
const CANCEL_INPUTS = (/* unused pure expression or super */ null && (['api-key', 'base-url', 'job-id']));
function defaultOf(name) {
  const input = INPUTS[name];
  return 'default' in input ? input.default : '';
}
function input_table_inputOf(env, name) {
  return env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}

;// CONCATENATED MODULE: ./build/base/address.js
const LONGEST = 2_000;
const TRAILING_SLASHES = /(?<!\/)\/+$/;
function checkAddress(text, allowHttp = isLoopback) {
  const trimmed = text.trim();
  const why = mistakeIn(trimmed, allowHttp);
  if (why !== undefined) return { ok: false, why };
  const url = new URL(trimmed);
  url.pathname = url.pathname.replace(TRAILING_SLASHES, '');
  return { ok: true, url };
}
function mistakeIn(text, allowHttp) {
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'contains credentials';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'does not begin with https://';
  if (text.includes('?')) return 'contains a query';
  if (text.includes('#')) return 'contains a fragment';
  if (url.protocol === 'http:' && !allowHttp(url)) return 'uses http (allowed only for loopback addresses)';
  const isMistakable = url.hostname.startsWith('127.') && !isLoopback(url);
  return isMistakable ? 'has a host name that looks like a loopback address' : undefined;
}
function isLoopback({ hostname }) {
  return /^(?:localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/.test(hostname);
}
function withoutBrackets(hostname) {
  return hostname.replace(/[[\]]/g, '');
}
function under(base, pathAndQuery) {
  return new URL(base.href.replace(TRAILING_SLASHES, '') + pathAndQuery);
}

;// CONCATENATED MODULE: ./build/base/uuid.js
function asUuid(value) {
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return isUuid(lower) ? lower : undefined;
}
function isUuid(text) {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

;// CONCATENATED MODULE: ./build/action/inputs/combinations.js

function areExistingRuns(targets) {
  return targets.length > 0 && targets.every(({ kind }) => kind === 'job');
}
function refuseContradictions(read, plan) {
  const { targets, fullResync, resetTarget, onLostResponse, wait, succeedOn, retryOn } = plan;
  const existing = areExistingRuns(targets);
  const again = plan.maxAttempts > 1;
  const both = [...retryOn].filter((status) => succeedOn.has(status)).join(', ');
  const inBoth = `contains ${both}, which succeed-on also contains. Use each status in only one of the two inputs.`;
  const forSeveral = `is true for ${targets.length} pipelines. Name exactly one pipeline, so that it is clear whose tables are dropped.`;
  const rules = [
    [again && resetTarget, 'max-attempts', DROPPED_AGAIN],
    [again && retryOn.has('cancelled'), 'retry-on', REPEATS_CANCELLED],
    [again && both !== '', 'retry-on', inBoth],
    [resetTarget && !fullResync, 'reset-target', PARTLY_FILLED],
    [resetTarget && onLostResponse === 'retry', 'reset-target', DROPPED_TWICE],
    [resetTarget && targets.length > 1, 'reset-target', forSeveral],
    [existing && fullResync, 'full-resync', UNCHANGEABLE],
    [existing && resetTarget, 'reset-target', UNCHANGEABLE],
    [existing && !wait, 'wait', NOTHING_BUT_WAIT],
  ];
  for (const [applies, name, whatAndHow] of rules) if (applies) read.mistake(name, whatAndHow);
}
const DROPPED_AGAIN =
  'is above 1 together with reset-target: true, which would drop the tables on each attempt. Leave out max-attempts.';
const REPEATS_CANCELLED = 'contains cancelled, but the step never retries a cancelled run. Leave out cancelled.';
const PARTLY_FILLED =
  'is true without full-resync, so the recreated tables would contain only new data. Set full-resync: true as well, or leave out reset-target.';
const DROPPED_TWICE =
  'is true together with on-lost-response: retry, which may drop the tables twice. Set on-lost-response: fail.';
const UNCHANGEABLE =
  'is true, but with job-id alone, the step awaits an existing run and cannot change it. Leave out this input, or set pipeline as well.';
const NOTHING_BUT_WAIT = 'is false, but with job-id alone, the step only waits. Leave out this input.';
function idleInputs(read, plan) {
  const { targets, dryRun, wait, maxAttempts, timeoutMs, queueTimeoutMs } = plan;
  const readsRuns = targets.some(({ kind }) => kind !== 'pipeline');
  const forReading = readsRuns ? [] : ['succeed-on', 'poll-interval', 'max-outage'];
  const forWaiting = ['timeout', 'queue-timeout', 'on-timeout'];
  const forSeveral = ['max-parallel', 'fail-fast'];
  const forAttempts = ['max-attempts', 'retry-on', 'retry-delay'];
  const forRuns = ['on-cancel', 'succeed-on', 'on-lost-response', ...forSeveral, ...forAttempts];
  const rules = [
    [dryRun, 'with dry-run: true', ['wait', ...forWaiting, ...forRuns, ...forReading]],
    [!wait, 'with wait: false', [...forWaiting, 'max-parallel', ...forAttempts, ...forReading]],
    [targets.length <= 1, 'with one run', forSeveral],
    [areExistingRuns(targets), 'with job-id alone', ['max-parallel', 'on-lost-response', ...forAttempts]],
    [maxAttempts === 1, 'with max-attempts: 1', ['retry-on', 'retry-delay']],
    [timeoutMs === undefined && queueTimeoutMs === undefined, 'without timeout or queue-timeout', ['on-timeout']],
  ];
  const reasons = new Map();
  for (const [applies, reason, names] of rules) {
    for (const name of applies ? names : []) if (!reasons.has(name)) reasons.set(name, reason);
  }
  return [...reasons]
    .filter(([name]) => read.text(name) !== defaultOf(name))
    .map(([name, reason]) => `Input ${name} has no effect ${reason}.`);
}

;// CONCATENATED MODULE: ./build/base/proxy.js
function checkProxy(env, protocol) {
  const variables =
    protocol === 'https:'
      ? { https_proxy: env['https_proxy'], HTTPS_PROXY: env['HTTPS_PROXY'] }
      : { http_proxy: env['http_proxy'], HTTP_PROXY: env['HTTP_PROXY'] };
  let isPlain = true;
  for (const [variable, given = ''] of Object.entries(variables)) {
    const value = given.trim();
    const address = value.includes('://') ? value : `http://${value}`;
    isPlain &&= given === '' || given === address;
    if (value === '') continue;
    const why = proxy_mistakeIn(address);
    return why === undefined ? { ok: true, url: new URL(address), isPlain } : { ok: false, variable, why };
  }
  return { ok: true, url: undefined, isPlain };
}
function proxy_mistakeIn(address) {
  if (!/^https?:\/\//i.test(address)) return 'does not begin with http:// or https://';
  if (!URL.canParse(address)) return 'is not a valid address';
  const { username, password, port, pathname, search, hash } = new URL(address);
  if (port === '0') return 'uses port 0';
  if (pathname !== '/' || search !== '' || hash !== '' || /[?#]$/.test(address)) {
    return 'contains a path, a query or a fragment';
  }
  try {
    decodeURIComponent(`${username}:${password}`);
    return undefined;
  } catch {
    return 'contains a % that is not part of a percent-encoded character';
  }
}

;// CONCATENATED MODULE: ./build/action/report/words.js




function postMayCancelText({ unrecorded }) {
  return sentences('The post step may cancel the run at the end of the job.', unrecorded?.remedy ?? '');
}
function nameOf({ pipeline, target }) {
  const given = target.kind === 'job' ? target.jobId : target.pipeline;
  return shownName(pipeline?.name ?? (given === '' ? (pipeline?.id ?? '') : given));
}
function nameAndId(run) {
  const [name, id] = [nameOf(run), run.pipeline?.id];
  return id === undefined || id === name.toLowerCase() ? name : `${name} (${id})`;
}
function shownName(name) {
  const shown = oneLine(name, 80);
  return shown === '' ? 'a pipeline without a name' : shown;
}
function runOf(run) {
  const { target, attached, jobId } = run;
  if (target.kind !== 'pipeline' && (target.kind === 'job' || attached)) return `run ${target.jobId}`;
  return jobId === undefined ? `the run of ${nameOf(run)}` : `run ${jobId} of ${nameOf(run)}`;
}
function statusWord(status) {
  return oneLine(status ?? '', 60);
}
function failureOf(problem) {
  return withStop(`Could not ${oneLine(problem.attempted)}: ${oneLine(problem.cause)}`);
}
function remedyOf({ remedy }) {
  return remedy === undefined ? [] : [oneLine(remedy, 600)];
}
function adviceOf(problem) {
  return remedyOf(problem)[0] ?? 'This may be temporary, so run this step again later.';
}
function withStop(text) {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
function cap(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
function reasonOf({ reason }) {
  switch (reason.kind) {
    case 'signal':
      return `Step interrupted (${reason.by})`;
    case 'timeout':
      return `Step timed out after ${formatDuration(reason.afterMs)}`;
    case 'queue_timeout':
      return `No agent picked up the run within ${formatDuration(reason.afterMs)} (queue-timeout)`;
    case 'fail_fast':
      return `Stopped by fail-fast, because ${shownName(reason.after)} did not succeed`;
    case 'main_killed':
      return 'The step ended early';
    case 'job_cancelled':
      return 'The job was cancelled';
  }
}
const ENDED_HOW = {
  completed: 'completed',
  completed_with_warning: 'completed with warnings',
  failed: 'failed',
  cancelled: 'was cancelled',
  timed_out: 'exceeded its time limit in the service',
  skipped: 'was skipped',
};
function endedHow(status = '') {
  return isTerminal(status) ? ENDED_HOW[status] : `has the status ${quoted(status, 60)}`;
}
function isoTime(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
}

;// CONCATENATED MODULE: ./build/action/inputs/connection-inputs.js



function mistakeInKey(key) {
  if (key === '') return { what: 'is empty', how: KEY_MISSING };
  if (/\s/.test(key)) return { what: 'contains white space or a line break', how: STORE_AS_ONE_LINE };
  if (key.startsWith('eyJ')) return { what: LEGACY, how: CREATE_NEW };
  if (!key.startsWith('ak_')) return { what: 'is not an API key, because it does not begin with ak_', how: CREATE };
  if (key === 'ak_') return { what: 'contains only the prefix ak_', how: STORE_AS_SHOWN };
  const isForeign = !/^[\x21-\x7e]*$/.test(key);
  return isForeign ? { what: 'contains an invalid character', how: STORE_AS_SHOWN } : undefined;
}
const KEY_MISSING =
  'Pass a secret, such as api-key: ${{ secrets.PIPELINE_API_KEY }}. GitHub passes no secrets to workflows for pull ' +
  'requests from forks or from Dependabot. It passes environment secrets only to jobs that name the environment.';
const LEGACY = 'is a legacy API key (it begins with eyJ), which this action does not support';
const CREATE_NEW = 'Create one that begins with ak_ under Settings → API Keys.';
const CREATE = 'Store only the key, without quotation marks. Create one under Settings → API Keys.';
const STORE_AS_ONE_LINE = 'Store the key again, on one line and without quotation marks.';
const STORE_AS_SHOWN = 'Store the key again, exactly as the application showed it.';
const PROXY_REMEDY =
  'Set it to http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, and percent-encode special characters in the password.';
function mistakeInProxy(env) {
  const proxy = checkProxy(env, 'https:');
  if (proxy.ok) return undefined;
  return { what: `the environment variable ${proxy.variable} ${proxy.why}`, how: PROXY_REMEDY };
}
function readConnection(read, env) {
  const apiKey = read.text('api-key');
  const wrongKey = mistakeInKey(apiKey);
  if (wrongKey !== undefined) read.mistake('api-key', `${wrongKey.what}. ${wrongKey.how}`);
  const address = read.text('base-url');
  const checked = checkAddress(address);
  const example = 'such as https://app.example.com.';
  if (address === '') read.mistake('base-url', `is empty. Set it to the service's address, ${example}`);
  else if (!checked.ok) read.wrongAddress('base-url', checked.why, `Set it to the service's address, ${example}`);
  const wrongProxy = mistakeInProxy(env);
  if (wrongProxy !== undefined) read.mistakes.push(`${cap(wrongProxy.what)}. ${wrongProxy.how}`);
  return { apiKey, baseUrl: checked.ok ? checked.url : undefined };
}

;// CONCATENATED MODULE: ./build/action/inputs/input-reader.js



const MAX_DURATION_MS = 24 * 86_400_000;
const MIN_SECRET_LENGTH = 8;
class InputReader {
  mistakes = [];
  #env;
  #containsKey = new Set();
  constructor(env) {
    this.#env = env;
  }
  mistake(name, whatAndHow) {
    if (!this.#containsKey.has(name)) this.mistakes.push(`Input ${name} ${whatAndHow}`);
  }
  wrongAddress(name, why, how) {
    const text = this.text(name);
    this.mistake(name, `${text.includes('@') ? why : `is ${quoted(text)}, which ${why}`}. ${how}`);
  }
  text(name) {
    const given = input_table_inputOf(this.#env, name);
    const key = input_table_inputOf(this.#env, 'api-key');
    if (name !== 'api-key' && key.length >= MIN_SECRET_LENGTH && given.includes(key)) {
      this.mistake(name, 'contains the API key, which the log would show. Set the key in api-key only.');
      this.#containsKey.add(name);
      return defaultOf(name);
    }
    return given === '' ? defaultOf(name) : given;
  }
  isGiven(name) {
    return input_table_inputOf(this.#env, name) !== '';
  }
  boolean(name) {
    const text = this.text(name);
    const isBoolean = /^(?:true|True|TRUE|false|False|FALSE)$/.test(text);
    if (!isBoolean) this.mistake(name, `is ${quoted(text)}. Set it to true or false.`);
    return isBoolean && text.toLowerCase() === 'true';
  }
  choice(name, choices) {
    const text = this.text(name);
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) this.mistake(name, `is ${quoted(text)}. Set it to ${listed(choices, 'or')}.`);
    return chosen ?? choices[0];
  }
  duration(name) {
    const text = this.text(name);
    if (text === '') return undefined;
    const ms = parseDuration(text);
    if (ms !== undefined && ms > 0 && ms <= MAX_DURATION_MS) return ms;
    let problem = '. Set it to a duration such as 90s, 15m or 1h30m.';
    if (/^\d+(?:\.\d+)?$/.test(text)) problem = `, which has no unit. Set it to ${text}s, ${text}m or ${text}h.`;
    if (ms !== undefined || Number(text) === 0) {
      const why = (ms ?? 0) === 0 ? 'zero' : `more than ${formatDuration(MAX_DURATION_MS)}`;
      const example = defaultOf(name) === '' ? '45m, or leave out this input for no limit' : defaultOf(name);
      problem = `, which is ${why}. Set it to a duration such as ${example}.`;
    }
    this.mistake(name, `is ${quoted(text)}${problem}`);
    return undefined;
  }
  list(name, separator = /[\r\n]/) {
    const entries = this.text(name).split(separator);
    return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  }
}
function listed(words, conjunction) {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}
function quotedList(texts, maxLength) {
  const all = texts.map((text) => quoted(text, maxLength));
  return listed(all, 'and');
}

;// CONCATENATED MODULE: ./build/action/inputs/run-url.js


const MAX_LENGTH = 2_000;
const PLACEHOLDERS = ['{job-id}', '{pipeline-id}'];
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';
const REMEDY =
  "Set it to the address of a run in the application, with {job-id} in place of the run's id, such as https://app.example.com/runs/{job-id}.";
function readRunUrl(read) {
  const text = read.text('run-url');
  if (text === '') return undefined;
  const wrong = mistakeInTemplate(text);
  if (wrong === undefined) return text;
  read.wrongAddress('run-url', wrong, REMEDY);
  return undefined;
}
function mistakeInTemplate(template) {
  if (template.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (/\s/.test(template)) return 'contains white space';
  const found = template.match(/\{[^{}]*\}/g) ?? [];
  const unknown = found.find((placeholder) => !PLACEHOLDERS.includes(placeholder));
  if (unknown !== undefined)
    return `contains ${quoted(unknown, 60)}, but only ${PLACEHOLDERS.join(' and ')} are allowed`;
  if (found.length === 0) return 'does not contain {job-id}';
  const filled = fill(template, SAMPLE_ID, SAMPLE_ID);
  if (/[{}]/.test(filled)) return 'contains an unmatched brace';
  if (!URL.canParse(filled)) return 'is not a URL';
  const url = new URL(filled);
  if (url.username !== '' || url.password !== '') return 'contains credentials';
  if (url.protocol === 'http:' && !isLoopback(url)) return 'uses http (allowed only for loopback addresses)';
  return ['https:', 'http:'].includes(url.protocol) ? undefined : 'does not begin with https://';
}
function fill(template, jobId, pipelineId) {
  return template.replaceAll('{job-id}', jobId).replaceAll('{pipeline-id}', pipelineId);
}
function linkTo(run, template) {
  const { jobId, pipeline } = run;
  if (template === undefined || jobId === undefined) return undefined;
  if (pipeline === undefined && template.includes('{pipeline-id}')) return undefined;
  return new URL(fill(template, jobId, pipeline?.id ?? '')).href;
}

;// CONCATENATED MODULE: ./build/action/inputs/settings.js









const MIN_POLL_INTERVAL_MS = 30_000;
const MAX_ATTEMPTS = 10;
const MAX_RUNS = 1_000;
function readSettings(env) {
  const read = new InputReader(env);
  const { apiKey, baseUrl } = readConnection(read, env);
  const asked = readPlan(read, baseUrl);
  const summary = read.boolean('summary');
  const runUrl = readRunUrl(read);
  if (baseUrl === undefined || read.mistakes.length > 0) return { ok: false, mistakes: read.mistakes };
  const jobStatus = read.text('internal-job-status');
  const idle = idleInputs(read, asked);
  const isOnce = !asked.wait || asked.dryRun || areExistingRuns(asked.targets);
  const plan = { ...asked, maxAttempts: isOnce ? 1 : asked.maxAttempts };
  return { ok: true, settings: { apiKey, baseUrl, plan, summary, runUrl, jobStatus, idle } };
}
function readCancelSettings(env) {
  const read = new InputReader(env);
  const { baseUrl } = readConnection(read, env);
  const jobIds = [...new Set(readJobIds(read))];
  if (baseUrl === undefined || read.mistakes.length > 0) return { ok: false, mistakes: read.mistakes };
  return { ok: true, baseUrl, jobIds };
}
function readPlan(read, baseUrl) {
  const targets = readTargets(read);
  const plan = {
    targets,
    fullResync: read.boolean('full-resync'),
    resetTarget: read.boolean('reset-target'),
    onLostResponse: read.choice('on-lost-response', ['fail', 'retry']),
    wait: read.boolean('wait'),
    dryRun: read.boolean('dry-run'),
    maxParallel: readCount(read, 'max-parallel', 'to run all at once') ?? Infinity,
    failFast: read.boolean('fail-fast'),
    pollIntervalMs: readPollInterval(read, baseUrl),
    timeoutMs: read.duration('timeout'),
    queueTimeoutMs: read.duration('queue-timeout'),
    onTimeout: readOnStop(read, 'on-timeout', targets),
    onCancel: readOnStop(read, 'on-cancel', targets),
    succeedOn: readStatuses(read, 'succeed-on'),
    maxOutageMs: read.duration('max-outage') ?? 0,
    maxAttempts: readCount(read, 'max-attempts', 'for one attempt', MAX_ATTEMPTS) ?? 1,
    retryOn: readStatuses(read, 'retry-on'),
    retryDelayMs: read.duration('retry-delay') ?? 0,
  };
  refuseContradictions(read, plan);
  return plan;
}
function readTargets(read) {
  const pipelines = read.list('pipeline');
  const jobIds = readJobIds(read);
  if (!read.isGiven('pipeline') && !read.isGiven('job-id')) read.mistake('pipeline', NO_TARGET);
  checkLines(read, 'pipeline', pipelines);
  checkLines(read, 'job-id', jobIds);
  const [pipeline] = pipelines;
  const [jobId] = jobIds;
  if (pipeline === undefined) return jobIds.map((id) => ({ kind: 'job', jobId: id }));
  if (jobId === undefined) return pipelines.map((each) => ({ kind: 'pipeline', pipeline: each }));
  if (pipelines.length > 1 || jobIds.length > 1) {
    const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
    const what = `lists ${counted(jobIds.length, 'run')}, and input pipeline lists ${counted(pipelines.length, 'pipeline')}`;
    read.mistake('job-id', `${what}. To resume a run, list only one of each. To only await runs, leave out pipeline.`);
  }
  return [{ kind: 'resume', pipeline, jobId }];
}
const NO_TARGET = "is empty. Set it to a pipeline's API name, name or UUID, or set job-id to await an existing run.";
function readJobIds(read) {
  const lines = read.list('job-id');
  const wrong = lines.filter((line) => asUuid(line) === undefined);
  const shown = quotedList(wrong, 80);
  if (wrong.length > 0)
    read.mistake('job-id', `contains ${shown}. Enter run ids, one per line, in the same format as the job-id output.`);
  return lines.flatMap((line) => asUuid(line) ?? []);
}
function checkLines(read, name, lines) {
  if (lines.length > MAX_RUNS) {
    read.mistake(name, `has ${lines.length} lines. Enter at most ${MAX_RUNS}, and use another step for the rest.`);
  }
  const twice = lines.find((line, index) => lines.indexOf(line) !== index);
  if (twice !== undefined) read.mistake(name, `lists ${quoted(twice, 80)} more than once. Remove the duplicate.`);
}
function readOnStop(read, name, targets) {
  if (read.isGiven(name)) return read.choice(name, ['cancel', 'leave']);
  return areExistingRuns(targets) ? 'leave' : 'cancel';
}
function readCount(read, name, otherwise, most = Infinity) {
  const text = read.text(name);
  if (text === '') return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) > 0 && Number(text) <= most) return Number(text);
  const range = most === Infinity ? 'of at least 1' : `from 1 to ${most}`;
  read.mistake(name, `is ${quoted(text)}. Set it to a whole number ${range}, or leave out this input ${otherwise}.`);
  return undefined;
}
function readPollInterval(read, baseUrl) {
  const ms = read.duration('poll-interval') ?? MIN_POLL_INTERVAL_MS;
  const isSandbox = baseUrl !== undefined && isLoopback(baseUrl);
  if (ms < MIN_POLL_INTERVAL_MS && !isSandbox) {
    const least = formatDuration(MIN_POLL_INTERVAL_MS);
    const what = `is ${quoted(read.text('poll-interval'))}, but the service allows at most one read per run every ${least}`;
    read.mistake('poll-interval', `${what}. Set it to ${least} or more.`);
  }
  return ms;
}
function readStatuses(read, name) {
  const statuses = read.list(name, /[,\r\n]/);
  const known = TERMINAL_STATUSES.filter((status) => statuses.includes(status));
  const others = statuses.filter((status) => !TERMINAL_STATUSES.some((terminal) => terminal === status));
  const allowed = TERMINAL_STATUSES.filter((status) => name === 'succeed-on' || status !== 'cancelled');
  const all = listed(allowed, 'and');
  if (others.length > 0) read.mistake(name, `contains ${quotedList(others)}. Use only the final statuses ${all}.`);
  else if (known.length === 0) read.mistake(name, `contains no status. Set it to at least one of ${all}.`);
  return new Set(known);
}

;// CONCATENATED MODULE: ./build/run/state/outcome.js

const OUTCOMES = [
  'unknown',
  'lost',
  'wait_timed_out',
  'cancelled',
  'not_triggered',
  'failed',
  'triggered',
  'dry_run',
  'succeeded',
];
function outcomeOf(run, plan) {
  const { phase, stop } = run;
  switch (phase.at) {
    case 'finished':
      if (stop !== undefined) return outcome_stopped(run, stop);
      return plan.succeedOn.has(phase.status) ? 'succeeded' : 'failed';
    case 'detached':
      return 'triggered';
    case 'dry_run':
      return 'dry_run';
    case 'unknown':
    case 'triggering':
      return 'unknown';
    case 'lost':
      return 'lost';
    case 'waiting':
    case 'not_queued':
      if (run.earlier.length > 0 && stop?.reason.kind !== 'signal') return 'failed';
      return stop === undefined ? 'not_triggered' : outcome_stopped(run, stop);
    case 'in_progress':
    case 'left':
    case 'unsettled':
      return stop === undefined ? 'lost' : outcome_stopped(run, stop);
  }
}
function outcome_stopped({ phase }, { reason }) {
  switch (reason.kind) {
    case 'timeout':
    case 'queue_timeout':
      return 'wait_timed_out';
    case 'fail_fast':
      return phase.at === 'not_queued' || phase.at === 'waiting' ? 'not_triggered' : 'cancelled';
    default:
      return 'cancelled';
  }
}
function statusOf(run) {
  switch (run.phase.at) {
    case 'waiting':
    case 'dry_run':
    case 'not_queued':
      return lastKnown(run).status ?? 'not_queued';
    case 'triggering':
    case 'unknown':
      return 'unknown';
    default:
      return run.status ?? 'unknown';
  }
}
function isSuccess(runs, plan, interrupted) {
  if (interrupted || runs.length === 0) return false;
  const good = new Set(['succeeded']);
  if (plan.dryRun) good.add('dry_run');
  else if (!plan.wait) good.add('triggered');
  return runs.every((run) => good.has(outcomeOf(run, plan)) && !detachedUnrecorded(run, plan));
}
function postMayCancel({ unrecorded }, { onCancel }) {
  return unrecorded !== undefined && onCancel === 'cancel';
}
function detachedUnrecorded(run, plan) {
  return run.phase.at === 'detached' && postMayCancel(run, plan);
}
function worstOutcome(runs, plan) {
  const outcomes = new Set(runs.map((run) => outcomeOf(run, plan)));
  return OUTCOMES.find((outcome) => outcomes.has(outcome)) ?? 'not_triggered';
}
const BAD_STATUSES = ['unknown', 'not_queued', 'failed', 'timed_out', 'cancelled'];
const GOOD_STATUSES = ['skipped', 'completed_with_warning', 'completed'];
function worstStatus(runs) {
  const statuses = runs.map(statusOf);
  const open = statuses.filter((status) => !BAD_STATUSES.includes(status) && !GOOD_STATUSES.includes(status));
  return [...BAD_STATUSES, ...open, ...GOOD_STATUSES].find((status) => statuses.includes(status)) ?? 'not_queued';
}

;// CONCATENATED MODULE: ./build/action/report/endings.js






const LOOK_FIRST =
  "Before you run this step again, check the pipeline's runs in the application, because the step would trigger another run.";
function anyEnd(onCancel) {
  return {
    succeedOn: new Set(TERMINAL_STATUSES),
    resetTarget: false,
    onLostResponse: 'fail',
    onCancel,
    maxAttempts: 1,
    retryOn: new Set(),
  };
}
function endingOf(run, plan, speaker = 'step') {
  const ending = endingOfKnown(run, plan, speaker);
  if (speaker === 'post' || !hasHiddenDoubt(run)) return ending;
  const { line, advice } = doubted(run);
  const level = ending.level === 'error' ? 'error' : 'warning';
  return { level, line: `${ending.line} ${line}`, advice: [...advice, ...ending.advice] };
}
function endingOfKnown(run, plan, speaker) {
  const { phase, stop } = run;
  const problem = 'problem' in phase ? phase.problem : undefined;
  switch (phase.at) {
    case 'finished':
      return stop === undefined ? ended(run, phase.status, plan) : endedWhenStopped(run, stop, speaker);
    case 'detached':
      return detached(run, plan);
    case 'dry_run':
      return tried(run, plan);
    case 'not_queued':
    case 'waiting':
      return run.earlier.length > 0 ? notAgain(run, plan, problem) : notQueued(run, problem);
    case 'triggering':
    case 'unknown':
      return speaker === 'post' ? unknownInPost(run) : unknown(run, plan, problem);
    case 'lost':
      return lost(run, plan, problem);
    case 'left':
      return left(run, plan);
    case 'unsettled':
      return unsettled(run, problem, speaker);
    case 'in_progress':
      return stop === undefined ? lost(run, plan, problem) : unsettled(run, problem, speaker);
  }
}
function failure(line, ...advice) {
  return { level: 'error', line, advice };
}
function detached(run, plan) {
  const which = cap(runOf(run));
  if (detachedUnrecorded(run, plan)) {
    const line = `${which} was triggered, but the step could not record that wait is false.`;
    return failure(line, postMayCancelText(run));
  }
  const status = run.status === undefined ? '' : ` with the status ${statusWord(run.status)}`;
  const how = run.attached ? `is in progress${status}` : 'is queued';
  const reach = plan.onCancel === 'cancel' ? ' The action can cancel it only while this job runs.' : '';
  const line = `${which} ${how}. The step does not wait for it, because wait is false.${reach}`;
  return { level: undefined, line, advice: [] };
}
const SUCCESS_LEVELS = { completed_with_warning: 'warning', skipped: 'notice' };
function ended(run, status, plan) {
  const { attempt, attached, startedAt, endedAt } = run;
  const isTimed = !attached && startedAt !== undefined && endedAt !== undefined;
  const after = isTimed ? ` after ${formatDuration(endedAt - startedAt)}` : '';
  const lineWith = (nth) => withStop(`${cap(runOf(run))} ${endedHow(status)}${after}${nth}${saidBy(run)}`);
  if (outcomeOf(run, plan) === 'succeeded') {
    if (attempt > 1) return { level: 'warning', line: lineWith(`, on ${attemptOf(run, plan)}`), advice: [] };
    return { level: SUCCESS_LEVELS[status], line: lineWith(''), advice: [] };
  }
  const advice =
    status === 'failed' || status === 'timed_out'
      ? "Open the run's log in the application, fix the cause, and run the pipeline again."
      : `This counts as a failure, because succeed-on contains only ${[...plan.succeedOn].join(', ')}.`;
  return failure(`${lineWith('')}${howMany(run, status, plan)}`, advice);
}
function saidBy(run) {
  const said = oneLine(run.statusMessage ?? '', 300);
  return said === '' ? '' : `: ${said}`;
}
function attemptOf({ attempt }, { maxAttempts }) {
  return `attempt ${attempt} of ${maxAttempts}`;
}
function howMany({ attempt, doubt }, status, { maxAttempts, retryOn }) {
  if (maxAttempts === 1) return '';
  const made = ` The step made ${attempt} of ${maxAttempts} attempts`;
  if (attempt === maxAttempts) return `${made}.`;
  if (doubt !== undefined) return `${made}, because a trigger was not confirmed.`;
  return `${made}, because ${retryOn.has(status) ? 'the timeout left no time for another or the step stopped triggering runs' : 'retry-on does not include this status'}.`;
}
function notAgain(run, plan, problem) {
  const last = lastKnown(run);
  const how = `${runOf(last)} ${endedHow(last.status)}`;
  const next = attemptOf(run, plan);
  if (problem === undefined) return stoppedEnding(run, `${how}, and ${next} was not triggered`);
  const line = `${withStop(`${cap(how)}${saidBy(last)}`)} ${notTriggered(`${cap(next)} was not triggered`, problem)}`;
  return failure(line, adviceOf(problem));
}
function tried(run, plan) {
  const drops = plan.resetTarget ? ', which would first drop its destination tables' : '';
  const line =
    run.status === undefined
      ? `The step would trigger a run of ${nameOf(run)}${drops}.`
      : withStop(`${cap(runOf(run))} ${endedHow(run.status)}${saidBy(run)}`);
  return { level: undefined, line, advice: [] };
}
function notQueued(run, problem) {
  const isGiven = run.target.kind === 'job';
  const none = `no run of ${nameOf(run)} was triggered`;
  if (problem !== undefined) {
    if (isGiven) return failure(failureOf(problem), adviceOf(problem));
    return failure(notTriggered(cap(none), problem), adviceOf(problem));
  }
  return isGiven ? stoppedEnding(run, `${runOf(run)} was left unchanged`) : stoppedEnding(run, none);
}
function notTriggered(what, problem) {
  const why = problem.attempted === 'trigger the run' ? `: ${oneLine(problem.cause)}` : `. ${failureOf(problem)}`;
  return withStop(`${what}${why}`);
}
function unknown(run, plan, problem) {
  const why = problem === undefined ? 'no response had arrived when the step had to end' : oneLine(problem.cause);
  const nth = run.attempt > 1 ? ` (${attemptOf(run, plan)})` : '';
  const several =
    plan.onLostResponse === 'retry'
      ? 'Because of on-lost-response: retry, several runs may be in progress. The step cannot cancel them without their ids.'
      : 'The step did not trigger another run, and it cannot cancel this one without its id.';
  return failure(
    withStop(`A run of ${nameOf(run)}${nth} may be in progress, because its trigger was not confirmed: ${why}`),
    ...(plan.resetTarget ? ['The run may be dropping tables right now.'] : []),
    several,
    LOOK_FIRST,
  );
}
function unknownInPost(run) {
  const at = run.intentWall === undefined ? '' : ` at ${isoTime(run.intentWall)}`;
  const line = `A run of ${nameAndId(run)} may be in progress, because the step triggered it${at} but ended before the response arrived.`;
  return failure(line, 'The step cannot cancel it without its id.', LOOK_FIRST);
}
function lost(run, plan, problem) {
  if (run.attached && run.status === undefined && problem !== undefined) {
    const attempted = run.target.kind === 'resume' ? problem.attempted : `await ${runOf(run)}`;
    return failure(failureOf({ ...problem, attempted }), adviceOf(problem));
  }
  const goesOn = 'The run was not cancelled and may still be in progress.';
  return failure(
    `Lost contact with ${runOf(run)}.${problem === undefined ? '' : ` ${failureOf(problem)}`}`,
    postMayCancel(run, plan) ? postMayCancelText(run) : goesOn,
    ...(problem === undefined ? [] : remedyOf(problem)),
    howToGoOn(run),
  );
}
function endedWhenStopped(run, stop, speaker) {
  const ending =
    run.status === 'cancelled'
      ? stoppedEnding(run, `${runOf(run)} was cancelled${inHowLong(run, stop)}`, ...heartbeat(run, speaker))
      : stoppedEnding(run, `${runOf(run)} ${endedHow(run.status)} before it could be cancelled${saidBy(run)}`);
  return speaker === 'post' ? { ...ending, level: undefined } : ending;
}
function inHowLong({ endedAt }, stop) {
  if (endedAt === undefined) return '';
  const ms = endedAt - stop.at;
  return ms < 1_000 ? ' immediately' : ` after ${formatDuration(ms)}`;
}
function heartbeat({ history }, speaker) {
  if (speaker === 'post')
    return ['If an agent has picked it up, the agent stops at the next heartbeat, within seconds.'];
  const hasAgent = history.some(({ status }) => status !== 'queued' && !isTerminal(status));
  return hasAgent ? ['Its agent stops at the next heartbeat, within seconds.'] : [];
}
const AFTER_STOP = {
  signal: { level: 'notice' },
  timeout: { level: 'error', advice: 'If the run needs more time, set a longer timeout.' },
  queue_timeout: { level: 'error', advice: 'Check that an agent is running and free, or set a longer queue-timeout.' },
  fail_fast: { level: 'error' },
  main_killed: {},
  job_cancelled: {},
};
function stoppedEnding({ stop }, what, ...advice) {
  if (stop === undefined) return failure(withStop(cap(what)), ...advice);
  const { level, advice: more = [] } = AFTER_STOP[stop.reason.kind];
  return { level, line: withStop(`${reasonOf(stop)}: ${what}`), advice: [...advice].concat(more) };
}
function left(run, plan) {
  const byTimeout = run.stop?.reason.kind === 'timeout' || run.stop?.reason.kind === 'queue_timeout';
  const what = `${runOf(run)} is left running, because ${byTimeout ? 'on-timeout' : 'on-cancel'} is leave`;
  return stoppedEnding(run, what, postMayCancel(run, plan) ? postMayCancelText(run) : howToGoOn(run));
}
function unsettled(run, problem, speaker) {
  const isLast = speaker === 'post' || run.stop === undefined;
  const there = 'Check the run in the application, and cancel it there.';
  const next = isLast ? there : 'The post step tries again at the end of the job.';
  const why = problem === undefined ? [] : [failureOf(problem), ...remedyOf(problem)];
  const what = `${runOf(run)} may still be in progress, because there is no confirmation that it was cancelled`;
  return { ...stoppedEnding(run, what, ...why, next), level: 'error' };
}
function hasHiddenDoubt({ doubt, earlier, phase }) {
  return (doubt !== undefined && phase.at !== 'unknown') || earlier.some((attempt) => attempt.doubt !== undefined);
}
function doubted(run) {
  return {
    level: 'warning',
    line: `Other runs of ${nameOf(run)} may be in progress, because not every trigger was confirmed.`,
    advice: ["Check this pipeline's runs in the application."],
  };
}
function howToGoOn(run) {
  return run.target.kind === 'job' || run.jobId === undefined
    ? 'To wait for the run again, run this step again.'
    : `To wait for the run again, use a step with job-id: ${run.jobId}. Running this step again would trigger a second run.`;
}
const OTHER_GOALS = [
  ['dry_run', 'passed the dry run'],
  ['triggered', 'were triggered'],
];
function endingOfAll(runs, plan) {
  const [run, another] = runs;
  if (run !== undefined && another === undefined) return endingOf(run, plan).line;
  const namesOf = (outcome) => runs.filter((each) => outcomeOf(each, plan) === outcome).map(nameOf);
  const [goal, words] = OTHER_GOALS.find(([outcome]) => namesOf(outcome).length > 0) ?? ['succeeded', 'succeeded'];
  const others = OUTCOMES.flatMap((outcome) => {
    const names = namesOf(outcome);
    const isOther = outcome !== goal && names.length > 0;
    return isOther ? [`${names.length} ${outcome.replace('wait_', '').replaceAll('_', ' ')} (${fewOf(names)})`] : [];
  });
  const unseen = runs.filter((each) => detachedUnrecorded(each, plan)).map(nameOf);
  if (unseen.length > 0) others.push(`${unseen.length} may be cancelled by the post step (${fewOf(unseen)})`);
  const doubtful = runs.filter(hasHiddenDoubt).map(nameOf);
  if (doubtful.length > 0) others.unshift(`other runs of ${doubtful.length} may be in progress (${fewOf(doubtful)})`);
  return `${[`${namesOf(goal).length} of ${runs.length} runs ${words}`, ...others].join('; ')}.`;
}
function fewOf(names) {
  const few = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${few} and ${names.length - 5} more` : few;
}

;// CONCATENATED MODULE: ./build/action/report/annotations.js





const MOST_ANNOTATIONS = 8;
const WORST_FIRST = ['error', 'warning', 'notice'];
function endingsOf(runs, plan, runUrl) {
  const mayGoOn = ({ phase }) =>
    ['triggering', 'unknown', 'unsettled', 'in_progress', 'lost', 'left'].includes(phase.at);
  const matters = (run) => mayGoOn(run) || hasHiddenDoubt(run);
  return [...runs.filter(matters), ...runs.filter((run) => !matters(run))].map((run) => ({
    name: nameOf(run),
    ending: endingOf(run, plan),
    link: linkTo(lastKnown(run), runUrl),
    openId: mayGoOn(run) ? run.jobId : undefined,
  }));
}
function annotateEndings(endings, toolkit, print, action) {
  const needy = WORST_FIRST.flatMap((level) =>
    endings.flatMap((each) => (each.ending.level === level ? [{ ...each, level }] : [])),
  );
  const [shown, rest] = split(needy);
  for (const { level, name, ending, link } of shown) {
    toolkit.annotate(level, titleOf(name, action), annotations_textOf(ending, link).join('\n'));
  }
  const [worst] = rest;
  if (worst === undefined) return;
  const names = rest.slice(0, 20).map(({ name }) => name);
  const more = rest.length > names.length ? ' and others' : '';
  toolkit.annotate(
    worst.level,
    titleOf(`${rest.length} more runs`, action),
    `${rest.length} more runs need attention: ${names.join(', ')}${more}. The log shows the result of each run.`,
  );
  const openIds = endings.flatMap(({ openId }) => openId ?? []);
  if (openIds.length > 0) print(`Runs that may still be in progress: ${openIds.join(', ')}`);
  for (const { ending, link } of rest) print(annotations_textOf(ending, link).join(' '));
}
function annotateProblems(sentences, toolkit, print) {
  const title = titleOf('nothing was triggered');
  const [shown, rest] = split(sentences);
  for (const text of shown) toolkit.annotate('error', title, text);
  if (rest.length > 0) toolkit.annotate('error', title, `The log lists ${rest.length} more problems.`);
  for (const text of rest) print(text);
}
function split(all) {
  const room = all.length > MOST_ANNOTATIONS ? MOST_ANNOTATIONS - 1 : MOST_ANNOTATIONS;
  return [all.slice(0, room), all.slice(room)];
}
function annotations_textOf({ line, advice }, link) {
  return [line, ...advice, ...(link === undefined ? [] : [link])];
}

;// CONCATENATED MODULE: ./build/action/report/log/lines.js







function lineAbout(run, now, text) {
  const seconds = Math.floor((now - (begunAt(run) ?? now)) / 1_000);
  return `[${formatDuration(seconds * 1_000)}] ${nameOf(run)}: ${text}`;
}
function endedOf(runs, { maxAttempts }) {
  if (runs.length === 1 || maxAttempts > 1) return '';
  return ` (${runs.filter(({ phase }) => phase.at === 'finished').length} of ${runs.length} finished)`;
}
function changeWords(run, before) {
  const to = statusWord(run.status);
  const said = run.statusMessage === MESSAGE_TOO_LONG ? '' : oneLine(run.statusMessage ?? '', 300);
  const arrow = before.status === undefined ? to : `${statusWord(before.status)} → ${to}`;
  const note = isKnownStatus(run.status ?? '')
    ? ''
    : ' (this version of the action does not know this status and treats the run as in progress)';
  return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}
function beginningWords({ fact, before, run }, { plan, runUrl }) {
  if (fact.kind === 'again') {
    return `${attemptOf(run, plan)} follows in ${formatDuration(fact.inMs)}, because the run ${endedHow(before.status)}`;
  }
  if (fact.kind !== 'queued' && fact.kind !== 'awaited') return undefined;
  const href = linkTo(run, runUrl);
  const link = href === undefined ? '' : `: ${href}`;
  if (fact.kind === 'queued') {
    return `run ${fact.jobId} is queued${plan.maxAttempts > 1 ? ` (${attemptOf(run, plan)})` : ''}${link}`;
  }
  const how =
    run.target.kind === 'resume'
      ? `resumes run ${run.target.jobId} instead of triggering a new one`
      : 'awaits this run';
  return `the step ${how}${run.status === undefined ? '' : `; the run's status is ${statusWord(run.status)}`}${link}`;
}
function outageWords(sinceMs, maxOutageMs) {
  return `No valid response for ${formatDuration(sinceMs)}; the step gives up after ${formatDuration(maxOutageMs)}. The run is not affected.`;
}
function stoppingWords(stop, runs) {
  const open = runs.filter(
    (run) =>
      run.phase.at === 'in_progress' || (run.phase.at === 'left' && run.stop === stop && stop.reason.kind !== 'signal'),
  );
  const isInFlight = runs.some(({ phase }) => phase.at === 'triggering');
  const waits = isInFlight ? ' Before it ends, the step awaits the response to any trigger that it has sent.' : '';
  if (open.length === 0) return `${reasonOf(stop)}.${waits}`;
  const which = open.length > 5 ? `${open.length} runs` : open.map(runOf).join(', ');
  const verb = open.length === 1 ? 'is' : 'are';
  return `${reasonOf(stop)}: ${which} ${verb} ${stop.policy === 'cancel' ? 'being cancelled' : 'left running'}.${waits}`;
}
const RAREST_SIGN_MS = 900_000;
function signAfterMs(sinceMs) {
  return Math.min(RAREST_SIGN_MS, Math.max(180_000, sinceMs / 5));
}

;// CONCATENATED MODULE: ./build/action/runner/file-access.js



const MAX_READ_BYTES = 16 * 1_048_576;
const DELIMITER = 'end_of_run_pipeline_value';
function appendToFile(files, path, text) {
  withCheck(files, path, ['file'], (check) => files.append(path, text, check));
}
function appendToSummary(files, path, text) {
  withCheck(files, path, ['file', 'character_device'], (check) => files.append(path, text, check));
}
function replaceFile(files, path, text) {
  withCheck(files, path, ['file'], (check) => files.write(path, text, check));
}
function readFile(files, path) {
  return files.read(path, ({ kind, bytes }) => {
    accept(path, kind, ['file']);
    if (bytes > MAX_READ_BYTES) throw new UnsuitableFile(`${quoted(path)} is too large`);
  });
}
function mistakeInOutputFile(files, path = '') {
  if (path === '') return undefined;
  try {
    withCheck(files, path, ['file'], (check) => files.openToAppend(path, check));
    return undefined;
  } catch (error) {
    const what = `GITHUB_OUTPUT is ${quoted(path)}, which`;
    if (error instanceof UnsuitableFile) {
      return `${what} is ${FILE_KINDS[files.kindOf(path)]}. Outputs can only be written to a regular file. Set GITHUB_OUTPUT to the path of one, or leave it unset.`;
    }
    const why = oneLine(messageOf(error));
    return sentences(`${what} cannot be written to (${why}).`, fileRemedy(error), 'Or leave GITHUB_OUTPUT unset.');
  }
}
function withCheck(files, path, accepted, use) {
  try {
    use(({ kind }) => accept(path, kind, accepted));
  } catch (error) {
    const kind = files.kindOf(path);
    if (kind !== 'missing') accept(path, kind, accepted);
    throw error;
  }
}
function accept(path, kind, accepted) {
  if (!accepted.includes(kind)) throw new UnsuitableFile(`${quoted(path)} is ${FILE_KINDS[kind]}`);
}
function fileRecord(key, value) {
  if (!/[\r\n]/.test(value)) return `${key}=${value}\n`;
  if (value.split(/[\r\n]/).includes(DELIMITER))
    throw new Error(`the output ${key} contains a line that equals the delimiter`);
  return `${key}<<${DELIMITER}\n${value}\n${DELIMITER}\n`;
}

;// CONCATENATED MODULE: ./build/action/report/outputs.js






const OUTPUTS = [
  'job-id',
  'job-status',
  'outcome',
  'message',
  'status-message',
  'pipeline-id',
  'pipeline-name',
  'duration',
  'results',
];
function outputsOfRun(run, plan, message) {
  const last = lastKnown(run);
  return {
    'job-id': last.jobId ?? '',
    'job-status': oneLine(statusOf(run), 100),
    outcome: outcomeOf(run, plan),
    message: oneLine(message, 1_000),
    'status-message': oneLine(last.statusMessage ?? '', 1_000),
    'pipeline-id': run.pipeline?.id ?? '',
    'pipeline-name': oneLine(run.pipeline?.name ?? '', 200),
    duration: wholeSeconds(begunAt(run), last.endedAt),
  };
}
function outputsOfAll(runs, plan, message, now) {
  const starts = runs.flatMap((run) => begunAt(run) ?? []);
  return {
    'job-id': runs.flatMap((run) => lastKnown(run).jobId ?? []).join('\n'),
    'job-status': oneLine(worstStatus(runs), 100),
    outcome: worstOutcome(runs, plan),
    message: oneLine(message, 1_000),
    'status-message': '',
    'pipeline-id': '',
    'pipeline-name': '',
    duration: starts.length === 0 ? '' : wholeSeconds(Math.min(...starts), now),
  };
}
function wholeSeconds(from, to) {
  return from === undefined || to === undefined ? '' : String(Math.floor((to - from) / 1_000));
}
const MOST_BYTES = 30_000;
const MESSAGE_LENGTHS = [1_000, 300, 120, 40, 0];
function resultsOf(runs, plan) {
  const entries = runs.map((run) => entryOf(run, plan));
  for (const form of formsOf(entries)) {
    const json = asJson(form);
    if (Buffer.byteLength(json) <= MOST_BYTES) return { json, leftOut: 0 };
  }
  const short = entries.map((entry) => shortened(entry, 0));
  const kept = new Set();
  let bytes = 4;
  for (const entry of [...short.filter((each) => !isGood(each)), ...short.filter(isGood)]) {
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 2;
    if (bytes > MOST_BYTES) break;
    kept.add(entry);
  }
  return { json: asJson(short.filter((entry) => kept.has(entry))), leftOut: short.length - kept.size };
}
function* formsOf(entries) {
  yield entries;
  yield entries.map((entry) => (isGood(entry) ? withoutAttempts(entry) : entry));
  for (const longest of MESSAGE_LENGTHS) yield entries.map((entry) => shortened(entry, longest));
}
function withoutAttempts({ attempts: _, ...entry }) {
  return entry;
}
function entryOf(run, plan) {
  const { level, line, advice } = endingOf(run, plan);
  const attempts = attemptsOf(run).map((each) => ({
    id: each.jobId ?? '',
    status: oneLine(statusOf(each), 100),
    duration: wholeSeconds(each.startedAt, each.endedAt),
  }));
  return {
    pipeline: run.target.kind === 'job' ? '' : oneLine(run.target.pipeline, 200),
    ...outputsOfRun(run, plan, line),
    error: level === 'error' ? oneLine([line, ...advice].join(' '), 1_000) : '',
    ...(plan.maxAttempts > 1 && { attempts }),
  };
}
function shortened(entry, longest) {
  const cut = (text) => (longest === 0 ? '' : shorten(text, longest));
  return {
    ...withoutAttempts(entry),
    message: cut(entry.message),
    'status-message': cut(entry['status-message']),
    error: entry.error === '' || longest > 0 ? cut(entry.error) : 'see the log',
  };
}
function isGood({ outcome }) {
  return outcome === 'succeeded' || outcome === 'triggered';
}
function asJson(entries) {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`;
}
function createOutputWriter(files, path = '') {
  const written = new Map();
  let partial;
  return {
    write(outputs) {
      const changed = OUTPUTS.flatMap((name) => {
        const value = outputs[name];
        return value === undefined || (written.get(name) ?? '') === value ? [] : [[name, value]];
      });
      if (path !== '' && changed.length > 0) {
        const records = changed.map(([name, value]) => fileRecord(name, value));
        const long = records.filter((record) => record.indexOf('\n') < record.length - 1);
        try {
          appendToFile(files, path, [...records.filter((record) => !long.includes(record)), ...long].join(''));
        } catch (error) {
          if (error instanceof PartialWrite) partial = error;
          throw error;
        }
      }
      for (const [name, value] of changed) written.set(name, value);
      if (partial !== undefined) throw partial;
    },
  };
}

;// CONCATENATED MODULE: ./build/action/steps/machine.js


async function openFor({ openService, toolkit }, baseUrl, apiKey) {
  return openService({ baseUrl, apiKey, onSecret: toolkit.mask, onTrace: (trace) => toolkit.debug(debugLine(trace)) });
}
function debugLine({ method, path, status, failure, ms, attempt }) {
  const result = [status, failure].filter((part) => part !== undefined).join(', ');
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  return oneLine(`${method} ${path} → ${result} in ${formatDuration(ms)}${again}`, 600);
}

;// CONCATENATED MODULE: ./build/action/steps/cancel-step.js
















const POLL_INTERVAL_MS = 30_000;
const CANCEL_OUTPUTS = (/* unused pure expression or super */ null && (['job-status', 'results']));
const ACTION = 'run-pipeline/cancel';
const TITLE = titleOf('', ACTION);
const ANY_END = anyEnd('leave');
function prepareCancel(parts) {
  const { env, files, toolkit } = parts;
  return {
    async run() {
      const key = input_table_inputOf(env, 'api-key');
      if (key !== '') toolkit.mask(key);
      const read = readCancelSettings(env);
      const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
      if (!read.ok || wrongOutput !== undefined) {
        for (const mistake of read.ok ? [] : read.mistakes) toolkit.annotate('error', TITLE, mistake);
        if (wrongOutput === undefined) writeOutputs([], parts);
        else toolkit.annotate('error', TITLE, wrongOutput);
        return 1;
      }
      if (read.jobIds.length === 0) {
        toolkit.annotate('notice', TITLE, 'Input job-id is empty, so nothing was cancelled.');
        return report([], parts);
      }
      const service = await openFor(parts, read.baseUrl, key);
      return report(await cancelAll(read.jobIds, bounded(service), parts), parts);
    },
    crash(why) {
      const failed = `Internal error in this action: ${oneLine(why)}. Check the application for runs that were not cancelled. ${REPORT_IT}`;
      toolkit.annotate('error', TITLE, failed);
      writeOutputs([], parts);
      return 1;
    },
    close: () => undefined,
  };
}
async function cancelAll(jobIds, service, parts) {
  const { clock, print } = parts;
  const plan = { pollIntervalMs: POLL_INTERVAL_MS };
  const targets = jobIds.map((jobId) => ({ kind: 'job', jobId }));
  const ledger = new Ledger({
    runs: plannedRuns({ targets }),
    clock,
    write: () => undefined,
    observe: (news) => {
      if (!('fact' in news) || news.fact.kind !== 'cancel_failed') return;
      print(neutral(lineAbout(news.run, clock.now(), `${failureOf(news.fact.problem)} Retrying.`)));
    },
  });
  ledger.claimGiven();
  await Promise.all(ledger.runs.map((run) => settleRun(run, { ...parts, ledger, service, plan }, PROFILES.cancel)));
  return ledger.runs;
}
function report(runs, parts) {
  const { toolkit, print } = parts;
  const isWritten = writeOutputs(runs, parts);
  const endings = endingsOf(runs, ANY_END);
  const failed = endings.filter(({ ending }) => ending.level === 'error');
  annotateEndings(failed, toolkit, (line) => print(neutral(line)), ACTION);
  for (const { ending } of endings) if (ending.level !== 'error') print(neutral(ending.line));
  return isWritten && failed.length === 0 ? 0 : 1;
}
function writeOutputs(runs, { env, clock, files, toolkit }) {
  try {
    const { 'job-status': status } = outputsOfAll(runs, ANY_END, '', clock.now());
    createOutputWriter(files, env['GITHUB_OUTPUT']).write({
      'job-status': runs.length === 0 ? '' : status,
      results: runs.length === 0 ? '[]' : resultsOf(runs, ANY_END).json,
    });
    return true;
  } catch (error) {
    toolkit.annotate('error', TITLE, writeFailure('the outputs', error, ''));
    return false;
  }
}

;// CONCATENATED MODULE: ./build/run/resume.js




async function resumeRun(run, jobId, parts) {
  const { ledger, plan } = parts;
  const outcome = await readEarlier(run, jobId, parts);
  if (outcome.kind === 'aborted' || (outcome.kind !== 'job' && run.stopped.aborted)) return;
  if (outcome.kind !== 'job') {
    const problem = problemOf(outcome);
    const cure = problem.remedy ?? 'Run this step again later.';
    const remedy = `The run may be in progress, so the step did not trigger another one. ${cure} To trigger a new run anyway, leave out job-id.`;
    ledger.apply(run, { kind: 'lost', problem: { ...problem, attempted: `read the earlier run ${jobId}`, remedy } });
    return;
  }
  const { job } = outcome;
  if (isTerminal(job.status) && !plan.succeedOn.has(job.status)) {
    ledger.apply(run, { kind: 'not_resumed', job });
    return;
  }
  ledger.apply(run, { kind: 'awaited', job });
  if (isTerminal(job.status)) ledger.apply(run, { kind: 'finished', job });
}
async function lookAt(run, jobId, parts) {
  const { ledger } = parts;
  const outcome = await readEarlier(run, jobId, parts);
  if (outcome.kind === 'aborted') return;
  if (outcome.kind === 'job') ledger.apply(run, { kind: 'dry_run', job: outcome.job });
  else {
    const problem = { ...problemOf(outcome), attempted: `read run ${jobId}` };
    ledger.apply(run, { kind: 'kept_back', problem });
  }
}
async function readEarlier(run, jobId, parts) {
  const { clock, plan, ledger, service } = parts;
  const begun = clock.now();
  while (true) {
    const outcome = await service.read(jobId, { signal: run.stopped });
    if (!isFailure(outcome) || (outcome.kind !== 'unauthorized' && !isTransient(outcome))) return outcome;
    const now = clock.now();
    const retryInMs = Math.max(plan.pollIntervalMs, retryAfterMs(outcome));
    if (now + retryInMs > begun + plan.maxOutageMs) return outcome;
    ledger.apply(run, { kind: 'read_failed', problem: outcome.problem, sinceMs: now - begun, retryInMs });
    await pause(clock, retryInMs, run.stopped);
  }
}

;// CONCATENATED MODULE: ./build/run/trigger.js





async function triggerRun(run, pipeline, parts) {
  const { ledger, clock, interruption, plan, random } = parts;
  const stopped = AbortSignal.any([run.stopped, ledger.triggersStopped]);
  for (let tried = 0; !stopped.aborted; tried += 1) {
    const outcome = await send(run, pipeline, stopped, parts);
    if (outcome.kind === 'queued') {
      ledger.apply(run, { kind: 'queued', jobId: outcome.jobId });
      interruption.look();
      return;
    }
    if (outcome.kind === 'kept_back') {
      ledger.apply(run, run.phase.at === 'triggering' ? { ...outcome, kind: 'refused' } : outcome);
      return;
    }
    const mayRepeat = isRepeatable(outcome, plan);
    const isLast = tried + 1 >= TRIES;
    const retryInMs = mayRepeat && !isLast && !stopped.aborted ? retryPauseMs(random, tried, outcome) : undefined;
    ledger.apply(run, {
      kind: outcome.kind === 'maybe_processed' ? 'unknown' : 'refused',
      problem: mayRepeat && isLast ? afterAllTries(outcome.problem) : trigger_problemOf(outcome),
      ...(retryInMs !== undefined && { retryInMs }),
    });
    if (retryInMs === undefined) return;
    await pause(clock, retryInMs, stopped);
  }
}
const LONGEST_NAME = 200;
async function send(run, pipeline, signal, { plan, clock, interruption, ledger, service }) {
  let refusal;
  const onSend = () => {
    const name = pipeline.name === null ? null : shorten(pipeline.name, LONGEST_NAME);
    try {
      ledger.apply(run, { kind: 'intent', pipeline: { id: pipeline.id, name }, wall: clock.wall() });
      interruption.look();
      if (signal.aborted) throw new IntentRefused();
    } catch (error) {
      refusal = error;
      throw error;
    }
  };
  try {
    const { fullResync, resetTarget } = plan;
    return await service.trigger({ pipelineId: pipeline.id, fullResync, resetTarget }, { onSend, signal });
  } catch (error) {
    if (error !== refusal) throw error;
    if (error instanceof IntentRefused) return { kind: 'kept_back' };
    const why = 'Without this record, the action could not cancel the run when the workflow is cancelled.';
    const remedy = sentences(why, fileRemedy(error), 'Run the step again.');
    const attempted = 'record the trigger before sending it';
    return { kind: 'kept_back', problem: { attempted, cause: messageOf(error), remedy } };
  }
}
function isRepeatable(outcome, { onLostResponse }) {
  if (outcome.kind === 'maybe_processed') return onLostResponse === 'retry';
  return outcome.kind === 'not_processed' && outcome.retryable;
}
function trigger_problemOf(outcome) {
  if (outcome.kind === 'aborted') return undefined;
  if (outcome.kind !== 'no_credits') return outcome.problem;
  return {
    attempted: 'trigger the run',
    cause: 'the account is out of sync credits',
    remedy: 'Add credits to the account of this API key, then run the pipeline again.',
  };
}

;// CONCATENATED MODULE: ./build/run/one-run.js






const LAST_READ_MS = 10_000;
async function beginRun(run, parts) {
  const { pipeline, target } = run;
  if (target.kind === 'job') parts.ledger.apply(run, { kind: 'awaited' });
  if (target.kind === 'resume' && run.attempt === 1) await resumeRun(run, target.jobId, parts);
  if (run.phase.at === 'waiting' && pipeline !== undefined) await triggerRun(run, pipeline, parts);
}
async function finishRun(run, parts, pace, allBegun) {
  const { ledger, plan } = parts;
  const { jobId } = run;
  if (jobId === undefined || !isUnfinished(run)) return;
  if (plan.wait) await awaitRun(run, jobId, parts, firstReads(run, parts, pace));
  else await aborted(AbortSignal.any([allBegun, run.stopped]));
  if (run.stop?.reason.kind === 'timeout') await lookAgain(run, jobId, parts);
  if (run.stop !== undefined) await settleStopped(run, parts);
  else if (!plan.wait) ledger.apply(run, { kind: 'detached' });
}
function isUnfinished({ phase }) {
  return phase.at === 'in_progress' || phase.at === 'left';
}
function firstReads(run, { clock, plan }, pace) {
  const now = clock.now();
  if (run.lastReadAt !== undefined) return { at: run.lastReadAt + plan.pollIntervalMs, delayAfterMs: 0 };
  if (run.attached) return { at: now, delayAfterMs: pace.delayAfterFirst() };
  return { at: pace.firstReadAt(now), delayAfterMs: 0 };
}
async function settleStopped(run, parts) {
  if (run.phase.at === 'in_progress') await settleRun(run, parts, PROFILES.main);
}
async function lookAgain(run, jobId, { interruption, ledger, service }) {
  const options = { withinMs: () => LAST_READ_MS, repeatIfTooLarge: true, signal: interruption.signal };
  const outcome = await service.read(jobId, options);
  if (outcome.kind === 'job') ledger.apply(run, rowFact(outcome.job));
}

;// CONCATENATED MODULE: ./build/run/resolve.js



async function resolve(runs, parts) {
  const { plan, service } = parts;
  const listed = needsList(plan) ? await retrying(parts, (options) => service.list(options)) : NO_LIST;
  if (listed.kind !== 'pipelines') return { mayTrigger: false, lookups: [], problems: problemsOf(listed) };
  const list = indexed(listed);
  const found = runs.map((run) => ({ run, ...find(run.target, list, plan) }));
  const lookups = found.some(({ problem }) => problem !== undefined) ? found : withoutRepeats(found);
  const problems = lookups.flatMap(({ problem }) => problem ?? []);
  return { mayTrigger: problems.length === 0, lookups, problems };
}
function indexed({ pipelines, mayBeTruncated }) {
  const byName = new Map();
  const spellings = pipelines.map((pipeline) => {
    const names = [pipeline.apiName, pipeline.name].filter((name) => name !== null);
    for (const name of names) byName.set(name, (byName.get(name) ?? new Set()).add(pipeline));
    return names;
  });
  const byId = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  return { mayBeTruncated, byId, byName, spellings, budget: { pairs: MOST_PAIRS } };
}
const NO_LIST = { kind: 'pipelines', pipelines: [], mayBeTruncated: false };
function givenBy(target) {
  return 'pipeline' in target ? target.pipeline : undefined;
}
function needsList({ targets, dryRun }) {
  const given = targets.flatMap((target) => givenBy(target) ?? []);
  return given.some((pipeline) => dryRun || asUuid(pipeline) === undefined);
}
function find(target, listed, plan) {
  const given = givenBy(target);
  if (given === undefined) return {};
  const id = asUuid(given);
  if (id === undefined) return findByName(given, listed, plan.resetTarget);
  return plan.dryRun ? findById(id, listed) : { pipeline: { id, name: null } };
}
function findById(id, listed) {
  const match = listed.byId.get(id);
  if (match === undefined && !listed.mayBeTruncated) {
    return { problem: unknownName(id, `find the pipeline ${id}`, listed) };
  }
  return { pipeline: { id, name: match?.name ?? match?.apiName ?? null } };
}
function findByName(given, listed, resetTarget) {
  const attempted = `identify the pipeline ${quotedName(given)}`;
  if (listed.mayBeTruncated && resetTarget) {
    const cause = 'the list of pipelines may be incomplete, so another pipeline may have the same name';
    const remedy = "reset-target drops tables, so use the UUID, which is in the address of the pipeline's page.";
    return { problem: { attempted, cause, remedy } };
  }
  const matches = [...(listed.byName.get(given) ?? [])];
  const [match, another] = matches;
  if (match === undefined) return { problem: unknownName(given, attempted, listed) };
  if (another === undefined) return { pipeline: { id: match.id, name: match.name ?? match.apiName } };
  const cause = `${matches.length} pipelines have that name (${matches.slice(0, SUGGESTIONS).map(describe).join('; ')})`;
  return { problem: { attempted, cause, remedy: 'Use the API name or the UUID instead.' } };
}
function unknownName(given, attempted, listed) {
  const count = listed.spellings.length;
  const near = nearest(given, listed.spellings, listed.budget);
  const hints = [
    near.length > 0 ? `Did you mean ${near.map((name) => quotedName(name)).join(' or ')}?` : undefined,
    given.includes(',') ? 'Separate pipelines with line breaks instead of commas.' : undefined,
    listed.mayBeTruncated
      ? 'The list may be incomplete, so try the UUID.'
      : count === 0
        ? 'Check that the API key belongs to the right workspace.'
        : 'Use an API name, a name or a UUID from the workspace of this API key.',
  ];
  const cause =
    count === 0
      ? 'this API key has no access to any pipeline'
      : `no pipeline has that API name, name or UUID (pipelines in the workspace of this API key: ${count})`;
  return { attempted, cause, remedy: hints.filter((hint) => hint !== undefined).join(' ') };
}
function describe(pipeline) {
  const api = pipeline.apiName === null ? '' : `, API name ${quotedName(pipeline.apiName)}`;
  return `${quotedName(pipeline.name ?? '')}${api}, UUID ${pipeline.id}`;
}
function withoutRepeats(lookups) {
  const firstBy = new Map();
  return lookups.map((lookup) => {
    const { run, pipeline } = lookup;
    const given = givenBy(run.target);
    if (pipeline === undefined || given === undefined) return lookup;
    const first = firstBy.get(pipeline.id);
    if (first === undefined) {
      firstBy.set(pipeline.id, given);
      return lookup;
    }
    const cause = `${quotedName(first)} and ${quotedName(given)} are the same pipeline (${pipeline.id})`;
    const remedy = 'List the pipeline only once, because the step would otherwise trigger two runs.';
    return { run, problem: { attempted: 'accept the pipeline input', cause, remedy } };
  });
}
const SUGGESTIONS = 3;
const resolve_LONGEST = 100;
const MOST_PAIRS = 4_000_000;
function nearest(given, candidates, budget = { pairs: MOST_PAIRS }) {
  const wanted = fold(given);
  const tolerated = Math.max(2, Math.floor(wanted.length / 3));
  const costOf = (name) => (wanted.length + 1) * (Math.min(name.length, resolve_LONGEST) + 1);
  const awayOf = (name) => ({ name, away: awayFrom(wanted, fold(name)) });
  const byDistance = (a, b) => a.away - b.away;
  const affordable = [];
  for (const spellings of candidates) {
    if (budget.pairs < 0) break;
    budget.pairs -= spellings.reduce((sum, name) => sum + costOf(name), 0);
    if (budget.pairs >= 0) affordable.push(spellings);
  }
  return affordable
    .flatMap((spellings) => spellings.map(awayOf).sort(byDistance).slice(0, 1))
    .filter(({ away }) => away <= tolerated)
    .sort(byDistance)
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name);
}
function fold(name) {
  const begin = name.slice(0, resolve_LONGEST).toLowerCase();
  return begin.replace(/[\s_-]+/g, ' ').trim();
}
function awayFrom(a, b) {
  if (a === b) return 0;
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a))) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

;// CONCATENATED MODULE: ./build/run/pace.js
const FIRST_READ_MS = 2_000;
const FIRST_READ_PART = 15;
const FEW = 10;
function createPace(atOnce, pollIntervalMs) {
  const isBurst = atOnce > FEW;
  const soon = Math.min(FIRST_READ_MS, isBurst ? pollIntervalMs / FIRST_READ_PART : pollIntervalMs);
  const apart = isBurst ? (pollIntervalMs - soon) / atOnce : 0;
  let next = -Infinity;
  let delayed = 0;
  return {
    firstReadAt(now) {
      const at = next > now + pollIntervalMs ? now + soon : Math.max(now + soon, next);
      next = at + apart;
      return at;
    },
    delayAfterFirst() {
      delayed += 1;
      return ((delayed - 1) % atOnce) * apart;
    },
  };
}

;// CONCATENATED MODULE: ./build/run/run-all.js









async function runAll(parts, stepEnded) {
  const { clock, ledger, plan } = parts;
  if (plan.dryRun) return dryRun(parts);
  const { onTimeout: policy, timeoutMs = Infinity } = plan;
  const until = clock.now() + timeoutMs;
  if (timeoutMs < Infinity && plan.wait) {
    void pause(clock, timeoutMs, stepEnded).then(() => {
      if (!stepEnded.aborted) ledger.stop({ reason: { kind: 'timeout', afterMs: timeoutMs }, policy, at: clock.now() });
    });
  }
  const all = triggerAndAwait(parts, until);
  nameRuns(parts, stepEnded).catch(() => undefined);
  return all;
}
async function dryRun(parts) {
  const { ledger } = parts;
  for (const run of ledger.runs) {
    if (run.stopped.aborted) continue;
    if (run.target.kind === 'pipeline') ledger.apply(run, { kind: 'dry_run' });
    else await lookAt(run, run.target.jobId, parts);
    ledger.notice({ notice: 'run_done', run });
  }
}
async function triggerAndAwait(parts, until) {
  const { clock, ledger, plan } = parts;
  const { runs } = ledger;
  const allExist = runs.every(({ target }) => target.kind === 'job');
  const atOnce = allExist || !plan.wait ? runs.length : Math.min(plan.maxParallel, runs.length);
  const slots = new Gate(atOnce);
  const pace = createPace(atOnce, plan.pollIntervalMs);
  const lives = [];
  const allBegun = new AbortController();
  const noRunsLeft = new AbortController();
  let awaited = runs.length;
  const awaitEnd = async (run, leave) => {
    await guarded(run, parts, () => finishRun(run, parts, pace, allBegun.signal));
    leave();
  };
  const finish = async (run, leave) => {
    await awaitEnd(run, leave);
    while (isRepeated(run, parts) && clock.now() + plan.retryDelayMs < until) await attemptAgain(run);
    stopOthersAfter(run, parts);
    awaited -= 1;
    if (awaited === 0) noRunsLeft.abort();
    await guarded(run, parts, () => cancelAgain(run, parts, noRunsLeft.signal));
    ledger.notice({ notice: 'run_done', run });
  };
  const attemptAgain = async (run) => {
    ledger.apply(run, { kind: 'again', inMs: plan.retryDelayMs });
    await pause(clock, plan.retryDelayMs, AbortSignal.any([run.stopped, ledger.triggersStopped]));
    const leave = await slots.enter(true);
    await guarded(run, parts, () => beginRun(run, parts));
    await awaitEnd(run, leave);
  };
  for (const run of runs) {
    const leave = await slots.enter();
    await guarded(run, parts, () => beginRun(run, parts));
    if (run.phase.at !== 'in_progress') stopOthersAfter(run, parts);
    lives.push(finish(run, leave));
  }
  allBegun.abort();
  await Promise.all(lives);
}
function isRepeated({ attempt, doubt, phase, stop, unrecorded }, { ledger, plan }) {
  if (stop !== undefined || ledger.triggersStopped.aborted) return false;
  if (unrecorded !== undefined || doubt !== undefined) return false;
  return phase.at === 'finished' && plan.retryOn.has(phase.status) && attempt < plan.maxAttempts;
}
function stopOthersAfter(run, { clock, ledger, plan }) {
  if (!plan.failFast || ledger.triggersStopped.aborted) return;
  const outcome = outcomeOf(run, plan);
  if (outcome === 'succeeded' || (outcome === 'triggered' && !plan.wait)) return;
  const after = run.pipeline?.name ?? ('pipeline' in run.target ? run.target.pipeline : run.target.jobId);
  const policy = plan.onCancel === 'cancel' ? 'cancel' : 'await';
  ledger.stop({ reason: { kind: 'fail_fast', after }, policy, at: clock.now() });
}
async function guarded(run, { ledger }, task) {
  try {
    await task();
  } catch (error) {
    const cause = `internal error in this action (${namedMessageOf(error)})`;
    ledger.abandon(run, { attempted: 'handle the run', cause, remedy: REPORT_IT });
  }
}
async function nameRuns({ interruption, ledger, service }, stepEnded) {
  const nameless = ledger.runs.filter(({ pipeline }) => pipeline?.name === null);
  if (nameless.length === 0) return;
  const signal = AbortSignal.any([stepEnded, interruption.signal]);
  const listed = await service.list({ signal, isBackground: true });
  if (listed.kind !== 'pipelines' || signal.aborted) return;
  const names = new Map(listed.pipelines.map(({ id, name, apiName }) => [id, name ?? apiName]));
  for (const run of nameless) {
    const { pipeline } = run;
    const name = pipeline && names.get(pipeline.id);
    if (pipeline && typeof name === 'string') ledger.apply(run, { kind: 'resolved', pipeline: { ...pipeline, name } });
  }
}

;// CONCATENATED MODULE: ./build/run/step.js






const REPORT_MS_PER_RUN = 0.5;
const LONGEST_REPORT_MS = 500;
async function step_runStep(outside) {
  const { clock, interruption, ledger, plan } = outside;
  let takeBackGivingUp = () => undefined;
  const gaveUp = new Promise((settle) => {
    const reportMs = Math.min(LONGEST_REPORT_MS, (ledger.runs.length - 1) * REPORT_MS_PER_RUN);
    takeBackGivingUp = afterInterruption(clock, interruption, GIVE_UP_AFTER_MS - reportMs, () => settle([]));
  });
  const takeBackReport = afterInterruption(clock, interruption, REPORT_WITHIN_MS, () =>
    ledger.notice({ notice: 'report_due' }),
  );
  if (!plan.dryRun) ledger.claimGiven();
  const takeBackStop = onInterruption(interruption, () => {
    const stop = stopBy(interruption, plan.onCancel);
    if (stop !== undefined) ledger.stop(stop);
  });
  const stepEnded = new AbortController();
  try {
    const given = ledger.runs.flatMap(({ jobId }) => jobId ?? []);
    const service = rejectKnownJobIds(bounded(outside.service), given);
    return await Promise.race([perform({ ...outside, service }, stepEnded.signal), gaveUp]);
  } finally {
    stepEnded.abort();
    takeBackReport();
    takeBackGivingUp();
    takeBackStop();
    ledger.reportStop();
  }
}
async function perform(parts, stepEnded) {
  const { ledger, service } = parts;
  const connected = await retrying(parts, (options) => service.connect(options));
  if (connected.kind !== 'connected') return endEarly(parts, problemsOf(connected), []);
  ledger.notice({ notice: 'connected', account: connected.account });
  const { mayTrigger, lookups, problems } = await resolve(ledger.runs, parts);
  if (!mayTrigger) return endEarly(parts, problems, lookups);
  for (const { run, pipeline } of lookups) {
    if (pipeline !== undefined) ledger.apply(run, { kind: 'resolved', pipeline });
  }
  ledger.notice({ notice: 'ready', runs: ledger.runs });
  await runAll(parts, stepEnded);
  return [];
}
async function endEarly(parts, problems, lookups) {
  const { ledger } = parts;
  const own = new Map(lookups.map(({ run, problem }) => [run, problem]));
  await Promise.all(
    ledger.runs.map(async (run) => {
      if (run.phase.at === 'waiting') ledger.apply(run, { kind: 'kept_back', problem: own.get(run) });
      else if (run.stop !== undefined) await settleStopped(run, parts);
      else ledger.apply(run, { kind: 'lost', problem: own.get(run) ?? problems[0] });
    }),
  );
  return problems;
}

;// CONCATENATED MODULE: ./build/action/report/summary/markdown.js

function plainMarkdown(text, maxLength = 300) {
  return oneLine(text, maxLength).replace(/[!-+./:-@[-`{-~]/g, (mark) => {
    const separator = mark === '@' || mark === '#' ? '&#8203;' : '';
    return `&#${mark.charCodeAt(0)};${separator}`;
  });
}
function codeLink(id, href) {
  if (href === undefined) return `\`${id}\``;
  const encoded = href
    .replace(/[^A-Za-z0-9:/?#=.,;@%+~_&-]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('&', '&amp;');
  return `[\`${id}\`](${encoded})`;
}
function upTo(bytes, lines) {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += Buffer.byteLength(line) + 1;
    return used > bytes;
  });
  return end === -1 ? lines : lines.slice(0, end);
}
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const NO_WIDTH = /[\p{M}\p{Emoji_Modifier}]/u;
function columnsOf(text) {
  let columns = 0;
  for (const mark of text) columns += NO_WIDTH.test(mark) ? 0 : WIDE.test(mark) ? 2 : 1;
  return columns;
}
let graphemes;
function cutToColumns(text, columns) {
  if (columnsOf(text) <= columns) return text;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOf(segment);
    if (used > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

;// CONCATENATED MODULE: ./build/action/report/log/announcement.js






const MOST_NAMED = 30;
function announcement({ plan, baseUrl }, account, runs) {
  const many = runs.length > 1;
  const region = account?.region === null || account === undefined ? '' : `, region ${oneLine(account.region, 60)}`;
  const waiting = [
    `Waits: ${plan.wait ? waitWords(plan, many) : `no; the step ends once ${many ? 'the runs are' : 'the run is'} queued`}`,
    ...(plan.maxAttempts > 1 && plan.wait ? [`Attempts: ${attemptWords(plan)}`] : []),
    `On cancellation: ${policyWords(plan.onCancel, many)}`,
  ];
  const dropped = plan.resetTarget ? ', tables dropped and recreated' : '';
  return [
    ...(plan.dryRun ? ['Dry run: the step triggers nothing. Without dry-run, it would run the following:'] : []),
    ...(many ? [`Runs: ${runs.length}, ${atOnceWords(plan)}`] : []),
    ...runs.slice(0, MOST_NAMED).map(targetWords),
    ...(runs.length > MOST_NAMED ? [`… and ${runs.length - MOST_NAMED} more`] : []),
    ...(runs.every(({ target }) => target.kind === 'job') ? [] : [`Options: ${syncWords(plan)}${dropped}`]),
    `Hosts: ${baseUrl.href} and ${account?.apiUrl.href ?? ''} (API${region})`,
    ...(plan.dryRun ? [] : waiting),
  ];
}
function atOnceWords({ maxParallel, failFast, targets, wait }) {
  const isLimited = Number.isFinite(maxParallel) && wait && targets.some(({ kind }) => kind !== 'job');
  const atOnce = isLimited ? `at most ${maxParallel} at once` : 'all at once';
  return failFast ? `${atOnce}; no further triggers after the first run that does not succeed (fail-fast)` : atOnce;
}
function targetWords(run) {
  if (run.target.kind === 'job') return `Run: ${run.target.jobId} (existing run)`;
  const resumed = run.target.kind === 'resume' ? `, resuming run ${run.target.jobId} if possible` : '';
  return `Pipeline: ${nameAndId(run)}${resumed}`;
}
function syncWords({ fullResync }) {
  return fullResync ? 'full resync' : 'incremental sync';
}
function waitWords({ timeoutMs, queueTimeoutMs, onTimeout, pollIntervalMs }, many) {
  const atMost = (ms, where, several) =>
    `at most ${formatDuration(ms)}${where}, after which ${policyWords(onTimeout, several)}`;
  const limit = timeoutMs === undefined ? 'no limit' : atMost(timeoutMs, '', many);
  const queue = queueTimeoutMs === undefined ? '' : `; ${atMost(queueTimeoutMs, ' in the queue', false)}`;
  const until = many ? 'until all runs have finished' : 'until the run has finished';
  return `${until}, with status checks every ${formatDuration(pollIntervalMs)}; ${limit}${queue}`;
}
function attemptWords({ maxAttempts, retryOn, retryDelayMs }) {
  return `up to ${maxAttempts}; the next one starts ${formatDuration(retryDelayMs)} after a run ends with status ${listed([...retryOn], 'or')}`;
}
function policyWords(policy, many) {
  return `the ${many ? 'runs are' : 'run is'} ${policy === 'cancel' ? 'cancelled' : 'left running'}`;
}
function dryRunLines(runs, plan) {
  const rows = runs.map((run) => {
    const name = run.target.kind === 'job' ? '–' : nameOf(run);
    const drops = isTriggered(run, plan) && plan.resetTarget ? 'its destination tables' : 'nothing';
    const cells = [name, run.pipeline?.id ?? '–', whatItWouldDo(run, plan), drops];
    return cells.map((cell) => cutToColumns(cell, 80));
  });
  const table = [['PIPELINE', 'UUID', 'WOULD', 'DROPS'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => columnsOf(row[column] ?? ''))));
  const padded = (cell, column) => `${cell}${' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell)))}`;
  const lines = table.map((row) => row.map(padded).join('  '));
  return runs.some((run) => isTriggered(run, plan)) ? [...lines, NOT_CHECKED] : lines;
}
const NOT_CHECKED = 'Only a trigger shows whether the account has credits and whether each pipeline is active.';
function isTriggered({ target, phase, status = '' }, plan) {
  if (phase.at !== 'dry_run' || target.kind === 'job') return false;
  return target.kind === 'pipeline' || (isTerminal(status) && !plan.succeedOn.has(status));
}
function whatItWouldDo(run, plan) {
  const { target, phase, status = '' } = run;
  if (phase.at !== 'dry_run') return 'fail';
  if (target.kind === 'pipeline' || isTriggered(run, plan)) return `trigger a run, ${syncWords(plan)}`;
  return `${target.kind === 'job' ? 'await' : 'resume'} run ${target.jobId} (${oneLine(status, 40)})`;
}

;// CONCATENATED MODULE: ./build/action/report/log/log-many.js




const MOST_ALIKE = 5;
function logOfMany(settings, clock, line, runs) {
  const { plan } = settings;
  const begun = clock.now();
  const outOfContact = new Set();
  const unknownStatuses = new Set();
  let counted = begun;
  let changed = false;
  let settleFailures = 0;
  let outageSince = begun;
  const about = (run, text) => line(lineAbout(run, clock.now(), text));
  const count = () => {
    const elapsed = clock.now() - begun;
    if (clock.now() - counted < (changed ? countAfterMs : signAfterMs)(elapsed)) return;
    counted = clock.now();
    changed = false;
    const lost = outOfContact.size === 0 ? '' : `; no valid response for ${outOfContact.size} of them`;
    line(`${runs.length} runs after ${formatDuration(elapsed)}: ${countWords(runs)}${lost}`);
  };
  const isNews = (status) =>
    !isKnownStatus(status) && !unknownStatuses.has(status) && unknownStatuses.size < MOST_ALIKE;
  return (news) => {
    if ('notice' in news) {
      if (news.notice === 'run_done') outOfContact.delete(news.run);
      count();
      return;
    }
    const { fact, before, run } = news;
    const beginning = beginningWords(news, settings);
    if (beginning !== undefined) about(run, beginning);
    switch (fact.kind) {
      case 'queued':
      case 'again':
        changed = true;
        break;
      case 'awaited':
        break;
      case 'seen':
      case 'finished':
        if (fact.confirming) return;
        if (before.outageSince !== undefined) {
          outOfContact.delete(run);
          const after = formatDuration(clock.now() - outageSince);
          if (outOfContact.size === 0) line(`Contact with all runs restored after ${after}: ${countWords(runs)}`);
          count();
        }
        if (before.status === run.status) break;
        changed = true;
        if (run.phase.at === 'finished') about(run, `${changeWords(run, before)}${endedOf(runs, plan)}`);
        else if (isNews(fact.job.status)) {
          unknownStatuses.add(fact.job.status);
          about(run, changeWords(run, before));
        }
        break;
      case 'read_failed':
        if (fact.retryInMs !== undefined) return;
        if (outOfContact.size === 0) {
          about(run, `${failureOf(fact.problem)} ${outageWords(fact.sinceMs, plan.maxOutageMs)}`);
          outageSince = clock.now() - fact.sinceMs;
        }
        outOfContact.add(run);
        break;
      case 'cancel_failed':
        settleFailures += 1;
        if (settleFailures <= MOST_ALIKE) about(run, `${failureOf(fact.problem)} Retrying.`);
        break;
      case 'resolved':
        if (before.pipeline === undefined) return;
        break;
      default:
        return;
    }
    count();
  };
}
function countAfterMs(sinceMs) {
  return Math.min(RAREST_SIGN_MS, Math.max(30_000, sinceMs / 20));
}
const MOST_STATUSES = 6;
const IN_ORDER = ['waiting', 'triggering', 'queued', 'picked', 'running', 'finished', 'left', 'lost'];
function countWords(runs) {
  const counts = new Map();
  for (const run of runs) {
    const word = phaseWord(run);
    const under = counts.has(word) || counts.size < MOST_STATUSES ? word : 'in other statuses';
    counts.set(under, (counts.get(under) ?? 0) + 1);
  }
  const placeOf = (word) => IN_ORDER.indexOf(IN_ORDER.includes(word) ? word : 'running');
  const inOrder = [...counts].sort(([a], [b]) => placeOf(a) - placeOf(b));
  return inOrder.map(([word, number]) => `${number} ${word}`).join(', ');
}
const PHASE_WORDS = { not_queued: 'not queued', dry_run: 'queued', detached: 'queued' };
function phaseWord({ phase, status }) {
  if (phase.at !== 'in_progress') return PHASE_WORDS[phase.at] ?? phase.at;
  return status === undefined ? 'not read yet' : statusWord(status);
}

;// CONCATENATED MODULE: ./build/action/report/log/log.js









const log_FEW = 20;
const MOST_WITHOUT_END = 20;
function createLog(settings, clock, print, runs) {
  let account;
  let withoutEnd = 0;
  const line = (text) => print(neutral(text));
  const ofRuns = (runs.length > log_FEW ? logOfMany : logOfFew)(settings, clock, line, runs);
  const about = (run, text) => line(lineAbout(run, clock.now(), text));
  const retryWords = (problem, inMs, why = '') => `${failureOf(problem)} Retrying in ${formatDuration(inMs)}${why}.`;
  const change = ({ fact, run, unwritten }) => {
    if (unwritten !== undefined) {
      const what = `Could not update the record of ${runOf(run)}: ${oneLine(unwritten.reason)}.`;
      line(sentences(what, unwritten.remedy));
    }
    if ('retryInMs' in fact && fact.retryInMs !== undefined && fact.problem !== undefined) {
      const why = fact.kind === 'unknown' ? ', because on-lost-response is retry, so several runs may be queued' : '';
      about(run, retryWords(fact.problem, fact.retryInMs, why));
    }
    if (fact.kind === 'not_resumed' && fact.job !== undefined) {
      about(run, `run ${fact.job.id} ${endedHow(fact.job.status)}, so the step triggers a new one`);
    }
  };
  const observe = (news) => {
    if (!('notice' in news)) {
      change(news);
      ofRuns(news);
      return;
    }
    switch (news.notice) {
      case 'connected':
        account = news.account;
        return;
      case 'ready':
        for (const text of announcement(settings, account, news.runs)) line(text);
        return;
      case 'retry':
        line(retryWords(news.problem, news.inMs));
        return;
      case 'stopping':
        line(stoppingWords(news.stop, news.runs));
        return;
      case 'run_done':
        ofRuns(news);
        if (!isUnreported(news.run) || withoutEnd >= MOST_WITHOUT_END || !runs.some(isOpen)) return;
        withoutEnd += 1;
        line(endingOf(news.run, settings.plan).line);
        return;
      case 'report_due':
        ofRuns(news);
    }
  };
  return { line, observe };
}
function isUnreported({ phase, stop }) {
  if (stop?.reason.kind === 'fail_fast') return stop.policy === 'await' && phase.at === 'not_queued';
  if (stop !== undefined) return stop.reason.kind === 'queue_timeout';
  return ['lost', 'unknown', 'not_queued', 'unsettled'].includes(phase.at);
}
function logOfFew(settings, clock, line, runs) {
  const { plan } = settings;
  const lastWords = new Map();
  const troubles = new Map();
  const about = (run, text) => {
    lastWords.set(run, clock.now());
    line(lineAbout(run, clock.now(), text));
  };
  const isQuiet = (run) => {
    const now = clock.now();
    return now - (lastWords.get(run) ?? -Infinity) >= signAfterMs(now - (begunAt(run) ?? now));
  };
  const sayTrouble = (run, problem, means) => {
    const trouble = failureOf(problem);
    if (troubles.get(run) === trouble && !isQuiet(run)) return;
    troubles.set(run, trouble);
    about(run, `${trouble} ${means}`);
  };
  return (news) => {
    if ('notice' in news) return;
    const { fact, before, run } = news;
    const beginning = beginningWords(news, settings);
    if (beginning !== undefined) about(run, beginning);
    switch (fact.kind) {
      case 'resolved':
        if (before.pipeline !== undefined) line(`${fact.pipeline.id} is the pipeline ${nameOf(run)}.`);
        return;
      case 'seen':
      case 'finished':
        if (fact.confirming) return;
        if (before.outageSince !== undefined) {
          troubles.delete(run);
          about(run, `contact restored after ${formatDuration(clock.now() - before.outageSince)}`);
        }
        if (before.status !== run.status) {
          about(run, `${changeWords(run, before)}${fact.kind === 'finished' ? endedOf(runs, plan) : ''}`);
        } else if (isQuiet(run)) {
          const note = run.status === 'queued' ? ', because no agent has picked up the run yet' : '';
          about(run, `still ${statusWord(run.status)}${note}`);
        }
        return;
      case 'read_failed':
        if (fact.retryInMs !== undefined) return;
        sayTrouble(run, fact.problem, outageWords(fact.sinceMs, plan.maxOutageMs));
        return;
      case 'cancel_failed':
        sayTrouble(run, fact.problem, 'Retrying.');
        return;
      default:
    }
  };
}

;// CONCATENATED MODULE: ./build/action/report/log/six-hours.js



const LONGEST_JOB_MS = 6 * 3_600_000;
const AHEAD_MS = 1_800_000;
function warnBeforeSixHours({ env, clock, toolkit }, { pollIntervalMs, onCancel, timeoutMs = Infinity }, runs) {
  const endsAt = clock.now() + LONGEST_JOB_MS;
  let due = env['RUNNER_ENVIRONMENT'] === 'github-hosted' && timeoutMs >= LONGEST_JOB_MS;
  return () => {
    if (!due) return;
    const leftMs = endsAt - clock.now();
    const open = runs.filter(({ phase }) => phase.at === 'in_progress').length;
    if (leftMs - pollIntervalMs > AHEAD_MS || open === 0) return;
    due = false;
    const message = [
      `GitHub will end this job in about ${formatDuration(leftMs)}, or sooner if the job began well before this step. At that point, ${policyWords(onCancel, open > 1)}, because on-cancel is ${onCancel}.`,
      'GitHub-hosted runners limit a job to 6 hours. To wait longer, set on-cancel: leave and await the run by its id (job-id input) in another job, or use a self-hosted runner.',
    ];
    toolkit.annotate('warning', titleOf('six hours'), message.join('\n'));
  };
}

;// CONCATENATED MODULE: ./build/action/report/summary/timeline.js






const timeline_MAX_RUNS = 30;
const MAX_ROWS = 12;
const MAX_CHART_LENGTH = 45_000;
function timelineOf(runs, plan, at) {
  const firstStart = Math.min(...runs.flatMap(({ startedAt }) => startedAt ?? []));
  const all = runs
    .map((run) => ({
      name: run.attempt > 1 ? `${nameOf(run)}, attempt ${run.attempt}` : nameOf(run),
      bars: barsOf(run, plan, firstStart, at.now),
    }))
    .filter(({ bars }) => bars.length > 0);
  if (all.length === 0) return '';
  const wallTime = (ms) => isoTime(Math.round(ms + at.wall - at.now)).slice(0, 23);
  let rows = all.slice(0, timeline_MAX_RUNS);
  while (chartOf(rows, wallTime).length > MAX_CHART_LENGTH) rows = rows.slice(0, Math.floor(rows.length / 2));
  const legend = `${LEGEND} The chart begins at ${wallTime(rangeOf(rows)[0]).slice(0, 19).replace('T', ' ')}.`;
  const omitted = `\n\nThe chart shows ${rows.length} of ${all.length} runs, the most urgent first.`;
  return `\`\`\`mermaid\n${chartOf(rows, wallTime)}\n\`\`\`\n\n${legend}${rows.length < all.length ? omitted : ''}`;
}
const LEGEND = 'Grey: waiting or queued. Pale: picked up. Full colour: running. Red: needs attention. Times are UTC.';
function barsOf(run, plan, firstStart, now) {
  const { startedAt, phase } = run;
  if (startedAt === undefined || phase.at === 'not_queued') return [];
  const end = endOf(run, now);
  const statuses = statusStarts(run);
  const minMs = (end - firstStart) * 0.01;
  const waitsFrom = run.earlier.at(-1)?.endedAt ?? firstStart;
  const firstStatusAt = statuses[0]?.at ?? end;
  const starts = [
    ...(startedAt - waitsFrom < minMs ? [] : [{ name: 'waiting', at: waitsFrom }]),
    ...(firstStatusAt - startedAt < minMs ? [] : [{ name: run.attached ? 'first read' : 'triggering', at: startedAt }]),
    ...statuses,
    ...(phase.at === 'unknown' ? [{ name: 'unknown', at: startedAt }] : []),
  ];
  const isBad = OUTCOMES.indexOf(outcomeOf(run, plan)) < OUTCOMES.indexOf('triggered');
  const bars = starts
    .map(({ name, at }, index) => ({ name, isBad: false, from: at, to: Math.min(starts[index + 1]?.at ?? end, end) }))
    .filter(({ from, to }) => to > from);
  const last = bars.at(-1);
  return last === undefined ? [] : withoutMiddle([...bars.slice(0, -1), { ...last, isBad }]);
}
function endOf({ endedAt, phase, lastReadAt, stop }, now) {
  if (endedAt !== undefined) return endedAt;
  if (phase.at === 'lost') return lastReadAt ?? now;
  return phase.at === 'left' ? (stop?.at ?? now) : now;
}
function statusStarts({ history, stop, jobId }) {
  const statuses = history.flatMap(({ status, at }) => (isTerminal(status) ? [] : [{ name: status, at }]));
  if (stop === undefined || stop.policy !== 'cancel' || jobId === undefined) return statuses;
  return [...statuses.filter(({ at }) => at <= stop.at), { name: 'cancelling', at: stop.at }];
}
function withoutMiddle(bars) {
  const middle = bars.slice(3, -2);
  const [first, last] = [middle[0], middle.at(-1)];
  if (middle.length < 2 || first === undefined || last === undefined) return bars;
  const merged = { ...first, name: `${middle.length} more changes`, to: last.to };
  return [...bars.slice(0, 3), merged, ...bars.slice(-2)];
}
function rangeOf(rows) {
  const bars = rows.flatMap((row) => row.bars);
  return [Math.min(...bars.map(({ from }) => from)), Math.max(...bars.map(({ to }) => to))];
}
const NAME_COLUMNS = 28;
const CHART_COLUMNS = 110;
function chartOf(rows, wallTime) {
  const [from, to] = rangeOf(rows);
  const isCompact = rows.flatMap(({ bars }) => bars).length > MAX_ROWS;
  const sections = sectionNames(rows.map(({ name }) => name));
  const widest = Math.max(...rows.map(({ name }) => Math.min(columnsOf(name), NAME_COLUMNS)));
  const lineOf = (bar) => {
    const columns = isCompact ? (CHART_COLUMNS * (bar.to - bar.from)) / (to - from) : Infinity;
    return `${labelOf(bar, columns)} :${tagOf(bar)}${wallTime(bar.from)}, ${wallTime(bar.to)}`;
  };
  return [
    '---',
    'config:',
    '  gantt:',
    ...(isCompact ? ['    displayMode: compact'] : []),
    '    numberSectionStyles: 2',
    `    leftPadding: ${25 + widest * 6}`,
    '---',
    'gantt',
    'accTitle: Timeline of the pipeline runs',
    'dateFormat YYYY-MM-DDTHH:mm:ss.SSS',
    ...axisLines(to - from),
    'todayMarker off',
    ...rows.flatMap(({ bars }, index) => [`section ${sections[index] ?? ''}`, ...bars.map(lineOf)]),
  ].join('\n');
}
function sectionNames(names) {
  const taken = new Set();
  for (const name of names) {
    let text = chartText(name, NAME_COLUMNS);
    for (let nth = 2; taken.has(text); nth += 1) text = `${chartText(name, NAME_COLUMNS - 5)} #40;${nth}#41;`;
    taken.add(text);
  }
  return [...taken];
}
const PLAIN_NAME = /^(?:waiting|triggering|first read|queued|picked|running|cancelling|unknown)$/;
function labelOf({ name, from, to }, columns) {
  const shortName = cutToColumns(oneLine(name), NAME_COLUMNS);
  const labels = [`${shortName} ${formatDuration(to - from)}`, shortName];
  const label = labels.find((text) => columnsOf(text) + 2 <= columns);
  if (label === undefined) return '#8203;';
  return PLAIN_NAME.test(name) ? label : chartText(label, Infinity);
}
function tagOf({ name, isBad }) {
  if (isBad) return 'crit, ';
  if (['waiting', 'triggering', 'first read', 'queued'].includes(name)) return 'done, ';
  return name === 'picked' ? 'active, ' : '';
}
const TICKS = [
  [1_000, 'second', [1, 2, 5, 10, 15, 30], '%H:%M:%S'],
  [60_000, 'minute', [1, 2, 5, 10, 15, 30], '%H:%M'],
  [3_600_000, 'hour', [1, 2, 3], '%H:%M'],
  [3_600_000, 'hour', [6, 12], '%d %b %H:%M'],
  [86_400_000, 'day', [1], '%d %b'],
];
function axisLines(spanMs) {
  if (spanMs < 2_000) return ['axisFormat %S.%L s'];
  for (const [ms, unit, counts, format] of TICKS) {
    const count = counts.find((n) => spanMs / (n * ms) <= 8);
    if (count !== undefined) return [`axisFormat ${format}`, `tickInterval ${count}${unit}`];
  }
  return ['axisFormat %d %b', 'tickInterval 1week'];
}
const HARMLESS = /^[\p{L}\p{N}\p{M}\p{Extended_Pictographic} ]$/u;
function chartText(text, columns) {
  return Array.from(cutToColumns(oneLine(text), columns))
    .map((mark, index) => (index > 0 && HARMLESS.test(mark) ? mark : `#${mark.codePointAt(0)};`))
    .join('');
}

;// CONCATENATED MODULE: ./build/action/report/summary/job-summary.js









const MAX_SUMMARY_BYTES = 1_048_576;
const MAX_TABLE_ROWS = 500;
const MAX_TABLE_BYTES = 400_000;
const MAX_REMARKS = 50;
const MAX_REMARK_BYTES = 200_000;
const MAX_NAME_COLUMNS = 40;
function createSummaryWriter(files, path = '') {
  let before;
  return {
    show(markdown) {
      if (path === '') return;
      const kind = files.kindOf(path);
      if (kind === 'character_device') {
        appendToSummary(files, path, `${markdown}\n`);
        return;
      }
      before ??= readFile(files, path);
      if (before === undefined && kind === 'file') throw new Error('its content could not be read');
      before ??= '';
      const text = `${before}${markdown}\n`;
      if (Buffer.byteLength(text) > MAX_SUMMARY_BYTES) throw new Error('it would exceed the limit of 1 MiB');
      replaceFile(files, path, text);
    },
  };
}
function summaryOf({ runs, plan, problems, runUrl, at }) {
  const judged = runs.map((run) => {
    const ending = endingOf(run, plan);
    return { run, ending, rank: 2 * OUTCOMES.indexOf(outcomeOf(run, plan)) + (ending.level === undefined ? 1 : 0) };
  });
  const sorted = judged.sort((a, b) => a.rank - b.rank);
  const attempts = sorted.flatMap(({ run }) => attemptsOf(run));
  const hasBegun = problems.length === 0;
  const remarks = sorted
    .filter(({ ending }) => runs.length === 1 || ending.level !== undefined)
    .map(({ ending: { line, advice } }) => [line, ...advice].join(' '));
  const parts = [
    `### ${headline(runs, plan)}`,
    runs.length > 1 && hasBegun ? plainMarkdown(endingOfAll(runs, plan), 1_000) : '',
    tableOf(attempts, plan, runUrl),
    remarksPart(hasBegun ? remarks : problems),
    plan.wait && !plan.dryRun && hasBegun ? timelineOf(attempts, plan, at) : '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
const MARKS = {
  unknown: '❓',
  lost: '❓',
  wait_timed_out: '⌛',
  cancelled: '🛑',
  not_triggered: '⛔',
  failed: '❌',
  triggered: '🚀',
  dry_run: '📝',
  succeeded: '✅',
};
function markOf(run, outcome) {
  return outcome === 'succeeded' && statusOf(run) === 'completed_with_warning' ? '⚠️' : MARKS[outcome];
}
function headline(runs, plan) {
  if (plan.dryRun) return '📝 Dry run: nothing was triggered';
  const [run, another] = runs;
  if (run === undefined) return 'Pipeline run';
  if (another !== undefined) return `${MARKS[worstOutcome(runs, plan)]} ${runs.length} pipeline runs`;
  return `${markOf(run, outcomeOf(run, plan))} Pipeline run: ${plainMarkdown(nameOf(run))}`;
}
const TABLE_HEAD = '| Pipeline | Outcome | Status | Duration | Run |\n| --- | --- | --- | --- | --- |';
function tableOf(runs, plan, runUrl) {
  const all = runs.slice(0, MAX_TABLE_ROWS).map((run) => {
    const { startedAt, endedAt, jobId } = run;
    const outcome = outcomeOf(run, plan);
    const name = plainMarkdown(cutToColumns(nameOf(run), MAX_NAME_COLUMNS));
    const cells = [
      plan.maxAttempts > 1 ? `${name}, attempt ${run.attempt}` : name,
      `${markOf(run, outcome)} ${outcome.replaceAll('_', ' ')}`,
      plainMarkdown(statusOf(run), 60),
      startedAt === undefined || endedAt === undefined ? '–' : formatDuration(endedAt - startedAt),
      jobId === undefined ? '–' : codeLink(jobId, linkTo(run, runUrl)),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const rows = upTo(MAX_TABLE_BYTES, all);
  return [TABLE_HEAD, ...rows].join('\n') + omitted(rows.length, runs.length, 'runs');
}
function remarksPart(remarks) {
  const bullet = remarks.length > 1 ? '- ' : '';
  const all = remarks.slice(0, MAX_REMARKS).map((remark) => `${bullet}${plainMarkdown(remark, 1_000)}`);
  const lines = upTo(MAX_REMARK_BYTES, all);
  return lines.join('\n') + omitted(lines.length, remarks.length, 'remarks');
}
function omitted(shown, all, what) {
  return shown < all ? `\n\n… and ${all - shown} more ${what}, which the log lists.` : '';
}

;// CONCATENATED MODULE: ./build/action/report/report.js











const GATHER_MS = 1_000;
const LOST_OUTPUTS = {
  warning: 'The step tries again before it ends.',
  error:
    'Later steps would not receive them, so this step fails. Before you run the step again, look for its runs in the log.',
};
function createReport(parts, settings, runs) {
  const { env, files, toolkit, clock } = parts;
  const { plan, runUrl } = settings;
  const log = createLog(settings, clock, parts.print, runs);
  const lookAhead = warnBeforeSixHours(parts, plan, runs);
  const outputs = createOutputWriter(files, env['GITHUB_OUTPUT']);
  const summary = createSummaryWriter(files, settings.summary ? env['GITHUB_STEP_SUMMARY'] : undefined);
  let takeBackGathering;
  const said = new Set();
  const sayOnce = (level, title, text) => {
    if (!said.has(title + text)) toolkit.annotate(level, title, text);
    said.add(title + text);
  };
  const write = (values, when) => {
    takeBackGathering?.();
    takeBackGathering = undefined;
    try {
      outputs.write(values);
      return true;
    } catch (error) {
      const level = when === 'last' || error instanceof PartialWrite ? 'error' : 'warning';
      sayOnce(level, titleOf(), writeFailure('the outputs', error, LOST_OUTPUTS[level]));
      return false;
    }
  };
  const current = (message) => {
    const [run, another] = runs;
    const isOne = run !== undefined && another === undefined;
    return isOne ? outputsOfRun(run, plan, message) : outputsOfAll(runs, plan, message, clock.now());
  };
  const writeKnown = () => {
    const { 'job-id': id, 'job-status': status, 'pipeline-id': pipeline } = current('');
    write({ 'job-id': id, 'job-status': status, 'pipeline-id': pipeline }, 'early');
  };
  const writeAll = (sentences) => {
    const { json, leftOut } = resultsOf(runs, plan);
    if (leftOut > 0) {
      log.line(
        `${leftOut} of ${runs.length} runs do not fit in the results output, which omits successful runs first. The log lists all runs.`,
      );
    }
    const isWritten = write({ ...current(sentences[0] ?? endingOfAll(runs, plan)), results: json }, 'last');
    const at = { now: clock.now(), wall: clock.wall() };
    try {
      summary.show(summaryOf({ runs, plan, problems: sentences, runUrl, at }));
    } catch (error) {
      const text = writeFailure('the job summary', error, 'The log contains the same information.');
      sayOnce('warning', titleOf(), text);
    }
    return isWritten;
  };
  return {
    line: log.line,
    observe(news) {
      if ('notice' in news) {
        log.observe(news);
        if (news.notice === 'ready' && plan.resetTarget && !plan.dryRun) {
          const names = news.runs.map(nameAndId).join(', ');
          toolkit.annotate('warning', titleOf('reset-target'), `${RESET} ${names}.`);
        }
        if (news.notice === 'stopping') writeKnown();
        if (news.notice === 'report_due') writeAll([]);
      } else {
        if (isShown(news)) {
          if (runs.length === 1) writeKnown();
          else takeBackGathering ??= clock.after(GATHER_MS, writeKnown);
        }
        log.observe(news);
      }
      lookAhead();
    },
    end(problems) {
      const means = meaningOf(runs, plan);
      const sentences = problems.map((problem) => `${failureOf(problem)} ${means} ${adviceOf(problem)}`);
      const isWritten = writeAll(sentences);
      annotateProblems(sentences, toolkit, log.line);
      if (problems.length === 0) sayEndings();
      return isWritten;
    },
  };
  function sayEndings() {
    if (plan.dryRun) toolkit.annotate('warning', titleOf('dry run'), DRY_RUN);
    const endings = endingsOf(runs, plan, runUrl);
    if (runs.length === 1 && !plan.dryRun) {
      for (const { ending, link } of endings) {
        if (ending.level === undefined) log.line(link === undefined ? ending.line : `${ending.line} ${link}`);
      }
    }
    annotateEndings(endings, toolkit, log.line);
    if (plan.dryRun) for (const text of dryRunLines(runs, plan)) log.line(text);
    if (runs.length > 1) log.line(endingOfAll(runs, plan));
  }
}
function isShown({ fact, before, run }) {
  if (fact.kind === 'queued' || fact.kind === 'awaited') return true;
  if (fact.kind === 'intent') return run.attempt > 1;
  const isRow = (fact.kind === 'seen' || fact.kind === 'finished') && !fact.confirming;
  return isRow && before.status !== run.status;
}
const RESET = 'Because reset-target is true, a new run will drop and recreate the destination tables of';
const DRY_RUN =
  'Because dry-run is true, the step triggered nothing. A dry run cannot check whether the account has credits or whether a pipeline is active.';
function meaningOf(runs, plan) {
  const nothingDone = 'Nothing was triggered, and nothing was cancelled.';
  const forgotten = runs.find((run) => postMayCancel(run, plan));
  if (forgotten !== undefined) return `${nothingDone} ${postMayCancelText(forgotten)}`;
  return runs.some(({ jobId }) => jobId !== undefined) ? nothingDone : 'No run was queued.';
}

;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
;// CONCATENATED MODULE: ./build/action/state/records.js


const records_VERSION = 1;
function stateKey(writer, number) {
  return `run_pipeline_${writer === 'post' ? 'post_' : ''}${String(number).padStart(4, '0')}`;
}
function records_mainOf({ main }) {
  const first = main.get(1);
  return first !== undefined && 'pid' in first ? first : undefined;
}
function records_recordsInEnv(env) {
  return numbered(
    Object.entries(env).flatMap(([name, text = '']) => {
      return /^STATE_/i.test(name) ? [[name.slice('STATE_'.length).toLowerCase(), text]] : [];
    }),
  );
}
function recordsInText(text) {
  return numbered(text.split('\n').map((line) => /^([^=]*)=(.*)$/s.exec(line)?.slice(1) ?? []));
}
function merged(...found) {
  return {
    main: new Map(found.flatMap(({ main }) => [...main])),
    post: new Map(found.flatMap(({ post }) => [...post])),
  };
}
function records_inOrder({ main, post }) {
  return [main, post].flatMap((records) => [...records].sort(([a], [b]) => a - b).map(([, record]) => record));
}
function lastNumber(records) {
  let last = 0;
  for (const number of records.keys()) last = Math.max(last, number);
  return last;
}
function closedOf({ main }) {
  const last = main.get(lastNumber(main));
  return last !== undefined && 'left' in last ? last : undefined;
}
function foreignIn(records) {
  return records_inOrder(records).filter((record) => 'kind' in record && record.kind === 'foreign');
}
function encode(record) {
  return JSON.stringify({ v: records_VERSION, ...('fact' in record ? fieldsOf(record) : record) });
}
function fieldsOf({ run, attempt, jobId, fact }) {
  const common = { kind: fact.kind, run, attempt };
  switch (fact.kind) {
    case 'claimed':
    case 'queued':
      return { ...common, jobId: fact.jobId };
    case 'intent':
      return { ...common, pipelineId: fact.pipeline.id, pipelineName: fact.pipeline.name, at: fact.wall };
    case 'stopped':
      return { ...common, jobId, policy: fact.stop.policy, reason: fact.stop.reason };
    case 'finished':
      return { ...common, jobId, status: fact.job.status };
    case 'not_resumed':
      return common;
    case 'refused':
    case 'unknown':
    case 'detached':
    case 'lost':
      return { ...common, jobId };
  }
}
function numbered(entries) {
  const records = { main: new Map(), post: new Map() };
  for (const [key = '', text = ''] of entries) {
    const [, post, digits] = /^run_pipeline_(post_)?(\d{1,9})$/.exec(key) ?? [];
    const [writer, number] = [post === undefined ? 'main' : 'post', Number(digits ?? 0)];
    const record = number > 0 && key === stateKey(writer, number) ? decode(text) : undefined;
    if (record !== undefined) records[writer].set(number, record);
  }
  return records;
}
function entriesIn(value) {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
function decode(text) {
  const value = parsed(text);
  if (value === undefined) return undefined;
  const fields = new Map(entriesIn(value));
  return check(fields) ?? { kind: 'foreign', jobId: asUuid(fields.get('jobId')) };
}
function check(fields) {
  if (fields.get('v') !== records_VERSION) return undefined;
  const kind = fields.get('kind');
  if (kind === 'main') return checkMain(fields);
  if (kind === 'closed') {
    const left = fields.get('left');
    if (left !== 'nothing' && left !== 'detached' && left !== 'runs') return undefined;
    return { kind, left, isPrinted: fields.get('isPrinted') === true };
  }
  const isOfAll = kind === 'stopped' && !fields.has('run');
  const run = numberIn(fields, 'run');
  const attempt = numberIn(fields, 'attempt');
  const fact = checkFact(fields);
  if (attempt === undefined || fact === undefined || (run === undefined && !isOfAll)) return undefined;
  return { run, attempt, fact, jobId: asUuid(fields.get('jobId')) };
}
function numberIn(fields, name) {
  const value = fields.get(name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
function textIn(fields, name) {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
function checkFact(fields) {
  const kind = fields.get('kind');
  switch (kind) {
    case 'refused':
    case 'unknown':
    case 'detached':
    case 'lost':
    case 'not_resumed':
      return { kind };
    case 'claimed':
    case 'queued': {
      const jobId = asUuid(fields.get('jobId'));
      return jobId && { kind, jobId };
    }
    case 'finished': {
      const id = asUuid(fields.get('jobId'));
      const status = textIn(fields, 'status');
      return id && isTerminal(status) ? { kind, job: { id, status, statusMessage: null } } : undefined;
    }
    case 'intent': {
      const id = asUuid(fields.get('pipelineId'));
      const [name, wall] = [fields.get('pipelineName'), fields.get('at')];
      if (id === undefined || typeof wall !== 'number') return undefined;
      return { kind, pipeline: { id, name: typeof name === 'string' ? name : null }, wall };
    }
    case 'stopped': {
      const policy = fields.get('policy');
      const reason = checkReason(fields.get('reason'));
      if (reason === undefined || (policy !== 'cancel' && policy !== 'leave' && policy !== 'await')) return undefined;
      return { kind, stop: { reason, policy, at: 0 } };
    }
    default:
      return undefined;
  }
}
function checkReason(value) {
  const fields = new Map(entriesIn(value));
  const kind = fields.get('kind');
  const afterMs = fields.get('afterMs');
  if (kind === 'fail_fast') return { kind, after: textIn(fields, 'after') };
  if (kind !== 'timeout' && kind !== 'queue_timeout') return undefined;
  return { kind, afterMs: typeof afterMs === 'number' ? afterMs : 0 };
}
function checkMain(fields) {
  const pid = numberIn(fields, 'pid');
  const baseUrl = fields.get('baseUrl');
  return pid === undefined || typeof baseUrl !== 'string' ? undefined : mainWith(fields, pid, baseUrl);
}
function mainWith(fields, pid, baseUrl) {
  const pollIntervalMs = fields.get('pollIntervalMs');
  return {
    kind: 'main',
    pid,
    startedAt: textIn(fields, 'startedAt'),
    owner: ownerIn(fields.get('owner')),
    asked: textIn(fields, 'asked'),
    baseUrl,
    onCancel: fields.get('onCancel') === 'leave' ? 'leave' : 'cancel',
    pollIntervalMs: typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : 30_000,
    jobStatus: textIn(fields, 'jobStatus'),
    given: givenIn(fields.get('given')),
    journal: textIn(fields, 'journal'),
    seal: textIn(fields, 'seal'),
    stateFile: textIn(fields, 'stateFile'),
  };
}
const UNKNOWN_MAIN = mainWith(new Map(), 0, '');
function ownerInText(text) {
  return ownerIn(parsed(text));
}
function ownerIn(value) {
  return Object.fromEntries(
    entriesIn(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
}
function givenIn(value) {
  return Object.fromEntries(
    entriesIn(value).flatMap(([run, id]) => {
      const jobId = asUuid(id);
      return /^[1-9]\d{0,8}$/.test(run) && jobId !== undefined ? [[run, jobId]] : [];
    }),
  );
}

;// CONCATENATED MODULE: ./build/action/state/journals.js



function ownerOf(env, host) {
  const known = {
    host,
    runner: env['RUNNER_NAME'],
    tracking: env['RUNNER_TRACKING_ID'],
    run: env['GITHUB_RUN_ID'],
    attempt: env['GITHUB_RUN_ATTEMPT'],
    job: env['GITHUB_JOB'],
    action: env['GITHUB_ACTION'],
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value = '']) => (value === '' ? [] : [[name, value]])),
  );
}
function isSameStep(one, other) {
  return Object.entries(one).every(([name, value]) => other[name] === undefined || other[name] === value);
}
function isSameJob(one, other) {
  return one['tracking'] !== undefined && one['tracking'] === other['tracking'];
}
function journalPath(env, pid, random) {
  return pathOf(env, `${pid}-${Math.floor(random * 2 ** 48).toString(36)}.journal`);
}
function markPath(env) {
  return pathOf(env, `${plain(env['GITHUB_ACTION'])}.stop`);
}
function pathOf(env, name) {
  const folder = env['RUNNER_TEMP'] ?? '';
  return folder === '' ? '' : (0,external_node_path_namespaceObject.join)(folder, `${prefixOf(env)}${name}`);
}
function prefixOf(env) {
  const job = [env['GITHUB_RUN_ID'], env['GITHUB_RUN_ATTEMPT'], env['GITHUB_JOB']].map(plain);
  return `run-pipeline-${job.join('-')}-`;
}
function plain(text = '') {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}
function journals_readJournals({ env, host, files }, of = 'step') {
  const folder = env['RUNNER_TEMP'] ?? '';
  if (folder === '') return [];
  const owner = ownerOf(env, host);
  const { action, ...job } = owner;
  return files
    .list(folder)
    .filter((name) => name.startsWith(prefixOf(env)) && name.endsWith('.journal'))
    .map((name) => (0,external_node_path_namespaceObject.join)(folder, name))
    .filter((path) => files.kindOf(path) === 'file')
    .map((path) => ({ path, records: recordsInText(readFile(files, path) ?? '') }))
    .filter(({ path, records }) => {
      const main = records_mainOf(records);
      if (main === undefined) return true;
      return (0,external_node_path_namespaceObject.basename)(main.journal) === (0,external_node_path_namespaceObject.basename)(path) && isSameStep(of === 'step' ? owner : job, main.owner);
    });
}

;// CONCATENATED MODULE: ./build/action/state/mark.js



function marksOf({ journal, stateFile }) {
  return [journal, stateFile].flatMap((path) => (path === '' ? [] : [`${path}.stop`]));
}
function mark(paths, { env, host, files, clock }) {
  const content = JSON.stringify({ ...ownerOf(env, host), at: String(clock.wall()) });
  for (const path of paths) {
    try {
      replaceFile(files, path, content);
    } catch {}
  }
}
const RECENT_MS = 60_000;
const UNREADABLE = 'not readable';
function watchMark(main, { env, host, files, clock }) {
  const owner = ownerOf(env, host);
  const begun = clock.wall();
  const textOf = (path) => (files.kindOf(path) === 'missing' ? '' : (readFile(files, path) ?? UNREADABLE));
  const own = marksOf(main).map((path) => ({ path, before: textOf(path) }));
  const ofStep = { path: markPath(env), before: textOf(markPath(env)) };
  const isNew = ({ path, before }) => !['', before].includes(textOf(path));
  const isForUs = () => {
    const text = textOf(ofStep.path);
    if (text === UNREADABLE) return text !== ofStep.before;
    const { at, ...other } = ownerInText(text);
    if (at === undefined || !isSameStep(owner, other)) return false;
    return text !== ofStep.before || isSameJob(owner, other) || Math.abs(begun - Number(at)) < RECENT_MS;
  };
  return () => own.some(isNew) || isForUs();
}

;// CONCATENATED MODULE: external "node:crypto"
const external_node_crypto_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");
;// CONCATENATED MODULE: ./build/action/state/seal.js



function sealOf(apiKey, baseUrl, journal) {
  const sealed = `${baseUrl}\n${(0,external_node_path_namespaceObject.basename)(journal)}`;
  return (0,external_node_crypto_namespaceObject.createHmac)('sha256', apiKey).update(sealed).digest('hex');
}
function askedIn(env) {
  const asked = ['pipeline', 'job-id'].map((name) => input_table_inputOf(env, name)).join('\n\n');
  return (0,external_node_crypto_namespaceObject.createHash)('sha256').update(asked).digest('hex').slice(0, 16);
}

;// CONCATENATED MODULE: ./build/action/state/writer.js


const writer_MOST_BYTES = 600_000;
const BYTES_BESIDE = 16;
function createStateWriter(files, paths, writer, last = 0) {
  const places = paths.filter((path) => path !== '');
  const [first, ...others] = places;
  let number = last;
  let bytes = 0;
  return {
    write(record) {
      number += 1;
      const line = fileRecord(stateKey(writer, number), encode(record));
      const size = Buffer.byteLength(line) + BYTES_BESIDE;
      const isFull = 'fact' in record && bytes + size > writer_MOST_BYTES;
      if (!isFull) bytes += size;
      const open = isFull ? others : places;
      const errors = [];
      for (const place of open) {
        try {
          appendToFile(files, place, line);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length < open.length || places.length === 0) return;
      if (isFull && first !== undefined) appendToFile(files, first, line);
      else throw errors[0];
    },
  };
}

;// CONCATENATED MODULE: ./build/action/state/main-state.js






function openState(parts, settings) {
  const { plan, jobStatus, apiKey } = settings;
  const { onCancel, pollIntervalMs } = plan;
  const baseUrl = settings.baseUrl.href;
  try {
    const given = givenIds(plan);
    return beginState(parts, { baseUrl, onCancel, pollIntervalMs, jobStatus, given }, apiKey);
  } catch (error) {
    const refused = sentences(
      `Nothing was triggered, because the action could not save its state in GITHUB_STATE or RUNNER_TEMP (${oneLine(messageOf(error))}).`,
      'Without this state, the action could not cancel the run when the workflow is cancelled.',
      fileRemedy(error),
    );
    return { refused };
  }
}
function recordRejection(parts) {
  const nothing = { baseUrl: '', onCancel: 'leave', pollIntervalMs: 0, jobStatus: '', given: {} };
  try {
    beginState(parts, nothing, '').state.write({ kind: 'closed', left: 'nothing', isPrinted: true });
  } catch {}
}
function beginState(parts, recorded, apiKey) {
  const { env, pid, startedAt, host, files, random } = parts;
  const journal = journalPath(env, pid, random());
  const stateFile = env['GITHUB_STATE'] ?? '';
  const state = createStateWriter(files, [stateFile, journal], 'main');
  const isMarked = watchMark({ journal, stateFile }, parts);
  const [owner, asked, seal] = [ownerOf(env, host), askedIn(env), sealOf(apiKey, recorded.baseUrl, journal)];
  state.write({ kind: 'main', pid, startedAt, owner, asked, ...recorded, journal, stateFile, seal });
  return { state, isMarked };
}
function givenIds({ targets, dryRun }) {
  if (dryRun) return {};
  return Object.fromEntries(
    targets.flatMap((target, index) => (target.kind === 'pipeline' ? [] : [[String(index + 1), target.jobId]])),
  );
}
function closeState(state, runs, { onCancel }, isPrinted) {
  const isOpen = runs.some(({ phase }) => ['triggering', 'in_progress', 'unsettled'].includes(phase.at));
  const isDetached = onCancel === 'cancel' && runs.some(({ phase }) => phase.at === 'detached');
  try {
    const left = isOpen ? 'runs' : isDetached ? 'detached' : 'nothing';
    state.write({ kind: 'closed', left, isPrinted });
  } catch {}
}

;// CONCATENATED MODULE: ./build/action/steps/main-step.js















function prepareMain(parts) {
  const { env, files, toolkit, clock, random, interruption } = parts;
  let begun;
  return {
    async run() {
      const key = input_table_inputOf(env, 'api-key');
      if (key !== '') toolkit.mask(key);
      const read = readSettings(env);
      const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
      if (!read.ok || wrongOutput !== undefined) return refuse(parts, read.ok ? [] : read.mistakes, wrongOutput);
      const { settings } = read;
      const { plan, idle, baseUrl, apiKey } = settings;
      const runs = plannedRuns(plan);
      const report = createReport(parts, settings, runs);
      const opened = openState(parts, settings);
      if ('refused' in opened) return refuse(parts, [opened.refused]);
      const { state, isMarked } = opened;
      interruption.lookFor(() => (isMarked() ? 'by its post step' : undefined));
      const write = (entry) => state.write(entry);
      const ledger = new Ledger({ runs, clock, write, observe: (news) => report.observe(news) });
      begun = { plan, ledger, state, report };
      for (const sentence of idle) report.line(sentence);
      const service = await openFor(parts, baseUrl, apiKey);
      const problems = await step_runStep({ plan, service, clock, random, ledger, interruption });
      ledger.recordLate();
      const isReported = report.end(problems);
      const isInterrupted = interruption.first !== undefined;
      return isReported && isSuccess(ledger.runs, plan, isInterrupted) ? 0 : 1;
    },
    crash(why) {
      if (begun === undefined) return refuse(parts, [`Internal error in this action: ${oneLine(why)}. ${REPORT_IT}`]);
      const { plan, ledger, report } = begun;
      ledger.end();
      const interrupted = stopBy(interruption, plan.onCancel);
      if (interrupted !== undefined) ledger.stop(interrupted);
      const cause = `internal error in this action (${oneLine(why)})`;
      for (const run of ledger.runs) ledger.abandon(run, { attempted: 'continue', cause, remedy: REPORT_IT });
      report.end([]);
      return 1;
    },
    close(isPrinted) {
      if (begun !== undefined) closeState(begun.state, begun.ledger.runs, begun.plan, isPrinted);
    },
  };
}
function refuse(parts, mistakes, wrongOutput) {
  const { toolkit, files, env, print } = parts;
  const annotate = (mistake) => toolkit.annotate('error', titleOf('nothing was triggered'), mistake);
  mistakes.forEach(annotate);
  if (wrongOutput !== undefined) annotate(wrongOutput);
  print(neutral('The step sent nothing to the service.'));
  recordRejection(parts);
  if (wrongOutput !== undefined) return 1;
  try {
    createOutputWriter(files, env['GITHUB_OUTPUT']).write({
      'job-status': 'not_queued',
      outcome: 'not_triggered',
      message: `Nothing was triggered. ${oneLine(mistakes.join(' '), 900)}`,
      results: '[]',
    });
  } catch (error) {
    print(neutral(writeFailure('the outputs', error, '')));
  }
  return 1;
}

;// CONCATENATED MODULE: ./build/action/state/all-settled.js



function isAllSettled(env) {
  return isSettled(recordsInEnv(env), inputOf(env, 'internal-job-status'));
}
function openIds(place) {
  const kept = recordsInEnv(place.env);
  const found = mainOf(kept) === undefined ? readJournals(place).map(({ records }) => records) : [];
  const all = [kept, ...found].flatMap(inOrder);
  const ids = all.flatMap((record) => {
    if ('given' in record) return Object.values(record.given);
    return 'jobId' in record && record.jobId !== undefined ? [record.jobId] : [];
  });
  const ended = new Set(
    all.flatMap((record) => ('fact' in record && record.fact.kind === 'finished' ? [record.jobId] : [])),
  );
  return [...new Set(ids)].filter((id) => !ended.has(id));
}
function isSettled(records, jobStatus) {
  const main = records_mainOf(records);
  const closed = closedOf(records);
  const isWhole = lastNumber(records.main) === records.main.size && foreignIn(records).length === 0;
  if (main === undefined || closed === undefined || !isWhole || !closed.isPrinted) return false;
  return closed.left === 'nothing' || (closed.left === 'detached' && !mayCancelDetached(main, jobStatus));
}
function mayCancelDetached(main, jobStatus) {
  const isCancelled = (status) => status.toLowerCase() === 'cancelled';
  return main.onCancel === 'cancel' && isCancelled(jobStatus) && !isCancelled(main.jobStatus);
}

;// CONCATENATED MODULE: ./build/action/state/recover.js










function recover(parts) {
  const marked = new Set();
  for (;;) {
    const found = recover_find(parts);
    const fresh = found.marks.filter((path) => !marked.has(path));
    if (fresh.length === 0) return found;
    mark(fresh, parts);
    for (const path of fresh) marked.add(path);
  }
}
function recover_find(parts) {
  const { env, files } = parts;
  const kept = records_recordsInEnv(env);
  const main = records_mainOf(kept);
  if (main === undefined) return findInJournals(kept, parts);
  const given = checkAddress(input_table_inputOf(env, 'base-url'));
  const obstacle = given.ok && given.url.href === main.baseUrl ? undefined : wrongSeal(env, main);
  const others = obstacle === undefined ? undefined : findInJournals(kept, parts);
  if (others !== undefined && others.steps.length > 0) return others;
  const step = recoverFrom({ files, found: kept, main, obstacle, isKept: true });
  return { steps: [step], isRecorded: true, marks: marksFor(step) };
}
function findInJournals(kept, parts) {
  const { env, host, files, processes } = parts;
  const journals = journals_readJournals(parts);
  const owner = ownerOf(env, host);
  const jobStatus = input_table_inputOf(env, 'internal-job-status');
  const ofMains = journals.flatMap(({ path, records }) => {
    const found = records_mainOf(records);
    return found === undefined ? [] : [{ found: records, main: { ...found, journal: path } }];
  });
  const steps = ofMains.flatMap(({ found, main }) => {
    const isSame = isSameJob(owner, main.owner);
    const isOurs = isSame || ofMains.length === 1;
    if (!isOurs && isSettled(found, jobStatus)) return [];
    const isDetached = closedOf(found)?.left === 'detached';
    const isTaken = isSame || (!isDetached && (isOurs || processes.stateOf(main.pid, main.startedAt) === 'dead'));
    const neighbour = 'the run may belong to another step that is still running';
    const obstacle = wrongSeal(env, main) ?? (isTaken ? undefined : cannotCancel(neighbour));
    return [recoverFrom({ files, found, main, obstacle, isKept: false })];
  });
  const named = new Set(steps.flatMap(({ runs }) => runs.map(identityOf)));
  const obstacle = cannotCancel("the step's records do not contain the service's address");
  const headless = [kept, ...journals.map(({ records }) => records)].flatMap((found) => {
    if (found.main.size === 0 || records_mainOf(found) !== undefined) return [];
    const step = recoverFrom({ files, found, main: UNKNOWN_MAIN, obstacle, isKept: false });
    return [{ ...step, runs: step.runs.filter((run) => !named.has(identityOf(run))) }];
  });
  const asked = askedIn(env);
  const isRecorded =
    kept.main.size > 0 || ofMains.some(({ found, main }) => closedOf(found) === undefined || main.asked === asked);
  const marks = [...steps.flatMap(marksFor), markPath(env)].filter((path) => path !== '');
  return { steps: [...steps, ...headless], isRecorded, marks };
}
function marksFor({ left, obstacle, main }) {
  return left === undefined && obstacle === undefined ? marksOf(main) : [];
}
function countUnsettled(place) {
  const jobStatus = input_table_inputOf(place.env, 'internal-job-status');
  const open = journals_readJournals(place, 'job').filter(
    ({ records }) => records_mainOf(records) !== undefined && !isSettled(records, jobStatus),
  );
  return Math.max(1, open.length);
}
function wrongSeal(env, { seal, baseUrl, journal }) {
  const key = input_table_inputOf(env, 'api-key');
  if (mistakeInKey(key) !== undefined || seal === sealOf(key, baseUrl, journal)) return undefined;
  return cannotCancel("the step's records were sealed with another API key");
}
function cannotCancel(cause, remedy) {
  return { attempted: 'cancel the run', cause, remedy };
}
function identityOf({ jobId, pipeline, intentWall }) {
  return jobId ?? `${pipeline?.id ?? ''} ${intentWall ?? ''}`;
}
function recoverFrom(from) {
  const { files, found, main, obstacle, isKept } = from;
  const inFiles = [main.stateFile, main.journal].map((path) => recordsInText(readFile(files, path) ?? ''));
  const own = inFiles.filter((one) => (records_mainOf(one)?.seal ?? main.seal) === main.seal);
  const records = merged(...own, found);
  return {
    main,
    obstacle,
    left: closedOf(records)?.left,
    isReported: isKept && closedOf(found)?.isPrinted === true,
    runs: replay(records_inOrder(records), main.given),
    foreign: foreignIn(records),
    lastOfPost: lastNumber(records.post),
    again: () => recoverFrom(from),
  };
}
function replay(records, given) {
  const claims = Object.entries(given).map(([run, jobId]) => {
    return { run: Number(run), attempt: 1, fact: { kind: 'claimed', jobId } };
  });
  const runs = new Map();
  for (const entry of [...claims, ...records]) {
    if (!('fact' in entry)) continue;
    const { run: number } = entry;
    if (number === undefined) {
      for (const [each, run] of runs) runs.set(each, reduce(run, { ...entry, attempt: run.attempt }));
    } else {
      const before = runs.get(number) ?? newRun(number, { kind: 'pipeline', pipeline: '' });
      runs.set(number, reduce(before, entry));
    }
  }
  const known = [...runs.values()].map((run) => {
    const { jobId, pipeline } = run;
    return jobId === undefined || pipeline !== undefined ? run : { ...run, target: { kind: 'job', jobId } };
  });
  return known.sort((a, b) => a.number - b.number);
}
function choreFor(run, { main, left, isReported }, jobStatus, now) {
  const before = run.phase.at;
  if (!isReported && (before === 'left' || before === 'lost')) return { run, chore: 'report' };
  let state = run.stop === undefined ? run : { ...run, stop: { ...run.stop, at: now } };
  if (!isReported || left === 'runs' || main.onCancel === 'cancel') {
    state = stoppedBy(state, 'main_killed', main.onCancel, now);
  }
  if (mayCancelDetached(main, jobStatus)) state = stoppedBy(state, 'job_cancelled', 'cancel', now);
  return { run: state, chore: choreIn(state, isReported) };
}
function choreIn({ phase, stop }, isReported) {
  switch (phase.at) {
    case 'triggering':
      return 'report';
    case 'unknown':
    case 'detached':
      return isReported ? 'none' : 'report';
    case 'in_progress':
      return stop === undefined ? 'none' : 'settle';
    case 'left':
      return stop?.reason.kind === 'main_killed' ? 'report' : 'none';
    default:
      return 'none';
  }
}
function stoppedBy(run, kind, policy, at) {
  const fact = { kind: 'stopped', stop: { reason: { kind }, policy, at } };
  return reduce(run, { run: run.number, attempt: run.attempt, fact });
}

;// CONCATENATED MODULE: ./build/action/steps/post-report.js






const SUMMARY_BYTES = 200_000;
const MOST_AT_ONCE = 20;
function createPostReport(parts) {
  const { env, files, toolkit, print } = parts;
  const endings = [];
  const waiting = [];
  let warnings = 0;
  const line = (text) => print(neutral(text));
  const warn = (message) => toolkit.annotate('warning', titleOf(), message);
  return {
    line,
    tell({ level, line: first, advice }) {
      const sentences = [first, ...advice];
      const text = sentences.join(' ');
      endings.push(text);
      if (level === undefined) {
        if (endings.length - warnings > MOST_AT_ONCE) waiting.push(text);
        else line(text);
        return;
      }
      warnings += 1;
      if (warnings <= MOST_ANNOTATIONS) {
        warn(sentences.join('\n'));
        return;
      }
      if (warnings === MOST_ANNOTATIONS + 1) warn('More runs need attention. The log lists each of them.');
      line(text);
    },
    end(hasSummary) {
      waiting.forEach(line);
      const path = env['GITHUB_STEP_SUMMARY'] ?? '';
      if (endings.length === 0 || path === '' || !hasSummary) return;
      const items = endings.map((text) => `- ${plainMarkdown(text, 1_000)}`);
      const lines = upTo(SUMMARY_BYTES, items);
      const cut = items.length - lines.length;
      const more = cut === 0 ? '' : `\n… and ${cut} more, which the log lists.\n`;
      try {
        appendToSummary(files, path, `\n### After the job: pipeline runs\n\n${lines.join('\n')}\n${more}\n`);
      } catch (error) {
        warn(writeFailure('the job summary', error, 'The log contains the same information.'));
      }
    },
  };
}

;// CONCATENATED MODULE: ./build/action/steps/stop-main.js


const MAIN_ENDS_WITHIN_MS = 10_000;
const HURRIED_MAIN_ENDS_WITHIN_MS = 3_000;
const KILL_TAKES_MS = 500;
const stop_main_LOOK_EVERY_MS = 100;
async function stopMain(found, { clock, processes, interruption }, report) {
  const { pid, startedAt } = found.main;
  const first = processes.stateOf(pid, startedAt);
  if (first === 'dead') return found.again();
  const isOver = () => found.again().left !== undefined || processes.stateOf(pid, startedAt) === 'dead';
  const subject = `The step's main process (PID ${pid})`;
  const isAlive = first === 'alive';
  if (isAlive) report.line(`${subject} is still running. The post step signals it to stop and to handle its runs.`);
  for (const signal of isAlive ? ['SIGTERM', 'SIGKILL'] : [undefined]) {
    if (signal !== undefined) processes.signal(pid, signal);
    const since = clock.now();
    const leastMs = isAlive ? KILL_TAKES_MS : 0;
    const until = () => {
      const patience = Math.min(since + MAIN_ENDS_WITHIN_MS, hurriedSince(interruption) + HURRIED_MAIN_ENDS_WITHIN_MS);
      return Math.max(since + leastMs, patience);
    };
    while (!isOver() && clock.now() < until()) await pause(clock, stop_main_LOOK_EVERY_MS);
    if (isOver()) return found.again();
  }
  report.tell({
    level: 'warning',
    line: isAlive
      ? `${subject} has not exited and may continue to run.`
      : `The post step could not check whether the step's main process (PID ${pid}) is still running.`,
    advice: ['Check the application for runs that this process may still trigger.'],
  });
  return found.again();
}

;// CONCATENATED MODULE: ./build/action/steps/post-step.js















async function performPost(parts) {
  const { clock, env, toolkit } = parts;
  const key = input_table_inputOf(env, 'api-key');
  if (key !== '') toolkit.mask(key);
  const report = createPostReport(parts);
  const since = clock.now();
  const { steps, isRecorded } = recover(parts);
  if (!isRecorded && input_table_inputOf(env, 'dry-run').toLowerCase() !== 'true') report.tell(nothingRecorded(env));
  const shareMs = Math.max(LEAST_POST_MS, ALL_POSTS_MS / countUnsettled(parts));
  const giveUpAfterMs = Math.min(PROFILES.post.giveUpAfterMs, shareMs);
  const stepParts = { ...parts, report, serviceAt: openOnce(parts), since, giveUpAfterMs };
  try {
    await waitForAll(steps.map((step) => settleStep(step, stepParts)));
  } finally {
    report.end(input_table_inputOf(env, 'summary').toLowerCase() !== 'false');
  }
}
async function waitForAll(tasks) {
  const ends = await Promise.allSettled(tasks);
  const broken = ends.find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}
const post_step_MOST_NAMED = 5;
function nothingRecorded(env) {
  const input = new InputReader(env);
  const ids = input.list('job-id').flatMap((id) => asUuid(id) ?? []);
  const pipelines = input.list('pipeline');
  const which = [
    ...(ids.length === 0 ? [] : [`${ids.length === 1 ? 'run' : 'runs'} ${firstOf(ids)}`]),
    ...(pipelines.length === 0 ? [] : [`the runs of ${firstOf(pipelines.map((name) => quoted(name)))}`]),
  ];
  return {
    level: 'warning',
    line: "The step's main process left no record. It may not have started, or it may have left a run in progress.",
    advice: [`Check ${which.length === 0 ? 'its runs' : which.join(', and ')} in the application.`],
  };
}
function firstOf(names) {
  const others = names.length > post_step_MOST_NAMED ? [`${names.length - post_step_MOST_NAMED} more`] : [];
  return listed([...names.slice(0, post_step_MOST_NAMED), ...others], 'and');
}
const ALL_POSTS_MS = 270_000;
const LEAST_POST_MS = 15_000;
async function settleStep(recovered, parts) {
  const { env, report, serviceAt, since, giveUpAfterMs } = parts;
  const { obstacle } = recovered;
  const isOver = recovered.left !== undefined || obstacle !== undefined;
  const step = isOver ? recovered : await stopMain(recovered, parts, report);
  const { main } = step;
  const jobStatus = input_table_inputOf(env, 'internal-job-status');
  const decided = step.runs.map((run) => choreFor(run, step, jobStatus, since));
  const runsTo = (what) => decided.flatMap(({ run, chore }) => (chore === what ? [run] : []));
  const tell = (run) => report.tell(endingOf(run, anyEnd(main.onCancel), 'post'));
  if (step.foreign.length > 0) report.tell(unreadable(step.foreign));
  runsTo('report').forEach(tell);
  for (const run of step.runs) if (!step.isReported && hasHiddenDoubt(run)) report.tell(doubted(run));
  const open = runsTo('settle');
  if (open.length === 0) return;
  const service = obstacle ?? (await serviceAt(main.baseUrl));
  if ('cause' in service) {
    for (const run of open) report.tell(unsettled(run, service, 'post'));
    return;
  }
  const ledger = ledgerOf(open.map(trackedRun), step, parts);
  const plan = { pollIntervalMs: main.pollIntervalMs };
  await waitForAll(
    ledger.runs.map(async (run) => {
      await settleRun(run, { ...parts, ledger, service, plan }, { ...PROFILES.post, giveUpAfterMs }, { since });
      tell({ ...run, statusMessage: null });
    }),
  );
}
function unreadable(records) {
  const ids = new Set(records.flatMap(({ jobId }) => jobId ?? []));
  const found = ids.size === 0 ? "the step's runs" : `run ${[...ids].join(' and run ')}`;
  return {
    level: 'warning',
    line: `This version of the action cannot read ${records.length} of the records left by the step's main process.`,
    advice: [`Check ${found} in the application.`],
  };
}
function ledgerOf(runs, step, { files, clock, toolkit }) {
  const writer = createStateWriter(files, [step.main.journal], 'post', step.lastOfPost);
  return new Ledger({
    runs,
    clock,
    write: (entry) => {
      if (entry.fact.kind === 'finished') writer.write(entry);
    },
    observe: (news) => {
      if (!('fact' in news) || news.fact.kind !== 'cancel_failed') return;
      const { attempted, cause } = news.fact.problem;
      toolkit.debug(neutral(`${attempted}: ${cause}`));
    },
  });
}
const KEY_GONE =
  'The runner evaluates inputs again for the post step. In nested composite actions, step outputs are no longer ' +
  'available at that point, so pass the secret to the composite action as an input.';
function openOnce(parts) {
  const opened = new Map();
  return (baseUrl) => {
    const one = opened.get(baseUrl) ?? openService(baseUrl, parts);
    opened.set(baseUrl, one);
    return one;
  };
}
async function openService(baseUrl, parts) {
  const key = input_table_inputOf(parts.env, 'api-key');
  if (key === '') return cannotCancel('the api-key input is empty in the post step', KEY_GONE);
  const wrongKey = mistakeInKey(key);
  if (wrongKey !== undefined) return cannotCancel(`the api-key input ${wrongKey.what}`, wrongKey.how);
  const wrongProxy = mistakeInProxy(parts.env);
  if (wrongProxy !== undefined) return cannotCancel(wrongProxy.what, wrongProxy.how);
  const checked = checkAddress(baseUrl);
  if (!checked.ok) return cannotCancel(`the service address in the saved state ${checked.why}`);
  try {
    return bounded(await openFor(parts, checked.url, key));
  } catch (error) {
    return cannotCancel(`a part of this action could not be loaded (${oneLine(messageOf(error), 300)})`);
  }
}

;// CONCATENATED MODULE: ./build/service/http/connection-words.js


const CHECK_NETWORK = "Check the runner's network, firewall and proxy settings (https_proxy, no_proxy).";
function connectionWords(unanswered, host, isGiven) {
  const { connected, deadlineMs, error } = unanswered;
  if (error === undefined) {
    const within = deadlineMs === undefined ? '' : ` within ${formatDuration(deadlineMs)}`;
    if (connected) return { cause: `no response from ${host}${within}` };
    return { cause: `no connection to ${host}${within}`, remedy: CHECK_NETWORK };
  }
  const { code = '', message } = error;
  if (CERTIFICATE.test(code)) {
    const remedy = CERTIFICATE_REMEDIES[code] ?? UNKNOWN_AUTHORITY;
    return { cause: `the certificate of ${host} was not accepted (${code})`, remedy, retryable: false };
  }
  return connected
    ? lateWords(code, message, host)
    : (proxyWords(message, host) ?? earlyWords(code, message, host, isGiven));
}
function earlyWords(code, message, host, isGiven) {
  const checkHost = isGiven
    ? "Check base-url and the runner's network and proxy settings (https_proxy, no_proxy)."
    : `${CHECK_NETWORK} The host name came from the service, not from base-url.`;
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { cause: `the host name ${host} could not be resolved (${code})`, remedy: checkHost };
    case 'ECONNREFUSED':
      return { cause: `${host} refused the connection (${code})`, remedy: checkHost };
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { cause: `${host} could not be reached (${code})`, remedy: CHECK_NETWORK };
    case 'ECONNRESET':
    case 'EPIPE':
      return {
        cause: `the connection to ${host} failed while it was being established (${code})`,
        remedy: CHECK_NETWORK,
      };
    default:
      break;
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
    const why = oneLine(`${code}: ${reason}`, 200);
    return { cause: `the TLS handshake with ${host} failed (${why})`, remedy: checkHost };
  }
  return { cause: `no connection to ${host} (${oneLine(`${code} ${message}`, 200)})`, remedy: CHECK_NETWORK };
}
function lateWords(code, message, host) {
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return { cause: `the connection to ${host} was reset before a response arrived (${code})` };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      cause: `the response headers from ${host} exceed Node's limit, which is 16 KiB by default (${code})`,
      remedy:
        'Check which proxy or gateway adds headers. To raise the limit, set NODE_OPTIONS to ' +
        "--max-http-header-size=65536 in the step's env.",
    };
  }
  if (code.startsWith('HPE_')) return { cause: `${host} did not respond with HTTP (${code})` };
  return { cause: `the connection to ${host} failed without a response (${oneLine(`${code} ${message}`, 200)})` };
}
function proxyWords(message, host) {
  const { reason, status } =
    /tunneling socket could not be established, (?:cause=(?<reason>.*)|statusCode=(?<status>\d+))/s.exec(message)
      ?.groups ?? {};
  if (reason !== undefined) {
    const cause = `the proxy could not be reached (${oneLine(reason, 200)})`;
    return { cause, remedy: 'Check https_proxy and no_proxy on the runner.' };
  }
  if (status === undefined) return undefined;
  const remedy =
    status === '407'
      ? 'The proxy asks for credentials. Add them to https_proxy on the runner, or add the host to no_proxy.'
      : `Check that the proxy allows connections to ${host}.`;
  return { cause: `the proxy refused a connection to ${host} with HTTP ${status}`, remedy };
}
const CERTIFICATE =
  /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|ERROR_IN_CERT_)/;
const UNKNOWN_AUTHORITY =
  "If a proxy or an internal CA signed the certificate, set NODE_EXTRA_CA_CERTS to a file with the CA's certificate, " +
  "or set NODE_USE_SYSTEM_CA=1 to use the runner's trusted CAs.";
const EXPIRED =
  "Check the runner's clock and the certificate's dates. To trust your own CA, set NODE_EXTRA_CA_CERTS or " +
  'NODE_USE_SYSTEM_CA=1.';
const CERTIFICATE_REMEDIES = {
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: EXPIRED,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Check the host name, because the certificate belongs to another host. If a proxy signed it, set ' +
    'NODE_EXTRA_CA_CERTS or NODE_USE_SYSTEM_CA=1.',
};

;// CONCATENATED MODULE: ./build/service/readings.js

const readings_INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFD]|[^\S ]/gu;
const ENCODED = new RegExp(`[%\\\\&]|${readings_INVISIBLE.source}`, 'u');
function isEncoded(text) {
  return ENCODED.test(text);
}
const SHORT_ESC = /\x1B(?![PX[\]^_])/g;
const STRIPS = [
  (text) => withoutEscapes(text).replace(readings_INVISIBLE, ''),
  (text) => withoutEscapes(text.replace(SHORT_ESC, '')).replace(readings_INVISIBLE, ''),
  (text) => text.replace(readings_INVISIBLE, ''),
];
const MOST_DECODINGS = 3;
function readingsOf(text, others) {
  const readings = new Set([text]);
  for (const strip of STRIPS) {
    let reading = strip(text);
    for (let times = 0; ; times += 1) {
      readings.add(reading);
      const next = times < MOST_DECODINGS ? strip(decoded(reading)) : reading;
      if (next === reading) break;
      reading = next;
    }
    readings.add(reading.replace(others, ''));
  }
  return readings;
}
const ENCODED_CHARACTER =
  /%[\da-f]{2}|\\(?:u[\da-f]{4}|x[\da-f]{2}|.)|&(?:#0*\d{1,7}|#x0*[\da-f]{1,6}|amp|quot|apos|lt|gt);?/gis;
const NAMED = { '&amp': '&', '&quot': '"', '&apos': "'", '&lt': '<', '&gt': '>' };
const LAST_CODE_POINT = 0x10ffff;
function decoded(text) {
  const bytes = Buffer.from(text).toString('latin1');
  return Buffer.from(bytes.replace(ENCODED_CHARACTER, decodedCharacter), 'latin1').toString();
}
function decodedCharacter(encoded) {
  if (encoded.startsWith('%')) return String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  const escaped = encoded.charAt(1);
  if (encoded.length === 2) return 'bfnrt'.includes(escaped) ? '\0' : escaped;
  const named = NAMED[encoded.replace(';', '').toLowerCase()];
  if (named !== undefined) return named;
  const isDecimal = /&#\d/.test(encoded);
  const code = Number.parseInt(encoded.replace(/\\[ux]|&#x?/i, ''), isDecimal ? 10 : 16);
  return Buffer.from(String.fromCodePoint(Math.min(code, LAST_CODE_POINT))).toString('latin1');
}

;// CONCATENATED MODULE: ./build/service/secret-search.js
const PART = 8;
const SEQUENCE = 6;
const LONGEST_SECRET = 16_384;
const MOST_SEQUENCES = 4_096;
class SecretSearch {
  others;
  #short;
  #places = new Map();
  constructor(all) {
    const secrets = all.map((each) => each.slice(0, LONGEST_SECRET)).filter((each) => /[^*]/.test(each));
    const marks = [...new Set(secrets.join('').replace(/[A-Za-z0-9]/g, ''))];
    this.others = new RegExp(`[^A-Za-z0-9+/${marks.map((mark) => `\\${mark}`).join('')}]+`, 'g');
    this.#short = secrets.filter(({ length }) => length < SEQUENCE);
    const spellings = secrets.flatMap(spellingsOf).filter(({ length }) => length >= SEQUENCE);
    for (const spelling of spellings) this.#index(spelling, SEQUENCE);
    for (const spelling of spellings) {
      const every = Math.ceil(spelling.length / MOST_SEQUENCES);
      for (let end = SEQUENCE; end <= spelling.length; end += every) this.#index(spelling, end);
    }
  }
  #index(spelling, end) {
    const sequence = spelling.slice(end - SEQUENCE, end);
    if (!this.#places.has(sequence)) this.#places.set(sequence, { spelling, end });
  }
  redact(text) {
    const searched = inOneAlphabet(text);
    let safe = '';
    let done = 0;
    let found = 0;
    for (let end = SEQUENCE; end <= text.length; end += 1) {
      const match = end > done ? this.#matchAt(searched, end, done) : undefined;
      if (match === undefined) continue;
      const { from, to } = match;
      if (from > done || done === 0) safe += `${text.slice(done, from)}***`;
      found += to - from - 1;
      done = to;
    }
    safe += text.slice(done);
    const all = this.#short.reduce((rest, short) => rest.replaceAll(short, '***'), safe);
    return { text: all, found: all === safe ? found : found + 1 };
  }
  #matchAt(text, end, done) {
    const place = this.#places.get(text.slice(end - SEQUENCE, end));
    if (place === undefined) return undefined;
    const { spelling } = place;
    const shift = place.end - end;
    const isSame = (at) => text.charCodeAt(at) === spelling.charCodeAt(at + shift);
    let to = end;
    while (isSame(to)) to += 1;
    let from = end - SEQUENCE;
    while ((from > done || to - from < PART) && isSame(from - 1)) from -= 1;
    const isSecret = to - from >= PART || from + shift === 0 || to + shift === spelling.length;
    return isSecret ? { from: Math.max(from, done), to } : undefined;
  }
}
function inOneAlphabet(text) {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}
function spellingsOf(secret) {
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * 8) / 6);
    return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
  });
  return [...[secret, secret.toLowerCase(), secret.toUpperCase()].map(inOneAlphabet), ...base64];
}

;// CONCATENATED MODULE: ./build/service/redact.js


const LONGEST_REDACTED = 16_384;
const USUAL_EFFORT = 3 * LONGEST_REDACTED;
const EFFORT_PER_TEXT = 64;
const MOST_ROUNDS = 6;
const MOST_TOKENS = 16;
function createRedactor(apiKey) {
  const tokens = { granted: [], seen: [] };
  let search;
  return {
    learn(token, source = 'granted') {
      const isKnown = tokens.granted.includes(token) || (source === 'seen' && tokens.seen.includes(token));
      if (token === '' || token === apiKey || isKnown) return false;
      tokens[source] = [...tokens[source], token].slice(-MOST_TOKENS);
      search = undefined;
      return true;
    },
    redact(text, effort = { left: USUAL_EFFORT }) {
      search ??= new SecretSearch([apiKey, ...tokens.granted, ...tokens.seen]);
      const seen = text.slice(0, LONGEST_REDACTED);
      return isEncoded(seen) ? redactReadings(seen, search, effort) : search.redact(seen).text;
    },
  };
}
function redactReadings(text, search, effort) {
  let safe = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    effort.left -= safe.length + EFFORT_PER_TEXT;
    if (effort.left < 0) break;
    let most = { text: safe, found: 0 };
    for (const reading of readingsOf(safe, search.others)) {
      const redacted = search.redact(reading);
      if (redacted.found > most.found) most = redacted;
    }
    if (most.found === 0) return safe;
    safe = most.text;
  }
  return '***';
}
const MOST_FOUND = 2;
function tokensIn(text) {
  const found = [];
  for (const [, token] of text.matchAll(/"token"\s*:\s*"((?:[!#-[\]-~]|\\["/\\]){4,})(?:"|\\?$)/g)) {
    if (token !== undefined) found.push(JSON.parse(`"${token}"`));
    if (found.length === MOST_FOUND) break;
  }
  return found;
}

;// CONCATENATED MODULE: ./build/service/reply.js



function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
function isJsonObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
const MOST_VALUES = 12_000;
function replyOf(answer, redactor, isLong) {
  const effort = { left: isLong ? Infinity : USUAL_EFFORT };
  const redact = (text) => redactor.redact(text, effort);
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, redact(fromBytes(value))]);
  const redacted = { ...answer, headers: Object.fromEntries(headers) };
  const parsed = parseJson(answer.text);
  if (parsed === undefined) return { ...redacted, text: redact(answer.text), json: undefined };
  return { ...redacted, text: '', json: mapStrings(parsed, redact, isLong ? Infinity : MOST_VALUES) };
}
function fromBytes(value) {
  const text = Buffer.from(value, 'latin1').toString();
  return text.includes('\uFFFD') || /[^\0-\xFF]/.test(value) ? value : text;
}
const EXPECTED_NAMES = /^(?:id|job_status|status_message|pipeline_(?:id|name|api_name))$/;
const MOST_DEPTH = 8;
function mapStrings(value, change, most) {
  let left = most;
  const map = (each, depth) => {
    if (left <= 0 || depth < 0) return null;
    left -= 1;
    if (typeof each === 'string') {
      if (asUuid(each) === undefined) return change(each);
      return isSecretId(each, change) ? '***' : each;
    }
    if (typeof each === 'number') return change(String(each)) === String(each) ? each : '***';
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.slice(0, left).map((item) => map(item, depth - 1));
    const members = [];
    for (const [name, member = null] of Object.entries(each)) {
      const isExpected = EXPECTED_NAMES.test(name);
      if (!isExpected) left -= 1;
      if (left <= 0) break;
      members.push([isExpected ? name : change(name), map(member, depth - 1)]);
    }
    return Object.fromEntries(members);
  };
  return map(value, MOST_DEPTH);
}
function isSecretId(id, redact) {
  return [id, id.toLowerCase(), id.toUpperCase()].some((spelling) => redact(spelling) === '***');
}
const LONGEST_TEXT = 1_000;
function briefOrNull(value) {
  return typeof value === 'string' ? brief(value, LONGEST_TEXT) : null;
}
function brief(text, longest) {
  return text.length <= longest ? text : copyOf(shorten(text, longest));
}

;// CONCATENATED MODULE: ./build/service/problem.js


function answerProblem(subject, reply, says, remedy) {
  return { attempted: subject.attempted, cause: copyOf(`HTTP ${reply.status}${says}`), remedy };
}
function statusProblem(subject, reply) {
  const words = bodyWords(reply);
  const target = isRedirect(reply) ? reply.headers['location'] : undefined;
  const where = target === undefined ? '' : `, a redirect to ${oneLine(target, 200)}`;
  const says = words === '' ? where : `${where} ${words}`;
  return answerProblem(subject, reply, says, statusRemedy(subject, reply));
}
function nonsenseProblem(subject, reply, why, remedy) {
  const words = bodyWords(reply);
  if (isHtml(reply)) {
    const inBetween = `A proxy or a login page may have answered instead of the service. Allow connections to ${subject.url.host}.`;
    return answerProblem(subject, reply, `, but ${words}`, remedy ?? inBetween);
  }
  return answerProblem(subject, reply, `, but ${why}${words === '' ? '' : `: ${words}`}`, remedy);
}
function notJson(text) {
  return text.trim() === '' ? 'with an empty body' : 'with a body that is not JSON';
}
function isRedirect({ status }) {
  return status >= 300 && status < 400;
}
function statusRemedy({ url, isGiven, whenRejected }, reply) {
  const { status } = reply;
  if (status === 407) return 'A proxy asks for credentials. Check https_proxy and no_proxy on the runner.';
  if (isRedirect(reply)) {
    return isGiven
      ? 'The action does not follow redirects, because the API key must not reach another host. Check base-url.'
      : 'The action does not follow redirects, because the token must not reach another host. Check whether a proxy asks for a login.';
  }
  if (status === 403 && isHtml(reply)) {
    return `A proxy or firewall may have blocked the request. Allow connections to ${url.host}.`;
  }
  if (status === 401) {
    return (
      'The service rejected a token that it had just issued. Check that the API key has not been revoked. If it has not, ' +
      "contact the service's operators."
    );
  }
  const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isRejected ? whenRejected : undefined;
}
const LONGEST_MESSAGE = 300;
const LONGEST_EXCERPT = 160;
function bodyWords(reply) {
  const { json, text } = reply;
  if (json === undefined && text.trim() === '') return '';
  if (typeof json === 'string') return quoted(json, LONGEST_MESSAGE);
  const error = isJsonObject(json) ? errorWords(json) : undefined;
  if (error !== undefined) return error;
  if (isHtml(reply)) {
    const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1] ?? '';
    return title.trim() === '' ? 'with a web page' : `with a web page titled ${quoted(title, LONGEST_EXCERPT)}`;
  }
  return quoted(json === undefined ? text : JSON.stringify(json), LONGEST_EXCERPT);
}
function isHtml({ text, headers }) {
  if (/^(?:text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')) return true;
  return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(text);
}
function errorWords({ message, msg, error_description: description, error, code, hint }) {
  const candidates = [message, msg, description, isJsonObject(error) ? error['message'] : error];
  const said = candidates.find(isText);
  if (said === undefined) return undefined;
  const details = [];
  if (typeof code === 'string' || typeof code === 'number') {
    details.push(`code ${quoted(String(code), 40).slice(1, -1)}`);
  }
  if (isText(hint)) details.push(`hint: ${quoted(hint, LONGEST_MESSAGE)}`);
  return quoted(said, LONGEST_MESSAGE) + (details.length === 0 ? '' : ` (${details.join(', ')})`);
}
function isText(value) {
  return typeof value === 'string' && value.trim() !== '';
}

;// CONCATENATED MODULE: ./build/service/classify.js



const INCOMPLETE = {
  cut_off: 'the response was cut off',
  stalled: 'the rest of the response did not arrive',
  too_large: 'the response is too large',
};
function classify(subject, answer, { redactor, clock }, mayTakeLong = false) {
  if (answer.kind === 'aborted') return answer;
  if (answer.kind === 'unanswered') {
    const { cause, remedy, retryable = true } = connectionWords(answer, subject.url.host, subject.isGiven);
    const problem = { attempted: subject.attempted, cause, remedy };
    return answer.connected ? { kind: 'maybe_processed', problem } : { kind: 'not_processed', problem, retryable };
  }
  const reply = replyOf(answer, redactor, mayTakeLong);
  if (!is2xx(answer)) return statusFailure(subject, reply, clock);
  if (answer.body === 'complete') return reply;
  const problem = answerProblem(subject, reply, `, but ${INCOMPLETE[answer.body]}`);
  return { kind: 'incomplete', how: answer.body, problem, received: answer.text };
}
function is2xx({ status }) {
  return status >= 200 && status < 300;
}
function statusFailure(subject, reply, clock) {
  const { status, headers } = reply;
  const problem = statusProblem(subject, reply);
  const retryAfterMs = parseRetryAfter(headers, clock.wall());
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 401) return { kind: 'unauthorized', problem };
  if (status === 429) return { kind: 'not_processed', problem, retryable: true, ...retry };
  const isResult = status === 303 && subject.mayRedirectToResult === true;
  if (isResult || status === 408 || status >= 500 || status < 300)
    return { kind: 'maybe_processed', problem, ...retry };
  return { kind: 'rejected', problem };
}
const LONGEST_MS = 60_000;
function parseRetryAfter(headers, wallMs) {
  const asked = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(asked)) return Math.min(Number(asked) * 1_000, LONGEST_MS);
  const until = httpDate(asked);
  if (until === undefined) return undefined;
  const from = httpDate(headers['date'] ?? '') ?? wallMs;
  return Math.min(Math.max(0, until - from), LONGEST_MS);
}
function httpDate(text) {
  if (!/^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

;// CONCATENATED MODULE: ./build/service/http/transport.js

const USUAL_LIMITS = { deadline: { allMs: 30_000 }, maxBytes: 262_144 };
const END_WITHIN_MS = 100;
const LONGEST_ENOUGH = 1_024;
const MANY_CHUNKS = 2_000;
const TINY_BYTES = 32;
function createTransport(parts) {
  const { clock } = parts;
  return async (request, limits) => {
    if (limits.signal?.aborted) return { kind: 'aborted' };
    const startedMs = clock.now();
    const answer = await attempt(parts, request, limits);
    parts.onTrace({
      method: request.method,
      path: request.url.pathname + request.url.search,
      attempt: limits.attempt ?? 1,
      ms: Math.round(clock.now() - startedMs),
      ...traceOf(answer),
    });
    return answer;
  };
}
function attempt({ connection, clock }, request, limits) {
  const { deadline, signal } = limits;
  return new Promise((resolve) => {
    const chunks = [];
    let length = 0;
    let head;
    let connected = false;
    let enough = false;
    let finished = false;
    let hangUp = () => undefined;
    let stopTimer = () => undefined;
    const finish = (answer) => {
      finished = true;
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const stop = (answer) => {
      finish(answer);
      hangUp();
    };
    const answered = (body) =>
      head && { kind: 'answered', ...head, text: new TextDecoder().decode(Buffer.concat(chunks)), body };
    const onAbort = () => stop({ kind: 'aborted' });
    const setTimer = (deadlineMs) => {
      stopTimer();
      stopTimer = clock.after(deadlineMs, () =>
        stop(answered('stalled') ?? { kind: 'unanswered', connected, deadlineMs }),
      );
    };
    const onConnected = () => {
      if (connected) return;
      connected = true;
      if (limits.untilConnected) signal?.removeEventListener('abort', onAbort);
      if ('answerMs' in deadline) setTimer(deadline.answerMs);
    };
    setTimer('connectMs' in deadline ? deadline.connectMs : deadline.allMs);
    signal?.addEventListener('abort', onAbort);
    hangUp = connection(request, {
      connected: onConnected,
      head(status, headers) {
        onConnected();
        head ??= { status, headers };
      },
      chunk(bytes) {
        if (finished) return;
        const kept = bytes.subarray(0, limits.maxBytes - length);
        const count = chunks.push(kept);
        length += kept.length;
        if (kept.length < bytes.length || (count > MANY_CHUNKS && length < count * TINY_BYTES)) {
          const cut = answered('too_large');
          if (cut) stop(cut);
        } else if (!enough && limits.isEnough !== undefined && length <= LONGEST_ENOUGH) {
          const soFar = answered('complete');
          enough = soFar !== undefined && limits.isEnough(soFar);
          if (enough) setTimer(END_WITHIN_MS);
        }
      },
      end(complete) {
        finish(answered(complete ? 'complete' : 'cut_off') ?? { kind: 'unanswered', connected });
      },
      failed(error) {
        finish(answered('cut_off') ?? { kind: 'unanswered', connected, error });
      },
    });
    if (finished) hangUp();
  });
}
function traceOf(answer) {
  if (answer.kind === 'aborted') return { failure: 'aborted' };
  if (answer.kind === 'answered') {
    const { status, body } = answer;
    return body === 'complete' ? { status } : { status, failure: `body ${body.replace('_', ' ')}` };
  }
  const when = answer.connected ? 'connected' : 'not connected';
  const why = answer.error ? (answer.error.code ?? answer.error.message) : 'deadline';
  return { failure: oneLine(`${when}: ${why}`, 120) };
}

;// CONCATENATED MODULE: ./build/service/exchange.js







const EXCHANGE = 'exchange the API key for a token';
const DOCUMENTED_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;
const REJECTED_REMEDY =
  'Check that the API key is valid, that base-url is right, and that no proxy or firewall rejects the request.';
const KEY_REMEDY =
  'The API key is wrong or revoked, so create a new one under Settings → API Keys, and update the secret.';
const SERVICE_REMEDY = "Report this message to the service's operators.";
const WEB_PAGE_REMEDY =
  "base-url seems to lead to a web page. Set it to the service's application host, and check that no proxy asks for a " +
  'login.';
function createExchange(parts) {
  const { transport, baseUrl, apiKey, redactor, onSecret } = parts;
  const url = under(baseUrl, '/api/cli/bootstrap');
  const subject = { attempted: EXCHANGE, url, isGiven: true, whenRejected: REJECTED_REMEDY };
  return async (withinMs = USUAL_LIMITS.deadline.allMs) => {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
    const limits = { ...USUAL_LIMITS, deadline: { allMs: withinMs } };
    const answer = await transport({ method: 'POST', url, headers }, limits);
    const text = answer.kind === 'answered' ? answer.text : '';
    const parsed = parseJson(text);
    const fields = isJsonObject(parsed) ? parsed : {};
    const { token } = fields;
    if (isUsableToken(token) && redactor.learn(token)) onSecret(token);
    for (const other of tokensIn(text)) if (redactor.learn(other, 'seen')) onSecret(other);
    const result = classify(subject, answer, parts);
    if (result.kind === 'answered') return readGrant(subject, result, fields, parts);
    if (result.kind === 'incomplete') return { kind: 'maybe_processed', problem: result.problem };
    if (result.kind !== 'unauthorized') return result;
    return { kind: 'key_refused', problem: { ...result.problem, remedy: KEY_REMEDY } };
  };
}
function isUsableToken(token) {
  return typeof token === 'string' && token.length <= LONGEST_SECRET && /^[!-~]+$/.test(token);
}
function readGrant(subject, reply, fields, { apiKey, baseUrl, redactor }) {
  const { token, backend_anon_key: anonKey, backend_url: backendUrl, ttl_seconds: ttl } = fields;
  if (reply.json === undefined) {
    const why = notJson(reply.text);
    if (isHtml(reply)) return { kind: 'rejected', problem: nonsenseProblem(subject, reply, why, WEB_PAGE_REMEDY) };
    return { kind: 'maybe_processed', problem: answerProblem(subject, reply, `, but ${why}`) };
  }
  const unusable = (what) => answerProblem(subject, reply, ` ${what}`, SERVICE_REMEDY);
  if (!isUsableToken(token)) {
    return { kind: 'key_refused', problem: { ...unusable('without a usable token'), remedy: KEY_REMEDY } };
  }
  if (token.includes(apiKey)) return { kind: 'rejected', problem: unusable('with a token that contains the API key') };
  if (typeof anonKey !== 'string' || !/^[!-~]+(?: +[!-~]+)*$/.test(anonKey) || anonKey.includes(apiKey)) {
    return { kind: 'rejected', problem: unusable('without a usable backend_anon_key') };
  }
  const given = typeof backendUrl === 'string' ? backendUrl : '';
  const address = checkAddress(given, (url) => isLoopback(baseUrl) && isLoopback(url));
  if (!address.ok || [given, address.url.href].some((text) => redactor.redact(text) !== text)) {
    const why = address.ok ? 'contains a secret' : address.why;
    return { kind: 'rejected', problem: unusable(`with a backend_url that ${why}`) };
  }
  const shown = isJsonObject(reply.json) ? reply.json : {};
  const account = {
    region: briefOrNull(shown['region']),
    apiUrl: address.url,
    expiresAt: briefOrNull(shown['expires_at']),
  };
  const isPlausible = typeof ttl === 'number' && ttl > 0 && ttl <= LONGEST_TTL_S;
  return { kind: 'granted', token, anonKey, account, ttlMs: (isPlausible ? ttl : DOCUMENTED_TTL_S) * 1_000 };
}

;// CONCATENATED MODULE: ./build/service/call.js




async function call(caller, what, options = {}) {
  const { transport, session } = caller;
  const { acceptPartial } = what;
  const { requestWithinMs = options.withinMs } = options;
  for (let attempt = 1; ; attempt += 1) {
    const grant = await session.grant(options);
    if (grant.kind === 'maybe_processed') return { ...grant, kind: 'not_processed', retryable: true };
    if (grant.kind !== 'granted') return grant;
    const url = under(grant.account.apiUrl, what.path);
    const headers = {
      authorization: `Bearer ${grant.token}`,
      apikey: grant.anonKey,
      accept: 'application/json',
      ...what.headers,
    };
    const limits = {
      ...USUAL_LIMITS,
      ...what.limits,
      ...(requestWithinMs && { deadline: { allMs: requestWithinMs() } }),
      signal: options.signal,
      isEnough: acceptPartial && ((soFar) => acceptPartial(soFar) !== undefined),
      attempt,
    };
    what.onSend?.();
    const answer = await transport({ method: what.method, url, headers, body: what.body }, limits);
    const outcome = call_outcomeOf(caller, what, url, answer);
    if (outcome.kind !== 'unauthorized' || options.isBackground === true) return outcome;
    session.invalidate(grant);
    if (attempt >= what.attempts) return outcome;
  }
}
function call_outcomeOf(caller, what, url, answer) {
  const partial = answer.kind === 'answered' ? what.acceptPartial?.(answer) : undefined;
  if (partial !== undefined) return partial;
  const subject = { ...what, url, isGiven: false };
  const mayTakeLong = (what.limits?.maxBytes ?? 0) > USUAL_LIMITS.maxBytes;
  const result = classify(subject, answer, caller, mayTakeLong);
  if (result.kind === 'answered') {
    return what.parse(result, (why, remedy) => nonsenseProblem(subject, result, why, remedy));
  }
  if (result.kind !== 'incomplete') return result;
  return what.whenIncomplete?.(result) ?? { kind: 'maybe_processed', problem: result.problem };
}

;// CONCATENATED MODULE: ./build/service/jobs.js







const SHORT_FIELDS = 'id,job_status';
const ALL_FIELDS = `${SHORT_FIELDS},status_message`;
const LONGEST_STATUS = 200;
function jobRows({ json: rows, text }, jobId, fields = ALL_FIELDS) {
  const nonsense = (why) => ({ kind: 'nonsense', why });
  if (rows === undefined) return nonsense(notJson(text));
  if (!Array.isArray(rows)) return nonsense('with a body that is not a list of rows');
  if (rows.length === 0) return { kind: 'none' };
  if (rows.length > 1) return nonsense(`with ${rows.length} rows instead of one`);
  const row = rows[0];
  if (!isJsonObject(row)) return nonsense('with a row that is not an object');
  if (asUuid(row['id']) !== jobId) return nonsense('with the row of another run');
  const { job_status: status, status_message: message } = row;
  if (typeof status !== 'string') return nonsense('with a row that has no job_status');
  const shown = typeof message === 'string' ? brief(flat(message), LONGEST_TEXT) : null;
  const statusMessage = fields === SHORT_FIELDS ? MESSAGE_TOO_LONG : shown;
  return { kind: 'job', job: { id: jobId, status: brief(status, LONGEST_STATUS), statusMessage } };
}
function callJob({ filter = '', none, unusable, ...request }, caller, jobId, options) {
  const fields = caller.longMessages.has(jobId) ? SHORT_FIELDS : ALL_FIELDS;
  return call(
    caller,
    {
      ...request,
      path: `/rest/v1/jobs?id=eq.${jobId}${filter}&select=${fields}`,
      whenRejected: "Check that the API key belongs to the run's workspace.",
      parse(reply, describe) {
        const rows = jobRows(reply, jobId, fields);
        if (rows.kind === 'job') return rows;
        return rows.kind === 'none' ? none : unusable(describe(rows.why), false);
      },
      whenIncomplete({ how, received, problem }) {
        const isTooLarge = fields === ALL_FIELDS && how === 'too_large' && /^\s*\[\s*\{/.test(received);
        if (isTooLarge) caller.longMessages.add(jobId);
        return unusable(problem, isTooLarge);
      },
    },
    options,
  );
}
const READ = {
  attempted: "read the run's status",
  method: 'GET',
  attempts: 2,
  none: { kind: 'missing' },
  unusable: (problem, isTooLarge) => ({ kind: isTooLarge ? 'too_large' : 'maybe_processed', problem }),
};
async function read(caller, jobId, options = {}) {
  const { clock } = caller;
  const until = clock.now() + (options.withinMs?.() ?? USUAL_LIMITS.deadline.allMs);
  const first = await callJob(READ, caller, jobId, options);
  if (first.kind !== 'too_large') return first;
  const failure = { kind: 'maybe_processed', problem: first.problem };
  if (options.repeatIfTooLarge !== true || until <= clock.now()) return failure;
  const withinMs = () => Math.min(options.withinMs?.() ?? Infinity, Math.max(0, until - clock.now()));
  const second = await callJob(READ, caller, jobId, { ...options, withinMs });
  return second.kind === 'too_large' ? failure : second;
}
const CANCEL = {
  attempted: 'cancel the run',
  method: 'PATCH',
  filter: `&job_status=in.(${CANCELLABLE_STATUSES.join(',')})`,
  headers: { 'content-type': 'application/json', prefer: 'return=representation' },
  body: JSON.stringify({ job_status: 'cancelled' }),
  attempts: 3,
  none: { kind: 'unchanged' },
  unusable: (problem) => ({ kind: 'accepted', problem }),
};
function cancel(caller, jobId, options) {
  return callJob(CANCEL, caller, jobId, options);
}

;// CONCATENATED MODULE: ./build/service/list.js





const MAX_BYTES = 4 * 1_048_576;
const USUAL_CUT = 1_000;
const list_REMEDY = "Use each pipeline's UUID, which is in its page's address, so that the step does not need the list.";
function list(caller, options) {
  return call(
    caller,
    {
      attempted: 'list the pipelines',
      method: 'GET',
      path: '/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name',
      limits: { maxBytes: options?.isBackground === true ? USUAL_LIMITS.maxBytes : MAX_BYTES },
      attempts: 3,
      whenRejected: list_REMEDY,
      parse({ json: rows, text }, unusable) {
        if (rows === undefined) return { kind: 'maybe_processed', problem: unusable(notJson(text)) };
        if (!Array.isArray(rows)) {
          return { kind: 'rejected', problem: unusable('with a body that is not a list of rows', list_REMEDY) };
        }
        const isRow = (row) => isJsonObject(row) && row['pipeline_id'] !== undefined;
        if (rows.length > 0 && !rows.some(isRow)) {
          return { kind: 'rejected', problem: unusable('with rows that are not pipelines', list_REMEDY) };
        }
        return { kind: 'pipelines', pipelines: pipelinesOf(rows), mayBeTruncated: rows.length >= USUAL_CUT };
      },
    },
    options,
  );
}
function pipelinesOf(rows) {
  const found = new Map();
  for (const row of rows.filter(isJsonObject)) {
    const id = asUuid(row['pipeline_id']);
    if (id === undefined) continue;
    const before = found.get(id);
    found.set(id, {
      id,
      name: before?.name ?? briefOrNull(row['pipeline_name']),
      apiName: before?.apiName ?? briefOrNull(row['pipeline_api_name']),
    });
  }
  return [...found.values()];
}

;// CONCATENATED MODULE: ./build/service/session.js


const RENEW_AFTER = 0.9;
const RENEW_AGAIN_MS = 30_000;
const REJECTED_FOR_MS = 2_000;
function createSession(exchange, clock) {
  let kept;
  let renewal;
  let rejected;
  let lastFailureMs = -Infinity;
  const ageOf = (of) => clock.now() - of.bornMs;
  const isValid = (of) => of !== undefined && !of.invalid && ageOf(of) < of.grant.ttlMs;
  async function renew(startedMs, withinMs) {
    const outcome = await exchange(withinMs).finally(() => {
      if (renewal?.startedMs === startedMs) renewal = undefined;
    });
    if (outcome.kind === 'granted') {
      rejected = undefined;
      if (!isValid(kept) || kept.bornMs <= startedMs) kept = { grant: outcome, bornMs: startedMs, invalid: false };
      return outcome;
    }
    if (isValid(kept) && kept.bornMs > startedMs) return kept.grant;
    lastFailureMs = clock.now();
    if (outcome.kind === 'key_refused' && !isValid(kept)) rejected = { failure: outcome, atMs: lastFailureMs };
    if (kept === undefined || outcome.kind !== 'rejected') return outcome;
    return { kind: 'not_processed', problem: outcome.problem, retryable: true };
  }
  function startRenewal(withinMs) {
    const startedMs = clock.now();
    const outcome = renew(startedMs, withinMs);
    renewal = { startedMs, outcome };
    return outcome;
  }
  return {
    async grant({ signal, withinMs: within } = {}) {
      if (signal?.aborted) return { kind: 'aborted' };
      if (isValid(kept)) {
        const due = ageOf(kept) >= kept.grant.ttlMs * RENEW_AFTER;
        const rested = clock.now() - lastFailureMs >= RENEW_AGAIN_MS;
        if (due && rested && !renewal) void startRenewal();
        return kept.grant;
      }
      if (rejected && clock.now() - rejected.atMs < REJECTED_FOR_MS) return rejected.failure;
      const withinMs = within?.();
      const isStalled = renewal !== undefined && clock.now() - renewal.startedMs >= (withinMs ?? Infinity);
      const outcome = renewal === undefined || isStalled ? startRenewal(withinMs) : renewal.outcome;
      return waitFor(outcome, clock, withinMs, signal);
    },
    invalidate(grant) {
      if (kept?.grant === grant) kept.invalid = true;
    },
  };
}
function waitFor(outcome, clock, withinMs, signal) {
  let stopTimer;
  let onAbort = () => undefined;
  const givenUp = new Promise((resolve) => {
    onAbort = () => resolve({ kind: 'aborted' });
    signal?.addEventListener('abort', onAbort);
    if (withinMs === undefined) return;
    const problem = { attempted: EXCHANGE, cause: `no response within ${formatDuration(withinMs)}` };
    stopTimer = clock.after(withinMs, () => resolve({ kind: 'not_processed', problem, retryable: true }));
  });
  return Promise.race([outcome, givenUp]).finally(() => {
    signal?.removeEventListener('abort', onAbort);
    stopTimer?.();
  });
}

;// CONCATENATED MODULE: ./build/service/trigger.js




const DEADLINE = { connectMs: 15_000, answerMs: 120_000 };
function trigger(caller, order, options) {
  return call(
    caller,
    {
      attempted: 'trigger the run',
      method: 'POST',
      path: '/rest/v1/rpc/create_pipeline_run_job',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        p_pipeline_id: order.pipelineId,
        p_job_type: 'pipeline_run',
        p_full_resync: order.fullResync,
        p_reset_target: order.resetTarget,
      }),
      limits: { deadline: DEADLINE, untilConnected: true },
      attempts: 3,
      whenRejected:
        'Check that the pipeline exists, is active, and belongs to the workspace in which the API key was created.',
      mayRedirectToResult: true,
      onSend: options.onSend,
      acceptPartial(answer) {
        const jobId = is2xx(answer) ? asUuid(parseJson(answer.text.trim())) : undefined;
        return jobId && !isSecretId(jobId, (text) => caller.redactor.redact(text))
          ? { kind: 'queued', jobId }
          : undefined;
      },
      parse({ json }, unusable) {
        if (json === null) return { kind: 'no_credits' };
        return { kind: 'maybe_processed', problem: unusable('without the id of a run') };
      },
    },
    options,
  );
}

;// CONCATENATED MODULE: ./build/service/client.js







function createService(parts) {
  const { clock } = parts;
  const redactor = createRedactor(parts.apiKey);
  const connection = (request, listener) =>
    parts.connection(request, {
      ...listener,
      failed: (error) => listener.failed({ ...error, message: redactor.redact(error.message) }),
    });
  const transport = createTransport({ ...parts, connection });
  const session = createSession(createExchange({ ...parts, transport, redactor }), clock);
  const caller = { transport, session, clock, redactor, longMessages: new Set() };
  return {
    async connect(options) {
      const grant = await session.grant(options);
      return grant.kind === 'granted' ? { kind: 'connected', account: grant.account } : grant;
    },
    list: (options) => list(caller, options),
    trigger: (order, options) => trigger(caller, order, options),
    read: (jobId, options) => read(caller, jobId, options),
    cancel: (jobId, options) => cancel(caller, jobId, options),
  };
}

;// CONCATENATED MODULE: ./build/start.js














function machine() {
  return {
    env: process.env,
    clock: systemClock,
    random: Math.random,
    files: systemFiles,
    toolkit: githubToolkit,
    print: print,
    interruption: listenForInterruption(processEvents, systemClock),
    async openService(options) {
      const { createHttpConnection } = await import(/* webpackIgnore: true */ '../http/index.js');
      const connection = createHttpConnection({ userAgent: `run-pipeline/${VERSION}`, env: process.env });
      return createService({ ...options, clock: systemClock, connection });
    },
  };
}
function startMain(guard) {
  const parts = { ...machine(), pid: process.pid, startedAt: ownStart(), host: (0,external_node_os_namespaceObject.hostname)() };
  runMain(prepareMain(parts), githubToolkit.debug, { ...parts, control: controlOf(guard) });
}
function startCancel(guard) {
  const parts = machine();
  runMain(prepareCancel(parts), githubToolkit.debug, { ...parts, control: controlOf(guard) });
}
function startPost(guard) {
  const parts = { ...machine(), host: (0,external_node_os_namespaceObject.hostname)(), processes: systemProcesses };
  const warn = (why) => {
    const failed = `Internal error in the post step: ${oneLine(why)}. Check the application for runs that were not cancelled. ${REPORT_IT}`;
    githubToolkit.annotate('warning', titleOf(), failed);
  };
  const onStray = (why) =>
    print(`Uncaught error, probably from other code in this process: ${oneLine(why)}. The post step continues.`);
  runPost(() => performPost(parts), { warn, onStray }, { ...parts, control: controlOf(guard) });
}

var __webpack_exports__startCancel = __webpack_exports__.DL;
var __webpack_exports__startMain = __webpack_exports__.Ym;
var __webpack_exports__startPost = __webpack_exports__.V2;
export { __webpack_exports__startCancel as startCancel, __webpack_exports__startMain as startMain, __webpack_exports__startPost as startPost };
