// Loaded before a bundle (`node --import`): does to its process what OTHER_CODE names, as scripts in NODE_OPTIONS might.
// With IN_POST set, it does so in the post step instead of main.
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { OTHER_CODE, IN_POST, FIFO } = process.env;
const entry = IN_POST === undefined ? /dist[\\/](?:main|cancel)[\\/]/ : /dist[\\/]post[\\/]/;
const isPost = IN_POST !== undefined;

/** Does it on SIGINT, or in post (which gets no signal here) while it is at work. */
function late(act) {
  if (isPost) setTimeout(act, 300);
  else process.on('SIGINT', act);
}

/** As dead name servers: every lookup takes a thread of the pool and never returns it. */
function hangLookups() {
  dns.lookup = (host) => {
    process.stderr.write(`lookup of ${host} hangs\n`);
    for (let thread = 0; thread < 4; thread += 1) fs.open(FIFO, 'r', () => undefined);
  };
  syncBuiltinESMExports();
}

/** The first statement of an entry sets the exit code. */
function exitAtStart() {
  if (process.exitCode === undefined) setImmediate(exitAtStart);
  else process.exit(CODE);
}

const CODE = isPost ? 1 : 0;
const DEEDS = {
  'exits in a signal handler': () => late(() => process.exit(CODE)),
  'really exits in a signal handler': () => late(() => process.reallyExit(CODE)),
  'keeps the process alive': () => setInterval(() => undefined, 1_000),
  'exits in an earlier exit listener': () => process.on('exit', () => process.exit(CODE)),
  'exits in a later exit listener': () => late(() => process.on('exit', () => process.exit(CODE))),
  'sets exitCode in an earlier exit listener': () =>
    process.on('exit', () => {
      process.exitCode = CODE;
    }),
  'sets exitCode in a later exit listener': () =>
    late(() =>
      process.on('exit', () => {
        process.exitCode = CODE;
      }),
    ),
  'sets exitCode in the last exit listener': () =>
    process.once('beforeExit', () =>
      process.on('exit', () => {
        process.exitCode = CODE;
      }),
    ),
  'sets exitCode in a signal handler': () =>
    late(() => {
      process.exitCode = CODE;
    }),
  'throws late': () =>
    setTimeout(() => {
      throw new Error('other code');
    }, 300),
  'rejects late': () => setTimeout(() => void Promise.reject(new Error('other code')), 300),
  'throws in a signal handler': () =>
    late(() => {
      throw new Error('other code');
    }),
  'throws in an earlier exit listener': () =>
    process.on('exit', () => {
      process.exitCode = CODE;
      throw new Error('other code');
    }),
  'exits as soon as the bundle starts': exitAtStart,
  'notes its exit': () => process.on('exit', (code) => fs.writeSync(1, `other code sees exit ${code}\n`)),
  'never returns from an exit listener': () =>
    process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)),
  'hangs lookups': hangLookups,
  'hangs lookups after SIGINT': () => process.on('SIGINT', hangLookups),
  'says that Node is 16.20.2': () => {
    const versions = { ...process.versions, node: '16.20.2' };
    Object.defineProperty(process, 'versions', { value: versions });
  },
};

// Several are separated by ` and `.
if (entry.test(process.argv[1] ?? '')) for (const deed of OTHER_CODE.split(' and ')) DEEDS[deed]();
