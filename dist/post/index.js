import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
var __webpack_exports__ = {};

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
function safe_text_oneLine(text, longest = 500) {
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
function safe_text_quoted(text, longest = 200) {
  return `"${safe_text_oneLine(text, longest).replaceAll('"', "'")}"`;
}
function quotedName(name, longest = 200) {
  const escaped = (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  };
  return safe_text_quoted(name.replace(HIDDEN, escaped), longest);
}
function safe_text_messageOf(error) {
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

class file_errors_UnsuitableFile extends Error {
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
function file_errors_fileRemedy(error) {
  if (error instanceof file_errors_UnsuitableFile) return 'Use the path of a regular file instead.';
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') {
    return REMEDIES[error.code] ?? "Check the runner's file system.";
  }
  return file_errors_fileRemedy(error.cause);
}
function writeFailure(what, error, meaning) {
  return file_errors_sentences(`Could not write ${what}: ${oneLine(messageOf(error))}.`, meaning, file_errors_fileRemedy(error));
}
function file_errors_sentences(...all) {
  return all.filter((sentence) => sentence !== '').join(' ');
}

;// CONCATENATED MODULE: ./build/action/runner/files.js



const files_FILE_KINDS = {
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
    throw isUndone ? error : new PartialWrite(safe_text_messageOf(error), { cause: error });
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
function inputOf(env, name) {
  return env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}

;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
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
    if (bytes > MAX_READ_BYTES) throw new file_errors_UnsuitableFile(`${safe_text_quoted(path)} is too large`);
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
  if (!accepted.includes(kind)) throw new file_errors_UnsuitableFile(`${safe_text_quoted(path)} is ${files_FILE_KINDS[kind]}`);
}
function fileRecord(key, value) {
  if (!/[\r\n]/.test(value)) return `${key}=${value}\n`;
  if (value.split(/[\r\n]/).includes(DELIMITER))
    throw new Error(`the output ${key} contains a line that equals the delimiter`);
  return `${key}<<${DELIMITER}\n${value}\n${DELIMITER}\n`;
}

;// CONCATENATED MODULE: ./build/base/uuid.js
function asUuid(value) {
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return isUuid(lower) ? lower : undefined;
}
function isUuid(text) {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

;// CONCATENATED MODULE: ./build/service/statuses.js
const TERMINAL_STATUSES = ['completed', 'completed_with_warning', 'failed', 'cancelled', 'timed_out', 'skipped'];
const CANCELLABLE_STATUSES = (/* unused pure expression or super */ null && (['queued', 'picked', 'running']));
function isTerminal(status) {
  return TERMINAL_STATUSES.includes(status);
}
function isKnownStatus(status) {
  return isTerminal(status) || CANCELLABLE_STATUSES.includes(status);
}
const MESSAGE_TOO_LONG = '(the status message is longer than 256 KiB and is not shown)';

;// CONCATENATED MODULE: ./build/action/state/records.js


const VERSION = 1;
function stateKey(writer, number) {
  return `run_pipeline_${writer === 'post' ? 'post_' : ''}${String(number).padStart(4, '0')}`;
}
function mainOf({ main }) {
  const first = main.get(1);
  return first !== undefined && 'pid' in first ? first : undefined;
}
function recordsInEnv(env) {
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
function inOrder({ main, post }) {
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
  return inOrder(records).filter((record) => 'kind' in record && record.kind === 'foreign');
}
function encode(record) {
  return JSON.stringify({ v: VERSION, ...('fact' in record ? fieldsOf(record) : record) });
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
  if (fields.get('v') !== VERSION) return undefined;
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
  return folder === '' ? '' : join(folder, `${prefixOf(env)}${name}`);
}
function prefixOf(env) {
  const job = [env['GITHUB_RUN_ID'], env['GITHUB_RUN_ATTEMPT'], env['GITHUB_JOB']].map(plain);
  return `run-pipeline-${job.join('-')}-`;
}
function plain(text = '') {
  return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}
function readJournals({ env, host, files }, of = 'step') {
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
      const main = mainOf(records);
      if (main === undefined) return true;
      return (0,external_node_path_namespaceObject.basename)(main.journal) === (0,external_node_path_namespaceObject.basename)(path) && isSameStep(of === 'step' ? owner : job, main.owner);
    });
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
  const main = mainOf(records);
  const closed = closedOf(records);
  const isWhole = lastNumber(records.main) === records.main.size && foreignIn(records).length === 0;
  if (main === undefined || closed === undefined || !isWhole || !closed.isPrinted) return false;
  return closed.left === 'nothing' || (closed.left === 'detached' && !mayCancelDetached(main, jobStatus));
}
function mayCancelDetached(main, jobStatus) {
  const isCancelled = (status) => status.toLowerCase() === 'cancelled';
  return main.onCancel === 'cancel' && isCancelled(jobStatus) && !isCancelled(main.jobStatus);
}

;// CONCATENATED MODULE: ./build/post.js




const guard = guardExit(0);
if (nodeTooOld() === undefined && !isAllSettled(process.env)) {
  const ids = openIds({ env: process.env, host: (0,external_node_os_namespaceObject.hostname)(), files: systemFiles }).join(', ');
  const warning = (why) =>
    commandOf(
      'warning',
      `${why} ${ids === '' ? 'Runs may still be in progress' : `These runs may still be in progress: ${ids}`}. Cancel them in the application.`,
    );
  guard.earlyExitCommand = warning(
    'Other code in this process, probably loaded through NODE_OPTIONS, ended the post step early.',
  );
  import(/* webpackIgnore: true */ '../start/index.js')
    .then(({ startPost }) => startPost(guard))
    .catch((error) => guard.endWith(warning(`The post step could not be loaded (${commandText(error)}).`)));
} else {
  guard.exitNow();
}

