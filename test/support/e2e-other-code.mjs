// Loaded before a bundle (`node --import`). Performs the deed in OTHER_CODE, as a script in NODE_OPTIONS might. If
// IN_POST is set, it performs the deed in post instead of main.
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { OTHER_CODE, IN_POST, FIFO } = process.env;
const entry = IN_POST === undefined ? /dist[\\/](?:main|cancel)[\\/]/ : /dist[\\/]post[\\/]/;
const isPost = IN_POST !== undefined;

/** Performs the deed on SIGINT. Post receives no signal here, so there the deed follows 300 ms after the start. */
function late(act) {
  if (isPost) setTimeout(act, 300);
  else process.on('SIGINT', act);
}

/** Makes lookups occupy the threads of the pool forever, as if all name servers were dead. */
function hangLookups() {
  dns.lookup = (host) => {
    process.stderr.write(`lookup of ${host} hangs\n`);
    for (let thread = 0; thread < 4; thread += 1) fs.open(FIFO, 'r', () => undefined);
  };
  syncBuiltinESMExports();
}

/** Exits once the first statement of the bundle has set the exit code. */
function exitAtStart() {
  if (process.exitCode === undefined) setImmediate(exitAtStart);
  else process.exit(CODE);
}

const CODE = isPost ? 1 : 0;
const exit = () => process.exit(CODE);
const setCode = () => {
  process.exitCode = CODE;
};
const fail = () => {
  throw new Error('other code');
};
const onExit = (act) => process.on('exit', act);

const DEEDS = {
  'exits in a signal handler': () => late(exit),
  'really exits in a signal handler': () => late(() => process.reallyExit(CODE)),
  'sets exitCode in a signal handler': () => late(setCode),
  'throws in a signal handler': () => late(fail),
  'exits in an earlier exit listener': () => onExit(exit),
  'exits in a later exit listener': () => late(() => onExit(exit)),
  'sets exitCode in an earlier exit listener': () => onExit(setCode),
  'sets exitCode in a later exit listener': () => late(() => onExit(setCode)),
  'sets exitCode in the last exit listener': () => process.once('beforeExit', () => onExit(setCode)),
  'throws in an earlier exit listener': () => onExit(setCode) && onExit(fail),
  'never returns from an exit listener': () =>
    onExit(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)),
  'removes reallyExit': () => Object.assign(process, { reallyExit: () => undefined }),
  'removes reallyExit later': () => setInterval(() => Object.assign(process, { reallyExit: () => undefined }), 10),
  'prints its exit code': () => onExit((code) => fs.writeSync(1, `other code: exit ${code}\n`)),
  'keeps the process alive': () => setInterval(() => undefined, 1_000),
  'throws late': () => setTimeout(fail, 300),
  'rejects late': () => setTimeout(() => void Promise.reject(new Error('other code')), 300),
  'exits as soon as the bundle starts': exitAtStart,
  'hangs lookups': hangLookups,
  'hangs lookups after SIGINT': () => process.on('SIGINT', hangLookups),
  'says that Node is 16.20.2': () => {
    const versions = { ...process.versions, node: '16.20.2' };
    Object.defineProperty(process, 'versions', { value: versions });
  },
};

// OTHER_CODE may contain several deeds, separated by ` and `.
if (entry.test(process.argv[1] ?? '')) for (const deed of OTHER_CODE.split(' and ')) DEEDS[deed]();
