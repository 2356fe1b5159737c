// Loaded before a bundle (`node --import`). Performs the deed in OTHER_CODE, as a script in NODE_OPTIONS might. If
// IN_POST is set, it performs the deed in post instead of main.
import { subscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { OTHER_CODE, IN_POST, FIFO } = process.env;
const entry = IN_POST === undefined ? /dist[\\/](?:main|cancel)[\\/]/ : /dist[\\/]post[\\/]/;
const isPost = IN_POST !== undefined;

/** Performs the deed on SIGINT. */
const onSignal = (act) => process.on('SIGINT', act);

/** Performs the deed once a trigger of main or a cancel of post has been sent. */
function onRequest(act) {
  subscribe('http.client.request.start', ({ request }) => {
    if (request.method === 'PATCH' || request.path.includes('/rpc/')) request.once('finish', () => setImmediate(act));
  });
}

/** Makes lookups occupy the threads of the pool forever, as if all name servers were dead. */
function hangLookups() {
  dns.lookup = (host) => {
    process.stderr.write(`lookup of ${host} hangs\n`);
    for (let thread = 0; thread < 4; thread += 1) fs.open(FIFO, 'r', () => undefined);
  };
  syncBuiltinESMExports();
}

/** Makes timers no longer keep the process alive. */
function unrefTimers() {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (...given) => setTimeout(...given).unref();
}

/** Makes the first timer of ten seconds fire after a tenth of a second, and prints a line after its task. */
function skipTenSeconds() {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (task, ms, ...args) => {
    if (ms !== 10_000) return setTimeout(task, ms, ...args);
    globalThis.setTimeout = setTimeout;
    return setTimeout(() => {
      task(...args);
      fs.writeSync(1, 'other code: ten seconds have passed\n');
    }, 100);
  };
}

/** Exits once the first statement of the bundle has set the exit code. */
function exitAtStart() {
  if (process.exitCode === undefined) setImmediate(exitAtStart);
  else process.exit(CODE);
}

const CODE = isPost ? 1 : 0;
const exit = () => process.exit(CODE);
const reallyExit = () => process.reallyExit(CODE);
const setCode = () => {
  process.exitCode = CODE;
};
const fail = () => {
  throw new Error('other code');
};
const onExit = (act) => process.on('exit', act);

const DEEDS = {
  'exits in a signal handler': () => onSignal(exit),
  'calls reallyExit in a signal handler': () => onSignal(reallyExit),
  'sets exitCode in a signal handler': () => onSignal(setCode),
  'throws in a signal handler': () => onSignal(fail),
  'exits during a request': () => onRequest(exit),
  'calls reallyExit during a request': () => onRequest(reallyExit),
  'throws during a request': () => onRequest(fail),
  'throws during every request': () => subscribe('http.client.request.start', () => setImmediate(fail)),
  'rejects a promise during a request': () => onRequest(() => void Promise.reject(new Error('other code'))),
  'exits in an earlier exit listener': () => onExit(exit),
  'exits in a later exit listener': () => onSignal(() => onExit(exit)),
  'sets exitCode in an earlier exit listener': () => onExit(setCode),
  'sets exitCode in a later exit listener': () => onSignal(() => onExit(setCode)),
  'sets exitCode in the last exit listener': () => process.once('beforeExit', () => onExit(setCode)),
  'throws in an earlier exit listener': () => onExit(setCode) && onExit(fail),
  'never returns from an exit listener': () =>
    onExit(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)),
  'removes reallyExit': () => Object.assign(process, { reallyExit: () => undefined }),
  'removes reallyExit later': () => setInterval(() => Object.assign(process, { reallyExit: () => undefined }), 10),
  'prints its exit code': () => onExit((code) => fs.writeSync(1, `other code: exit ${code}\n`)),
  'keeps the process alive': () => setInterval(() => undefined, 1_000),
  'exits as soon as the bundle starts': exitAtStart,
  'unrefs timers': unrefTimers,
  'hangs lookups': hangLookups,
  'hangs lookups after SIGINT': () => onSignal(hangLookups),
  'skips the first ten seconds': skipTenSeconds,
  'says that Node is 16.20.2': () => {
    const versions = { ...process.versions, node: '16.20.2' };
    Object.defineProperty(process, 'versions', { value: versions });
  },
};

// OTHER_CODE may contain several deeds, separated by ` and `.
if (entry.test(process.argv[1] ?? '')) for (const deed of OTHER_CODE.split(' and ')) DEEDS[deed]();
