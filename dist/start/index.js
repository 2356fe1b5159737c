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

;// CONCATENATED MODULE: ./build/base/safe-text.js
function oneLine(text, longest = 500) {
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
function quoted(text, longest = 200) {
    return `"${oneLine(text, longest).replaceAll('"', "'")}"`;
}
function quotedName(name, longest = 200) {
    return quoted(name.replace(HIDDEN, escaped), longest);
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

;// CONCATENATED MODULE: ./build/run/gate.js
class Gate {
    #free;
    #queue = [];
    constructor(width) {
        this.#free = width;
    }
    async enter() {
        if (this.#free > 0)
            this.#free -= 1;
        else
            await new Promise((next) => this.#queue.push(next));
        return () => {
            const next = this.#queue.shift();
            if (next === undefined)
                this.#free += 1;
            else
                next();
        };
    }
    async through(task) {
        const leave = await this.enter();
        try {
            return await task();
        }
        finally {
            leave();
        }
    }
}

;// CONCATENATED MODULE: ./build/run/bounded.js

const WIDTH = 50;
function isTooLate(options) {
    return options?.signal?.aborted === true || (options?.withinMs?.() ?? Infinity) <= 0;
}
function bounded(service) {
    const gate = new Gate(WIDTH);
    const inTurn = (options, call) => gate.through(async () => isTooLate(options) ? { kind: 'aborted' } : call());
    return {
        connect: (options) => service.connect(options),
        list: (options) => service.list(options),
        trigger: (order, options) => service.trigger(order, options),
        read: (jobId, options) => inTurn(options, () => service.read(jobId, options)),
        cancel: (jobId, options) => inTurn(options, () => service.cancel(jobId, options)),
    };
}

;// CONCATENATED MODULE: ./build/base/clock.js
const systemClock = {
    now: () => performance.now(),
    wall: () => Date.now(),
    after(ms, task) {
        const timer = setTimeout(task, Math.min(ms, LONGEST_TIMER_MS));
        return () => clearTimeout(timer);
    },
};
const LONGEST_TIMER_MS = 2 ** 31 - 1;
function aborted(signal) {
    return new Promise((resolve) => {
        if (signal.aborted)
            resolve();
        else
            signal.addEventListener('abort', () => resolve(), { once: true });
    });
}
function pause(clock, ms, signal) {
    return new Promise((resolve) => {
        if (signal?.aborted) {
            resolve();
            return;
        }
        const done = () => {
            takeBack();
            signal?.removeEventListener('abort', done);
            resolve();
        };
        const takeBack = clock.after(Math.max(0, ms), done);
        signal?.addEventListener('abort', done);
    });
}

;// CONCATENATED MODULE: ./build/run/record.js

function recordEnd(parts, run) {
    if (run.standing.at !== 'ended')
        return;
    record(parts, run, { kind: 'settled', run: run.number, status: run.standing.status });
}
function loseRun(parts, run, problem) {
    run.standing = { at: 'lost', problem };
    record(parts, run, { kind: 'left', run: run.number });
}
function record(parts, run, entry) {
    try {
        parts.ledger.write(entry);
        run.unrecorded = undefined;
    }
    catch (error) {
        run.unrecorded = { remedy: fileRemedy(error) };
        const reason = error instanceof Error ? error.message : String(error);
        parts.observe({ type: 'ledger_failed', run, reason });
    }
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
function mayPass(failure) {
    return failure.kind === 'perhaps' || (failure.kind === 'not_processed' && !failure.hopeless);
}
function wishMs(outcome) {
    return outcome.retryAfterMs ?? 0;
}
function retryPauseMs(random, tried, failure) {
    return Math.max(wishMs(failure), backoffMs(random, tried));
}
function afterAllTries(problem) {
    return { ...problem, came: `${problem.came}, tried ${TRIES} times` };
}
async function retrying(parts, signal, call) {
    for (let tried = 0;; tried += 1) {
        if (signal.aborted)
            return { kind: 'aborted' };
        const outcome = await call();
        if (!isFailure(outcome) || !mayPass(outcome))
            return outcome;
        if (tried + 1 >= TRIES)
            return { ...outcome, problem: afterAllTries(outcome.problem) };
        const inMs = retryPauseMs(parts.random, tried, outcome);
        parts.observe({ type: 'retry', problem: outcome.problem, inMs });
        await pause(parts.clock, inMs, signal);
    }
}
const FAILURES = new Set([
    'not_processed',
    'perhaps',
    'unauthorized',
    'rejected',
    'key_refused',
    'aborted',
]);
function isFailure(outcome) {
    return FAILURES.has(outcome.kind);
}

;// CONCATENATED MODULE: ./build/run/settle-words.js

const NO_TIME = { attempted: 'cancel the run', came: 'there was no time left to ask' };
function trouble(answer) {
    if (isFailure(answer))
        return problemOf(answer);
    switch (answer.kind) {
        case 'accepted':
            return answer.problem;
        case 'unchanged':
            return {
                attempted: 'cancel the run',
                came: 'the service changed nothing, and no end of the run was seen',
            };
        case 'missing':
            return {
                attempted: 'confirm the cancel',
                came: 'the service shows no run of this id to this API key',
                remedy: 'Check that the API key belongs to the workspace of the run.',
            };
        case 'job':
            return { attempted: 'cancel the run', came: `its status is still ${answer.job.status}` };
    }
}
function problemOf(failure) {
    return failure.kind === 'aborted' ? undefined : failure.problem;
}

;// CONCATENATED MODULE: ./build/run/settle.js




const FREE_READS = 3;
const settle_BASE_MS = 400;
function noReads() {
    return { done: 0, lastAt: Number.NEGATIVE_INFINITY };
}
async function settleRun(jobId, settling) {
    const { clock } = settling;
    const { reads = noReads() } = settling;
    let missing = 0;
    let problem = NO_TIME;
    let rejection;
    for (let tried = 0; clock.now() < settling.until(); tried += 1) {
        const patched = await settling.service.cancel(jobId, bounds(settling));
        const answers = [patched];
        let last = patched;
        if (leavesOpen(patched) && mayRead(reads, settling)) {
            last = await settling.service.read(jobId, { ...bounds(settling), repeatIfTooLarge: true });
            answers.push(last);
            reads.done += 1;
            reads.lastAt = clock.now();
        }
        for (const answer of answers) {
            if (answer.kind === 'job')
                settling.onSeen(answer.job);
            if (isEnd(answer))
                return { kind: 'settled', job: answer.job };
        }
        problem = trouble(isFailure(patched) ? patched : last) ?? problem;
        if (last.kind === 'missing')
            missing += 1;
        else if (last.kind === 'job')
            missing = 0;
        if (last.kind === 'key_refused')
            rejection = last.problem;
        else if (!isFailure(last))
            rejection = undefined;
        if (missing >= (settling.mostMissing ?? Infinity))
            break;
        if (last.kind === 'aborted')
            continue;
        if (tried + 1 >= (settling.mostTries?.() ?? Infinity))
            break;
        const pauseMs = nextPauseMs(tried, last, settling);
        if (pauseMs >= settling.until() - clock.now())
            break;
        settling.onTrouble(problem);
        await pause(clock, pauseMs, settling.hurry.aborted ? undefined : settling.hurry);
    }
    return { kind: 'unsettled', problem: rejection ?? problem };
}
function bounds({ hurry, attemptMs, until, clock }) {
    const withinMs = () => Math.max(0, Math.min(attemptMs(), until() - clock.now()));
    return { withinMs, ...(!hurry.aborted && { signal: hurry }) };
}
function isEnd(answer) {
    return answer.kind === 'job' && isTerminal(answer.job.status);
}
function leavesOpen(patched) {
    return !isFailure(patched) && !isEnd(patched);
}
function mayRead(reads, settling) {
    return reads.done < FREE_READS || settling.clock.now() - reads.lastAt >= settling.pollIntervalMs;
}
function nextPauseMs(tried, answer, settling) {
    const own = settle_BASE_MS / 2 + backoffMs(settling.random, tried, settle_BASE_MS, settling.longestPauseMs());
    const lastChance = settling.until() - settling.clock.now() - settling.attemptMs();
    return Math.max(own, Math.min(wishMs(answer), lastChance));
}

;// CONCATENATED MODULE: ./build/run/run-state.js


function newRun(number, target) {
    return {
        number,
        target,
        pipeline: undefined,
        jobId: undefined,
        status: undefined,
        statusMessage: null,
        history: [],
        standing: { at: 'waiting' },
        stop: undefined,
        startedAt: undefined,
        endedAt: undefined,
        attached: false,
        unrecorded: undefined,
        confirming: noReads(),
        lastReadAt: undefined,
    };
}
function isOpen({ standing }) {
    return standing.at === 'waiting' || standing.at === 'triggering' || standing.at === 'in_progress';
}
const MOST_CHANGES = 200;
function noteStatus(run, status, now) {
    run.status = status;
    if (run.history.at(-1)?.status === status)
        return;
    run.history = [...run.history.slice(0, MOST_CHANGES - 1), { status, at: now }];
}
function takeOver(run, job, now) {
    noteStatus(run, job.status, now);
    run.statusMessage = job.statusMessage;
    if (!isTerminal(job.status))
        return false;
    run.standing = { at: 'ended', status: job.status };
    run.endedAt ??= now;
    return true;
}

;// CONCATENATED MODULE: ./build/run/stop.js
const REPORT_WITHIN_MS = 6_500;
const GIVE_UP_AFTER_MS = 9_300;
const LAST_WORD_MS = 100;
const UNHURRIED_SETTLING_MS = 60_000;
function stopBy(interruption, policy) {
    const { first } = interruption;
    return first && { reason: { kind: 'interrupted', by: first.by }, policy, at: first.at };
}
class StopSwitch {
    #controller = new AbortController();
    #stop;
    get signal() {
        return this.#controller.signal;
    }
    thrown() {
        return this.#stop;
    }
    throw(stop) {
        if (this.#stop !== undefined)
            return false;
        this.#stop = stop;
        this.#controller.abort();
        return true;
    }
}
function firstThrown(first, second) {
    return {
        signal: AbortSignal.any([first.signal, second.signal]),
        thrown: () => first.thrown() ?? second.thrown(),
    };
}
function settleBy(stop, from, interruption) {
    const interrupted = interruption.first;
    const unhurried = stop.reason.kind === 'interrupted' ? Infinity : from + UNHURRIED_SETTLING_MS;
    return Math.min(unhurried, interrupted === undefined ? Infinity : interrupted.at + GIVE_UP_AFTER_MS - LAST_WORD_MS);
}
function afterInterruption(clock, interruption, ms, task) {
    let takeBack;
    const arm = () => {
        const at = interruption.first?.at ?? clock.now();
        takeBack = clock.after(Math.max(0, at + ms - clock.now()), task);
    };
    if (interruption.signal.aborted)
        arm();
    else
        interruption.signal.addEventListener('abort', arm, { once: true });
    return () => {
        interruption.signal.removeEventListener('abort', arm);
        takeBack?.();
    };
}

;// CONCATENATED MODULE: ./build/run/cancel-run.js





const HURRIED = { attemptMs: 2_000, pauseMs: 1_000 };
const UNHURRIED = { attemptMs: 10_000, pauseMs: 8_000 };
async function cancelRun(run, stop, parts, mostTries = Infinity) {
    const { clock, interruption, plan } = parts;
    if (run.jobId === undefined)
        return;
    const from = clock.now();
    const pace = () => (interruption.first === undefined ? UNHURRIED : HURRIED);
    const settlement = await settleRun(run.jobId, {
        service: parts.service,
        clock,
        random: parts.random,
        until: () => settleBy(stop, from, interruption),
        attemptMs: () => pace().attemptMs,
        longestPauseMs: () => pace().pauseMs,
        pollIntervalMs: plan.pollIntervalMs,
        hurry: interruption.signal,
        mostTries: () => (interruption.first === undefined ? mostTries : Infinity),
        reads: run.confirming,
        onSeen: (job) => takeOver(run, job, clock.now()),
        onTrouble: (problem) => parts.observe({ type: 'settle_failed', run, problem }),
    });
    if (settlement.kind === 'unsettled')
        run.standing = { at: 'unsettled', problem: settlement.problem };
    recordEnd(parts, run);
}
async function cancelAgain(run, parts, alone) {
    const { clock, interruption, plan } = parts;
    const either = AbortSignal.any([alone, interruption.signal]);
    while (run.standing.at === 'unsettled' && run.stop !== undefined && !either.aborted) {
        parts.observe({ type: 'settle_failed', run, problem: run.standing.problem });
        await pause(clock, plan.pollIntervalMs, either);
        if (!alone.aborted)
            await cancelRun(run, run.stop, parts, 1);
    }
}

;// CONCATENATED MODULE: ./build/base/duration.js
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
function parseDuration(text) {
    if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/i.test(text))
        return undefined;
    let total = 0;
    for (const [, amount, unit] of text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
        if (!isUnit(unit))
            return undefined;
        total += Number(amount) * UNIT_MS[unit];
    }
    return Number.isFinite(total) ? Math.round(total) : undefined;
}
function isUnit(text) {
    return text !== undefined && Object.hasOwn(UNIT_MS, text);
}
function formatDuration(ms) {
    if (ms <= 0 || !Number.isFinite(ms))
        return '0s';
    if (ms < 1_000)
        return `${Math.round(ms)}ms`;
    if (ms < 10_000)
        return `${Math.floor(ms / 100) / 10}s`;
    const seconds = Math.floor(ms / 1_000);
    const parts = [
        [Math.floor(seconds / 86_400), 'd'],
        [Math.floor(seconds / 3_600) % 24, 'h'],
        [Math.floor(seconds / 60) % 60, 'm'],
        [seconds % 60, 's'],
    ];
    const first = parts.findIndex(([amount]) => amount > 0);
    return parts
        .slice(first, first + 2)
        .filter(([amount]) => amount > 0)
        .map(([amount, unit]) => `${amount}${unit}`)
        .join(' ');
}

;// CONCATENATED MODULE: ./build/run/await-run.js






const IN_A_ROW = 3;
const KEY_REJECTIONS = 3;
const KEY_REJECTED_FOR_MS = 60_000;
async function awaitRun(run, jobId, parts, stopSwitch, reads) {
    const { plan, clock } = parts;
    const begun = clock.now();
    const trouble = noTrouble(begun);
    let nextReadAt = reads.at;
    let delayMs = reads.delayAfterMs;
    const queuedTooLongAt = begun + (plan.queueTimeoutMs ?? Infinity);
    while (stopSwitch.thrown() === undefined) {
        await pause(clock, nextReadAt - clock.now(), stopSwitch.signal);
        if (stopSwitch.thrown() !== undefined)
            return;
        const outcome = await parts.service.read(jobId, { signal: stopSwitch.signal });
        const now = clock.now();
        run.lastReadAt = now;
        if (outcome.kind === 'job') {
            tellContact(run, trouble, parts);
            if (seen(run, outcome, parts))
                return;
            if (outcome.job.status === 'queued' && now >= queuedTooLongAt)
                throwQueueTimeout(parts, stopSwitch);
        }
        else if (outcome.kind === 'aborted' || stopSwitch.thrown() !== undefined) {
            return;
        }
        else if (giveUp(run, outcome, trouble, parts)) {
            return;
        }
        nextReadAt = now + Math.max(plan.pollIntervalMs + delayMs, wishMs(outcome));
        delayMs = 0;
    }
}
function seen(run, outcome, parts) {
    const from = run.status;
    const ended = takeOver(run, outcome.job, parts.clock.now());
    recordEnd(parts, run);
    if (from === run.status)
        parts.observe({ type: 'still', run });
    else
        parts.observe({ type: 'status', run, from, known: isKnownStatus(outcome.job.status) });
    return ended;
}
function tellContact(run, trouble, parts) {
    const now = parts.clock.now();
    if (trouble.told)
        parts.observe({ type: 'contact_again', run, afterMs: now - trouble.lastGoodAt });
    Object.assign(trouble, noTrouble(now));
}
function noTrouble(lastGoodAt) {
    return { lastGoodAt, kind: undefined, inARow: 0, bad: 0, told: false, keyRejections: 0, keyRejectedAt: 0 };
}
function giveUp(run, outcome, trouble, parts) {
    const problem = outcome.kind === 'missing' ? NOT_FOUND : outcome.problem;
    const kind = outcome.kind === 'missing' || outcome.kind === 'rejected' ? outcome.kind : undefined;
    trouble.inARow = kind === trouble.kind ? trouble.inARow + 1 : 1;
    trouble.kind = kind;
    trouble.bad += 1;
    const now = parts.clock.now();
    const sinceMs = now - trouble.lastGoodAt;
    const neverSeen = run.attached && run.status === undefined && outcome.kind === 'missing';
    const often = kind !== undefined && trouble.inARow >= IN_A_ROW;
    const keyRejectedForMs = outcome.kind === 'key_refused' ? noteKeyRejection(trouble, now) : 0;
    const keyIsWrong = trouble.keyRejections >= KEY_REJECTIONS && keyRejectedForMs >= KEY_REJECTED_FOR_MS;
    const hopeless = keyIsWrong || often || neverSeen;
    const outage = sinceMs >= parts.plan.maxOutageMs && trouble.bad > 1;
    if (hopeless || outage) {
        const howLong = often
            ? `, ${IN_A_ROW} times in a row`
            : outage
                ? `; no good answer for ${formatDuration(sinceMs)}`
                : keyIsWrong
                    ? `, ${trouble.keyRejections} times over ${formatDuration(keyRejectedForMs)}`
                    : '';
        loseRun(parts, run, { ...problem, came: `${problem.came}${howLong}` });
        return true;
    }
    trouble.told = true;
    parts.observe({ type: 'read_failed', run, problem, sinceMs });
    return false;
}
function noteKeyRejection(trouble, now) {
    if (trouble.keyRejections === 0)
        trouble.keyRejectedAt = now;
    trouble.keyRejections += 1;
    return now - trouble.keyRejectedAt;
}
const NOT_FOUND = {
    attempted: 'read the status of the run',
    came: 'the service knows no run of this id in the workspace of this API key',
    remedy: 'Check the id, and that the API key belongs to the workspace of the run.',
};
function throwQueueTimeout(parts, stopSwitch) {
    stopSwitch.throw({
        reason: { kind: 'queue_timeout', afterMs: parts.plan.queueTimeoutMs ?? 0 },
        policy: parts.plan.onTimeout,
        at: parts.clock.now(),
    });
}

;// CONCATENATED MODULE: ./build/run/resume.js






async function resumeRun(run, jobId, parts, stopSwitch) {
    const outcome = await readEarlier(run, jobId, parts, stopSwitch);
    if (outcome.kind === 'aborted' || (outcome.kind !== 'job' && stopSwitch.thrown() !== undefined))
        return true;
    if (outcome.kind !== 'job') {
        loseRun(parts, run, notReadable(jobId, outcome.kind === 'missing' ? NOT_FOUND : outcome.problem));
        return true;
    }
    if (!isWorthTaking(outcome.job, parts)) {
        parts.observe({ type: 'not_resumed', run, job: outcome.job });
        forget(run, parts);
        return false;
    }
    run.startedAt = parts.clock.now();
    takeOver(run, outcome.job, parts.clock.now());
    recordEnd(parts, run);
    parts.observe({ type: 'attached', run });
    return true;
}
function forget(run, parts) {
    run.attached = false;
    run.jobId = undefined;
    run.standing = { at: 'waiting' };
    run.lastReadAt = undefined;
    record(parts, run, { kind: 'refused', run: run.number });
}
function isWorthTaking({ status }, { plan }) {
    return !isTerminal(status) || plan.succeedOn.has(status);
}
async function readEarlier(run, jobId, parts, stopSwitch) {
    const { clock, plan } = parts;
    const until = clock.now() + plan.maxOutageMs;
    while (true) {
        const outcome = await parts.service.read(jobId, { signal: stopSwitch.signal });
        run.lastReadAt = clock.now();
        if (outcome.kind === 'job' || outcome.kind === 'missing')
            return outcome;
        if (outcome.kind !== 'unauthorized' && !mayPass(outcome))
            return outcome;
        const inMs = Math.max(plan.pollIntervalMs, wishMs(outcome));
        if (clock.now() + inMs > until)
            return outcome;
        parts.observe({ type: 'retry', problem: outcome.problem, inMs, run });
        await pause(clock, inMs, stopSwitch.signal);
        if (stopSwitch.thrown() !== undefined)
            return { kind: 'aborted' };
    }
}
function notReadable(jobId, problem) {
    const { remedy = 'Run this step again in a while.' } = problem;
    return {
        ...problem,
        attempted: `read the earlier run ${jobId}`,
        remedy: `It may be in progress, so no other one was triggered. ${remedy} Without job-id, a new run is triggered.`,
    };
}

;// CONCATENATED MODULE: ./build/run/trigger-run.js






async function triggerRun(run, pipeline, parts, stopSwitch) {
    let doubt;
    for (let tried = 0;; tried += 1) {
        const outcome = await send(run, pipeline, parts, stopSwitch);
        const isLast = tried + 1 >= TRIES;
        if (outcome.kind === 'queued') {
            run.jobId = outcome.jobId;
            noteStatus(run, 'queued', parts.clock.now());
            run.standing = { at: 'in_progress' };
            record(parts, run, { kind: 'queued', run: run.number, jobId: outcome.jobId });
            parts.observe({ type: 'queued', run });
            return;
        }
        if (outcome.kind === 'perhaps')
            doubt ??= outcome.problem;
        run.standing = doubt === undefined ? conclude(outcome) : { at: 'unknown', problem: doubt };
        if (isLast && run.standing.at === 'not_queued' && isRepeatable(outcome, parts)) {
            run.standing = { at: 'not_queued', problem: afterAllTries(outcome.problem) };
        }
        record(parts, run, { kind: doubt === undefined ? 'refused' : 'unknown', run: run.number });
        run.stop = stopSwitch.thrown();
        if (run.stop !== undefined || isLast || !isRepeatable(outcome, parts))
            return;
        const inMs = retryPauseMs(parts.random, tried, outcome);
        parts.observe({
            type: 'retry',
            problem: outcome.problem,
            inMs,
            run,
            mayDouble: outcome.kind === 'perhaps',
        });
        await pause(parts.clock, inMs, stopSwitch.signal);
    }
}
class HeldBack extends Error {
    name = 'HeldBack';
    why;
    constructor(why) {
        super(why.kind);
        this.why = why;
    }
}
const LONGEST_NAME = 200;
async function send(run, pipeline, parts, stopSwitch) {
    const { plan, clock, ledger } = parts;
    const onSend = () => {
        if (stopSwitch.thrown() !== undefined)
            throw new HeldBack({ kind: 'kept_back' });
        try {
            ledger.write({
                kind: 'intent',
                run: run.number,
                pipelineId: pipeline.id,
                pipelineName: pipeline.name === null ? null : shorten(pipeline.name, LONGEST_NAME),
                at: clock.wall(),
            });
        }
        catch (error) {
            throw new HeldBack({ kind: 'not_recorded', problem: notRecorded(error) });
        }
        run.standing = { at: 'triggering' };
        run.startedAt ??= clock.now();
    };
    if (stopSwitch.thrown() !== undefined)
        return { kind: 'kept_back' };
    try {
        const { fullResync, resetTarget } = plan;
        const order = { pipelineId: pipeline.id, fullResync, resetTarget };
        return await parts.service.trigger(order, { onSend, signal: stopSwitch.signal });
    }
    catch (error) {
        if (error instanceof HeldBack)
            return error.why;
        throw error;
    }
}
function notRecorded(error) {
    return {
        attempted: 'write down that a run is about to be triggered',
        came: error instanceof Error ? error.message : String(error),
        remedy: sentences('Without this record, a cancelled workflow could not cancel the run, so none was triggered.', fileRemedy(error), 'Run the step again.'),
    };
}
function isRepeatable(outcome, parts) {
    if (outcome.kind === 'perhaps')
        return parts.plan.retryTrigger === 'always';
    return outcome.kind === 'not_processed' && mayPass(outcome);
}
function conclude(outcome) {
    switch (outcome.kind) {
        case 'perhaps':
            return { at: 'unknown', problem: outcome.problem };
        case 'aborted':
        case 'kept_back':
            return { at: 'not_queued' };
        case 'no_credits':
            return { at: 'not_queued', problem: OUT_OF_CREDITS };
        case 'not_recorded':
        case 'not_processed':
        case 'unauthorized':
        case 'rejected':
        case 'key_refused':
            return { at: 'not_queued', problem: outcome.problem };
    }
}
const OUT_OF_CREDITS = {
    attempted: 'trigger the run',
    came: 'the account is out of sync credits',
    remedy: 'Add credits to the account of this API key, then run the step again.',
};

;// CONCATENATED MODULE: ./build/run/life.js








const LAST_READ_MS = 10_000;
function claim(run, jobId, parts) {
    run.attached = true;
    run.jobId = jobId;
    run.standing = { at: 'in_progress' };
    record(parts, run, { kind: 'attached', run: run.number, jobId });
}
async function beginRun({ run, stopSwitch }, parts, noMore) {
    const { pipeline, target } = run;
    if (target.kind === 'job')
        attach(run, parts);
    else if (target.kind === 'resume' && (await resumeRun(run, target.jobId, parts, stopSwitch)))
        return;
    else if (pipeline !== undefined)
        await triggerRun(run, pipeline, parts, firstThrown(stopSwitch, noMore));
}
function attach(run, parts) {
    run.startedAt = parts.clock.now();
    parts.observe({ type: 'attached', run });
}
async function finishRun({ run, stopSwitch }, parts, pace, allBegun) {
    const { jobId } = run;
    if (jobId === undefined || !isInProgress(run))
        return;
    if (parts.plan.wait)
        await awaitRun(run, jobId, parts, stopSwitch, firstReads(run, parts, pace));
    else
        await aborted(AbortSignal.any([allBegun, stopSwitch.signal]));
    const stop = stopSwitch.thrown();
    if (!parts.plan.wait && stop?.reason.kind !== 'interrupted')
        detach(run, parts);
    else if (stop !== undefined && isInProgress(run))
        await applyStop(run, stop, parts);
}
function detach(run, parts) {
    run.standing = { at: 'detached' };
    record(parts, run, { kind: 'detached', run: run.number });
}
function firstReads(run, parts, pace) {
    const now = parts.clock.now();
    if (run.lastReadAt !== undefined) {
        return { at: run.lastReadAt + parts.plan.pollIntervalMs, delayAfterMs: 0 };
    }
    if (run.attached)
        return { at: now, delayAfterMs: pace.delayAfterFirst() };
    return { at: pace.firstReadAt(now), delayAfterMs: 0 };
}
function isInProgress(run) {
    return run.standing.at === 'in_progress';
}
async function applyStop(run, stop, parts) {
    recordDecision(run, stop, parts);
    run.stop = stop;
    if (stop.reason.kind === 'timeout' && (await endedAfterAll(run, parts)))
        return;
    if (stop.policy === 'leave')
        run.standing = { at: 'left' };
    else
        await cancelRun(run, stop, parts);
}
function recordDecision(run, stop, parts) {
    if (stop.policy === 'leave')
        record(parts, run, { kind: 'left', run: run.number });
    else if (stop.reason.kind !== 'interrupted')
        record(parts, run, { kind: 'cancelling', run: run.number });
}
async function endedAfterAll(run, parts) {
    const { interruption, service, clock } = parts;
    if (run.jobId === undefined || interruption.first !== undefined)
        return false;
    const outcome = await service.read(run.jobId, {
        withinMs: () => LAST_READ_MS,
        repeatIfTooLarge: true,
        signal: interruption.signal,
    });
    run.lastReadAt = clock.now();
    if (outcome.kind !== 'job')
        return false;
    if (isTerminal(outcome.job.status))
        run.stop = undefined;
    return seen(run, outcome, parts);
}

;// CONCATENATED MODULE: ./build/run/outcome.js
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
    const { standing, stop } = run;
    switch (standing.at) {
        case 'ended':
            if (stop !== undefined)
                return stopped(run);
            return plan.succeedOn.has(standing.status) ? 'succeeded' : 'failed';
        case 'detached':
            return 'triggered';
        case 'tried':
            return 'dry_run';
        case 'unknown':
        case 'triggering':
            return 'unknown';
        case 'lost':
            return 'lost';
        case 'waiting':
        case 'not_queued':
            return stop === undefined ? 'not_triggered' : stopped(run);
        case 'in_progress':
        case 'left':
        case 'unsettled':
            return stop === undefined ? 'lost' : stopped(run);
    }
}
function stopped(run) {
    switch (run.stop?.reason.kind) {
        case 'timeout':
        case 'queue_timeout':
            return 'wait_timed_out';
        case 'fail_fast':
            return run.standing.at === 'not_queued' || run.standing.at === 'waiting'
                ? 'not_triggered'
                : 'cancelled';
        default:
            return 'cancelled';
    }
}
function statusOf(run) {
    switch (run.standing.at) {
        case 'waiting':
        case 'tried':
        case 'not_queued':
            return run.status ?? 'not_queued';
        case 'triggering':
        case 'unknown':
            return 'unknown';
        default:
            return run.status ?? 'unknown';
    }
}
function isSuccess(runs, plan, interrupted) {
    if (interrupted || runs.length === 0)
        return false;
    const good = new Set(['succeeded']);
    if (plan.dryRun)
        good.add('dry_run');
    else if (!plan.wait)
        good.add('triggered');
    return runs.every((run) => good.has(outcomeOf(run, plan)) && !isLetGoUnseen(run, plan));
}
function isForgotten({ unrecorded }, { onCancel }) {
    return unrecorded !== undefined && onCancel === 'cancel';
}
function isLetGoUnseen(run, plan) {
    return run.standing.at === 'detached' && isForgotten(run, plan);
}
function worstOutcome(runs, plan) {
    const outcomes = new Set(runs.map((run) => outcomeOf(run, plan)));
    return OUTCOMES.find((outcome) => outcomes.has(outcome)) ?? 'not_triggered';
}
const WORST_FIRST = ['unknown', 'not_queued', 'failed', 'timed_out', 'cancelled'];
const BEST_LAST = ['skipped', 'completed_with_warning', 'completed'];
function worstStatus(runs) {
    const statuses = runs.map(statusOf);
    const inProgress = statuses.find((status) => ![...WORST_FIRST, ...BEST_LAST].includes(status));
    const bad = WORST_FIRST.find((status) => statuses.includes(status));
    return bad ?? inProgress ?? BEST_LAST.find((status) => statuses.includes(status)) ?? 'not_queued';
}

;// CONCATENATED MODULE: ./build/run/pace.js
const FIRST_READ_MS = 2_000;
const FIRST_READ_PART = 15;
const FEW = 10;
function createPace(atOnce, pollIntervalMs) {
    if (atOnce <= FEW) {
        const soon = Math.min(FIRST_READ_MS, pollIntervalMs);
        return { firstReadAt: (now) => now + soon, delayAfterFirst: () => 0 };
    }
    const soon = Math.min(FIRST_READ_MS, pollIntervalMs / FIRST_READ_PART);
    const apart = (pollIntervalMs - soon) / atOnce;
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

;// CONCATENATED MODULE: ./build/run/try-out.js



async function tryOut(parts, watched) {
    for (const { run, stopSwitch } of watched) {
        if (stopSwitch.thrown() !== undefined) {
            run.standing = { at: 'not_queued' };
            run.stop = stopSwitch.thrown();
            continue;
        }
        run.standing = { at: 'tried' };
        if (run.target.kind !== 'pipeline')
            await look(run, run.target.jobId, parts, stopSwitch);
        parts.observe({ type: 'over', run });
    }
}
async function look(run, jobId, parts, stopSwitch) {
    const outcome = await readEarlier(run, jobId, parts, stopSwitch);
    if (outcome.kind === 'job') {
        run.jobId = jobId;
        takeOver(run, outcome.job, parts.clock.now());
        run.standing = { at: 'tried' };
        return;
    }
    run.stop = stopSwitch.thrown();
    if (outcome.kind === 'aborted') {
        run.standing = { at: 'not_queued' };
        return;
    }
    const problem = outcome.kind === 'missing' ? NOT_FOUND : outcome.problem;
    run.standing = { at: 'not_queued', problem: { ...problem, attempted: `read the run ${jobId}` } };
}

;// CONCATENATED MODULE: ./build/run/conduct.js









async function conductRuns(parts, watched, stopAll, over) {
    if (parts.plan.dryRun)
        return tryOut(parts, watched);
    armTimeout(parts, stopAll, over);
    const all = runAll(parts, watched, stopAll);
    nameThem(parts, watched, over).catch(() => undefined);
    return all;
}
async function runAll(parts, watched, stopAll) {
    const { plan } = parts;
    const allExist = watched.every(({ run }) => run.target.kind === 'job');
    const atOnce = allExist || !plan.wait ? watched.length : Math.min(plan.maxParallel, watched.length);
    const slots = new Gate(atOnce);
    const pace = createPace(atOnce, plan.pollIntervalMs);
    const lives = [];
    const allBegun = new AbortController();
    const alone = new AbortController();
    let awaited = watched.length;
    const noMore = new StopSwitch();
    const finish = async (each, leave) => {
        await guarded(parts, each, () => finishRun(each, parts, pace, allBegun.signal));
        leave();
        stopOthersAfter(each.run);
        awaited -= 1;
        if (awaited === 0)
            alone.abort();
        await guarded(parts, each, () => cancelAgain(each.run, parts, alone.signal));
        parts.observe({ type: 'over', run: each.run });
    };
    const stopOthersAfter = (run) => {
        if (noMore.thrown() !== undefined || !plan.failFast || isGood(run, parts))
            return;
        const failed = {
            reason: { kind: 'fail_fast', first: run },
            policy: plan.onCancel,
            at: parts.clock.now(),
        };
        noMore.throw(failed);
        if (plan.onCancel === 'cancel')
            stopAll(failed);
    };
    for (const each of watched) {
        const leave = await slots.enter();
        await guarded(parts, each, () => beginRun(each, parts, noMore));
        if (each.run.standing.at !== 'in_progress')
            stopOthersAfter(each.run);
        lives.push(finish(each, leave));
    }
    allBegun.abort();
    await Promise.all(lives);
}
function isGood(run, { plan }) {
    const outcome = outcomeOf(run, plan);
    return outcome === 'succeeded' || (outcome === 'triggered' && !plan.wait);
}
async function guarded(parts, each, life) {
    try {
        await life();
    }
    catch (error) {
        const came = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        const problem = {
            attempted: 'see to the run',
            came: `this action failed by itself (${came})`,
            remedy: REPORT_IT,
        };
        giveUpOn(parts, each.run, problem, each.stopSwitch.thrown());
    }
}
const REPORT_IT = 'This is a bug: please report it, with the log of a run with debug logging.';
function giveUpOn(parts, run, problem, stop) {
    if (run.standing.at === 'triggering') {
        run.standing = { at: 'unknown', problem };
    }
    else if (run.standing.at === 'waiting') {
        run.standing = { at: 'not_queued', problem };
    }
    else if (run.standing.at === 'in_progress' && stop?.policy === 'cancel') {
        run.stop = stop;
        run.standing = { at: 'unsettled', problem };
        recordDecision(run, stop, parts);
    }
    else if (run.standing.at === 'in_progress') {
        loseRun(parts, run, problem);
    }
}
async function nameThem(parts, watched, over) {
    const nameless = watched.filter(({ run }) => run.pipeline !== undefined && run.pipeline.name === null);
    if (nameless.length === 0)
        return;
    const signal = AbortSignal.any([over, parts.interruption.signal]);
    const listed = await parts.service.list({ signal, isAside: true });
    if (listed.kind !== 'pipelines' || signal.aborted)
        return;
    const names = new Map(listed.pipelines.map(({ id, name, apiName }) => [id, name ?? apiName]));
    for (const { run } of nameless) {
        const { pipeline } = run;
        const name = pipeline === undefined ? null : (names.get(pipeline.id) ?? null);
        if (pipeline === undefined || name === null)
            continue;
        run.pipeline = { id: pipeline.id, name };
        parts.observe({ type: 'named', run });
    }
}
function armTimeout(parts, stopAll, over) {
    const { timeoutMs, onTimeout } = parts.plan;
    if (timeoutMs === undefined || !parts.plan.wait)
        return;
    void pause(parts.clock, timeoutMs, over).then(() => {
        if (over.aborted)
            return;
        stopAll({
            reason: { kind: 'timeout', afterMs: timeoutMs },
            policy: onTimeout,
            at: parts.clock.now(),
        });
    });
}

;// CONCATENATED MODULE: ./build/run/settle-calmly.js

const HURRIED_MS = 6_500;
const ATTEMPT_MS = 10_000;
const HURRIED_ATTEMPT_MS = 2_000;
const LONGEST_PAUSE_MS = 15_000;
function settleCalmly(jobId, settling) {
    const { interruption, until } = settling;
    const isCalm = () => interruption.first === undefined;
    return settleRun(jobId, {
        ...settling,
        until: () => Math.min(until, (interruption.first?.at ?? Number.POSITIVE_INFINITY) + HURRIED_MS),
        attemptMs: () => (isCalm() ? ATTEMPT_MS : HURRIED_ATTEMPT_MS),
        longestPauseMs: () => (isCalm() ? LONGEST_PAUSE_MS : HURRIED_ATTEMPT_MS),
        hurry: interruption.signal,
    });
}

;// CONCATENATED MODULE: ./build/action/words.js



function postMayCancel({ unrecorded }) {
    return sentences('The post step may cancel it at the end of the job.', unrecorded?.remedy ?? '');
}
const CANCEL_THERE = 'Look at it in the application, and cancel it there.';
function nameOf(run) {
    const given = run.target.kind === 'job' ? run.target.jobId : run.target.pipeline;
    const name = run.pipeline?.name ?? given;
    const shown = oneLine(name, 80);
    return shown === '' ? 'a pipeline without a name' : shown;
}
function runOf(run) {
    if (run.target.kind === 'job')
        return `run ${run.target.jobId}`;
    return run.jobId === undefined ? `the run of ${nameOf(run)}` : `run ${run.jobId} of ${nameOf(run)}`;
}
function statusWord(status) {
    return oneLine(status ?? '', 60);
}
function failureOf(problem) {
    return withStop(`Could not ${oneLine(problem.attempted)}: ${oneLine(problem.came)}`);
}
function remedyOf({ remedy }) {
    return remedy === undefined ? [] : [oneLine(remedy, 600)];
}
function adviceOf(problem) {
    return remedyOf(problem)[0] ?? 'It may pass: run this step again in a while.';
}
function withStop(text) {
    return /[.!?…]$/.test(text) ? text : `${text}.`;
}
function cap(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}
function saidBy(run) {
    const said = oneLine(run.statusMessage ?? '', 300);
    return said === '' ? '' : `: ${said}`;
}
function afterHowLong(run) {
    if (run.startedAt === undefined || run.endedAt === undefined)
        return '';
    return ` after ${formatDuration(run.endedAt - run.startedAt)}`;
}
function reasonOf(stop) {
    const { reason } = stop;
    switch (reason.kind) {
        case 'interrupted':
            return `Interrupted by ${reason.by}`;
        case 'timeout':
            return `Not over within the timeout of ${formatDuration(reason.afterMs)}`;
        case 'queue_timeout':
            return `Not picked up by any agent within the queue-timeout of ${formatDuration(reason.afterMs)}`;
        case 'fail_fast':
            return `Stopped by fail-fast, after ${nameOf(reason.first)}`;
    }
}
function endedHow(status) {
    switch (status) {
        case 'completed':
            return 'completed';
        case 'completed_with_warning':
            return 'completed with warnings';
        case 'failed':
            return 'failed';
        case 'cancelled':
            return 'was cancelled';
        case 'timed_out':
            return 'ran into its time limit in the service';
        case 'skipped':
            return 'was skipped';
        default:
            return `has the status ${quoted(status, 60)}`;
    }
}

;// CONCATENATED MODULE: ./build/action/ending-stopped.js



const HEARTBEAT = 'Its agent stops at its next heartbeat, within seconds.';
function endedWhenStopped(run) {
    const cancelled = run.status === 'cancelled';
    const what = cancelled
        ? `${runOf(run)} was cancelled${inHowLong(run)}`
        : `${runOf(run)} ${endedHow(run.status ?? '')} before it could be cancelled`;
    return stoppedEnding(run, `${what}${cancelled ? '' : saidBy(run)}`, cancelled ? [HEARTBEAT] : []);
}
function stoppedEnding(run, what, advice) {
    const why = run.stop === undefined ? '' : `${reasonOf(run.stop)}: `;
    const level = run.stop?.reason.kind === 'interrupted' ? 'notice' : 'error';
    const line = withStop(why === '' ? cap(what) : `${why}${what}`);
    return { level, line, advice: [...advice, ...againstTimeouts(run)] };
}
function againstTimeouts({ stop }) {
    switch (stop?.reason.kind) {
        case 'timeout':
            return ['If the run needs longer than that, write more into timeout.'];
        case 'queue_timeout':
            return ['Check in the application that an agent is there and free, or write more into queue-timeout.'];
        default:
            return [];
    }
}
function inHowLong(run) {
    if (run.stop === undefined || run.endedAt === undefined)
        return '';
    const ms = run.endedAt - run.stop.at;
    return ms < 1_000 ? ' at once' : ` within ${formatDuration(ms)}`;
}
function left(run, plan) {
    const byTimeout = run.stop?.reason.kind === 'timeout' || run.stop?.reason.kind === 'queue_timeout';
    const input = byTimeout ? 'on-timeout' : 'on-cancel';
    return stoppedEnding(run, `${runOf(run)} is left running, because ${input} is leave`, [
        isForgotten(run, plan) ? postMayCancel(run) : howToGoOn(run),
    ]);
}
function unsettled(run, problem) {
    const what = `the cancel of ${runOf(run)} is not confirmed, and it may still be going on`;
    const ending = stoppedEnding(run, what, [
        ...(problem === undefined ? [] : [failureOf(problem), ...remedyOf(problem)]),
        run.stop === undefined ? CANCEL_THERE : 'The post step tries again at the end of the job.',
    ]);
    return { ...ending, level: 'error' };
}
function howToGoOn(run) {
    return run.target.kind === 'job' || run.jobId === undefined
        ? 'Run this step again to go on waiting for it.'
        : `To go on waiting for it, run this step again with job-id: ${run.jobId} beside pipeline; without that, a second run is triggered.`;
}

;// CONCATENATED MODULE: ./build/action/ending.js




const LOOK_FIRST = 'Look at the runs of this pipeline in the application before you run this step again: a second trigger is a second run.';
const GOES_ON = 'The run goes on: it was not cancelled.';
function endingOf(run, plan) {
    const { standing } = run;
    switch (standing.at) {
        case 'ended':
            return run.stop === undefined ? ended(run, plan) : endedWhenStopped(run);
        case 'detached':
            return detached(run, plan);
        case 'tried':
            return tried(run, plan);
        case 'not_queued':
        case 'waiting':
            return notQueued(run, standing.at === 'not_queued' ? standing.problem : undefined);
        case 'triggering':
        case 'unknown':
            return unknown(run, plan, standing.at === 'unknown' ? standing.problem : undefined);
        case 'lost':
            return lost(run, plan, standing.problem);
        case 'left':
            return left(run, plan);
        case 'unsettled':
            return unsettled(run, standing.problem);
        case 'in_progress':
            return run.stop === undefined ? lost(run, plan, undefined) : unsettled(run, undefined);
    }
}
function detached(run, plan) {
    if (isLetGoUnseen(run, plan)) {
        const line = `${cap(runOf(run))} is triggered, but that nobody waits for it could not be written down on this runner.`;
        return { level: 'error', line, advice: [postMayCancel(run)] };
    }
    const how = run.attached ? `goes on; its status is ${statusWord(run.status)}` : 'is queued';
    return {
        level: undefined,
        line: `${cap(runOf(run))} ${how}. It is not waited for, because wait is false.`,
        advice: [],
    };
}
function ended(run, plan) {
    const status = run.status ?? '';
    const line = withStop(`${cap(runOf(run))} ${endedHow(status)}${afterHowLong(run)}${saidBy(run)}`);
    if (outcomeOf(run, plan) === 'succeeded') {
        const level = { completed_with_warning: 'warning', skipped: 'notice' };
        return { level: status in level ? level[status] : undefined, line, advice: [] };
    }
    const good = [...plan.succeedOn].join(', ');
    const advice = status === 'failed' || status === 'timed_out'
        ? ['Open the run in the application for its log; once the cause is fixed, run this step again.']
        : [`This counts as a failure because succeed-on is ${good}.`];
    return { level: 'error', line, advice };
}
function tried(run, plan) {
    if (run.status === undefined) {
        const drops = plan.resetTarget ? ', and its tables dropped first' : '';
        return { level: undefined, line: `A run of ${nameOf(run)} would be triggered${drops}.`, advice: [] };
    }
    const line = withStop(`${cap(runOf(run))} ${endedHow(run.status)}${saidBy(run)}`);
    return { level: undefined, line, advice: [] };
}
function notQueued(run, problem) {
    if (problem !== undefined && run.target.kind === 'job') {
        return { level: 'error', line: failureOf(problem), advice: [adviceOf(problem)] };
    }
    if (problem !== undefined) {
        return {
            level: 'error',
            line: `No run of ${nameOf(run)} was triggered. ${failureOf(problem)}`,
            advice: ['Nothing is queued.', adviceOf(problem)],
        };
    }
    return run.target.kind === 'job'
        ? stoppedEnding(run, `${runOf(run)} was left as it is`, [])
        : stoppedEnding(run, `no run of ${nameOf(run)} was triggered`, ['Nothing is queued.']);
}
function unknown(run, plan, problem) {
    const came = problem === undefined ? 'no answer had come when this step had to end' : oneLine(problem.came);
    const dropping = plan.resetTarget ? ['It may be dropping tables right now.'] : [];
    const howMany = plan.retryTrigger === 'always'
        ? 'retry-trigger is always, so there may be several. Without their ids they cannot be cancelled from here.'
        : 'It was not triggered again, and without its id it cannot be cancelled from here.';
    return {
        level: 'error',
        line: withStop(`A run of ${nameOf(run)} may be going on, because its trigger was not confirmed: ${came}`),
        advice: [...dropping, howMany, LOOK_FIRST],
    };
}
function lost(run, plan, problem) {
    if (run.attached && run.status === undefined && problem !== undefined) {
        const attempted = run.target.kind === 'resume' ? problem.attempted : `await ${runOf(run)}`;
        return { level: 'error', line: failureOf({ ...problem, attempted }), advice: [adviceOf(problem)] };
    }
    const why = problem === undefined ? '' : ` ${failureOf(problem)}`;
    return {
        level: 'error',
        line: `Lost contact with ${runOf(run)}.${why}`,
        advice: [
            isForgotten(run, plan) ? postMayCancel(run) : GOES_ON,
            ...(problem === undefined ? [] : remedyOf(problem)),
            howToGoOn(run),
        ],
    };
}

;// CONCATENATED MODULE: ./build/base/address.js
const LONGEST = 2_000;
const TRAILING_SLASHES = /(?<!\/)\/+$/;
function checkAddress(text, allowHttp = isLoopback) {
    const trimmed = text.trim();
    if (trimmed.length > LONGEST)
        return { ok: false, why: `is longer than ${LONGEST} characters` };
    if (!URL.canParse(trimmed))
        return { ok: false, why: 'is not a URL' };
    const url = new URL(trimmed);
    if (url.username !== '' || url.password !== '')
        return { ok: false, why: 'contains credentials' };
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        return { ok: false, why: 'does not begin with https://' };
    }
    if (url.search !== '' || trimmed.includes('?'))
        return { ok: false, why: 'contains a query' };
    if (url.hash !== '' || trimmed.includes('#'))
        return { ok: false, why: 'contains a fragment' };
    if (url.protocol === 'http:' && !allowHttp(url)) {
        return { ok: false, why: 'is not https, and its host is not this machine' };
    }
    if (url.hostname.startsWith('127.') && !isLoopback(url)) {
        return { ok: false, why: 'has a host name that looks like an address of this machine' };
    }
    url.pathname = url.pathname.replace(TRAILING_SLASHES, '');
    return { ok: true, url };
}
function isLoopback(url) {
    const host = url.hostname;
    return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
function withoutBrackets(hostname) {
    return hostname.replace(/[[\]]/g, '');
}
function under(base, pathAndQuery) {
    return new URL(base.href.replace(TRAILING_SLASHES, '') + pathAndQuery);
}

;// CONCATENATED MODULE: ./build/action/environment.js
function inputOf(env, name) {
    return env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`]?.trim() ?? '';
}

;// CONCATENATED MODULE: ./build/action/input-table.js
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
    'max-parallel': {},
    'fail-fast': { default: 'false' },
    'retry-trigger': { default: 'safe' },
    'max-outage': { default: '15m' },
    'run-url': {},
    'dry-run': { default: 'false' },
    summary: { default: 'true' },
    'internal-job-status': { default: '${{ job.status }}' },
};
function defaultOf(name) {
    const input = INPUTS[name];
    return 'default' in input ? input.default : '';
}

;// CONCATENATED MODULE: ./build/action/input-reader.js




const LONGEST_MS = 24 * 86_400_000;
const SHORTEST_SECRET = 8;
const TRUE = ['true', 'True', 'TRUE'];
const FALSE = ['false', 'False', 'FALSE'];
class InputReader {
    mistakes = [];
    #env;
    #withKey = new Set();
    constructor(env) {
        this.#env = env;
    }
    mistake(name, whatAndHow) {
        if (this.#withKey.has(name))
            return;
        this.mistakes.push(`Input ${name} ${whatAndHow}`);
    }
    text(name) {
        const given = inputOf(this.#env, name);
        if (name !== 'api-key' && this.#holdsKey(given)) {
            this.mistake(name, 'contains the API key, and would be shown. Write the key into api-key alone.');
            this.#withKey.add(name);
            return defaultOf(name);
        }
        return given === '' ? defaultOf(name) : given;
    }
    #holdsKey(given) {
        const key = inputOf(this.#env, 'api-key');
        return key.length >= SHORTEST_SECRET && given.includes(key);
    }
    isGiven(name) {
        return inputOf(this.#env, name) !== '';
    }
    isDefault(name) {
        return this.text(name) === defaultOf(name);
    }
    boolean(name) {
        const text = this.text(name);
        if (TRUE.includes(text))
            return true;
        if (!FALSE.includes(text))
            this.mistake(name, `is ${quoted(text)}. Write true or false.`);
        return false;
    }
    choice(name, choices) {
        const text = this.text(name);
        const chosen = choices.find((choice) => choice === text);
        if (chosen === undefined)
            this.mistake(name, `is ${quoted(text)}. Write ${listed(choices, 'or')}.`);
        return chosen ?? choices[0];
    }
    duration(name) {
        const text = this.text(name);
        if (text === '')
            return undefined;
        const ms = parseDuration(text);
        if (ms !== undefined && ms > 0 && ms <= LONGEST_MS)
            return ms;
        if (ms !== undefined) {
            const why = ms === 0 ? 'no time at all' : `more than ${formatDuration(LONGEST_MS)}`;
            this.mistake(name, `is ${quoted(text)}, which is ${why}. ${leaveOutHint(name)}`);
        }
        else if (/^\d+(?:\.\d+)?$/.test(text)) {
            this.mistake(name, `is ${quoted(text)}, without a unit. Write ${text}s, ${text}m or ${text}h.`);
        }
        else {
            this.mistake(name, `is ${quoted(text)}. Write a duration such as 90s, 15m or 1h30m.`);
        }
        return undefined;
    }
    list(name) {
        return this.text(name)
            .split(/[,\r\n]/)
            .map((entry) => entry.trim())
            .filter((entry) => entry !== '');
    }
    lines(name) {
        return this.text(name)
            .split(/\r\n|\r|\n/)
            .map((line) => line.trim())
            .filter((line) => line !== '');
    }
}
function listed(words, before) {
    const last = words.at(-1) ?? '';
    return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${before} ${last}`;
}
function leaveOutHint(name) {
    return defaultOf(name) === ''
        ? 'Write a duration such as 45m, or leave it out for no limit.'
        : `Write a duration such as ${defaultOf(name)}.`;
}

;// CONCATENATED MODULE: ./build/action/links.js



const PLACEHOLDERS = ['job-id', 'pipeline-id'];
const links_LONGEST = 2_000;
const SAMPLE_ID = '00000000-0000-4000-8000-000000000000';
const REMEDY = 'Write the address of a run in the application, with {job-id} where its id belongs, such as https://app.example.com/runs/{job-id}.';
function readRunUrl(read) {
    const text = read.text('run-url');
    if (text === '')
        return undefined;
    const wrong = mistakeIn(text);
    if (wrong === undefined)
        return text;
    read.mistake('run-url', `${text.includes('@') ? wrong : `is ${quoted(text)}, which ${wrong}`}. ${REMEDY}`);
    return undefined;
}
function mistakeIn(template) {
    if (template.length > links_LONGEST)
        return `is longer than ${links_LONGEST} characters`;
    if (/\s/.test(template))
        return 'contains white space';
    const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
    const strange = names.find((name) => !PLACEHOLDERS.some((known) => known === name));
    const known = listed(PLACEHOLDERS.map((name) => `{${name}}`), 'and');
    if (strange !== undefined)
        return `names ${quoted(`{${strange}}`, 60)}, and only ${known} are known`;
    if (names.length === 0)
        return 'names no run';
    const filled = fill(template, SAMPLE_ID, SAMPLE_ID);
    if (/[{}]/.test(filled))
        return 'has a brace without its counterpart';
    if (!URL.canParse(filled))
        return 'is not a URL';
    const url = new URL(filled);
    if (url.username !== '' || url.password !== '')
        return 'contains credentials';
    if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
        return undefined;
    return url.protocol === 'http:'
        ? 'is not https, and its host is not this machine'
        : 'does not begin with https://';
}
function fill(template, jobId, pipelineId) {
    return template.replaceAll('{job-id}', jobId).replaceAll('{pipeline-id}', pipelineId);
}
function linkTo(run, template) {
    if (template === undefined)
        return undefined;
    const { jobId, pipeline } = run;
    if (jobId === undefined || (pipeline === undefined && template.includes('{pipeline-id}')))
        return undefined;
    return new URL(fill(template, jobId, pipeline?.id ?? '')).href;
}

;// CONCATENATED MODULE: ./build/action/annotations.js



const MOST_ANNOTATIONS = 8;
const annotations_WORST_FIRST = ['error', 'warning', 'notice'];
function endingsOf(runs, plan, runUrl) {
    return [...runs.filter(mayBeInProgress), ...runs.filter((run) => !mayBeInProgress(run))].map((run) => ({
        name: nameOf(run),
        ending: endingOf(run, plan),
        link: linkTo(run, runUrl),
        openId: mayBeInProgress(run) ? run.jobId : undefined,
    }));
}
function mayBeInProgress({ standing }) {
    return ['triggering', 'unknown', 'unsettled', 'in_progress', 'lost', 'left'].includes(standing.at);
}
function annotateEndings(endings, toolkit, print) {
    const needy = annotations_WORST_FIRST.flatMap((level) => endings.filter(({ ending }) => ending.level === level));
    const shown = needy.length > MOST_ANNOTATIONS ? needy.slice(0, MOST_ANNOTATIONS - 1) : needy;
    for (const { name, ending, link } of shown) {
        if (ending.level === undefined)
            continue;
        toolkit.annotate(ending.level, `run-pipeline: ${name}`, textOf(ending, link).join('\n'));
    }
    const rest = needy.slice(shown.length);
    const [worst] = rest;
    if (worst?.ending.level === undefined)
        return;
    const names = rest.slice(0, 20).map(({ name }) => name);
    const more = rest.length > names.length ? ' and others' : '';
    toolkit.annotate(worst.ending.level, `run-pipeline: ${rest.length} more runs`, `${rest.length} more runs need attention: ${names.join(', ')}${more}. The log says of each how it ended.`);
    const openIds = endings.flatMap(({ openId }) => openId ?? []);
    if (openIds.length > 0)
        print(`Runs that may still be in progress: ${openIds.join(', ')}`);
    for (const { ending, link } of rest)
        print(textOf(ending, link).join(' '));
}
function annotateProblems(sentences, toolkit, print) {
    const title = 'run-pipeline: nothing was triggered';
    const shown = sentences.length > MOST_ANNOTATIONS ? sentences.slice(0, MOST_ANNOTATIONS - 1) : sentences;
    for (const text of shown)
        toolkit.annotate('error', title, text);
    const rest = sentences.slice(shown.length);
    if (rest.length > 0)
        toolkit.annotate('error', title, `${rest.length} more problems are in the log.`);
    for (const text of rest)
        print(text);
}
function textOf({ line, advice }, link) {
    return [line, ...advice, ...(link === undefined ? [] : [link])];
}

;// CONCATENATED MODULE: ./build/action/api-key.js
function mistakeInKey(key) {
    if (key === '') {
        return {
            what: 'is empty',
            how: 'Pass a secret, such as api-key: ${{ secrets.PIPELINE_API_KEY }}. Secrets do not reach workflows that run ' +
                'for a pull request from a fork or from Dependabot, and a secret of an environment reaches only jobs that ' +
                'name that environment.',
        };
    }
    if (/\s/.test(key)) {
        return {
            what: 'has white space or a line break inside',
            how: 'Store the key again, as one line with nothing around it.',
        };
    }
    if (key.startsWith('eyJ')) {
        return {
            what: 'is a legacy API key (it begins with eyJ), which the service does not accept here',
            how: 'Create a new one under Settings → API Keys: it begins with ak_.',
        };
    }
    if (!key.startsWith('ak_')) {
        return {
            what: 'is not an API key: it does not begin with ak_',
            how: 'Create one under Settings → API Keys, and store it as a secret.',
        };
    }
    if (key === 'ak_' || !/^[\x21-\x7e]+$/.test(key)) {
        return {
            what: key === 'ak_' ? 'ends after ak_' : 'has a character in it that no API key has',
            how: 'Store the key again, exactly as it was shown when it was created.',
        };
    }
    return undefined;
}

;// CONCATENATED MODULE: ./build/action/idle-inputs.js
function idleInputs(read, plan) {
    const said = new Set();
    return reasons(plan).flatMap(([because, names]) => {
        const idle = names.filter((name) => read.isGiven(name) && !read.isDefault(name) && !said.has(name));
        for (const name of idle)
            said.add(name);
        return idle.map((name) => `Input ${name} has no effect with ${because}.`);
    });
}
function reasons(plan) {
    const { targets, dryRun, wait, timeoutMs, queueTimeoutMs } = plan;
    const isOne = targets.length <= 1;
    const allExist = targets.every(({ kind }) => kind === 'job');
    const looks = targets.some(({ kind }) => kind !== 'pipeline');
    const ofReads = ['poll-interval', 'max-outage'];
    const ofWaiting = ['timeout', 'queue-timeout', 'on-timeout'];
    const reasons = [
        [dryRun, 'dry-run: true', ['wait', ...ofWaiting, 'on-cancel', 'succeed-on', 'retry-trigger']],
        [dryRun, 'dry-run: true', ['max-parallel', 'fail-fast', ...(looks ? [] : ofReads)]],
        [
            !wait,
            'wait: false',
            [...ofWaiting, 'max-parallel', ...(looks ? [] : ['succeed-on', ...ofReads])],
        ],
        [isOne, 'one run', ['max-parallel', 'fail-fast']],
        [allExist && targets.length > 0, 'job-id alone', ['max-parallel', 'retry-trigger']],
        [
            timeoutMs === undefined && queueTimeoutMs === undefined,
            'neither timeout nor queue-timeout',
            ['on-timeout'],
        ],
    ];
    return reasons.flatMap(([holds, because, names]) => holds ? [[because, names]] : []);
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

;// CONCATENATED MODULE: ./build/action/target-inputs.js



const MOST_RUNS = 1_000;
function readTargets(read) {
    const pipelines = read.lines('pipeline');
    const jobIds = readJobIds(read);
    if (!read.isGiven('pipeline') && !read.isGiven('job-id')) {
        read.mistake('pipeline', "is empty. Write a pipeline's API name, its name or its UUID, or give job-id to await a run that exists.");
    }
    refuseTooManyOrTwice(read, 'pipeline', pipelines);
    refuseTooManyOrTwice(read, 'job-id', jobIds);
    const [pipeline] = pipelines;
    if (pipeline === undefined)
        return jobIds.map((jobId) => ({ kind: 'job', jobId }));
    const [jobId, another] = jobIds;
    if (jobId === undefined)
        return pipelines.map((each) => ({ kind: 'pipeline', pipeline: each }));
    if (pipelines.length > 1 || another !== undefined) {
        read.mistake('job-id', `names ${counted(jobIds.length, 'run')} beside ${counted(pipelines.length, 'pipeline')}. To resume, write one run and one pipeline; to await runs, leave out pipeline.`);
    }
    return [{ kind: 'resume', pipeline, jobId }];
}
function readJobIds(read) {
    const lines = read.lines('job-id');
    const wrong = lines.filter((line) => asUuid(line) === undefined);
    if (wrong.length > 0) {
        const shown = listed(wrong.map((line) => quoted(line, 80)), 'and');
        read.mistake('job-id', `has ${shown}. Write ids of runs, one per line, as the output job-id gives them.`);
    }
    return lines.flatMap((line) => asUuid(line) ?? []);
}
function refuseTooManyOrTwice(read, name, lines) {
    if (lines.length > MOST_RUNS) {
        read.mistake(name, `has ${lines.length} lines. Write at most ${MOST_RUNS}, and a step for the others.`);
    }
    const twice = lines.find((line, index) => lines.indexOf(line) !== index);
    if (twice !== undefined)
        read.mistake(name, `has ${quoted(twice, 80)} more than once. Write it once.`);
}
function counted(count, noun) {
    return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

;// CONCATENATED MODULE: ./build/action/plan-inputs.js






const SHORTEST_POLL_MS = 30_000;
function readPlan(read, baseUrl) {
    const targets = readTargets(read);
    const plan = {
        targets,
        fullResync: read.boolean('full-resync'),
        resetTarget: read.boolean('reset-target'),
        retryTrigger: read.choice('retry-trigger', ['safe', 'always']),
        wait: read.boolean('wait'),
        dryRun: read.boolean('dry-run'),
        maxParallel: readMaxParallel(read),
        failFast: read.boolean('fail-fast'),
        pollIntervalMs: readPollInterval(read, baseUrl),
        timeoutMs: read.duration('timeout'),
        queueTimeoutMs: read.duration('queue-timeout'),
        onTimeout: readOnStop(read, 'on-timeout', targets),
        onCancel: readOnStop(read, 'on-cancel', targets),
        succeedOn: readSucceedOn(read),
        maxOutageMs: read.duration('max-outage') ?? 0,
    };
    refuseWhatDropsTooMuch(read, plan);
    refuseWhatMisleads(read, plan);
    return plan;
}
function refuseWhatDropsTooMuch(read, plan) {
    if (!plan.resetTarget)
        return;
    if (!plan.fullResync) {
        read.mistake('reset-target', 'is true, but full-resync is not: the tables would be dropped, and then filled with only what is new. Set full-resync: true as well, or leave out reset-target.');
    }
    if (plan.retryTrigger === 'always') {
        read.mistake('reset-target', 'is true together with retry-trigger: always, which may drop the tables twice. Set retry-trigger: safe.');
    }
    if (plan.targets.length > 1) {
        read.mistake('reset-target', `is true for ${plan.targets.length} pipelines. Write one pipeline, so that it is plain whose tables are dropped.`);
    }
}
function refuseWhatMisleads(read, plan) {
    if (plan.targets.length === 0 || plan.targets.some(({ kind }) => kind !== 'job'))
        return;
    const why = 'but job-id alone awaits a run that exists, which it cannot change';
    if (plan.fullResync)
        read.mistake('full-resync', `is true, ${why}. Leave it out, or give pipeline as well.`);
    if (plan.resetTarget)
        read.mistake('reset-target', `is true, ${why}. Leave it out, or give pipeline as well.`);
    if (!plan.wait)
        read.mistake('wait', 'is false, but with job-id alone there is nothing to do but wait. Leave it out.');
}
function readOnStop(read, name, targets) {
    if (read.isGiven(name))
        return read.choice(name, ['cancel', 'leave']);
    return targets.length > 0 && targets.every(({ kind }) => kind === 'job') ? 'leave' : 'cancel';
}
function readMaxParallel(read) {
    const text = read.text('max-parallel');
    if (text === '')
        return Number.POSITIVE_INFINITY;
    const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (count < 1) {
        read.mistake('max-parallel', `is ${quoted(text)}. Write a whole number from 1, or leave it out for all at once.`);
    }
    return Math.max(1, count);
}
function readPollInterval(read, baseUrl) {
    const ms = read.duration('poll-interval') ?? SHORTEST_POLL_MS;
    const isSandbox = baseUrl !== undefined && isLoopback(baseUrl);
    if (ms < SHORTEST_POLL_MS && !isSandbox) {
        read.mistake('poll-interval', `is ${quoted(read.text('poll-interval'))}, but the service allows no more than one read in ${formatDuration(SHORTEST_POLL_MS)}. Write 30s or more.`);
    }
    return ms;
}
function readSucceedOn(read) {
    const statuses = read.list('succeed-on');
    const known = TERMINAL_STATUSES.filter((status) => statuses.includes(status));
    const unknown = statuses.filter((status) => !TERMINAL_STATUSES.some((other) => other === status));
    const all = listed(TERMINAL_STATUSES, 'and');
    if (unknown.length > 0) {
        const shown = listed(unknown.map((status) => quoted(status)), 'and');
        read.mistake('succeed-on', `names ${shown}. Write statuses in which a run ends: ${all}.`);
    }
    else if (known.length === 0) {
        read.mistake('succeed-on', `names no status. Write some of ${all}.`);
    }
    return new Set(known);
}

;// CONCATENATED MODULE: ./build/base/proxy.js
function checkProxy(env, protocol) {
    let isPlain = true;
    for (const [variable, given = ''] of protocol === 'https:' ? forHttps(env) : forHttp(env)) {
        const value = given.trim();
        const address = value.includes('://') ? value : `http://${value}`;
        isPlain &&= given === '' || given === address;
        if (value === '')
            continue;
        const why = proxy_mistakeIn(address);
        return why === undefined ? { ok: true, url: new URL(address), isPlain } : { ok: false, variable, why };
    }
    return { ok: true, url: undefined, isPlain };
}
function forHttps(env) {
    return [
        ['https_proxy', env['https_proxy']],
        ['HTTPS_PROXY', env['HTTPS_PROXY']],
    ];
}
function forHttp(env) {
    return [
        ['http_proxy', env['http_proxy']],
        ['HTTP_PROXY', env['HTTP_PROXY']],
    ];
}
function proxy_mistakeIn(address) {
    if (!/^https?:\/\//i.test(address))
        return 'does not begin with http:// or https://';
    if (!URL.canParse(address))
        return 'is not a valid address';
    const { username, password, pathname, search, hash } = new URL(address);
    if (pathname !== '/' || search !== '' || hash !== '' || /[?#]$/.test(address)) {
        return 'contains a path, a query or a fragment';
    }
    return isEncoded(username) && isEncoded(password)
        ? undefined
        : 'contains a % that is not part of a percent-encoded character';
}
function isEncoded(text) {
    try {
        decodeURIComponent(text);
        return true;
    }
    catch {
        return false;
    }
}

;// CONCATENATED MODULE: ./build/action/proxy.js


function mistakeInProxy(env) {
    const proxy = checkProxy(env, 'https:');
    if (proxy.ok)
        return undefined;
    return {
        what: `the environment variable ${proxy.variable} ${proxy.why}`,
        how: 'Write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, with the special characters of the password percent-encoded.',
    };
}
function readProxy(read, env) {
    const wrong = mistakeInProxy(env);
    if (wrong !== undefined)
        read.mistakes.push(`${cap(wrong.what)}. ${wrong.how}`);
}

;// CONCATENATED MODULE: ./build/action/inputs.js








function readSettings(env) {
    const read = new InputReader(env);
    const apiKey = readKey(read);
    const baseUrl = readBaseUrl(read);
    readProxy(read, env);
    const plan = readPlan(read, baseUrl);
    const summary = read.boolean('summary');
    const runUrl = readRunUrl(read);
    if (baseUrl === undefined || read.mistakes.length > 0)
        return { ok: false, mistakes: read.mistakes };
    const jobStatus = read.text('internal-job-status');
    const idle = idleInputs(read, plan);
    return { ok: true, settings: { apiKey, baseUrl, plan, summary, runUrl, jobStatus, idle } };
}
function readKey(read) {
    const apiKey = read.text('api-key');
    const wrongKey = mistakeInKey(apiKey);
    if (wrongKey !== undefined)
        read.mistake('api-key', `${wrongKey.what}. ${wrongKey.how}`);
    return apiKey;
}
function readBaseUrl(read) {
    const text = read.text('base-url');
    if (text === '') {
        read.mistake('base-url', 'is empty. Write the address of the service, such as https://app.example.com.');
        return undefined;
    }
    const checked = checkAddress(text);
    if (checked.ok)
        return checked.url;
    const what = text.includes('@') ? checked.why : `is ${quoted(text)}, which ${checked.why}`;
    read.mistake('base-url', `${what}. Write the address of the service alone, such as https://app.example.com.`);
    return undefined;
}

;// CONCATENATED MODULE: ./build/action/cancel-inputs.js




const CANCEL_INPUTS = {
    'api-key': { required: true },
    'base-url': { required: true },
    'job-id': {},
};
function readCancelSettings(env) {
    const read = new InputReader(env);
    readKey(read);
    const baseUrl = readBaseUrl(read);
    readProxy(read, env);
    const jobIds = [...new Set(readJobIds(read))];
    if (baseUrl === undefined || read.mistakes.length > 0)
        return { ok: false, mistakes: read.mistakes };
    return { ok: true, baseUrl, jobIds };
}

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
            throw new UnsuitableFile(`${quoted(path)} is too large`);
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
        throw new UnsuitableFile(`${quoted(path)} is ${NAMES[kind]}`);
}

;// CONCATENATED MODULE: ./build/action/file-record.js
const END = 'end_of_run_pipeline_value';
function fileRecord(key, value) {
    if (!/[\r\n]/.test(value))
        return `${key}=${value}\n`;
    if (value.split(/[\r\n]/).includes(END))
        throw new Error(`the output ${key} contains a line that ends it`);
    return `${key}<<${END}\n${value}\n${END}\n`;
}

;// CONCATENATED MODULE: ./build/action/outputs.js




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
    return {
        'job-id': run.jobId ?? '',
        'job-status': oneLine(statusOf(run), 100),
        outcome: outcomeOf(run, plan),
        message: oneLine(message, 1_000),
        'status-message': oneLine(run.statusMessage ?? '', 1_000),
        'pipeline-id': run.pipeline?.id ?? '',
        'pipeline-name': oneLine(run.pipeline?.name ?? '', 200),
        duration: wholeSeconds(run.startedAt, run.endedAt),
    };
}
function outputsOfAll(runs, plan, message, now) {
    const starts = runs.flatMap(({ startedAt }) => startedAt ?? []);
    return {
        'job-id': runs.flatMap(({ jobId }) => jobId ?? []).join('\n'),
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
function createOutputWriter(files, path) {
    const written = new Map();
    let torn;
    return {
        write(outputs) {
            const changed = OUTPUTS.flatMap((name) => {
                const value = outputs[name];
                return value === undefined || (written.get(name) ?? '') === value ? [] : [[name, value]];
            });
            if (changed.length === 0)
                return;
            if (path !== undefined && path !== '') {
                const records = changed.map(([name, value]) => fileRecord(name, value));
                const inOrder = [...records.filter((record) => !isLong(record)), ...records.filter(isLong)];
                try {
                    appendToFile(files, path, inOrder.join(''));
                }
                catch (error) {
                    if (records.some(isLong))
                        torn = new Error('a value of several lines may be torn', { cause: error });
                    throw error;
                }
            }
            for (const [name, value] of changed)
                written.set(name, value);
            if (torn !== undefined)
                throw torn;
        },
    };
}
function isLong(record) {
    return record.indexOf('\n') < record.length - 1;
}

;// CONCATENATED MODULE: ./build/action/results.js



const results_MOST_BYTES = 30_000;
const MESSAGE_LENGTHS = [1_000, 300, 120, 40, 0];
function resultsOf(runs, plan) {
    const entries = runs.map((run) => entryOf(run, plan));
    for (const longest of MESSAGE_LENGTHS) {
        const json = asJson(entries.map((entry) => shortened(entry, longest)));
        if (Buffer.byteLength(json) <= results_MOST_BYTES)
            return { json, leftOut: 0 };
    }
    return cut(entries.map((entry) => shortened(entry, 0)));
}
function entryOf(run, plan) {
    const { level, line, advice } = endingOf(run, plan);
    return {
        pipeline: run.target.kind === 'job' ? '' : oneLine(run.target.pipeline, 200),
        ...outputsOfRun(run, plan, line),
        error: level === 'error' ? oneLine([line, ...advice].join(' '), 1_000) : '',
    };
}
function shortened(entry, longest) {
    const cutOff = (text) => (longest === 0 ? '' : shorten(text, longest));
    return {
        ...entry,
        message: cutOff(entry.message),
        'status-message': cutOff(entry['status-message']),
        error: cutOff(entry.error),
    };
}
function cut(entries) {
    const kept = new Set();
    let bytes = 4;
    const isGood = ({ outcome }) => outcome === 'succeeded' || outcome === 'triggered';
    for (const entry of [...entries.filter((each) => !isGood(each)), ...entries.filter(isGood)]) {
        bytes += Buffer.byteLength(JSON.stringify(entry)) + 2;
        if (bytes > results_MOST_BYTES)
            break;
        kept.add(entry);
    }
    const json = asJson(entries.filter((entry) => kept.has(entry)));
    return { json, leftOut: entries.length - kept.size };
}
function asJson(entries) {
    return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`;
}

;// CONCATENATED MODULE: ./build/action/trace.js


function debugLine({ method, path, status, failure, ms, attempt }) {
    const came = [status, failure].filter((part) => part !== undefined).join(', ');
    const again = attempt > 1 ? ` (attempt ${attempt})` : '';
    return oneLine(`${method} ${path} → ${came} in ${formatDuration(ms)}${again}`, 600);
}

;// CONCATENATED MODULE: ./build/action/service.js

function openFor({ openService, toolkit }, baseUrl, apiKey) {
    return openService({
        baseUrl,
        apiKey,
        onSecret: toolkit.mask,
        onTrace: (trace) => toolkit.debug(debugLine(trace)),
    });
}

;// CONCATENATED MODULE: ./build/action/cancel-step.js














const BUDGET_MS = 180_000;
const POLL_INTERVAL_MS = 30_000;
const MOST_MISSING = 3;
const CANCEL_OUTPUTS = (/* unused pure expression or super */ null && (['job-status', 'results']));
const TITLE = 'run-pipeline/cancel';
const ANY_END = {
    succeedOn: new Set(TERMINAL_STATUSES),
    resetTarget: false,
    retryTrigger: 'safe',
    onCancel: 'leave',
};
function prepareCancel(parts) {
    const { env, toolkit } = parts;
    return {
        async run() {
            const key = inputOf(env, 'api-key');
            if (key !== '')
                toolkit.mask(key);
            const read = readCancelSettings(env);
            const wrongOutput = mistakeInOutputFile(parts.files, env['GITHUB_OUTPUT']);
            if (!read.ok || wrongOutput !== undefined) {
                for (const mistake of read.ok ? [] : read.mistakes)
                    toolkit.annotate('error', TITLE, mistake);
                writeOutputs([], parts);
                return 1;
            }
            if (read.jobIds.length === 0) {
                toolkit.annotate('notice', TITLE, 'Input job-id is empty: there is nothing to cancel.');
                return tell([], parts);
            }
            const service = openFor(parts, read.baseUrl, key);
            return tell(await cancelAll(read.jobIds, bounded(service), parts), parts);
        },
        crash(why) {
            const failed = `This action failed by itself: ${oneLine(why)}. Look in the application for what was not cancelled. ${REPORT_IT}`;
            toolkit.annotate('error', TITLE, failed);
            writeOutputs([], parts);
            return 1;
        },
    };
}
async function cancelAll(jobIds, service, parts) {
    const { clock, random, interruption, print } = parts;
    const until = clock.now() + BUDGET_MS;
    const cancel = async (jobId, index) => {
        const run = newRun(index + 1, { kind: 'job', jobId });
        run.jobId = jobId;
        const settlement = await settleCalmly(jobId, {
            service,
            clock,
            random,
            interruption,
            until,
            pollIntervalMs: POLL_INTERVAL_MS,
            mostMissing: MOST_MISSING,
            onSeen: (job) => takeOver(run, job, clock.now()),
            onTrouble: (problem) => print(neutral(`Run ${jobId}: could not ${problem.attempted}: ${problem.came}. It is tried again.`)),
        });
        if (settlement.kind === 'unsettled')
            run.standing = { at: 'unsettled', problem: settlement.problem };
        return run;
    };
    return Promise.all(jobIds.map(cancel));
}
function tell(runs, parts) {
    const { toolkit, print } = parts;
    const written = writeOutputs(runs, parts);
    const endings = endingsOf(runs, ANY_END);
    const failed = endings.filter(({ ending }) => ending.level === 'error');
    annotateEndings(failed, toolkit, (line) => print(neutral(line)));
    for (const { ending } of endings)
        if (ending.level !== 'error')
            print(neutral(ending.line));
    return written && failed.length === 0 ? 0 : 1;
}
function writeOutputs(runs, { env, clock, files, toolkit }) {
    const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
    if (wrongOutput !== undefined) {
        toolkit.annotate('error', TITLE, wrongOutput);
        return false;
    }
    try {
        const { 'job-status': status } = outputsOfAll(runs, ANY_END, '', clock.now());
        createOutputWriter(files, env['GITHUB_OUTPUT']).write({
            'job-status': runs.length === 0 ? '' : status,
            results: runs.length === 0 ? '[]' : resultsOf(runs, ANY_END).json,
        });
        return true;
    }
    catch (error) {
        toolkit.annotate('error', TITLE, writeFailure('the outputs', error, ''));
        return false;
    }
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
                return files_textOf(file, opened.bytes);
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
function files_textOf(file, bytes) {
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

;// CONCATENATED MODULE: ./build/run/own-ids.js
function distinguishing(service, given) {
    const known = new Set(given);
    return {
        ...service,
        async trigger(order, options) {
            const outcome = await service.trigger(order, options);
            if (outcome.kind !== 'queued')
                return outcome;
            if (known.has(outcome.jobId))
                return { kind: 'perhaps', problem: knownAlready(outcome.jobId) };
            known.add(outcome.jobId);
            return outcome;
        },
    };
}
function knownAlready(jobId) {
    return {
        attempted: 'trigger the run',
        came: `the service answered with the id of another run, ${jobId}, which this step knows already`,
    };
}

;// CONCATENATED MODULE: ./build/run/nearest.js
const SUGGESTIONS = 3;
function nearest(given, candidates) {
    const wanted = fold(given);
    const tolerated = Math.max(2, Math.floor(wanted.length / 3));
    return candidates
        .flatMap((spellings) => nearestOf(wanted, spellings))
        .filter(({ away }) => away <= tolerated)
        .sort((a, b) => a.away - b.away)
        .slice(0, SUGGESTIONS)
        .map(({ name }) => name);
}
function nearestOf(wanted, spellings) {
    return spellings
        .map((name) => ({ name, away: awayFrom(wanted, fold(name)) }))
        .sort((a, b) => a.away - b.away)
        .slice(0, 1);
}
function fold(name) {
    return name
        .slice(0, 100)
        .toLowerCase()
        .replace(/[\s_-]+/g, ' ')
        .trim();
}
function awayFrom(a, b) {
    if (a === b)
        return 0;
    if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a)))
        return 1;
    return edits(a, b);
}
function edits(a, b) {
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

;// CONCATENATED MODULE: ./build/run/resolve.js




async function resolve(parts) {
    const { plan, interruption } = parts;
    const { signal } = interruption;
    const listed = needsList(plan)
        ? await retrying(parts, signal, () => parts.service.list({ signal }))
        : NO_LIST;
    if (listed.kind === 'aborted')
        return listed;
    if (listed.kind !== 'pipelines')
        return { kind: 'unresolved', problems: [listed.problem], byTarget: [] };
    const found = plan.targets.map((target) => find(target, listed, plan));
    const pipelines = found.map((result) => (result !== undefined && 'id' in result ? result : undefined));
    const wrong = found.map((result) => (result !== undefined && 'attempted' in result ? result : undefined));
    const byTarget = wrong.some((problem) => problem !== undefined) ? wrong : twiceIn(plan.targets, pipelines);
    const problems = byTarget.filter((problem) => problem !== undefined);
    return problems.length === 0 ? { kind: 'resolved', pipelines } : { kind: 'unresolved', problems, byTarget };
}
const NO_LIST = { kind: 'pipelines', pipelines: [], perhapsCut: false };
function givenBy(target) {
    return 'pipeline' in target ? target.pipeline : undefined;
}
function needsList({ targets, dryRun }) {
    const given = targets.flatMap((target) => givenBy(target) ?? []);
    return given.some((pipeline) => dryRun || asUuid(pipeline) === undefined);
}
function find(target, listed, plan) {
    const given = givenBy(target);
    if (given === undefined)
        return undefined;
    const id = asUuid(given);
    if (id === undefined)
        return findByName(given, listed, plan.resetTarget);
    return plan.dryRun ? findById(id, listed) : { id, name: null };
}
function findById(id, listed) {
    const match = listed.pipelines.find((pipeline) => pipeline.id === id);
    if (match !== undefined)
        return { id, name: match.name ?? match.apiName };
    return listed.perhapsCut ? { id, name: null } : unknownName(id, `find the pipeline ${id}`, listed);
}
function findByName(given, listed, resetTarget) {
    const attempted = `find the pipeline ${quotedName(given)}`;
    if (listed.perhapsCut && resetTarget) {
        return {
            attempted,
            came: 'the service may have left pipelines out of its list, so the name may stand for another one too',
            remedy: 'reset-target drops tables: give the pipeline by its UUID, which the address of its page shows.',
        };
    }
    const matches = listed.pipelines.filter((pipeline) => pipeline.apiName === given || pipeline.name === given);
    const [match, another] = matches;
    if (match === undefined)
        return unknownName(given, attempted, listed);
    if (another === undefined)
        return { id: match.id, name: match.name ?? match.apiName };
    return {
        attempted,
        came: `${matches.length} pipelines have that name: ${matches.map(describe).join('; ')}`,
        remedy: 'Give the API name or the UUID of the one you mean.',
    };
}
function unknownName(given, attempted, listed) {
    const count = listed.pipelines.length;
    const near = nearest(given, listed.pipelines.map(({ apiName, name }) => [apiName, name].filter((spelling) => spelling !== null)));
    const hints = [
        near.length > 0 ? `Did you mean ${near.map((name) => quotedName(name)).join(' or ')}?` : undefined,
        given.includes(',') ? 'Several pipelines are given one per line, not with commas.' : undefined,
        listed.perhapsCut
            ? 'The service may have left pipelines out of its list: give the UUID instead.'
            : count === 0
                ? 'Check that the API key belongs to the right workspace.'
                : 'Give its API name, its name or its UUID, of the workspace that this API key belongs to.',
    ];
    return {
        attempted,
        came: count === 0
            ? 'this API key sees no pipeline at all'
            : `no pipeline has that API name, name or UUID, among ${count} in the workspace of this API key`,
        remedy: hints.filter((hint) => hint !== undefined).join(' '),
    };
}
function describe(pipeline) {
    const api = pipeline.apiName === null ? '' : `, API name ${quotedName(pipeline.apiName)}`;
    return `${quotedName(pipeline.name ?? '')}${api}, UUID ${pipeline.id}`;
}
function twiceIn(targets, pipelines) {
    const firstBy = new Map();
    return targets.map((target, index) => {
        const pipeline = pipelines[index];
        const given = givenBy(target);
        if (pipeline === undefined || given === undefined)
            return undefined;
        const first = firstBy.get(pipeline.id);
        if (first === undefined) {
            firstBy.set(pipeline.id, given);
            return undefined;
        }
        return {
            attempted: 'accept the input pipeline',
            came: `${quotedName(first)} and ${quotedName(given)} are the same pipeline (${pipeline.id})`,
            remedy: 'Name each pipeline once: twice would queue two runs of it.',
        };
    });
}

;// CONCATENATED MODULE: ./build/run/step.js









function plannedRuns({ plan }) {
    return plan.targets.map((target, index) => newRun(index + 1, target));
}
async function runStep(outside, runs) {
    const { clock, interruption, plan } = outside;
    const watched = runs.map((run) => ({ run, stopSwitch: new StopSwitch() }));
    let untold;
    const tellStop = () => {
        const stop = untold;
        untold = undefined;
        if (stop !== undefined)
            outside.observe({ type: 'stopping', stop, runs });
    };
    const observe = (event) => {
        tellStop();
        outside.observe(event);
    };
    const stopAll = (stop) => {
        const thrown = watched.filter(({ stopSwitch }) => stopSwitch.throw(stop));
        if (thrown.length === 0)
            return;
        untold ??= stop;
        clock.after(0, tellStop);
    };
    const onInterrupt = () => {
        const stop = stopBy(interruption, plan.onCancel);
        if (stop !== undefined)
            stopAll(stop);
    };
    let takeBackGivingUp = () => undefined;
    const gaveUp = new Promise((settle) => {
        takeBackGivingUp = afterInterruption(clock, interruption, GIVE_UP_AFTER_MS, () => settle([]));
    });
    const takeBackReport = afterInterruption(clock, interruption, REPORT_WITHIN_MS, () => observe({ type: 'report_due', runs }));
    if (interruption.signal.aborted)
        onInterrupt();
    else
        interruption.signal.addEventListener('abort', onInterrupt, { once: true });
    const over = new AbortController();
    try {
        const given = plan.targets.flatMap((target) => (target.kind === 'pipeline' ? [] : [target.jobId]));
        const service = distinguishing(bounded(outside.service), given);
        const parts = { ...outside, observe, service };
        return await Promise.race([conduct(parts, watched, stopAll, over.signal), gaveUp]);
    }
    finally {
        over.abort();
        takeBackReport();
        takeBackGivingUp();
        interruption.signal.removeEventListener('abort', onInterrupt);
        tellStop();
        for (const { run, stopSwitch } of watched)
            if (isOpen(run))
                run.stop ??= stopSwitch.thrown();
    }
}
async function conduct(parts, watched, stopAll, over) {
    const { interruption, plan } = parts;
    const { signal } = interruption;
    for (const { run } of plan.dryRun ? [] : watched) {
        if (run.target.kind !== 'pipeline')
            claim(run, run.target.jobId, parts);
    }
    const connected = await retrying(parts, signal, () => parts.service.connect({ signal }));
    if (connected.kind !== 'connected') {
        return endEarly(parts, watched, connected.kind === 'aborted' ? [] : [connected.problem]);
    }
    parts.observe({ type: 'connected', account: connected.account });
    const resolution = await resolve(parts);
    if (resolution.kind !== 'resolved') {
        const { problems, byTarget } = resolution.kind === 'aborted' ? { problems: [], byTarget: [] } : resolution;
        return endEarly(parts, watched, problems, byTarget);
    }
    for (const [index, { run }] of watched.entries())
        run.pipeline = resolution.pipelines[index];
    parts.observe({ type: 'resolved', runs: watched.map(({ run }) => run) });
    await conductRuns(parts, watched, stopAll, over);
    return [];
}
async function endEarly(parts, watched, problems, byTarget = []) {
    const end = async ({ run, stopSwitch }, index) => {
        const stop = stopSwitch.thrown();
        const own = byTarget[index];
        const problem = own ?? problems[0];
        if (run.standing.at !== 'in_progress') {
            run.standing = { at: 'not_queued', ...(own && { problem: own }) };
            run.stop = stop;
        }
        else if (stop !== undefined) {
            await applyStop(run, stop, parts);
        }
        else if (problem !== undefined) {
            loseRun(parts, run, problem);
        }
    };
    await Promise.all(watched.map(end));
    return problems;
}

;// CONCATENATED MODULE: external "node:crypto"
const external_node_crypto_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");
;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
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

;// CONCATENATED MODULE: ./build/action/journal.js



function journalPath(env, pid) {
    const folder = journalFolder(env);
    return folder === '' ? undefined : (0,external_node_path_namespaceObject.join)(folder, `${journalPrefix(env)}${pid}.journal`);
}
function sealOf(apiKey, baseUrl, journal) {
    return (0,external_node_crypto_namespaceObject.createHmac)('sha256', apiKey).update(`${baseUrl}\n${journal}`).digest('hex');
}

;// CONCATENATED MODULE: ./build/action/state.js



const state_MOST_BYTES = 1_000_000;
const BYTES_BESIDE = 16;
function createStateWriter(files, places, last = 0) {
    const [first, ...others] = places;
    let number = last;
    let bytes = 0;
    return {
        write(record) {
            number += 1;
            const line = fileRecord(stateKey(number), JSON.stringify(record));
            const size = Buffer.byteLength(line) + BYTES_BESIDE;
            const isFull = bytes + size > state_MOST_BYTES;
            if (!isFull)
                bytes += size;
            const open = isFull ? others : places;
            const errors = open.flatMap((place) => state_failureOf(() => appendToFile(files, place, line)));
            if (errors.length < open.length || places.length === 0)
                return;
            if (isFull && first !== undefined)
                appendToFile(files, first, line);
            else
                throw errors[0];
        },
    };
}
function state_failureOf(task) {
    try {
        task();
        return [];
    }
    catch (error) {
        return [error];
    }
}

;// CONCATENATED MODULE: ./build/action/main-state.js




function openState(parts, settings) {
    const { env, pid, startedAt, files } = parts;
    const journal = journalPath(env, pid) ?? '';
    const stateFile = env['GITHUB_STATE'] ?? '';
    const places = [stateFile, journal].filter((place) => place !== '');
    const state = createStateWriter(files, places);
    const baseUrl = settings.baseUrl.href;
    const { onCancel, pollIntervalMs } = settings.plan;
    const { summary, jobStatus, apiKey } = settings;
    const seal = sealOf(apiKey, baseUrl, journal);
    const self = { kind: 'main', pid, startedAt, baseUrl, onCancel, pollIntervalMs };
    try {
        state.write({ ...self, summary, jobStatus, journal, stateFile, seal });
        return { ok: true, state };
    }
    catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return {
            ok: false,
            why: sentences(`Nothing was triggered, because the action could not save its state in GITHUB_STATE or RUNNER_TEMP (${oneLine(why)}).`, 'Without it, a cancelled workflow could not cancel the run.', fileRemedy(error)),
        };
    }
}
function closeState(state) {
    try {
        state.write({ kind: 'closed' });
    }
    catch {
    }
}

;// CONCATENATED MODULE: ./build/action/columns.js
let graphemes;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const NO_WIDTH = /[\p{M}\p{Emoji_Modifier}]/u;
function columnsOf(text) {
    let columns = 0;
    for (const mark of text)
        columns += NO_WIDTH.test(mark) ? 0 : WIDE.test(mark) ? 2 : 1;
    return columns;
}
function cutToColumns(text, columns) {
    if (columnsOf(text) <= columns)
        return text;
    let kept = '';
    let used = 1;
    graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
    for (const { segment } of graphemes.segment(text)) {
        used += columnsOf(segment);
        if (used > columns)
            break;
        kept += segment;
    }
    return `${kept.trimEnd()}…`;
}

;// CONCATENATED MODULE: ./build/action/dry-run.js




const WIDEST_CELL = 80;
function dryRunLines(runs, plan) {
    const rows = [['PIPELINE', 'UUID', 'WOULD', 'DROPS'], ...runs.map((run) => rowOf(run, plan))];
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => columnsOf(row[column] ?? ''))));
    const table = rows.map((row) => row.map((cell, column) => padded(cell, widths[column] ?? 0)).join('  '));
    return [
        ...table.map((line) => line.trimEnd()),
        ...(runs.some((run) => isTriggered(run, plan)) ? [NOT_CHECKED] : []),
    ];
}
const NOT_CHECKED = 'Not checked, since only a trigger tells: whether the account has credits, and whether each pipeline is active.';
function rowOf(run, plan) {
    const name = run.target.kind === 'job' ? '–' : nameOf(run);
    const drops = isTriggered(run, plan) && plan.resetTarget ? 'its destination tables' : 'nothing';
    return [name, run.pipeline?.id ?? '–', whatItWouldDo(run, plan), drops].map((cell) => cutToColumns(cell, WIDEST_CELL));
}
function isTriggered({ target, standing, status = '' }, plan) {
    if (standing.at !== 'tried' || target.kind === 'job')
        return false;
    return target.kind === 'pipeline' || (isTerminal(status) && !plan.succeedOn.has(status));
}
function whatItWouldDo(run, plan) {
    const { target, standing, status = '' } = run;
    if (standing.at !== 'tried')
        return 'fail';
    if (target.kind === 'pipeline' || isTriggered(run, plan)) {
        return `trigger a run, ${plan.fullResync ? 'full resync' : 'incremental sync'}`;
    }
    const does = target.kind === 'job' ? 'await' : 'take';
    return `${does} a run that is ${oneLine(status, 40)}: ${target.jobId}`;
}
function padded(cell, columns) {
    return `${cell}${' '.repeat(Math.max(0, columns - columnsOf(cell)))}`;
}

;// CONCATENATED MODULE: ./build/action/ending-of-all.js



const MOST_NAMES = 5;
const GOALS = [
    ['dry_run', 'passed the dry run'],
    ['triggered', 'were triggered'],
    ['succeeded', 'succeeded'],
];
function endingOfAll(runs, plan) {
    const [run, another] = runs;
    if (run !== undefined && another === undefined)
        return endingOf(run, plan).line;
    const by = new Map();
    for (const each of runs) {
        const outcome = outcomeOf(each, plan);
        by.set(outcome, [...(by.get(outcome) ?? []), nameOf(each)]);
    }
    const [goal, words] = GOALS.find(([outcome]) => by.has(outcome)) ?? ['succeeded', 'succeeded'];
    const others = OUTCOMES.flatMap((outcome) => {
        const names = outcome === goal ? [] : (by.get(outcome) ?? []);
        return names.length === 0 ? [] : [`${names.length} ${outcome.replaceAll('_', ' ')} (${fewOf(names)})`];
    });
    const unseen = runs.filter((run) => isLetGoUnseen(run, plan));
    if (unseen.length > 0)
        others.push(`${unseen.length} may be cancelled by the post step (${fewOf(unseen.map(nameOf))})`);
    return `${[`${by.get(goal)?.length ?? 0} of ${runs.length} runs ${words}`, ...others].join('; ')}.`;
}
function fewOf(names) {
    const few = names.slice(0, MOST_NAMES).join(', ');
    return names.length > MOST_NAMES ? `${few} and ${names.length - MOST_NAMES} more` : few;
}

;// CONCATENATED MODULE: ./build/action/markdown.js

function plainMarkdown(text, longest = 300) {
    return oneLine(text, longest).replace(/[!-+./:-@[-`{-~]/g, (mark) => {
        const apart = mark === '@' || mark === '#' ? '&#8203;' : '';
        return `&#${mark.charCodeAt(0)};${apart}`;
    });
}
function table(head, rows, bytes = Number.POSITIVE_INFINITY) {
    return [row(head), row(head.map(() => '---')), ...upTo(bytes, rows.map(row))].join('\n');
}
function row(cells) {
    return `| ${cells.join(' | ')} |`;
}
function codeLink(text, href) {
    if (href === undefined)
        return `\`${text}\``;
    const address = href.replace(/[^A-Za-z0-9:/?#=.,;@%+~_-]/g, (mark) => mark === '&' ? '&amp;' : encodeURIComponent(mark).replace(/^[!'()*]$/, hexOf));
    return `[\`${text}\`](${address})`;
}
function hexOf(mark) {
    return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}
function upTo(bytes, lines) {
    const kept = [];
    let used = 0;
    for (const line of lines) {
        used += Buffer.byteLength(line) + 1;
        if (used > bytes)
            break;
        kept.push(line);
    }
    return kept;
}

;// CONCATENATED MODULE: ./build/action/timeline-axis.js
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TICKS = [
    ...[1, 2, 5, 10, 15, 30].map((n) => [n * SECOND, `${n}second`, '%H:%M:%S']),
    ...[1, 2, 5, 10, 15, 30].map((n) => [n * MINUTE, `${n}minute`, '%H:%M']),
    ...[1, 2, 3].map((n) => [n * HOUR, `${n}hour`, '%H:%M']),
    ...[6, 12].map((n) => [n * HOUR, `${n}hour`, '%d %b %H:%M']),
    [DAY, '1day', '%d %b'],
    [7 * DAY, '1week', '%d %b'],
];
const MOST_TICKS = 8;
function axisLines(spanMs) {
    if (spanMs < 2 * SECOND)
        return ['axisFormat %S.%L s'];
    const tick = TICKS.find(([ms]) => spanMs / ms <= MOST_TICKS) ?? TICKS.at(-1);
    return tick === undefined ? [] : [`axisFormat ${tick[2]}`, `tickInterval ${tick[1]}`];
}

;// CONCATENATED MODULE: ./build/action/timeline-phases.js


const MOST_PHASES = 6;
const FIRST_PHASES = 3;
const WORTH_A_BAR = 0.01;
const GOOD = OUTCOMES.slice(OUTCOMES.indexOf('triggered'));
function phasesOf(run, plan, begun, now) {
    const { startedAt, standing } = run;
    if (startedAt === undefined || standing.at === 'not_queued')
        return [];
    const end = endOf(run, now);
    const statuses = statusStarts(run);
    const [first] = statuses;
    const lead = (first?.at ?? end) - startedAt;
    const least = (end - begun) * WORTH_A_BAR;
    const starts = [
        ...(startedAt - begun < least ? [] : [{ name: 'waiting', at: begun }]),
        ...(lead < least ? [] : [{ name: run.attached ? 'first read' : 'triggering', at: startedAt }]),
        ...statuses,
        ...(standing.at === 'unknown' ? [{ name: 'unknown', at: startedAt }] : []),
    ];
    const isBad = !GOOD.includes(outcomeOf(run, plan));
    const phases = starts.map(({ name, at }, index) => {
        const to = starts[index + 1]?.at ?? end;
        return { name, from: Math.min(at, end), to: Math.min(to, end), isBad: false };
    });
    const some = fewer(phases.filter(({ from, to }) => to > from));
    return some.map((phase, index) => (index === some.length - 1 ? { ...phase, isBad } : phase));
}
function endOf(run, now) {
    if (run.endedAt !== undefined)
        return run.endedAt;
    if (run.standing.at === 'lost')
        return run.lastReadAt ?? now;
    if (run.standing.at === 'left')
        return run.stop?.at ?? now;
    return now;
}
function statusStarts(run) {
    const { history, stop } = run;
    const statuses = history
        .filter(({ status }) => !isTerminal(status))
        .map(({ status, at }) => ({ name: status, at }));
    if (stop === undefined || stop.policy !== 'cancel' || run.jobId === undefined)
        return statuses;
    return [...statuses.filter(({ at }) => at <= stop.at), { name: 'cancelling', at: stop.at }];
}
function fewer(phases) {
    if (phases.length <= MOST_PHASES)
        return phases;
    const last = phases.slice(FIRST_PHASES - MOST_PHASES + 1);
    const between = phases.slice(FIRST_PHASES, phases.length - last.length);
    const [from, to] = [between[0]?.from, between.at(-1)?.to];
    if (from === undefined || to === undefined)
        return phases;
    const merged = { name: `${between.length} more changes`, from, to, isBad: false };
    return [...phases.slice(0, FIRST_PHASES), merged, ...last];
}

;// CONCATENATED MODULE: ./build/action/timeline-text.js


function chartText(text, columns) {
    return Array.from(cutToColumns(oneLine(text), columns))
        .map((mark, index) => (index > 0 && PLAIN.test(mark) ? mark : `#${mark.codePointAt(0)};`))
        .join('');
}
const PLAIN = /^[\p{L}\p{N}\p{M}\p{Extended_Pictographic} ]$/u;

;// CONCATENATED MODULE: ./build/action/timeline.js







const timeline_MOST_RUNS = 30;
const MOST_ROWS = 12;
const LONGEST_CHART = 45_000;
function timelineOf(runs, plan, at) {
    const begun = Math.min(...runs.flatMap(({ startedAt }) => startedAt ?? []));
    const lives = runs
        .map((run) => ({ name: nameOf(run), phases: phasesOf(run, plan, begun, at.now) }))
        .filter(({ phases }) => phases.length > 0);
    if (lives.length === 0)
        return '';
    let shown = lives.slice(0, timeline_MOST_RUNS);
    let chart = chartOf(shown, at);
    while (chart.length > LONGEST_CHART) {
        shown = shown.slice(0, Math.floor(shown.length / 2));
        chart = chartOf(shown, at);
    }
    const [first] = ends(shown);
    return [
        '```mermaid',
        chart,
        '```',
        '',
        `${LEGEND} The chart begins at ${utc(first + at.wall - at.now)} UTC and shows your own time zone.`,
        ...(shown.length < lives.length
            ? ['', `The chart shows ${shown.length} of ${lives.length} runs, what needs attention first.`]
            : []),
    ].join('\n');
}
const LEGEND = 'Grey: waiting or queued. Pale: picked up. Full colour: running. Red: ended in need of attention.';
function ends(lives) {
    const phases = lives.flatMap((life) => life.phases);
    return [Math.min(...phases.map(({ from }) => from)), Math.max(...phases.map(({ to }) => to))];
}
function chartOf(lives, at) {
    const [first, last] = ends(lives);
    const isCompact = lives.flatMap(({ phases }) => phases).length > MOST_ROWS;
    const names = sectionNames(lives.map(({ name }) => name));
    const widest = Math.max(...lives.map(({ name }) => Math.min(columnsOf(name), NAME_COLUMNS)));
    const wall = (now) => Math.round(now + at.wall - at.now);
    return [
        '---',
        'config:',
        '  gantt:',
        ...(isCompact ? ['    displayMode: compact'] : []),
        '    numberSectionStyles: 2',
        `    leftPadding: ${NAME_MARGIN_PX + widest * COLUMN_PX}`,
        '---',
        'gantt',
        'accTitle: What the pipeline runs spent their time on',
        'dateFormat x',
        ...axisLines(last - first),
        'todayMarker off',
        ...lives.flatMap(({ phases }, index) => [
            `section ${names[index] ?? ''}`,
            ...phases.map((phase) => {
                const columns = isCompact ? (CHART_COLUMNS * (phase.to - phase.from)) / (last - first) : Infinity;
                return `${labelOf(phase, columns)} :${tagOf(phase)}${wall(phase.from)}, ${wall(phase.to)}`;
            }),
        ]),
    ].join('\n');
}
const NAME_COLUMNS = 28;
const COLUMN_PX = 6;
const NAME_MARGIN_PX = 25;
function sectionNames(names) {
    const taken = new Set();
    for (const name of names) {
        let text = chartText(name, NAME_COLUMNS);
        for (let nth = 2; taken.has(text); nth += 1) {
            text = `${chartText(name, NAME_COLUMNS - 5)} #40;${nth}#41;`;
        }
        taken.add(text);
    }
    return [...taken];
}
const NO_LABEL = '#8203;';
const CHART_COLUMNS = 110;
const OWN_WORDS = [
    'waiting',
    'triggering',
    'first read',
    'queued',
    'picked',
    'running',
    'cancelling',
    'unknown',
];
function labelOf({ name, from, to }, columns) {
    const words = cutToColumns(oneLine(name), NAME_COLUMNS);
    const label = [`${words} ${formatDuration(to - from)}`, words].find((text) => columnsOf(text) + 2 <= columns);
    if (label === undefined)
        return NO_LABEL;
    return OWN_WORDS.includes(name) ? label : chartText(label, label.length);
}
function tagOf({ name, isBad }) {
    if (isBad)
        return 'crit, ';
    if (['waiting', 'triggering', 'first read', 'queued'].includes(name))
        return 'done, ';
    return name === 'picked' ? 'active, ' : '';
}
function utc(ms) {
    const date = new Date(ms);
    if (Number.isNaN(date.getTime()))
        return 'an unknown time';
    return date.toISOString().replace('T', ' ').slice(0, 19);
}

;// CONCATENATED MODULE: ./build/action/job-summary.js









const job_summary_MOST_ROWS = 500;
const MOST_NOTES = 50;
const job_summary_NAME_COLUMNS = 40;
const TABLE_BYTES = 400_000;
const NOTES_BYTES = 200_000;
function summaryOf({ runs, plan, problems, runUrl, at }) {
    const sorted = worstFirst(runs, plan);
    const notes = problems.length > 0 ? problems : notesOn(sorted, plan);
    const isTimed = plan.wait && !plan.dryRun && problems.length === 0;
    const parts = [
        `### ${headline(runs, plan)}`,
        ...(runs.length > 1 && problems.length === 0 ? [plainMarkdown(endingOfAll(runs, plan), 1_000)] : []),
        tableOf(sorted, plan, runUrl),
        notesPart(notes),
        ...(isTimed ? [timelineOf(sorted, plan, at)] : []),
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
function worstFirst(runs, plan) {
    const ranked = runs.map((run) => {
        const isQuiet = endingOf(run, plan).level === undefined;
        return { run, rank: 2 * OUTCOMES.indexOf(outcomeOf(run, plan)) + (isQuiet ? 1 : 0) };
    });
    return ranked.sort((a, b) => a.rank - b.rank).map(({ run }) => run);
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
function markOf(outcome, status) {
    return outcome === 'succeeded' && status === 'completed_with_warning' ? '⚠️' : MARKS[outcome];
}
function headline(runs, plan) {
    if (plan.dryRun)
        return '📝 Pipeline run: dry run, nothing was triggered';
    const [run, another] = runs;
    if (run === undefined)
        return 'Pipeline run';
    const isOne = another === undefined;
    const outcome = isOne ? outcomeOf(run, plan) : worstOutcome(runs, plan);
    const what = isOne ? `Pipeline run: ${plainMarkdown(nameOf(run))}` : `${runs.length} pipeline runs`;
    return `${markOf(outcome, isOne ? statusOf(run) : '')} ${what}`;
}
function tableOf(runs, plan, runUrl) {
    const rows = runs.slice(0, job_summary_MOST_ROWS).map((run) => job_summary_rowOf(run, plan, runUrl));
    const text = table(['Pipeline', 'Outcome', 'Status', 'Duration', 'Run'], rows, TABLE_BYTES);
    const shown = text.split('\n').length - HEAD_LINES;
    return [text, ...moreThan(shown, runs.length, 'runs')].join('\n\n');
}
function job_summary_rowOf(run, plan, runUrl) {
    const { startedAt, endedAt } = run;
    const outcome = outcomeOf(run, plan);
    const status = statusOf(run);
    return [
        plainMarkdown(cutToColumns(nameOf(run), job_summary_NAME_COLUMNS)),
        `${markOf(outcome, status)} ${outcome.replaceAll('_', ' ')}`,
        plainMarkdown(status, 60),
        startedAt === undefined || endedAt === undefined ? '–' : formatDuration(endedAt - startedAt),
        run.jobId === undefined ? '–' : codeLink(run.jobId, linkTo(run, runUrl)),
    ];
}
const HEAD_LINES = 2;
function notesPart(notes) {
    const bullet = notes.length > 1 ? '- ' : '';
    const lines = notes.slice(0, MOST_NOTES).map((note) => `${bullet}${plainMarkdown(note, 1_000)}`);
    const shown = upTo(NOTES_BYTES, lines);
    return [shown.join('\n'), ...moreThan(shown.length, notes.length, 'remarks')].join('\n\n');
}
function moreThan(shown, all, what) {
    return shown < all ? [`… and ${all - shown} more ${what}, which the log names.`] : [];
}
function notesOn(runs, plan) {
    const endings = runs.map((run) => endingOf(run, plan));
    const told = runs.length === 1 ? endings : endings.filter(({ level }) => level !== undefined);
    return told.map(({ line, advice }) => [line, ...advice].join(' '));
}

;// CONCATENATED MODULE: ./build/action/log-announcement.js



const MOST_NAMED = 30;
function announcement(settings, account, runs) {
    const { plan, baseUrl } = settings;
    const many = runs.length > 1;
    const region = account?.region === null || account === undefined ? '' : `, region ${oneLine(account.region, 60)}`;
    return [
        ...(plan.dryRun ? ['Dry run: nothing is triggered. This is what would run:'] : []),
        ...(many ? [`Runs: ${runs.length}, ${atOnceWords(plan)}`] : []),
        ...runs.slice(0, MOST_NAMED).map(targetWords),
        ...(runs.length > MOST_NAMED ? [`… and ${runs.length - MOST_NAMED} more`] : []),
        ...(runs.every(({ target }) => target.kind === 'job') ? [] : [`Options: ${optionWords(plan)}`]),
        `Hosts: ${baseUrl.href}, and ${account?.apiUrl.href ?? ''} for its API${region}`,
        `Waits: ${plan.wait ? waitWords(plan, many) : `no; the step ends when ${many ? 'the runs are' : 'the run is'} queued`}`,
        `On cancel: ${policyWords(plan.onCancel, many)}`,
    ];
}
function atOnceWords({ maxParallel, failFast, wait }) {
    const atOnce = Number.isFinite(maxParallel) && wait ? `at most ${maxParallel} at once` : 'all at once';
    return failFast ? `${atOnce}; after the first that is not a success, no more (fail-fast)` : atOnce;
}
function targetWords(run) {
    if (run.target.kind === 'job')
        return `Run: ${run.target.jobId}, which exists already`;
    const resumed = run.target.kind === 'resume' ? `, unless the run ${run.target.jobId} can be taken` : '';
    return `Pipeline: ${nameOf(run)}${uuidBeside(run)}${resumed}`;
}
function uuidBeside(run) {
    const id = run.pipeline?.id ?? '';
    return id === nameOf(run).toLowerCase() ? '' : ` (${id})`;
}
function optionWords(plan) {
    const how = plan.fullResync ? 'full resync' : 'incremental sync';
    return plan.resetTarget ? `${how}, tables dropped and made anew` : how;
}
function waitWords(plan, many) {
    const limit = plan.timeoutMs === undefined
        ? 'no time limit'
        : `at most ${formatDuration(plan.timeoutMs)}, then ${policyWords(plan.onTimeout, many)}`;
    const queue = plan.queueTimeoutMs === undefined
        ? ''
        : `; at most ${formatDuration(plan.queueTimeoutMs)} in the queue, then ${policyWords(plan.onTimeout, false)}`;
    const until = many ? 'until all runs are over, each' : 'until the run is over,';
    return `${until} read every ${formatDuration(plan.pollIntervalMs)}; ${limit}${queue}`;
}
function policyWords(policy, many) {
    return `the ${many ? 'runs are' : 'run is'} ${policy === 'cancel' ? 'cancelled' : 'left running'}`;
}

;// CONCATENATED MODULE: ./build/action/log-pace.js
const FIRST_SIGN_MS = 180_000;
const RAREST_SIGN_MS = 900_000;
const FIRST_COUNT_MS = 30_000;
function signAfterMs(sinceMs) {
    return Math.min(RAREST_SIGN_MS, Math.max(FIRST_SIGN_MS, sinceMs / 5));
}
function countAfterMs(sinceMs) {
    return Math.min(RAREST_SIGN_MS, Math.max(FIRST_COUNT_MS, sinceMs / 20));
}

;// CONCATENATED MODULE: ./build/action/log-words.js





function changeWords(run, from, known) {
    const to = statusWord(run.status);
    const message = run.statusMessage === MESSAGE_TOO_LONG ? null : run.statusMessage;
    const said = message === null ? '' : oneLine(message, 300);
    const arrow = from === undefined ? to : `${statusWord(from)} → ${to}`;
    const note = known ? '' : ' (a status unknown to this version: taken as still in progress)';
    return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}
function queuedWords(run, runUrl) {
    return `run ${run.jobId ?? ''} is queued${linkBehind(run, runUrl)}`;
}
function attachedWords(run, runUrl) {
    const status = run.status === undefined ? '' : `; its status is ${statusWord(run.status)}`;
    const link = linkBehind(run, runUrl);
    return run.target.kind === 'job'
        ? `is awaited${status}${link}`
        : `the run ${run.jobId ?? ''} is taken instead of a new one${status}${link}`;
}
function linkBehind(run, runUrl) {
    const link = linkTo(run, runUrl);
    return link === undefined ? '' : `: ${link}`;
}
function outageWords(sinceMs, maxOutageMs) {
    return `No good answer for ${formatDuration(sinceMs)}, given up after ${formatDuration(maxOutageMs)}; the run itself goes on.`;
}
const log_words_MOST_NAMED = 5;
function stoppingWords(stop, runs) {
    const open = runs.filter(({ standing }) => standing.at === 'in_progress');
    const inFlight = runs.filter(({ standing }) => standing.at === 'triggering');
    const waits = inFlight.length === 0 ? '' : ' If a trigger was sent already, the step waits for its response first.';
    if (open.length === 0)
        return `${reasonOf(stop)}.${waits}`;
    const which = open.length > log_words_MOST_NAMED ? `${open.length} runs` : open.map(runOf).join(', ');
    const verb = open.length === 1 ? 'is' : 'are';
    return `${reasonOf(stop)}: ${which} ${verb} ${stop.policy === 'cancel' ? 'being cancelled' : 'left running'}.${waits}`;
}

;// CONCATENATED MODULE: ./build/action/log-few.js




function logOfFew(settings, clock, line, runs) {
    const lastWords = new Map();
    const troubles = new Map();
    const since = (run) => clock.now() - (run.startedAt ?? clock.now());
    const about = (run, text) => {
        lastWords.set(run, clock.now());
        line(`[${formatDuration(log_few_wholeSeconds(since(run)))}] ${nameOf(run)}: ${text}`);
    };
    const isQuiet = (run) => clock.now() - (lastWords.get(run) ?? -Infinity) >= signAfterMs(since(run));
    const tellTrouble = (run, problem, means) => {
        const trouble = failureOf(problem);
        if (troubles.get(run) === trouble && !isQuiet(run))
            return;
        troubles.set(run, trouble);
        about(run, `${trouble} ${means}`);
    };
    return (event) => {
        switch (event.type) {
            case 'named':
                line(`${event.run.pipeline?.id ?? ''} is the pipeline ${nameOf(event.run)}.`);
                return;
            case 'queued':
                about(event.run, queuedWords(event.run, settings.runUrl));
                return;
            case 'attached':
                about(event.run, attachedWords(event.run, settings.runUrl));
                return;
            case 'status':
                about(event.run, `${changeWords(event.run, event.from, event.known)}${countOver(event.run, runs)}`);
                return;
            case 'still':
                if (isQuiet(event.run))
                    about(event.run, `still ${stillWords(event.run)}`);
                return;
            case 'read_failed':
                tellTrouble(event.run, event.problem, outageWords(event.sinceMs, settings.plan.maxOutageMs));
                return;
            case 'contact_again':
                troubles.delete(event.run);
                about(event.run, `in contact again after ${formatDuration(event.afterMs)}`);
                return;
            case 'settle_failed':
                tellTrouble(event.run, event.problem, 'It is tried again.');
                return;
            default:
        }
    };
}
function log_few_wholeSeconds(ms) {
    return Math.floor(ms / 1_000) * 1_000;
}
function stillWords({ status }) {
    return status === 'queued' ? 'queued: no agent has picked it up yet' : statusWord(status);
}
function countOver(run, runs) {
    if (runs.length === 1 || run.standing.at !== 'ended')
        return '';
    return ` (${runs.filter(({ standing }) => standing.at === 'ended').length} of ${runs.length} ended)`;
}

;// CONCATENATED MODULE: ./build/action/log-many.js




const MOST_ALIKE = 5;
function logOfMany(settings, clock, line, runs) {
    const begun = clock.now();
    const outOfContact = new Set();
    const unknownStatuses = new Set();
    let counted = begun;
    let changed = false;
    let settleFailures = 0;
    let outageSince = begun;
    const elapsed = () => clock.now() - begun;
    const about = (run, text) => {
        const since = clock.now() - (run.startedAt ?? clock.now());
        line(`[${formatDuration(Math.floor(since / 1_000) * 1_000)}] ${nameOf(run)}: ${text}`);
    };
    const count = () => {
        const quiet = clock.now() - counted;
        if (quiet < (changed ? countAfterMs : signAfterMs)(elapsed()))
            return;
        counted = clock.now();
        changed = false;
        const lost = outOfContact.size === 0 ? '' : `; no good answer for ${outOfContact.size} of them right now`;
        line(`${runs.length} runs after ${formatDuration(elapsed())}: ${countWords(runs)}${lost}`);
    };
    const status = (run, from, known) => {
        if (run.standing.at === 'ended') {
            const over = runs.filter(({ standing }) => standing.at === 'ended').length;
            about(run, `${changeWords(run, from, known)} (${over} of ${runs.length} ended)`);
            return;
        }
        const isNew = !known && !unknownStatuses.has(run.status ?? '') && unknownStatuses.size < MOST_ALIKE;
        if (!isNew)
            return;
        unknownStatuses.add(run.status ?? '');
        about(run, changeWords(run, from, known));
    };
    const tell = (event) => {
        switch (event.type) {
            case 'queued':
                changed = true;
                about(event.run, queuedWords(event.run, settings.runUrl));
                return;
            case 'attached':
                about(event.run, attachedWords(event.run, settings.runUrl));
                return;
            case 'status':
                changed = true;
                status(event.run, event.from, event.known);
                return;
            case 'read_failed':
                if (outOfContact.size === 0) {
                    about(event.run, `${failureOf(event.problem)} ${outageWords(event.sinceMs, settings.plan.maxOutageMs)}`);
                    outageSince = clock.now() - event.sinceMs;
                }
                outOfContact.add(event.run);
                return;
            case 'contact_again':
                outOfContact.delete(event.run);
                if (outOfContact.size > 0)
                    return;
                line(`In contact with all runs again after ${formatDuration(clock.now() - outageSince)}: ${countWords(runs)}`);
                return;
            case 'over':
                outOfContact.delete(event.run);
                return;
            case 'settle_failed':
                settleFailures += 1;
                if (settleFailures > MOST_ALIKE)
                    return;
                about(event.run, `${failureOf(event.problem)} It is tried again.`);
                return;
            default:
        }
    };
    return (event) => {
        tell(event);
        count();
    };
}
const MOST_STATUSES = 6;
function countWords(runs) {
    const counts = new Map();
    for (const run of runs) {
        const word = standingWord(run);
        const known = counts.has(word) || counts.size < MOST_STATUSES;
        const under = known ? word : 'in other statuses';
        counts.set(under, (counts.get(under) ?? 0) + 1);
    }
    const inOrder = [...counts].sort(([a], [b]) => placeOf(a) - placeOf(b));
    return inOrder.map(([word, number]) => `${number} ${word}`).join(', ');
}
const IN_ORDER = ['waiting', 'triggering', 'queued', 'picked', 'running', 'ended', 'left', 'lost'];
function placeOf(word) {
    const place = IN_ORDER.indexOf(word);
    return place === -1 ? IN_ORDER.indexOf('running') : place;
}
function standingWord(run) {
    switch (run.standing.at) {
        case 'in_progress':
            return run.status === undefined ? 'not read yet' : statusWord(run.status);
        case 'not_queued':
            return 'not queued';
        case 'tried':
        case 'detached':
            return 'queued';
        default:
            return run.standing.at;
    }
}

;// CONCATENATED MODULE: ./build/action/log.js










const log_FEW = 20;
const MOST_TOLD = 20;
function isUntold({ standing, stop }) {
    if (stop?.reason.kind === 'fail_fast')
        return stop.policy === 'leave' && standing.at === 'not_queued';
    if (stop !== undefined)
        return stop.reason.kind === 'queue_timeout';
    return ['lost', 'unknown', 'not_queued', 'unsettled'].includes(standing.at);
}
function createLog(settings, clock, print, runs) {
    let account;
    let told = 0;
    const line = (text) => print(neutral(text));
    const ofRuns = (runs.length > log_FEW ? logOfMany : logOfFew)(settings, clock, line, runs);
    const event = (event) => {
        switch (event.type) {
            case 'connected':
                account = event.account;
                return;
            case 'resolved':
                for (const text of announcement(settings, account, event.runs))
                    line(text);
                return;
            case 'retry': {
                const whose = event.run === undefined || runs.length === 1 ? '' : `${nameOf(event.run)}: `;
                const again = event.mayDouble === true ? 'retry-trigger is always: it' : 'It';
                line(`${whose}${failureOf(event.problem)} ${again} is tried again in ${formatDuration(event.inMs)}.`);
                return;
            }
            case 'not_resumed':
                line(`${nameOf(event.run)}: the run ${event.job.id} ${endedHow(event.job.status)}, so a new one is triggered.`);
                return;
            case 'stopping':
                line(stoppingWords(event.stop, event.runs));
                return;
            case 'ledger_failed':
                line(sentences(`Could not write down what happened to ${runOf(event.run)}: ${oneLine(event.reason)}.`, event.run.unrecorded?.remedy ?? ''));
                return;
            case 'over':
                ofRuns(event);
                if (!isUntold(event.run) || told >= MOST_TOLD || !runs.some(isOpen))
                    return;
                told += 1;
                line(endingOf(event.run, settings.plan).line);
                return;
            default:
                ofRuns(event);
        }
    };
    return { line, event };
}

;// CONCATENATED MODULE: ./build/action/log-six-hours.js


const LONGEST_JOB_MS = 6 * 3_600_000;
const AHEAD_MS = 1_800_000;
function warnBeforeSixHours(parts, plan, runs) {
    const { env, clock, toolkit } = parts;
    const begun = clock.now();
    let due = env['RUNNER_ENVIRONMENT'] === 'github-hosted';
    return () => {
        if (!due)
            return;
        const leftMs = begun + LONGEST_JOB_MS - clock.now();
        const isNear = leftMs - plan.pollIntervalMs <= AHEAD_MS;
        const open = runs.filter(({ standing }) => standing.at === 'in_progress').length;
        if (!isNear || open === 0)
            return;
        due = false;
        toolkit.annotate('warning', 'run-pipeline: six hours', warning(leftMs, plan.onCancel, open > 1));
    };
}
function warning(leftMs, onCancel, many) {
    const what = policyWords(onCancel, many);
    return [
        `GitHub ends this job in about ${formatDuration(leftMs)}, or sooner if it began well before this step; then ${what}, because on-cancel is ${onCancel}.`,
        'A job on a GitHub-hosted runner may take 6 hours. To wait longer, set on-cancel: leave and await the run by its id, the input job-id, in a further job; or use a runner of your own.',
    ].join('\n');
}

;// CONCATENATED MODULE: ./build/action/summary-writer.js

const summary_writer_MOST_BYTES = 1_048_576;
function createSummaryWriter(files, path) {
    if (path === undefined || path === '')
        return { show: () => undefined };
    let before;
    return {
        show(markdown) {
            if (files.kindOf(path) === 'character_device') {
                appendToSummary(files, path, `${markdown}\n`);
                return;
            }
            before ??= contentOf(files, path);
            const text = `${before}${markdown}\n`;
            if (Buffer.byteLength(text) > summary_writer_MOST_BYTES)
                throw new Error('it holds no more than 1 MiB');
            replaceFile(files, path, text);
        },
    };
}
function contentOf(files, path) {
    const text = readFile(files, path);
    if (text === undefined && files.kindOf(path) === 'file')
        throw new Error('its content could not be read');
    return text ?? '';
}

;// CONCATENATED MODULE: ./build/action/report.js












const GATHER_MS = 1_000;
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
        if (!said.has(title + text))
            toolkit.annotate(level, title, text);
        said.add(title + text);
    };
    const attempt = (level, what, meaning, write) => {
        try {
            write();
            return true;
        }
        catch (error) {
            sayOnce(level, 'run-pipeline', writeFailure(what, error, meaning));
            return false;
        }
    };
    const write = (values) => attempt('error', 'the outputs', WITHOUT_OUTPUTS, () => outputs.write(values));
    const current = (message) => {
        const [run, another] = runs;
        const isOne = run !== undefined && another === undefined;
        return isOne ? outputsOfRun(run, plan, message) : outputsOfAll(runs, plan, message, clock.now());
    };
    const writeKnown = () => {
        takeBackGathering?.();
        takeBackGathering = undefined;
        const { 'job-id': id, 'job-status': status, 'pipeline-id': pipeline } = current('');
        write({ 'job-id': id, 'job-status': status, 'pipeline-id': pipeline });
    };
    const known = () => {
        if (runs.length === 1)
            writeKnown();
        else
            takeBackGathering ??= clock.after(GATHER_MS, writeKnown);
    };
    const writeAll = (sentences) => {
        takeBackGathering?.();
        takeBackGathering = undefined;
        const message = sentences[0] ?? endingOfAll(runs, plan);
        const results = resultsOf(runs, plan);
        if (results.leftOut > 0) {
            log.line(`The output results has no room for ${results.leftOut} of ${runs.length} runs, those that went well first; the log names them all.`);
        }
        const told = write({ ...current(message), results: results.json });
        const at = { now: clock.now(), wall: clock.wall() };
        attempt('warning', 'the job summary', WITHOUT_SUMMARY, () => summary.show(summaryOf({ runs, plan, problems: sentences, runUrl, at })));
        return told;
    };
    return {
        line: (text) => log.line(text),
        event(event) {
            if (event.type === 'queued' || event.type === 'attached' || event.type === 'status')
                known();
            log.event(event);
            lookAhead();
            if (event.type === 'resolved' && plan.resetTarget && !plan.dryRun) {
                const names = event.runs.map((run) => `${nameOf(run)} (${run.pipeline?.id ?? ''})`).join(', ');
                toolkit.annotate('warning', 'run-pipeline: reset-target', `${RESET} ${names}.`);
            }
            if (event.type === 'retry' && event.mayDouble === true && event.run !== undefined) {
                if (runs.length > 1)
                    sayOnce('warning', 'run-pipeline: retry-trigger', SECOND_RUNS);
                else
                    sayOnce('warning', `run-pipeline: ${nameOf(event.run)}`, SECOND_RUN);
            }
            if (event.type === 'stopping')
                writeKnown();
            if (event.type === 'report_due')
                writeAll([]);
        },
        end(problems) {
            const means = meaningOf(runs, plan);
            const sentences = problems.map((problem) => `${failureOf(problem)} ${means} ${adviceOf(problem)}`);
            const told = writeAll(sentences);
            annotateProblems(sentences, toolkit, log.line);
            if (problems.length === 0)
                tellEndings();
            return told;
        },
    };
    function tellEndings() {
        if (plan.dryRun)
            toolkit.annotate('warning', 'run-pipeline: dry run', DRY_RUN);
        const endings = endingsOf(runs, plan, runUrl);
        if (runs.length === 1 && !plan.dryRun) {
            for (const { ending, link } of endings) {
                if (ending.level === undefined)
                    log.line(link === undefined ? ending.line : `${ending.line} ${link}`);
            }
        }
        annotateEndings(endings, toolkit, log.line);
        if (plan.dryRun)
            for (const text of dryRunLines(runs, plan))
                log.line(text);
        if (runs.length > 1)
            log.line(endingOfAll(runs, plan));
    }
}
const WITHOUT_OUTPUTS = 'Later steps would miss them, so this step fails.';
const WITHOUT_SUMMARY = 'The log has all of it.';
const SECOND_RUN = 'The answer to the trigger was lost, and retry-trigger is always: it is triggered again, and two runs may be queued.';
const SECOND_RUNS = 'The answer to a trigger was lost, and retry-trigger is always: it is triggered again, and two runs of its pipeline may be queued. The log says which.';
const RESET = 'reset-target is true: the destination tables of this pipeline are dropped and made anew:';
const DRY_RUN = 'dry-run is true: nothing was triggered. What only a trigger can tell was not checked: credits, and whether a pipeline is active.';
function meaningOf(runs, plan) {
    const forgotten = runs.find((run) => isForgotten(run, plan));
    if (forgotten !== undefined)
        return `${NOTHING_DONE} ${postMayCancel(forgotten)}`;
    return runs.some(({ jobId }) => jobId !== undefined) ? NOTHING_DONE : 'Nothing is queued.';
}
const NOTHING_DONE = 'Nothing was triggered, and nothing was cancelled.';

;// CONCATENATED MODULE: ./build/action/main-step.js













function prepareMain(parts) {
    let begun;
    return {
        async run() {
            const key = inputOf(parts.env, 'api-key');
            if (key !== '')
                parts.toolkit.mask(key);
            const read = readSettings(parts.env);
            if (!read.ok)
                return refuse(parts, read.mistakes);
            if (mistakeInOutputFile(parts.files, parts.env['GITHUB_OUTPUT']) !== undefined)
                return refuse(parts, []);
            const { settings } = read;
            const runs = plannedRuns(settings);
            const report = createReport(parts, settings, runs);
            const opened = openState(parts, settings);
            if (!opened.ok)
                return refuse(parts, [opened.why]);
            begun = { crashed: false, plan: settings.plan, runs, state: opened.state, report };
            return live(parts, settings, begun);
        },
        crash(why) {
            if (begun === undefined) {
                return refuse(parts, [`This action failed by itself: ${oneLine(why)}. ${REPORT_IT}`]);
            }
            const { plan, runs, state, report } = begun;
            begun.crashed = true;
            const interrupted = stopBy(parts.interruption, plan.onCancel);
            const observe = (event) => report.event(event);
            const problem = {
                attempted: 'go on',
                came: `this action failed by itself (${oneLine(why)})`,
                remedy: REPORT_IT,
            };
            for (const run of runs)
                giveUpOn({ ledger: state, observe }, run, problem, run.stop ?? interrupted);
            report.end([]);
            closeState(state);
            return 1;
        },
    };
}
async function live(parts, settings, begun) {
    const { runs, state, report } = begun;
    const { clock, random, interruption } = parts;
    for (const sentence of settings.idle)
        report.line(sentence);
    const service = openFor(parts, settings.baseUrl, settings.apiKey);
    const { plan } = settings;
    const observe = (event) => report.event(event);
    const ledger = {
        write(record) {
            if (begun.crashed && record.kind === 'intent')
                throw new Error('the step is over');
            state.write(record);
        },
    };
    const problems = await runStep({ plan, service, clock, random, ledger, observe, interruption }, runs);
    const told = report.end(problems);
    closeState(state);
    const interrupted = interruption.first !== undefined;
    return told && isSuccess(runs, plan, interrupted) ? 0 : 1;
}
function refuse(parts, mistakes) {
    const { toolkit, files, env, print } = parts;
    const wrongOutput = mistakeInOutputFile(files, env['GITHUB_OUTPUT']);
    const all = [...mistakes, ...(wrongOutput === undefined ? [] : [wrongOutput])];
    for (const mistake of all)
        toolkit.annotate('error', 'run-pipeline: nothing was triggered', mistake);
    print(neutral('Nothing was sent to the service, and nothing is queued.'));
    if (wrongOutput !== undefined)
        return 1;
    try {
        createOutputWriter(files, env['GITHUB_OUTPUT']).write({
            'job-status': 'not_queued',
            outcome: 'not_triggered',
            message: `Nothing was triggered. ${oneLine(mistakes.join(' '), 900)}`,
            results: '[]',
        });
    }
    catch (error) {
        print(neutral(writeFailure('the outputs', error, '')));
    }
    return 1;
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

;// CONCATENATED MODULE: ./build/action/gather.js






function gather(env, files) {
    const kept = recordsInEnv(env);
    const main = mainOf(kept);
    if (main !== undefined)
        return [foundIn(files, kept, main)];
    return readJournals(env, files).flatMap((journal) => fromJournal(journal, env, files));
}
function orphans(env, files, found) {
    const kept = recordsInEnv(env);
    const seen = new Set(found.flatMap(({ runs }) => runs.map(gather_nameOf)));
    return (kept.size > 0 ? [kept] : readJournals(env, files).map(({ records }) => records))
        .filter((records) => mainOf(records) === undefined)
        .flatMap((records) => leftoversOf(inOrder(records)).runs)
        .filter((run) => !seen.has(gather_nameOf(run)));
}
function gather_nameOf({ jobId, pipelineId, intentAt }) {
    return jobId ?? `${pipelineId ?? ''} ${intentAt ?? ''}`;
}
function fromJournal({ path, records }, env, files) {
    const main = mainOf(records);
    const key = inputOf(env, 'api-key');
    if (main === undefined || main.journal !== path)
        return [];
    if (key !== '' && main.seal !== sealOf(key, main.baseUrl, path))
        return [];
    return [foundIn(files, records, main)];
}
function foundIn(files, kept, main) {
    const texts = [main.stateFile, main.journal]
        .filter((path) => path !== '')
        .map((path) => readFile(files, path) ?? '');
    const all = [...texts.map(recordsInText), kept];
    return {
        ...leftoversOf(inOrder(...all)),
        main,
        last: Math.max(0, ...all.flatMap((records) => [...records.keys()])),
        again: () => foundIn(files, kept, main),
    };
}
function mainOf(records) {
    return inOrder(records).find((record) => record.kind === 'main');
}

;// CONCATENATED MODULE: ./build/action/post-cancel.js








async function cancelLeft(open, found, key, until, parts, report) {
    const opened = openService(found, key, parts);
    const journal = createStateWriter(parts.files, [found.main.journal].filter((path) => path !== ''), found.last);
    await Promise.all(open.map(async (run) => {
        const settlement = 'service' in opened
            ? await settle(run, opened.service, found.main.pollIntervalMs, until, parts)
            : { kind: 'unsettled', problem: opened.problem };
        if (settlement.kind === 'settled') {
            report.settled(run, settlement.job);
            noteSettled(run, settlement, journal);
        }
        else {
            report.unsettled(run, settlement.problem);
        }
    }));
}
const KEY_GONE = 'Inputs are evaluated again for the post step, and inside a composite action that is called by another one the ' +
    'outputs of steps are gone by then: hand the secret down as an input.';
function openService(found, key, parts) {
    const attempted = 'cancel the run';
    if (key === '')
        return { problem: { attempted, came: 'the input api-key is empty by now', remedy: KEY_GONE } };
    const wrongKey = mistakeInKey(key);
    if (wrongKey !== undefined) {
        return { problem: { attempted, came: `the input api-key ${wrongKey.what}`, remedy: wrongKey.how } };
    }
    const wrongProxy = mistakeInProxy(parts.env);
    if (wrongProxy !== undefined) {
        return { problem: { attempted, came: wrongProxy.what, remedy: wrongProxy.how } };
    }
    const checked = checkAddress(found.main.baseUrl);
    if (!checked.ok)
        return { problem: { attempted, came: `the address in the state ${checked.why}` } };
    return { service: bounded(openFor(parts, checked.url, key)) };
}
async function settle(run, service, pollIntervalMs, until, parts) {
    const { clock, random, interruption } = parts;
    const noId = { attempted: 'cancel the run', came: 'its id was not written down' };
    if (run.jobId === undefined)
        return { kind: 'unsettled', problem: noId };
    const onTrouble = (problem) => parts.toolkit.debug(neutral(`${problem.attempted}: ${problem.came}`));
    return settleCalmly(run.jobId, {
        service,
        clock,
        random,
        interruption,
        until,
        pollIntervalMs,
        onTrouble,
        onSeen: () => undefined,
    });
}
function noteSettled(run, settlement, journal) {
    const { status } = settlement.job;
    try {
        journal.write({ kind: 'settled', run: run.run, status });
    }
    catch {
    }
}

;// CONCATENATED MODULE: ./build/action/post-report.js






const SUMMARY_BYTES = 200_000;
const MOST_AT_ONCE = 20;
function createPostReport(parts) {
    const said = [];
    const later = [];
    let quiet = 0;
    let warnings = 0;
    const line = (text) => parts.print(neutral(text));
    const say = (text) => {
        quiet += 1;
        said.push(text);
        if (quiet > MOST_AT_ONCE)
            later.push(text);
        else
            line(text);
    };
    const warn = (first, advice) => {
        warnings += 1;
        said.push([first, ...advice].join(' '));
        if (warnings <= MOST_ANNOTATIONS) {
            parts.toolkit.annotate('warning', 'run-pipeline', [first, ...advice].join('\n'));
            return;
        }
        if (warnings === MOST_ANNOTATIONS + 1)
            parts.toolkit.annotate('warning', 'run-pipeline', MORE);
        line([first, ...advice].join(' '));
    };
    return {
        line,
        warn,
        settled(run, job) {
            const before = job.status === 'cancelled' ? '' : ' before it could be cancelled';
            const heartbeat = job.status === 'cancelled' ? ' Its agent stops at its next heartbeat, within seconds.' : '';
            say(`${cap(post_report_runOf(run))} ${endedHow(job.status)}${before}.${heartbeat}`);
        },
        unsettled(run, problem) {
            warn(`The cancel of ${post_report_runOf(run)} is not confirmed, and it may still be going on.`, [
                failureOf(problem),
                ...remedyOf(problem),
                CANCEL_THERE,
            ]);
        },
        left: (run) => say(`${cap(post_report_runOf(run))} is left running, because on-cancel is leave.`),
        goesOn(run) {
            warn(`${cap(post_report_runOf(run))} was left running: the step had stopped waiting for it before it was killed.`, [
                'Nothing cancels it from here. Look at it in the application.',
            ]);
        },
        intent(run) {
            const at = run.intentAt === undefined ? '' : ` at ${timeOf(run.intentAt)}`;
            warn(`A run of ${pipelineOf(run)} may be going on: it was triggered${at}, but the step ended before an answer came.`, [
                'Without its id it cannot be cancelled from here: look at the runs of this pipeline in the application.',
            ]);
        },
        end() {
            for (const text of later)
                line(text);
            const path = parts.env['GITHUB_STEP_SUMMARY'] ?? '';
            if (said.length === 0 || path === '')
                return;
            const lines = upTo(SUMMARY_BYTES, said.map((text) => `- ${plainMarkdown(text, 1_000)}`));
            const cut = said.length - lines.length;
            const more = cut === 0 ? '' : `\n… and ${cut} more, which the log names.\n`;
            try {
                const text = `\n### Pipeline run: after the job\n\n${lines.join('\n')}\n${more}\n`;
                appendToSummary(parts.files, path, text);
            }
            catch (error) {
                const failed = writeFailure('the job summary', error, 'The log has all of it.');
                parts.toolkit.annotate('warning', 'run-pipeline', failed);
            }
        },
    };
}
const MORE = 'More runs need attention. The log names each of them.';
function post_report_runOf(run) {
    const which = run.jobId === undefined ? 'a run' : `run ${run.jobId}`;
    const pipeline = pipelineOf(run);
    return pipeline === '' ? which : `${which} of ${pipeline}`;
}
function pipelineOf({ pipelineId, pipelineName }) {
    const [id, name] = [pipelineId ?? '', oneLine(pipelineName ?? '', 80)];
    return name === '' ? id : `${name} (${id})`;
}
function timeOf(ms) {
    const date = new Date(ms);
    return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
}

;// CONCATENATED MODULE: ./build/action/stop-main.js

const MAIN_ENDS_WITHIN_MS = 10_000;
const HURRIED_MAIN_ENDS_WITHIN_MS = 3_000;
const KILL_TAKES_MS = 500;
const LOOK_EVERY_MS = 100;
async function stopMain(found, parts, report) {
    const { processes, clock, interruption } = parts;
    const { pid, startedAt } = found.main;
    const isAlive = () => processes.isAlive(pid, startedAt);
    if (!isAlive())
        return found.again();
    report.line(`The step's main process (${pid}) is still running: it is told to stop, and to see to its runs.`);
    for (const name of ['SIGTERM', 'SIGKILL']) {
        processes.signal(pid, name);
        const since = clock.now();
        const patience = () => {
            const hurried = (interruption.first?.at ?? Infinity) + HURRIED_MAIN_ENDS_WITHIN_MS;
            return Math.min(since + MAIN_ENDS_WITHIN_MS, Math.max(since + KILL_TAKES_MS, hurried));
        };
        while (isAlive() && clock.now() < patience())
            await pause(clock, LOOK_EVERY_MS);
        if (!isAlive())
            break;
    }
    if (isAlive())
        report.warn(`The step's main process (${pid}) does not end, and may go on as before.`, [
            'Look in the application for what it may still trigger.',
        ]);
    return found.again();
}

;// CONCATENATED MODULE: ./build/action/post-step.js






const post_step_BUDGET_MS = 180_000;
async function performPost(parts) {
    const key = inputOf(parts.env, 'api-key');
    if (key !== '')
        parts.toolkit.mask(key);
    const report = createPostReport(parts);
    const until = parts.clock.now() + post_step_BUDGET_MS;
    const found = gather(parts.env, parts.files);
    const all = found.map((one) => seeTo(one, key, until, parts, report));
    for (const run of orphans(parts.env, parts.files, found))
        tellOrphan(run, report);
    const ends = await Promise.allSettled(all);
    report.end();
    const broken = ends.find((end) => end.status === 'rejected');
    if (broken !== undefined)
        throw broken.reason;
}
function tellOrphan(run, report) {
    if (run.standing === 'intent')
        report.intent(run);
    if (run.standing === 'open' || run.standing === 'cancelling')
        report.unsettled(run, NO_ADDRESS);
}
const NO_ADDRESS = {
    attempted: 'cancel the run',
    came: 'the address of the service is missing from what the step had written down',
};
async function seeTo(first, key, until, parts, report) {
    const found = first.closed ? first : await stopMain(first, parts, report);
    const jobStatus = inputOf(parts.env, 'internal-job-status');
    const left = found.runs.map((run) => ({ run, chore: choreFor(run, found.main, jobStatus) }));
    const isUntold = ({ run }) => run.standing === 'unknown' && !found.closed;
    for (const one of left)
        if (one.chore === 'tell_intent' || isUntold(one))
            report.intent(one.run);
    const goesOn = ({ run, chore }) => chore !== 'tell_left' && run.standing === 'left' && !found.closed;
    for (const one of left)
        if (goesOn(one))
            report.goesOn(one.run);
    for (const { run, chore } of left)
        if (chore === 'tell_left')
            report.left(run);
    const open = left.flatMap(({ run, chore }) => (chore === 'cancel' ? [run] : []));
    if (open.length > 0)
        await cancelLeft(open, found, key, until, parts, report);
}

;// CONCATENATED MODULE: ./build/action/end-process.js
const FLUSH_MS = 5_000;
const INTERRUPTED_FLUSH_MS = 250;
const POLL_MS = 25;
function endProcess(code, { host, clock, interruption }) {
    const since = clock.now();
    let isFlushed = false;
    let isOver = false;
    const isLate = () => {
        const interruptedAt = interruption.first?.at ?? Infinity;
        const until = Math.min(since + FLUSH_MS, Math.max(since, interruptedAt) + INTERRUPTED_FLUSH_MS);
        return clock.now() >= until;
    };
    const tryEnd = () => {
        if (isOver)
            return;
        const isHeldUp = code !== 0 && host.hasPendingWork();
        if (!isLate() && (!isFlushed || isHeldUp))
            return;
        isOver = true;
        if (isHeldUp)
            host.kill();
        else if (code === 0)
            host.exit();
        else
            host.exitNow();
    };
    const poll = () => {
        tryEnd();
        if (!isOver)
            clock.after(POLL_MS, poll);
    };
    host.verdict(code);
    host.flushed(() => {
        isFlushed = true;
        tryEnd();
    });
    poll();
}

;// CONCATENATED MODULE: ./build/action/process.js

function print(line) {
    process.stdout.write(`${line}\n`);
}
const THREAD_POOL_REQUEST = /^(?:GetAddrInfoReq|GetNameInfoReq|FSReq|FileHandleCloseReq)/;
function thisProcess(guard) {
    return {
        exitCode(code) {
            guard.code = code;
        },
        verdict(code) {
            guard.code = code;
            guard.cutShort = undefined;
        },
        onError(listener) {
            process.on('uncaughtException', listener);
            process.on('unhandledRejection', listener);
        },
        onDrained(listener) {
            process.on('beforeExit', listener);
        },
        flushed(done) {
            process.stdout.write('', () => done());
        },
        hasPendingWork: () => process.getActiveResourcesInfo().some((name) => THREAD_POOL_REQUEST.test(name)),
        exit() {
            process.exit(guard.code);
        },
        exitNow: () => guard.exitNow(),
        kill() {
            process.kill(process.pid, 'SIGKILL');
        },
    };
}
function runMain(step, debug, parts) {
    const { host } = parts;
    host.exitCode(1);
    let over = false;
    const leave = (code) => {
        if (over)
            return;
        over = true;
        endProcess(code, parts);
    };
    const crash = (error) => {
        if (over)
            return;
        over = true;
        if (error instanceof Error && error.stack !== undefined)
            debug(error.stack);
        const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        endProcess(step.crash(why), parts);
    };
    host.onError(crash);
    host.onDrained(() => crash('nothing was left to wait for, although the run was not over'));
    step.run().then(leave, crash);
}
function runPost(post, warn, parts) {
    const { host } = parts;
    host.exitCode(0);
    let over = false;
    const leave = (why) => {
        if (over)
            return;
        over = true;
        if (why !== undefined)
            warn(why);
        endProcess(0, parts);
    };
    const crash = (error) => leave(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    host.onError(crash);
    host.onDrained(() => leave('nothing was left to wait for, although it was not done'));
    post().then(() => leave(), crash);
}

;// CONCATENATED MODULE: ./build/action/processes.js

const SAME_START_MS = 3_000;
function ownStart() {
    return ticksOf('self') ?? `ms:${Math.round(performance.timeOrigin)}`;
}
const systemProcesses = {
    isAlive(pid, startedAt) {
        try {
            process.kill(pid, 0);
        }
        catch (error) {
            if (!isForbidden(error))
                return false;
        }
        const ticks = ticksOf(String(pid));
        if (startedAt.startsWith('ticks:'))
            return ticks === startedAt;
        const [, ms] = /^ms:(\d+)$/.exec(startedAt) ?? [];
        const began = startByTool(pid);
        return ms !== undefined && began !== undefined && Math.abs(began - Number(ms)) <= SAME_START_MS;
    },
    signal(pid, name) {
        try {
            process.kill(pid, name);
        }
        catch {
        }
    },
};
function isForbidden(error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
}
function ticksOf(pid) {
    try {
        const fields = (0,external_node_fs_namespaceObject.readFileSync)(`/proc/${pid}/stat`, 'utf8')
            .replace(/^.*\)\s*/s, '')
            .split(' ');
        const [state, start] = [fields[0], fields[19]];
        return state === 'Z' || state === 'X' || start === undefined ? undefined : `ticks:${start}`;
    }
    catch {
        return undefined;
    }
}
function startByTool(pid) {
    const [tool, ...args] = process.platform === 'win32'
        ? [
            'powershell.exe',
            '-NoProfile',
            '-Command',
            `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`,
        ]
        :
            ['env', 'LC_ALL=C', 'ps', '-o', 'lstart=', '-p', String(pid)];
    try {
        const { execFileSync } = process.getBuiltinModule('node:child_process');
        const said = execFileSync(tool, args, {
            encoding: 'utf8',
            timeout: 10_000,
            stdio: ['ignore', 'pipe', 'ignore'],
        });
        const ms = Date.parse(said.trim());
        return Number.isNaN(ms) ? undefined : ms;
    }
    catch {
        return undefined;
    }
}

;// CONCATENATED MODULE: external "node:events"
const external_node_events_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");
;// CONCATENATED MODULE: ./build/action/signals.js

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'];
function listenForInterruption(interrupters, clock) {
    const controller = new AbortController();
    (0,external_node_events_namespaceObject.setMaxListeners)(0, controller.signal);
    let first;
    const interrupt = (by) => {
        if (first !== undefined)
            return;
        first = { by, at: clock.now() };
        controller.abort();
    };
    for (const name of SIGNALS)
        interrupters.onSignal(name, () => interrupt(name));
    interrupters.onStdoutGone(() => interrupt('a closed stdout'));
    return {
        signal: controller.signal,
        get first() {
            return first;
        },
    };
}
const processInterrupters = {
    onSignal(name, listener) {
        process.prependListener(name, listener);
    },
    onStdoutGone(listener) {
        process.stdout.on('error', listener);
        process.stderr.on('error', () => undefined);
    },
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
function core_warning(message, properties = {}) {
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

;// CONCATENATED MODULE: ./build/action/toolkit.js

const ANNOTATE = { error: error, warning: core_warning, notice: notice };
const githubToolkit = {
    mask: (secret) => setSecret(secret),
    annotate: (level, title, message) => ANNOTATE[level](message, { title }),
    debug(line) {
        if (isDebug())
            debug(line);
    },
};

;// CONCATENATED MODULE: ./build/base/version.js
const VERSION = '0.1.0';

;// CONCATENATED MODULE: ./build/service/json.js


function parseJson(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
function isPartOfId(text, change) {
    return asUuid(text) !== undefined && change(text) !== '***';
}
const EXPECTED_NAMES = new Set([
    'id',
    'job_status',
    'status_message',
    'pipeline_id',
    'pipeline_name',
    'pipeline_api_name',
]);
const MOST_DEPTH = 8;
function mapStrings(value, change, most) {
    let left = most;
    const map = (each, depth) => {
        if (left <= 0 || depth < 0)
            return null;
        left -= 1;
        if (typeof each === 'string')
            return isPartOfId(each, change) ? each : change(each);
        if (typeof each !== 'object' || each === null)
            return each;
        if (Array.isArray(each))
            return each.map((item) => map(item, depth - 1));
        const members = Object.entries(each).flatMap(([name, member]) => {
            if (!EXPECTED_NAMES.has(name))
                left -= 1;
            if (left <= 0)
                return [];
            return [[EXPECTED_NAMES.has(name) ? name : change(name), map(member ?? null, depth - 1)]];
        });
        return Object.fromEntries(members);
    };
    return map(value, MOST_DEPTH);
}
function isJsonObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
const LONGEST_TEXT = 1_000;
function briefOrNull(value) {
    return typeof value === 'string' ? brief(value, LONGEST_TEXT) : null;
}
function brief(text, longest) {
    return text.length <= longest ? text : copyOf(shorten(text, longest));
}

;// CONCATENATED MODULE: ./build/service/body-words.js


const LONGEST_MESSAGE = 300;
const LONGEST_EXCERPT = 160;
function bodyWords({ json, text, headers }) {
    if (json === undefined && text.trim() === '')
        return '';
    const told = json === undefined ? undefined : jsonWords(json);
    if (told !== undefined)
        return told;
    if (isHtml(text, headers)) {
        const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1];
        return title === undefined || title.trim() === ''
            ? 'with a web page'
            : `with a web page titled ${quoted(title, LONGEST_EXCERPT)}`;
    }
    return quoted(json === undefined ? text : JSON.stringify(json), LONGEST_EXCERPT);
}
function jsonWords(value) {
    if (typeof value === 'string')
        return quoted(value, LONGEST_MESSAGE);
    if (!isJsonObject(value))
        return undefined;
    const message = messageOf(value);
    return message === undefined ? undefined : `${quoted(message, LONGEST_MESSAGE)}${detailWords(value)}`;
}
function isHtml(body, headers) {
    const type = headers['content-type'];
    if (type !== undefined && /^(?:text\/html|application\/xhtml)/i.test(type))
        return true;
    return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(body);
}
function messageOf(error) {
    const nested = error['error'];
    const candidates = [
        error['message'],
        error['msg'],
        error['error_description'],
        isJsonObject(nested) ? nested['message'] : nested,
    ];
    return candidates.find((value) => typeof value === 'string' && value.trim() !== '');
}
function detailWords(error) {
    const { code, hint } = error;
    const parts = [
        typeof code === 'string' || typeof code === 'number'
            ? `code ${quoted(String(code), 40).slice(1, -1)}`
            : '',
        typeof hint === 'string' && hint.trim() !== '' ? `hint: ${quoted(hint, LONGEST_MESSAGE)}` : '',
    ].filter((part) => part !== '');
    return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

;// CONCATENATED MODULE: ./build/service/connection-words.js


const CHECK_NETWORK = "Check the runner's network, its firewall and its proxy settings (https_proxy, no_proxy).";
function connectionWords(unanswered, host, isGiven) {
    const { connected, deadlineMs } = unanswered;
    if (unanswered.error !== undefined) {
        const error = { code: '', ...unanswered.error };
        return (certificateWords(error, host) ?? (connected ? lateWords(error, host) : earlyWords(error, host, isGiven)));
    }
    const within = deadlineMs === undefined ? '' : ` within ${formatDuration(deadlineMs)}`;
    if (connected)
        return { came: `no answer from ${host}${within}` };
    return { came: `no connection to ${host}${within}`, remedy: CHECK_NETWORK };
}
function earlyWords(error, host, isGiven) {
    const proxy = proxyWords(error, host);
    if (proxy)
        return proxy;
    const checkHost = isGiven
        ? "Check base-url, and the runner's network and proxy settings (https_proxy, no_proxy)."
        : `${CHECK_NETWORK} The service itself named that host.`;
    const { code, message } = error;
    switch (code) {
        case 'ENOTFOUND':
        case 'EAI_AGAIN':
            return { came: `the host name ${host} could not be resolved (${code})`, remedy: checkHost };
        case 'ECONNREFUSED':
            return { came: `${host} refused the connection (ECONNREFUSED)`, remedy: checkHost };
        case 'ETIMEDOUT':
        case 'EHOSTUNREACH':
        case 'ENETUNREACH':
            return { came: `${host} could not be reached (${code})`, remedy: CHECK_NETWORK };
        case 'ECONNRESET':
        case 'EPIPE':
            return {
                came: `the connection to ${host} broke while it was being made (${code})`,
                remedy: CHECK_NETWORK,
            };
        default:
            if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
                const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
                const why = oneLine(`${code}: ${reason}`, 200);
                return { came: `the TLS handshake with ${host} failed (${why})`, remedy: checkHost };
            }
            return { came: `no connection to ${host}: ${connection_words_plain(error)}`, remedy: CHECK_NETWORK };
    }
}
function lateWords(error, host) {
    const { code } = error;
    if (code === 'ECONNRESET' || code === 'EPIPE') {
        return { came: `the connection to ${host} was reset before an answer came (${code})` };
    }
    if (code === 'HPE_HEADER_OVERFLOW') {
        return {
            came: `the response headers from ${host} exceed Node's limit, which is 16 KiB by default (${code})`,
            remedy: 'Check which proxy or gateway adds headers. To raise the limit, set NODE_OPTIONS to ' +
                '--max-http-header-size=65536 in the env of the step.',
        };
    }
    if (code.startsWith('HPE_'))
        return { came: `${host} answered with something that is not HTTP (${code})` };
    return { came: `the connection to ${host} failed before an answer came: ${connection_words_plain(error)}` };
}
function proxyWords({ message }, host) {
    const cause = /tunneling socket could not be established, cause=(.*)/s.exec(message)?.[1];
    if (cause !== undefined) {
        return {
            came: `the proxy could not be reached: ${oneLine(cause, 200)}`,
            remedy: 'Check https_proxy and no_proxy on the runner.',
        };
    }
    const status = /tunneling socket could not be established, statusCode=(\d+)/.exec(message)?.[1];
    if (status === undefined)
        return undefined;
    const remedy = status === '407'
        ? 'The proxy asks for credentials: put them into https_proxy on the runner, or add the host to no_proxy.'
        : `Check that the proxy allows connections to ${host}.`;
    return { came: `the proxy refused a connection to ${host} with HTTP ${status}`, remedy };
}
function certificateWords({ code }, host) {
    if (!CERTIFICATE.test(code))
        return undefined;
    return {
        came: `the certificate of ${host} was not accepted (${code})`,
        remedy: CERTIFICATE_REMEDIES[code] ?? UNKNOWN_AUTHORITY,
        hopeless: true,
    };
}
const CERTIFICATE = /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|ERROR_IN_CERT_)/;
const UNKNOWN_AUTHORITY = 'If a proxy or an internal authority signed it, set NODE_EXTRA_CA_CERTS to a file with the authority, or ' +
    "NODE_USE_SYSTEM_CA=1 to trust the runner's own certificates.";
const EXPIRED = "Check the runner's clock, and the certificate's dates. For an authority of your own, NODE_EXTRA_CA_CERTS and " +
    'NODE_USE_SYSTEM_CA=1 say whom to trust.';
const CERTIFICATE_REMEDIES = {
    CERT_HAS_EXPIRED: EXPIRED,
    CERT_NOT_YET_VALID: EXPIRED,
    ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate belongs to another host: check the host name. If a proxy in between signed it, set ' +
        'NODE_EXTRA_CA_CERTS or NODE_USE_SYSTEM_CA=1.',
};
function connection_words_plain({ code, message }) {
    return oneLine(`${code} ${message}`, 200);
}

;// CONCATENATED MODULE: ./build/service/problem.js



function connectionProblem(subject, unanswered) {
    const { attempted, url, isGiven } = subject;
    const { came, remedy, hopeless = false } = connectionWords(unanswered, url.host, isGiven);
    return { attempted, came, remedy, hopeless };
}
function answerProblem({ attempted }, { status }, says, remedy) {
    return { attempted, came: copyOf(`HTTP ${status}${says}`), remedy };
}
function statusProblem(subject, answer) {
    const words = bodyWords(answer);
    const target = isRedirect(answer) ? answer.headers['location'] : undefined;
    const where = target === undefined ? '' : `, a redirect to ${oneLine(target, 200)}`;
    const says = words === '' ? where : `${where} ${words}`;
    return answerProblem(subject, answer, says, statusRemedy(subject, answer));
}
function nonsenseProblem(subject, answer, why, remedy) {
    const words = bodyWords(answer);
    if (isHtml(answer.text, answer.headers)) {
        return answerProblem(subject, answer, `, but ${words}`, remedy ?? inBetween(subject));
    }
    return answerProblem(subject, answer, `, but ${why}${words === '' ? '' : `: ${words}`}`, remedy);
}
function notJson(text) {
    return text.trim() === '' ? 'with an empty body' : 'with a body that is not JSON';
}
function inBetween({ url }) {
    return `Something in between, such as a proxy with a log-in, answered in the place of the service: have it allow ${url.host}.`;
}
function incompleteProblem(subject, answer, how) {
    const why = {
        cut_off: 'the answer broke off',
        stalled: 'the rest of the answer did not come',
        too_large: 'the answer is larger than any should be',
    }[how];
    return answerProblem(subject, answer, `, but ${why}`);
}
const TOKEN_REFUSED = 'The service refuses even a token that it has just given out. Check that the API key has not been revoked; if it ' +
    'has not, only those who run the service can help.';
function redirectRemedy({ isGiven }) {
    return isGiven
        ? 'Redirects are not followed, because the API key must not go elsewhere: check base-url.'
        : 'Redirects are not followed, because the token must not go elsewhere: see whether a proxy in between asks for a log-in.';
}
function isRedirect(answer) {
    return answer.status >= 300 && answer.status < 400;
}
function statusRemedy(subject, answer) {
    const { status } = answer;
    if (status === 407)
        return 'A proxy in between asks for credentials: check https_proxy and no_proxy on the runner.';
    if (isRedirect(answer))
        return redirectRemedy(subject);
    if (status === 403 && isHtml(answer.text, answer.headers)) {
        return `A proxy or a firewall in between may have blocked the request: have it allow ${subject.url.host}.`;
    }
    if (status === 401)
        return TOKEN_REFUSED;
    const isRejected = status >= 400 && status < 500 && status !== 408 && status !== 429;
    return isRejected ? subject.whenRejected : undefined;
}

;// CONCATENATED MODULE: ./build/service/retry-after.js
const retry_after_LONGEST_MS = 60_000;
function retryAfterMs(headers, wallMs) {
    const asked = headers['retry-after']?.trim() ?? '';
    if (/^\d+$/.test(asked))
        return Math.min(Number(asked) * 1_000, retry_after_LONGEST_MS);
    const until = httpDate(asked);
    if (until === undefined)
        return undefined;
    const from = httpDate(headers['date'] ?? '') ?? wallMs;
    return Math.min(Math.max(0, until - from), retry_after_LONGEST_MS);
}
function httpDate(text) {
    if (!/^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(text))
        return undefined;
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : ms;
}

;// CONCATENATED MODULE: ./build/service/classify.js


function successOf(subject, answer, clock) {
    if (answer.kind === 'aborted')
        return answer;
    if (answer.kind === 'unanswered') {
        const { hopeless, ...problem } = connectionProblem(subject, answer);
        return answer.connected ? { kind: 'perhaps', problem } : { kind: 'not_processed', problem, hopeless };
    }
    if (classify_isSuccess(answer)) {
        return answer.body === 'complete'
            ? answer
            : { kind: 'incomplete', how: answer.body, problem: incompleteProblem(subject, answer, answer.body) };
    }
    return statusFailure(subject, answer, clock);
}
function classify_isSuccess(answer) {
    return answer.status >= 200 && answer.status < 300;
}
function statusFailure(subject, answer, clock) {
    const { status, headers } = answer;
    const problem = statusProblem(subject, answer);
    const waitMs = retryAfterMs(headers, clock.wall());
    const retry = waitMs === undefined ? {} : { retryAfterMs: waitMs };
    if (status === 401)
        return { kind: 'unauthorized', problem };
    if (status === 429)
        return { kind: 'not_processed', problem, hopeless: false, ...retry };
    if (status === 408 || status >= 500 || status < 300)
        return { kind: 'perhaps', problem, ...retry };
    return { kind: 'rejected', problem };
}

;// CONCATENATED MODULE: ./build/service/reply.js

const MOST_VALUES = 12_000;
const MANY_FROM = 262_144;
function replyOf({ text, ...answer }, redactor) {
    const redact = (part) => redactor.redact(part);
    const parsed = parseJson(text);
    const most = text.length > MANY_FROM ? Infinity : MOST_VALUES;
    const json = parsed === undefined ? undefined : mapStrings(parsed, redact, most);
    return {
        ...answer,
        headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [
            name,
            value === undefined ? value : redact(value),
        ])),
        json,
        text: json === undefined ? redact(answer.body === 'complete' ? text : wholeWords(text)) : '',
    };
}
function wholeWords(text) {
    return text.slice(0, Math.max(0, ...[' ', '\n', '\t'].map((space) => text.lastIndexOf(space))));
}

;// CONCATENATED MODULE: ./build/service/call.js



const USUAL_DEADLINE_MS = 30_000;
const USUAL_MAX_BYTES = 262_144;
async function call(caller, what, options = {}) {
    const { transport, session } = caller;
    const { rescue } = what;
    for (let attempt = 1;; attempt += 1) {
        const access = await session.access(options);
        if (access.kind !== 'access')
            return withoutToken(access);
        const request = requestOf(what, access.grant);
        what.onSend?.();
        const answer = await transport(request, {
            deadline: options.withinMs === undefined ? what.deadline : { allMs: options.withinMs() },
            maxBytes: what.maxBytes,
            signal: options.signal,
            untilConnected: what.untilConnected,
            isEnough: rescue && ((soFar) => rescue(soFar) !== undefined),
            attempt,
        });
        const outcome = judge(what, subjectOf(what, request.url), answer, caller);
        if (!isUnauthorized(outcome) || options.isAside === true)
            return outcome;
        session.invalidate(access);
        if (attempt >= what.tries)
            return outcome;
    }
}
function judge(what, subject, answer, { redactor, clock }) {
    const rescued = answer.kind === 'answered' ? what.rescue?.(answer) : undefined;
    if (rescued !== undefined)
        return rescued;
    const reply = answer.kind === 'answered' ? replyOf(answer, redactor) : answer;
    const success = successOf(subject, reply, clock);
    if (success.kind === 'answered')
        return what.understand(success, subject);
    if (success.kind !== 'incomplete')
        return success;
    const received = answer.kind === 'answered' ? answer.text : '';
    return what.whenIncomplete?.(success, received) ?? { kind: 'perhaps', problem: success.problem };
}
function withoutToken(failure) {
    if (failure.kind !== 'perhaps')
        return failure;
    return { ...failure, kind: 'not_processed', hopeless: false };
}
function requestOf(what, grant) {
    const headers = {
        authorization: `Bearer ${grant.token}`,
        apikey: grant.anonKey,
        accept: 'application/json',
        ...what.headers,
    };
    return { method: what.method, url: under(grant.account.apiUrl, what.path), headers, body: what.body };
}
function subjectOf(what, url) {
    return {
        attempted: what.attempted,
        url,
        isGiven: false,
        whenRejected: what.whenRejected,
    };
}
function isUnauthorized(outcome) {
    return outcome.kind === 'unauthorized';
}

;// CONCATENATED MODULE: ./build/service/job-row.js





const ALL_FIELDS = 'id,job_status,status_message';
const SHORT_FIELDS = 'id,job_status';
const LONGEST_STATUS = 200;
function omitLongMessage({ longMessages }, jobId, fields, how, text) {
    const isTooLong = how === 'too_large' && fields === ALL_FIELDS && /^\s*\[\s*\{/.test(text);
    if (isTooLong)
        longMessages.add(jobId);
    return isTooLong;
}
function fieldsOf({ longMessages }, jobId) {
    return longMessages.has(jobId) ? SHORT_FIELDS : ALL_FIELDS;
}
function jobRows({ json: rows, text }, jobId, fields = ALL_FIELDS) {
    if (rows === undefined)
        return nonsense(notJson(text));
    if (!Array.isArray(rows))
        return nonsense('with a body that is not a list of rows');
    if (rows.length === 0)
        return { kind: 'none' };
    if (rows.length > 1)
        return nonsense(`with ${rows.length} rows where one was asked for`);
    const row = rows[0];
    if (!isJsonObject(row))
        return nonsense('with a row that is not an object');
    if (asUuid(row['id']) !== jobId)
        return nonsense('with the row of another run');
    const status = row['job_status'];
    if (typeof status !== 'string')
        return nonsense('with a row that has no job_status');
    const message = fields === SHORT_FIELDS ? MESSAGE_TOO_LONG : shownMessage(row['status_message']);
    return { kind: 'job', job: { id: jobId, status: brief(status, LONGEST_STATUS), statusMessage: message } };
}
function shownMessage(message) {
    return typeof message === 'string' ? brief(flat(message), LONGEST_TEXT) : null;
}
function nonsense(why) {
    return { kind: 'nonsense', why };
}

;// CONCATENATED MODULE: ./build/service/cancel.js




function cancel(caller, jobId, options) {
    const fields = fieldsOf(caller, jobId);
    return call(caller, {
        attempted: 'cancel the run',
        method: 'PATCH',
        path: `/rest/v1/jobs?id=eq.${jobId}&job_status=in.(${CANCELLABLE_STATUSES.join(',')})&select=${fields}`,
        headers: { 'content-type': 'application/json', prefer: 'return=representation' },
        body: JSON.stringify({ job_status: 'cancelled' }),
        deadline: { allMs: USUAL_DEADLINE_MS },
        maxBytes: USUAL_MAX_BYTES,
        tries: 3,
        whenRejected: 'Check that the API key belongs to the workspace of the run.',
        understand(answer, subject) {
            const rows = jobRows(answer, jobId, fields);
            if (rows.kind === 'job')
                return rows;
            if (rows.kind === 'none')
                return { kind: 'unchanged' };
            return { kind: 'accepted', problem: nonsenseProblem(subject, answer, rows.why) };
        },
        whenIncomplete({ how, problem }, received) {
            omitLongMessage(caller, jobId, fields, how, received);
            return { kind: 'accepted', problem };
        },
    }, options);
}

;// CONCATENATED MODULE: ./build/service/redact.js

const MOST_TOKENS = 4;
function createRedactor(apiKey) {
    const tokens = { granted: [], seen: [] };
    let replace = replacerOf([apiKey]);
    return {
        learn(token, source = 'granted') {
            const isKnown = tokens.granted.includes(token) || (source === 'seen' && tokens.seen.includes(token));
            if (token === '' || token === apiKey || isKnown)
                return false;
            tokens[source] = [...tokens[source], token].slice(-MOST_TOKENS);
            replace = replacerOf([apiKey, ...tokens.granted, ...tokens.seen]);
            return true;
        },
        redact(text) {
            let safe = replace.whole(text);
            for (const { applies, read } of READINGS) {
                if (!applies.test(safe))
                    continue;
                const reading = read(safe);
                const replaced = replace.whole(reading);
                if (replaced !== reading)
                    safe = replaced;
            }
            return replace.beginnings(safe);
        },
    };
}
const redact_INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
function visible(text) {
    return withoutEscapes(text).replace(redact_INVISIBLE, '');
}
const READINGS = [
    { applies: /[^ -~]/, read: (text) => text.replace(redact_INVISIBLE, '') },
    { applies: /[\u001B\u009B]/, read: visible },
    { applies: /[%\\&]/, read: (text) => visible(decoded(text)) },
    { applies: /%25|\\\\|&amp;/, read: (text) => visible(decoded(decoded(text))) },
];
const SEARCHED = 32;
const MOST_NEAR_MISSES = 500;
function replacerOf(secrets) {
    const spellings = [...new Set(secrets.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
    const beginnings = new Set(spellings.map((spelling) => spelling.slice(0, SEARCHED)));
    const pattern = [...beginnings].map((text) => text.replace(/[^A-Za-z0-9]/g, '\\$&')).join('|');
    const search = new RegExp(pattern, 'g');
    const replaced = (text, mostMisses) => {
        let safe = '';
        let done = 0;
        let misses = 0;
        search.lastIndex = 0;
        for (let found = search.exec(text); found !== null; found = search.exec(text)) {
            const { index } = found;
            const whole = misses < mostMisses ? spellings.find((each) => isAt(each, text, index)) : undefined;
            if (whole === undefined && misses < mostMisses) {
                misses += 1;
                search.lastIndex = index + 1;
                continue;
            }
            const length = whole?.length ?? Math.max(...spellings.map((each) => commonLength(each, text, index)));
            safe += `${text.slice(done, index)}***`;
            done = index + Math.max(length, found[0].length);
            search.lastIndex = done;
        }
        return done === 0 ? text : safe + text.slice(done);
    };
    return { whole: (text) => replaced(text, MOST_NEAR_MISSES), beginnings: (text) => replaced(text, 0) };
}
function isAt(spelling, text, index) {
    return text.slice(index, index + spelling.length) === spelling;
}
function commonLength(spelling, text, index) {
    let length = 0;
    while (length < spelling.length && spelling.charCodeAt(length) === text.charCodeAt(index + length))
        length += 1;
    return length;
}
const SHORTEST_BASE64 = 6;
function spellingsOf(secret) {
    const base64 = [0, 1, 2].flatMap((before) => {
        const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
        const whole = text
            .toString('base64')
            .slice(Math.ceil((before * 8) / 6), Math.floor((text.length * 8) / 6));
        return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
    });
    return [secret, ...base64.filter(({ length }) => length >= SHORTEST_BASE64)].filter((text) => text !== '');
}
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|(amp|quot|apos|lt|gt));/y;
const NAMED = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };
function entityAt(text, at) {
    ENTITY.lastIndex = at;
    const [whole, decimal, hexadecimal, name] = ENTITY.exec(text) ?? [];
    if (whole === undefined)
        return undefined;
    const number = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const unit = name === undefined ? number : (NAMED[name] ?? '').charCodeAt(0);
    return { unit, length: whole.length };
}
function decoded(text) {
    const units = new Uint16Array(text.length);
    let length = 0;
    for (let at = 0; at < text.length; at += 1) {
        let unit = text.charCodeAt(at);
        const isUnicode = unit === BACKSLASH && text.charCodeAt(at + 1) === LOWER_U;
        const code = unit === PERCENT ? hex(text, at + 1, 2) : isUnicode ? hex(text, at + 2, 4) : undefined;
        const entity = unit === AMPERSAND ? entityAt(text, at) : undefined;
        if (code !== undefined) {
            unit = code;
            at += isUnicode ? 5 : 2;
        }
        else if (entity !== undefined) {
            unit = entity.unit;
            at += entity.length - 1;
        }
        else if (unit === BACKSLASH && at + 1 < text.length) {
            at += 1;
            unit = 'bfnrt'.includes(text.charAt(at)) ? 0 : text.charCodeAt(at);
        }
        units[length] = unit;
        length += 1;
    }
    return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}
function hex(text, from, digits) {
    let value = 0;
    for (let at = from; at < from + digits; at += 1) {
        const digit = HEX_DIGITS.indexOf(text.charAt(at).toLowerCase());
        if (digit === -1 || at >= text.length)
            return undefined;
        value = value * 16 + digit;
    }
    return value;
}
const HEX_DIGITS = '0123456789abcdef';
const MOST_FOUND = 2;
function tokensIn(text) {
    const found = [];
    for (const [, token] of text.matchAll(/"token"\s*:\s*"([!#-[\]-~]{4,})"/g)) {
        if (token !== undefined)
            found.push(token);
        if (found.length === MOST_FOUND)
            break;
    }
    return found;
}

;// CONCATENATED MODULE: ./build/service/exchange.js








function createExchange(parts) {
    const { transport, clock, baseUrl, apiKey, redactor } = parts;
    const url = under(baseUrl, '/api/cli/bootstrap');
    const subject = {
        attempted: 'exchange the API key for a token',
        url,
        isGiven: true,
        whenRejected: 'Check that the API key is valid, that base-url is right, and that no proxy or firewall on the way refuses ' +
            'the request.',
    };
    return async (withinMs = USUAL_DEADLINE_MS) => {
        const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
        const answer = await transport({ method: 'POST', url, headers }, { deadline: { allMs: withinMs }, maxBytes: USUAL_MAX_BYTES });
        const given = answer.kind === 'answered' ? parseJson(answer.text) : undefined;
        const fields = isJsonObject(given) ? given : {};
        if (answer.kind === 'answered')
            learnTokens(fields, answer.text, parts);
        const reply = answer.kind === 'answered' ? replyOf(answer, redactor) : answer;
        const success = successOf(subject, reply, clock);
        if (success.kind === 'incomplete')
            return { kind: 'perhaps', problem: success.problem };
        if (success.kind === 'unauthorized')
            return refused(success.problem);
        return success.kind === 'answered' ? understand(subject, success, fields, parts) : success;
    };
}
function learnTokens(fields, text, parts) {
    const token = fields['token'];
    if (isUsableToken(token))
        learn(token, parts);
    for (const other of tokensIn(text))
        if (parts.redactor.learn(other, 'seen'))
            parts.onSecret(other);
}
function isUsableToken(token) {
    return typeof token === 'string' && /^[!-~]+$/.test(token);
}
function learn(token, { redactor, onSecret }) {
    if (redactor.learn(token))
        onSecret(token);
}
function understand(subject, answer, fields, { baseUrl, redactor }) {
    if (answer.json === undefined)
        return noJson(subject, answer);
    const { token } = fields;
    if (!isUsableToken(token))
        return refused(quietly(subject, answer, 'without a usable token'));
    const anonKey = fields['backend_anon_key'];
    if (typeof anonKey !== 'string' || !/^[!-~]+(?: +[!-~]+)*$/.test(anonKey)) {
        return { kind: 'rejected', problem: quietly(subject, answer, 'without a usable backend_anon_key') };
    }
    const { backend_url: named } = fields;
    const backendUrl = typeof named === 'string' ? named : '';
    const address = checkAddress(backendUrl, (url) => isLoopback(baseUrl) && isLoopback(url));
    const isSafe = redactor.redact(backendUrl) === backendUrl;
    if (!address.ok || !isSafe) {
        const why = address.ok ? 'contains a secret' : address.why;
        return { kind: 'rejected', problem: quietly(subject, answer, `with a backend_url that ${why}`) };
    }
    const shown = isJsonObject(answer.json) ? answer.json : {};
    return {
        kind: 'granted',
        token,
        anonKey,
        account: {
            region: briefOrNull(shown['region']),
            apiUrl: address.url,
            expiresAt: briefOrNull(shown['expires_at']),
        },
        ttlMs: ttlMs(fields),
    };
}
const DOCUMENTED_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;
function ttlMs(fields) {
    const seconds = fields['ttl_seconds'];
    const believable = typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_TTL_S;
    return (believable ? seconds : DOCUMENTED_TTL_S) * 1_000;
}
function noJson(subject, answer) {
    if (!isHtml(answer.text, answer.headers)) {
        return { kind: 'perhaps', problem: answerProblem(subject, answer, `, but ${notJson(answer.text)}`) };
    }
    const remedy = "base-url seems to lead to a web page: it should be the service's application host, and nothing in " +
        'between should ask for a log-in.';
    return {
        kind: 'rejected',
        problem: nonsenseProblem(subject, answer, notJson(answer.text), remedy),
    };
}
function quietly(subject, answer, what) {
    const remedy = 'Only those who run the service can correct that: tell them, with this message.';
    return answerProblem(subject, answer, ` ${what}`, remedy);
}
function refused(problem) {
    const remedy = 'The API key is wrong or has been revoked: create a new one under Settings → API Keys, and update the secret.';
    return { kind: 'key_refused', problem: { ...problem, remedy } };
}

;// CONCATENATED MODULE: ./build/service/list.js




const MAX_BYTES = 4 * 1_048_576;
const USUAL_CUT = 1_000;
function list(caller, options) {
    return call(caller, {
        attempted: 'list the pipelines',
        method: 'GET',
        path: '/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name',
        deadline: { allMs: USUAL_DEADLINE_MS },
        maxBytes: options?.isAside === true ? USUAL_MAX_BYTES : MAX_BYTES,
        tries: 3,
        whenRejected: 'Give every pipeline by its UUID, which the address of its page shows: then nothing has to be listed.',
        understand(answer, subject) {
            const rows = answer.json;
            if (rows === undefined) {
                return {
                    kind: 'perhaps',
                    problem: nonsenseProblem(subject, answer, notJson(answer.text)),
                };
            }
            if (!Array.isArray(rows)) {
                return {
                    kind: 'rejected',
                    problem: nonsenseProblem(subject, answer, 'with a body that is not a list of rows', subject.whenRejected),
                };
            }
            if (rows.length > 0 && !rows.some(isRow)) {
                return {
                    kind: 'rejected',
                    problem: nonsenseProblem(subject, answer, 'with rows that are no pipelines', subject.whenRejected),
                };
            }
            return { kind: 'pipelines', pipelines: pipelinesOf(rows), perhapsCut: rows.length >= USUAL_CUT };
        },
    }, options);
}
function isRow(row) {
    return isJsonObject(row) && row['pipeline_id'] !== undefined;
}
function pipelinesOf(rows) {
    const found = new Map();
    for (const row of rows) {
        if (!isJsonObject(row))
            continue;
        const id = asUuid(row['pipeline_id']);
        if (id === undefined)
            continue;
        const before = found.get(id);
        found.set(id, {
            id,
            name: before?.name ?? briefOrNull(row['pipeline_name']),
            apiName: before?.apiName ?? briefOrNull(row['pipeline_api_name']),
        });
    }
    return [...found.values()];
}

;// CONCATENATED MODULE: ./build/service/read.js



async function read(caller, jobId, options = {}) {
    const { clock } = caller;
    const until = clock.now() + (options.withinMs?.() ?? USUAL_DEADLINE_MS);
    const first = await readOnce(caller, jobId, options);
    if (first.kind !== 'too_large')
        return first;
    const failure = { kind: 'perhaps', problem: first.problem };
    if (options.repeatIfTooLarge !== true || until <= clock.now())
        return failure;
    const withinMs = () => Math.min(options.withinMs?.() ?? Infinity, Math.max(0, until - clock.now()));
    const second = await readOnce(caller, jobId, { ...options, withinMs });
    return second.kind === 'too_large' ? failure : second;
}
function readOnce(caller, jobId, options) {
    const fields = fieldsOf(caller, jobId);
    return call(caller, {
        attempted: 'read the status of the run',
        method: 'GET',
        path: `/rest/v1/jobs?id=eq.${jobId}&select=${fields}`,
        deadline: { allMs: USUAL_DEADLINE_MS },
        maxBytes: USUAL_MAX_BYTES,
        tries: 2,
        whenRejected: 'Check that the API key belongs to the workspace of the run.',
        understand(answer, subject) {
            const rows = jobRows(answer, jobId, fields);
            if (rows.kind === 'job')
                return rows;
            if (rows.kind === 'none')
                return { kind: 'missing' };
            return { kind: 'perhaps', problem: nonsenseProblem(subject, answer, rows.why) };
        },
        whenIncomplete({ how, problem }, received) {
            const isTooLong = omitLongMessage(caller, jobId, fields, how, received);
            return { kind: isTooLong ? 'too_large' : 'perhaps', problem };
        },
    }, options);
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
    const isGood = (of) => !of.invalid && ageOf(of) < of.access.grant.ttlMs;
    const hasToken = () => kept !== undefined && isGood(kept);
    async function renew(startedMs, withinMs) {
        const outcome = await exchange(withinMs).finally(() => {
            if (renewal?.startedMs === startedMs)
                renewal = undefined;
        });
        if (outcome.kind !== 'granted') {
            lastFailureMs = clock.now();
            if (outcome.kind === 'key_refused' && !hasToken())
                rejected = { failure: outcome, atMs: lastFailureMs };
            return kept ? asOutage(outcome) : outcome;
        }
        rejected = undefined;
        const access = { kind: 'access', grant: outcome };
        if (kept === undefined || kept.bornMs <= startedMs || !isGood(kept)) {
            kept = { access, bornMs: startedMs, invalid: false };
        }
        return access;
    }
    function startRenewal(withinMs) {
        const startedMs = clock.now();
        renewal = { startedMs, outcome: renew(startedMs, withinMs) };
        return renewal;
    }
    function renewalFor(withinMs) {
        const stalled = renewal !== undefined && withinMs !== undefined && clock.now() - renewal.startedMs >= withinMs;
        return renewal === undefined || stalled ? startRenewal(withinMs) : renewal;
    }
    return {
        async access(options = {}) {
            if (options.signal?.aborted)
                return { kind: 'aborted' };
            if (kept !== undefined && isGood(kept)) {
                const due = ageOf(kept) >= kept.access.grant.ttlMs * RENEW_AFTER;
                const rested = clock.now() - lastFailureMs >= RENEW_AGAIN_MS;
                if (due && rested && !renewal)
                    startRenewal();
                return kept.access;
            }
            if (rejected && clock.now() - rejected.atMs < REJECTED_FOR_MS)
                return rejected.failure;
            const withinMs = options.withinMs?.();
            return waitFor(renewalFor(withinMs).outcome, withinMs, options.signal, clock);
        },
        invalidate(access) {
            if (kept?.access === access)
                kept.invalid = true;
        },
    };
}
function asOutage(failure) {
    return failure.kind === 'rejected'
        ? { kind: 'not_processed', problem: failure.problem, hopeless: false }
        : failure;
}
async function waitFor(outcome, withinMs, signal, clock) {
    const clearances = [];
    const givenUp = new Promise((resolve) => {
        if (signal) {
            const onAbort = () => resolve({ kind: 'aborted' });
            signal.addEventListener('abort', onAbort);
            clearances.push(() => signal.removeEventListener('abort', onAbort));
        }
        if (withinMs !== undefined) {
            clearances.push(clock.after(withinMs, () => resolve(noTokenWithin(withinMs))));
        }
    });
    try {
        return await Promise.race([outcome, givenUp]);
    }
    finally {
        for (const clear of clearances)
            clear();
    }
}
function noTokenWithin(withinMs) {
    const problem = {
        attempted: 'exchange the API key for a token',
        came: `no answer within ${formatDuration(withinMs)}`,
    };
    return { kind: 'not_processed', problem, hopeless: false };
}

;// CONCATENATED MODULE: ./build/service/body.js
class Body {
    #maxBytes;
    #bytes = new Uint8Array(1_024);
    #length = 0;
    constructor(maxBytes) {
        this.#maxBytes = maxBytes;
    }
    get length() {
        return this.#length;
    }
    add(bytes) {
        const room = this.#maxBytes - this.#length;
        const kept = bytes.length <= room ? bytes : bytes.subarray(0, room);
        const length = this.#length + kept.length;
        if (length > this.#bytes.length) {
            const larger = new Uint8Array(Math.min(this.#maxBytes, Math.max(length, 2 * this.#bytes.length)));
            larger.set(this.#bytes.subarray(0, this.#length));
            this.#bytes = larger;
        }
        this.#bytes.set(kept, this.#length);
        this.#length = length;
        return kept.length === bytes.length;
    }
    text() {
        return new TextDecoder().decode(this.#bytes.subarray(0, this.#length));
    }
}

;// CONCATENATED MODULE: ./build/service/transport.js


const END_WITHIN_MS = 100;
const LONGEST_ENOUGH = 1_024;
function createTransport(parts) {
    const { wire, clock, onTrace } = parts;
    return async (request, limits) => {
        if (limits.signal?.aborted)
            return { kind: 'aborted' };
        const startedMs = clock.now();
        const answer = await attempt(wire, clock, request, limits);
        onTrace?.({
            method: request.method,
            path: request.url.pathname + request.url.search,
            attempt: limits.attempt ?? 1,
            ms: Math.round(clock.now() - startedMs),
            ...outcomeWords(answer),
        });
        return answer;
    };
}
function attempt(wire, clock, request, limits) {
    const { deadline, signal } = limits;
    return new Promise((resolve) => {
        const body = new Body(limits.maxBytes);
        let head;
        let connected = false;
        let enough = false;
        let over = false;
        let hangUp = () => undefined;
        const finish = (answer) => {
            over = true;
            stopTimer();
            signal?.removeEventListener('abort', onAbort);
            resolve(answer);
        };
        const stop = (answer) => {
            finish(answer);
            hangUp();
        };
        const answered = (how) => head && { kind: 'answered', ...head, text: body.text(), body: how };
        const onAbort = () => stop({ kind: 'aborted' });
        const limit = (deadlineMs) => clock.after(deadlineMs, () => stop(answered('stalled') ?? { kind: 'unanswered', connected, deadlineMs }));
        const onConnected = () => {
            if (connected)
                return;
            connected = true;
            if (limits.untilConnected)
                signal?.removeEventListener('abort', onAbort);
            if (!('connectMs' in deadline))
                return;
            stopTimer();
            stopTimer = limit(deadline.answerMs);
        };
        let stopTimer = limit('connectMs' in deadline ? deadline.connectMs : deadline.allMs);
        signal?.addEventListener('abort', onAbort);
        hangUp = wire(request, {
            connected: onConnected,
            head(status, headers) {
                onConnected();
                head ??= { status, headers };
            },
            chunk(bytes) {
                if (!body.add(bytes)) {
                    const cut = answered('too_large');
                    if (cut)
                        stop(cut);
                }
                else if (!enough && limits.isEnough !== undefined && body.length <= LONGEST_ENOUGH) {
                    const soFar = answered('complete');
                    enough = soFar !== undefined && limits.isEnough(soFar);
                    if (!enough)
                        return;
                    stopTimer();
                    stopTimer = limit(END_WITHIN_MS);
                }
            },
            end(complete) {
                finish(answered(complete ? 'complete' : 'cut_off') ?? { kind: 'unanswered', connected });
            },
            failed(error) {
                finish(answered('cut_off') ?? { kind: 'unanswered', connected, error });
            },
        });
        if (over)
            hangUp();
    });
}
function outcomeWords(answer) {
    if (answer.kind === 'aborted')
        return { failure: 'aborted' };
    if (answer.kind === 'answered') {
        return {
            status: answer.status,
            ...(answer.body !== 'complete' && { failure: `body ${answer.body.replace('_', ' ')}` }),
        };
    }
    const when = answer.connected ? 'connected' : 'not connected';
    const why = answer.error ? (answer.error.code ?? answer.error.message) : 'deadline';
    return { failure: oneLine(`${when}: ${why}`, 120) };
}

;// CONCATENATED MODULE: ./build/service/trigger.js





const DEADLINE = { connectMs: 15_000, answerMs: 120_000 };
function trigger(caller, order, { onSend, ...options }) {
    const what = {
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
        deadline: DEADLINE,
        maxBytes: USUAL_MAX_BYTES,
        tries: 3,
        whenRejected: 'Check that the pipeline exists, is active, and belongs to the workspace in which the API key was created.',
        untilConnected: true,
        onSend,
        rescue(answer) {
            const jobId = classify_isSuccess(answer) ? asUuid(parseJson(answer.text.trim())) : undefined;
            return jobId && { kind: 'queued', jobId };
        },
        understand(answer, subject) {
            if (answer.json === null)
                return { kind: 'no_credits' };
            return { kind: 'perhaps', problem: nonsenseProblem(subject, answer, 'without the id of a run') };
        },
    };
    return call(caller, what, options);
}

;// CONCATENATED MODULE: ./build/service/client.js








function createService(parts) {
    const { wire, clock, baseUrl, apiKey, onSecret, onTrace } = parts;
    const redactor = createRedactor(apiKey);
    const transport = createTransport({ wire: withoutSecrets(wire, redactor), clock, onTrace });
    const session = createSession(createExchange({ transport, clock, baseUrl, apiKey, redactor, onSecret }), clock);
    const caller = { transport, session, clock, redactor, longMessages: new Set() };
    return {
        async connect(options) {
            const access = await session.access(options);
            return access.kind === 'access' ? { kind: 'connected', account: access.grant.account } : access;
        },
        list: (options) => list(caller, options),
        trigger: (order, options) => trigger(caller, order, options),
        read: (jobId, options) => read(caller, jobId, options),
        cancel: (jobId, options) => cancel(caller, jobId, options),
    };
}
function withoutSecrets(wire, redactor) {
    return (request, events) => wire(request, {
        ...events,
        failed: (error) => events.failed({ ...error, message: redactor.redact(error.message) }),
    });
}

;// CONCATENATED MODULE: ./build/service/late-wire.js
function lateWire(load) {
    let wire;
    let loading;
    return (request, events) => {
        if (wire !== undefined)
            return wire(request, events);
        let hangUp;
        let isWanted = true;
        loading ??= load();
        loading.then((loaded) => {
            wire = loaded;
            if (isWanted)
                hangUp = loaded(request, events);
        }, (error) => {
            loading = undefined;
            if (isWanted)
                events.failed({ message: error instanceof Error ? error.message : String(error) });
        });
        return () => {
            isWanted = false;
            hangUp?.();
        };
    };
}

;// CONCATENATED MODULE: ./build/start.js














const start_openService = (options) => createService({
    ...options,
    clock: systemClock,
    wire: lateWire(async () => {
        const { createHttpWire } = await import(/* webpackIgnore: true */ '../http/index.js');
        return createHttpWire({ userAgent: `run-pipeline/${VERSION}`, env: process.env });
    }),
});
function machine() {
    return {
        env: process.env,
        clock: systemClock,
        random: Math.random,
        files: systemFiles,
        toolkit: githubToolkit,
        print: print,
        interruption: listenForInterruption(processInterrupters, systemClock),
        openService: start_openService,
    };
}
function startMain(guard) {
    const parts = { ...machine(), pid: process.pid, startedAt: ownStart() };
    runMain(prepareMain(parts), githubToolkit.debug, { ...parts, host: thisProcess(guard) });
}
function startCancel(guard) {
    const parts = machine();
    runMain(prepareCancel(parts), githubToolkit.debug, { ...parts, host: thisProcess(guard) });
}
function startPost(guard) {
    const parts = { ...machine(), processes: systemProcesses };
    const warn = (why) => {
        const failed = `The post step failed by itself: ${oneLine(why)}. Look in the application for what was not cancelled. ${REPORT_IT}`;
        githubToolkit.annotate('warning', 'run-pipeline', failed);
    };
    runPost(() => performPost(parts), warn, { ...parts, host: thisProcess(guard) });
}

var __webpack_exports__startCancel = __webpack_exports__.DL;
var __webpack_exports__startMain = __webpack_exports__.Ym;
var __webpack_exports__startPost = __webpack_exports__.V2;
export { __webpack_exports__startCancel as startCancel, __webpack_exports__startMain as startMain, __webpack_exports__startPost as startPost };
