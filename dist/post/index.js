import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
var __webpack_exports__ = {};

;// CONCATENATED MODULE: ./build/action/environment.js
function inputOf(env, name) {
    return env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() ?? '';
}

;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
;// CONCATENATED MODULE: ./build/base/file-errors.js

class UnsuitableFile extends Error {
    name = 'UnsuitableFile';
}
const REMEDIES = {
    EACCES: 'Let the user that runs this step write to this path.',
    EDQUOT: 'Free disk space or raise the disk quota of the user that runs this step.',
    EFBIG: 'Raise the limit on the size of files on the runner.',
    EIO: 'Check the disk of the runner for errors.',
    EISDIR: 'Use the path of a regular file instead.',
    EMFILE: 'Raise the limit on open files on the runner (ulimit -n).',
    ENFILE: 'Raise the limit on open files on the runner.',
    ENOENT: 'Create the folder of this path, or correct the path.',
    ENOSPC: 'Free disk space on the runner.',
    ENOTDIR: 'Correct the path: one of its parents is not a folder.',
    ENXIO: 'Use the path of a regular file instead.',
    EPERM: 'Let the user that runs this step write to this path.',
    EROFS: 'Use a path on a writable file system, or mount this one as writable.',
};
function fileRemedy(error) {
    if (error instanceof UnsuitableFile)
        return 'Use the path of a regular file instead.';
    if (!(error instanceof Error))
        return '';
    if ('code' in error && typeof error.code === 'string') {
        return REMEDIES[error.code] ?? 'Check the file system of the runner.';
    }
    return fileRemedy(error.cause);
}
function writeFailure(what, error, meaning) {
    const why = oneLine(error instanceof Error ? error.message : String(error));
    return sentences(`Could not write ${what}: ${why}.`, meaning, fileRemedy(error));
}
function sentences(...all) {
    return all.filter((sentence) => sentence !== '').join(' ');
}

;// CONCATENATED MODULE: ./build/base/safe-text.js
function safe_text_oneLine(text, longest = 500) {
    return neutral(shorten(flat(text), longest));
}
const LOOKED_AT = 65_536;
function flat(text) {
    return withoutEscapes(text.slice(0, LOOKED_AT)).replace(INVISIBLE, ' ').replace(/\s+/gu, ' ').trim();
}
function withoutEscapes(text) {
    return text.replace(ANSI_ESCAPE, '');
}
function neutral(line) {
    return withoutEscapes(line)
        .replace(CONTROL, ' ')
        .replaceAll('##[', '#\u200B#[')
        .replace(/^(\s*):(?=:)/u, '$1:\u200B');
}
function safe_text_quoted(text, longest = 200) {
    return `"${safe_text_oneLine(text, longest).replaceAll('"', "'")}"`;
}
function quotedName(name, longest = 200) {
    return safe_text_quoted(name.replace(HIDDEN, escaped), longest);
}
function escaped(character) {
    const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
function shorten(text, longest) {
    if (text.length <= longest)
        return text;
    const kept = text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '');
    return `${kept.trimEnd()}…`;
}
function copyOf(text) {
    return Buffer.from(text).toString();
}
const ANSI_ESCAPE = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[@-Z\\^_]/gu;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]|[^\S ]|^ | $|(?<= ) /gu;

;// CONCATENATED MODULE: ./build/action/file-access.js


const MOST_BYTES = 16 * 1_048_576;
const NAMES = {
    missing: 'a path without a file',
    file: 'a regular file',
    directory: 'a directory',
    character_device: 'a character device',
    block_device: 'a block device',
    fifo: 'a FIFO (named pipe)',
    socket: 'a socket',
    stdout: "this step's standard output",
};
function appendToFile(files, path, text) {
    explained(files, path, REGULAR, (check) => files.append(path, text, check));
}
function appendToSummary(files, path, text) {
    explained(files, path, REGULAR_OR_DEVICE, (check) => files.append(path, text, check));
}
function replaceFile(files, path, text) {
    explained(files, path, REGULAR, (check) => files.write(path, text, check));
}
function readFile(files, path) {
    return files.read(path, ({ kind, bytes }) => {
        accept(path, kind, REGULAR);
        if (bytes > MOST_BYTES)
            throw new UnsuitableFile(`${safe_text_quoted(path)} is too large`);
    });
}
function mistakeInOutputFile(files, path) {
    if (path === undefined || path === '')
        return undefined;
    const kind = files.kindOf(path);
    if (kind === 'missing' || REGULAR.has(kind))
        return undefined;
    return `GITHUB_OUTPUT is ${quoted(path)}, which is ${NAMES[kind]}. Outputs can only be written to a regular file. Set GITHUB_OUTPUT to the path of one, or leave it unset.`;
}
const REGULAR = new Set(['file']);
const REGULAR_OR_DEVICE = new Set(['file', 'character_device']);
function explained(files, path, accepted, use) {
    try {
        use(({ kind }) => accept(path, kind, accepted));
    }
    catch (error) {
        const kind = files.kindOf(path);
        if (kind !== 'missing')
            accept(path, kind, accepted);
        throw error;
    }
}
function accept(path, kind, accepted) {
    if (!accepted.has(kind))
        throw new UnsuitableFile(`${safe_text_quoted(path)} is ${NAMES[kind]}`);
}

;// CONCATENATED MODULE: ./build/base/uuid.js
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
function asUuid(value) {
    if (typeof value !== 'string')
        return undefined;
    const lower = value.toLowerCase();
    return isLowerUuid(lower) ? lower : undefined;
}
function isLowerUuid(text) {
    return UUID.test(text);
}

;// CONCATENATED MODULE: ./build/service/statuses.js
const TERMINAL_STATUSES = [
    'completed',
    'completed_with_warning',
    'failed',
    'cancelled',
    'timed_out',
    'skipped',
];
const CANCELLABLE_STATUSES = (/* unused pure expression or super */ null && (['queued', 'picked', 'running']));
function isTerminal(status) {
    return TERMINAL_STATUSES.includes(status);
}
function isKnownStatus(status) {
    return isTerminal(status) || CANCELLABLE_STATUSES.includes(status);
}
const MESSAGE_TOO_LONG = '(the status message is longer than 256 KiB and is not shown)';

;// CONCATENATED MODULE: ./build/action/state-records.js


const KEY = 'run_pipeline_';
function stateKey(number) {
    return `${KEY}${String(number).padStart(4, '0')}`;
}
function recordsInEnv(env) {
    const prefix = `STATE_${KEY}`.toUpperCase();
    const found = Object.keys(env).filter((name) => name.toUpperCase().startsWith(prefix));
    return numbered(found.map((name) => [name.slice(prefix.length), env[name] ?? '']));
}
function recordsInText(text) {
    const entries = text.split('\n').flatMap((line) => {
        const [, number, value] = /^run_pipeline_(\d+)=(.*)$/s.exec(line) ?? [];
        return number === undefined || value === undefined ? [] : [[number, value]];
    });
    return numbered(entries);
}
function inOrder(...found) {
    const all = new Map(found.flatMap((records) => [...records]));
    return [...all].sort(([a], [b]) => a - b).map(([, record]) => record);
}
function numbered(entries) {
    const records = new Map();
    for (const [key, text] of entries) {
        const number = /^\d{1,9}$/.test(key) ? Number(key) : 0;
        const record = decode(text);
        if (number > 0 && record !== undefined)
            records.set(number, record);
    }
    return records;
}
function decode(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === 'object' && value !== null ? check(new Map(Object.entries(value))) : undefined;
    }
    catch {
        return undefined;
    }
}
function check(fields) {
    const kind = fields.get('kind');
    if (kind === 'main')
        return checkMain(fields);
    if (kind === 'closed')
        return { kind };
    const run = fields.get('run');
    if (typeof run !== 'number' || !Number.isSafeInteger(run) || run < 1)
        return undefined;
    switch (kind) {
        case 'refused':
        case 'unknown':
        case 'cancelling':
        case 'left':
        case 'detached':
            return { kind, run };
        case 'queued':
        case 'attached': {
            const jobId = asUuid(fields.get('jobId'));
            return jobId === undefined ? undefined : { kind, run, jobId };
        }
        case 'settled': {
            const status = fields.get('status');
            return typeof status === 'string' && isTerminal(status) ? { kind, run, status } : undefined;
        }
        case 'intent': {
            const pipelineId = asUuid(fields.get('pipelineId'));
            const [name, at] = [fields.get('pipelineName'), fields.get('at')];
            if (pipelineId === undefined || typeof at !== 'number')
                return undefined;
            return { kind, run, pipelineId, pipelineName: typeof name === 'string' ? name : null, at };
        }
        default:
            return undefined;
    }
}
function checkMain(fields) {
    const pid = fields.get('pid');
    const pollIntervalMs = fields.get('pollIntervalMs');
    const baseUrl = fields.get('baseUrl');
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1 || typeof baseUrl !== 'string') {
        return undefined;
    }
    const text = (name) => {
        const value = fields.get(name);
        return typeof value === 'string' ? value : '';
    };
    return {
        kind: 'main',
        pid,
        startedAt: text('startedAt'),
        baseUrl,
        onCancel: fields.get('onCancel') === 'leave' ? 'leave' : 'cancel',
        pollIntervalMs: typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : 30_000,
        summary: fields.get('summary') !== false,
        jobStatus: text('jobStatus'),
        journal: text('journal'),
        seal: text('seal'),
        stateFile: text('stateFile'),
    };
}

;// CONCATENATED MODULE: ./build/action/journals.js



function journalFolder(env) {
    return env['RUNNER_TEMP'] ?? '';
}
function journalPrefix(env) {
    const job = ['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB'].map((name) => plain(env[name] ?? ''));
    return `run-pipeline-${job.join('-')}-`;
}
function readJournals(env, files) {
    const folder = journalFolder(env);
    const prefix = journalPrefix(env);
    if (folder === '')
        return [];
    return files
        .list(folder)
        .filter((name) => name.startsWith(prefix) && name.endsWith('.journal'))
        .map((name) => (0,external_node_path_namespaceObject.join)(folder, name))
        .filter((path) => files.kindOf(path) === 'file')
        .map((path) => ({ path, records: recordsInText(readFile(files, path) ?? '') }));
}
function plain(text) {
    return text.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
}

;// CONCATENATED MODULE: ./build/run/ledger.js
function replay(records) {
    const runs = new Map();
    for (const record of records) {
        const run = runs.get(record.run) ?? blank(record.run);
        runs.set(record.run, run);
        if (run.standing === 'settled')
            continue;
        if (run.standing === 'left' && record.kind !== 'settled')
            continue;
        apply(run, record);
    }
    return [...runs.values()].sort((a, b) => a.run - b.run);
}
function blank(run) {
    return {
        run,
        jobId: undefined,
        standing: 'refused',
        pipelineId: undefined,
        pipelineName: null,
        intentAt: undefined,
    };
}
function apply(run, record) {
    switch (record.kind) {
        case 'intent':
            run.standing = 'intent';
            run.jobId = undefined;
            run.pipelineId = record.pipelineId;
            run.pipelineName = record.pipelineName;
            run.intentAt = record.at;
            return;
        case 'queued':
        case 'attached':
            run.standing = 'open';
            run.jobId = record.jobId;
            return;
        case 'refused':
        case 'unknown':
        case 'cancelling':
        case 'left':
        case 'detached':
        case 'settled':
            run.standing = record.kind;
    }
}

;// CONCATENATED MODULE: ./build/action/leftovers.js

function leftoversOf(records) {
    const ledger = records.filter((record) => 'run' in record);
    return {
        main: records.find((record) => record.kind === 'main'),
        closed: records.some((record) => record.kind === 'closed'),
        runs: replay(ledger),
    };
}
function choreFor(run, main, jobStatus) {
    switch (run.standing) {
        case 'refused':
        case 'unknown':
        case 'left':
        case 'settled':
            return 'none';
        case 'intent':
            return 'tell_intent';
        case 'cancelling':
            return 'cancel';
        case 'open':
            return main.onCancel === 'cancel' ? 'cancel' : 'tell_left';
        case 'detached':
            return main.onCancel === 'cancel' && hasBecomeCancelled(main, jobStatus) ? 'cancel' : 'none';
    }
}
function hasBecomeCancelled(main, jobStatus) {
    return jobStatus.toLowerCase() === 'cancelled' && main.jobStatus.toLowerCase() !== 'cancelled';
}

;// CONCATENATED MODULE: ./build/action/all-settled.js




function isAllSettled(env, files) {
    const jobStatus = inputOf(env, 'internal-job-status');
    const kept = recordsInEnv(env);
    if (inOrder(kept).some(({ kind }) => kind === 'main'))
        return isSettled(kept, jobStatus);
    if (kept.size > 0)
        return false;
    return readJournals(env, files).every(({ records }) => isSettled(records, jobStatus));
}
function isSettled(records, jobStatus) {
    const { main, closed, runs } = leftoversOf(inOrder(records));
    if (main === undefined || !closed || !isWhole(records))
        return false;
    return runs.every((run) => choreFor(run, main, jobStatus) === 'none');
}
function isWhole(records) {
    return Math.max(0, ...records.keys()) === records.size;
}

;// CONCATENATED MODULE: ./build/action/exit-guard.js
function guardExit(code, cutShort) {
    const host = process;
    const { reallyExit } = host;
    const guard = {
        code,
        cutShort,
        exitNow: () => {
            if (guard.cutShort !== undefined)
                process.stdout.write(`${guard.cutShort}\n`);
            guard.cutShort = undefined;
            reallyExit.call(process, guard.code);
        },
    };
    host.reallyExit = guard.exitNow;
    const setCode = () => {
        process.exitCode = guard.code;
    };
    process.on('exit', setCode);
    setCode();
    return guard;
}

;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
;// CONCATENATED MODULE: ./build/action/files.js

const systemFiles = {
    kindOf(path) {
        try {
            return kindOf((0,external_node_fs_namespaceObject.statSync)(path, { bigint: true }));
        }
        catch {
            return 'missing';
        }
    },
    append(path, text, check) {
        use(path, external_node_fs_namespaceObject.constants.O_WRONLY | external_node_fs_namespaceObject.constants.O_CREAT | external_node_fs_namespaceObject.constants.O_APPEND, (file) => {
            check(openedFile(file));
            (0,external_node_fs_namespaceObject.appendFileSync)(file, endsTorn(path) ? `\n${text}` : text);
        });
    },
    write(path, text, check) {
        use(path, external_node_fs_namespaceObject.constants.O_WRONLY | external_node_fs_namespaceObject.constants.O_CREAT, (file) => {
            check(openedFile(file));
            (0,external_node_fs_namespaceObject.ftruncateSync)(file);
            (0,external_node_fs_namespaceObject.writeFileSync)(file, text);
        });
    },
    read(path, check) {
        try {
            return use(path, external_node_fs_namespaceObject.constants.O_RDONLY, (file) => {
                const opened = openedFile(file);
                check(opened);
                return textOf(file, opened.bytes);
            });
        }
        catch {
            return undefined;
        }
    },
    list(folder) {
        try {
            return (0,external_node_fs_namespaceObject.readdirSync)(folder);
        }
        catch {
            return [];
        }
    },
};
function use(path, flags, task) {
    const file = (0,external_node_fs_namespaceObject.openSync)(path, flags | external_node_fs_namespaceObject.constants.O_NONBLOCK, 0o600);
    try {
        return task(file);
    }
    finally {
        (0,external_node_fs_namespaceObject.closeSync)(file);
    }
}
function openedFile(file) {
    const stats = (0,external_node_fs_namespaceObject.fstatSync)(file, { bigint: true });
    return { kind: kindOf(stats), bytes: Number(stats.size) };
}
function kindOf(stats) {
    if (isStdout(stats))
        return 'stdout';
    if (stats.isFile())
        return 'file';
    if (stats.isDirectory())
        return 'directory';
    if (stats.isCharacterDevice())
        return 'character_device';
    if (stats.isFIFO())
        return 'fifo';
    return stats.isSocket() ? 'socket' : 'block_device';
}
function isStdout({ dev, ino }) {
    try {
        const stdout = (0,external_node_fs_namespaceObject.fstatSync)(1, { bigint: true });
        return ino !== 0n && ino === stdout.ino && dev === stdout.dev;
    }
    catch {
        return false;
    }
}
function textOf(file, bytes) {
    const content = Buffer.alloc(bytes);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes; length += count) {
        count = (0,external_node_fs_namespaceObject.readSync)(file, content, length, bytes - length, length);
    }
    return content.toString('utf8', 0, length);
}
function endsTorn(path) {
    try {
        return use(path, external_node_fs_namespaceObject.constants.O_RDONLY, (file) => {
            const { size } = (0,external_node_fs_namespaceObject.fstatSync)(file);
            const last = Buffer.alloc(1);
            return size > 0 && (0,external_node_fs_namespaceObject.readSync)(file, last, 0, 1, size - 1) === 1 && last[0] !== LINE_FEED;
        });
    }
    catch {
        return false;
    }
}
const LINE_FEED = 0x0a;

;// CONCATENATED MODULE: ./build/action/node-version.js
const OLDEST = { major: 20, minor: 16 };
function nodeTooOld(version = process.versions.node) {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor))
        return undefined;
    return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}.`;
}

;// CONCATENATED MODULE: ./build/post.js




const guard = guardExit(0, '::warning title=run-pipeline::Other code in this process, probably loaded through NODE_OPTIONS, ended the post step early. Runs may still be in progress. Cancel them in the application.');
if (nodeTooOld() === undefined && !isAllSettled(process.env, systemFiles)) {
    void import(/* webpackIgnore: true */ '../start/index.js').then(({ startPost }) => startPost(guard));
}
else {
    guard.cutShort = undefined;
}

