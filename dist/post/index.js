import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 405:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  z: () => (/* binding */ isAllSettled)
});

;// CONCATENATED MODULE: ./build/action/environment.js
function inputOf(env, name) {
    return env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() ?? '';
}

;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
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
        .map((path) => ({ path, records: recordsInText(files.read(path) ?? '') }));
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


/***/ }),

/***/ 315:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  H: () => (/* binding */ systemFiles)
});

// UNUSED EXPORTS: fileRecord

;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
;// CONCATENATED MODULE: ./build/action/files.js

const systemFiles = {
    append: (path, text) => (0,external_node_fs_namespaceObject.appendFileSync)(path, endsTorn(path) ? `\n${text}` : text, { mode: 0o600 }),
    write: (path, text) => (0,external_node_fs_namespaceObject.writeFileSync)(path, text, { mode: 0o600 }),
    read(path) {
        try {
            return (0,external_node_fs_namespaceObject.readFileSync)(path, 'utf8');
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
function endsTorn(path) {
    try {
        const file = (0,external_node_fs_namespaceObject.openSync)(path, 'r');
        try {
            const { size } = (0,external_node_fs_namespaceObject.fstatSync)(file);
            const last = Buffer.alloc(1);
            return size > 0 && (0,external_node_fs_namespaceObject.readSync)(file, last, 0, 1, size - 1) === 1 && last[0] !== LINE_FEED;
        }
        finally {
            (0,external_node_fs_namespaceObject.closeSync)(file);
        }
    }
    catch {
        return false;
    }
}
const LINE_FEED = 0x0a;
const END = 'end_of_run_pipeline_value';
function fileRecord(key, value) {
    if (!/[\r\n]/.test(value))
        return `${key}=${value}\n`;
    if (value.split(/[\r\n]/).includes(END))
        throw new Error(`the output ${key} contains a line that ends it`);
    return `${key}<<${END}\n${value}\n${END}\n`;
}


/***/ }),

/***/ 756:
/***/ ((__webpack_module__, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(__webpack_module__, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var _action_all_settled_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(405);
/* harmony import */ var _action_files_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(315);


if (!(0,_action_all_settled_js__WEBPACK_IMPORTED_MODULE_0__/* .isAllSettled */ .z)(process.env, _action_files_js__WEBPACK_IMPORTED_MODULE_1__/* .systemFiles */ .H)) {
    const { startPost } = await import(/* webpackIgnore: true */ '../start/index.js');
    startPost();
}

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		// no module.id needed
/******/ 		// no module.loaded needed
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
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
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(756);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
