// Loaded before a bundle (`node --import`). The variable FAULT selects a fault for main; RECORD_TO is the path of a file for the
// bundle's actions, one per line:
//   lookup HOST, connect HOST:PORT     hosts that it connects to
//   start PROGRAM                      programs that it runs
//   load MODULE                        modules of Node.js that the process had loaded when it exited
//   env NAME                           environment variables that its own code reads
// Every name under example.test resolves to this machine.
import child from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const { DISK_AT = '0', DISK_UNTIL = 'Infinity', FAULT, FIFO, RECORD_TO } = process.env;
const { appendFileSync, writeFileSync } = fs;

/** Calls a function once a trigger has been sent. */
function onTrigger(act) {
  subscribe('http.client.request.start', ({ request }) => {
    if (request.path.includes('/rpc/')) request.once('finish', () => setImmediate(act));
  });
}

/** Makes lookups wait forever for a thread of the pool, as if all name servers were dead. */
function hangLookups() {
  const { lookup } = dns;
  dns.lookup = (host, ...rest) => {
    process.stderr.write(`lookup of ${host} hangs\n`);
    for (let thread = 0; thread < 4; thread += 1) fs.open(FIFO, 'r', () => undefined);
    return lookup(host, ...rest);
  };
  syncBuiltinESMExports();
}

/** Calls a function instead of main's writes from number DISK_AT to DISK_UNTIL, counted from 1 across all files. */
function breakDisk(fail) {
  let writes = 0;
  // Node's own appendFileSync calls this function, too.
  fs.writeFileSync = (...args) => {
    writes += 1;
    return writes < Number(DISK_AT) || writes > Number(DISK_UNTIL) ? writeFileSync(...args) : fail(...args);
  };
}

function writeHalf(file, text, ...rest) {
  writeFileSync(file, text.slice(0, Math.ceil(text.length / 2)), ...rest);
}

const FAULTS = {
  'an uncaught exception': () =>
    onTrigger(() => {
      throw new Error('a bug');
    }),
  'an unhandled rejection': () => onTrigger(() => void Promise.reject(new Error('a bug'))),
  'lookups that hang': hangLookups,
  'lookups that hang after SIGINT': () => process.on('SIGINT', hangLookups),
  'a full disk': () =>
    breakDisk((...args) => {
      writeHalf(...args);
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }),
  'a kill during a write': () =>
    breakDisk((...args) => {
      writeHalf(...args);
      process.kill(process.pid, 'SIGKILL');
      // The signal may take a moment to arrive, and the process must not do anything else until then.
      for (;;);
    }),
};

function watchNetwork() {
  const { lookup } = dns;
  dns.lookup = (host, options, callback = options) => {
    record(`lookup ${host}`);
    if (!/\.example\.test$/.test(host)) return lookup(host, options, callback);
    const here = { address: '127.0.0.1', family: 4 };
    if (options?.all) setImmediate(() => callback(null, [here]));
    else setImmediate(() => callback(null, here.address, here.family));
  };
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    // Calls inside Node.js pass their arguments as a list.
    const [to] = Array.isArray(args[0]) ? args[0] : args;
    record(typeof to === 'object' ? `connect ${to.path ?? `${to.host}:${to.port}`}` : `connect ${args.slice(0, 2)}`);
    return connect.apply(this, args);
  };
}

const recorded = new Set();

function record(line) {
  if (recorded.has(line)) return;
  recorded.add(line);
  appendFileSync(RECORD_TO, `${line}\n`);
}

function watchPrograms() {
  for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork']) {
    const start = child[name];
    child[name] = (program, ...rest) => {
      record(`start ${program}`);
      return start(program, ...rest);
    };
  }
}

/** Whether the nearest code outside this script belongs to the bundle. */
function isReadByBundle() {
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  const caller = frames.find((frame) => !frame.includes(import.meta.url));
  return /[\\/]dist[\\/]/.test(caller ?? '');
}

function watchEnvironment() {
  const see = (name) => {
    if (typeof name === 'string' && isReadByBundle()) record(`env ${name}`);
  };
  process.env = new Proxy(process.env, {
    get(env, name) {
      see(name);
      return env[name];
    },
    // Without this, a proxy cannot pass on an assignment.
    set(env, name, value) {
      env[name] = value;
      return true;
    },
    has(env, name) {
      see(name);
      return name in env;
    },
  });
}

if (FAULT !== undefined && /dist[\\/]main\.js$/.test(process.argv[1] ?? '')) FAULTS[FAULT]();
if (RECORD_TO !== undefined) {
  watchNetwork();
  watchPrograms();
  watchEnvironment();
  process.on('exit', () => {
    for (const loaded of process.moduleLoadList) record(`load ${loaded.replace(/^\w+ /, '')}`);
  });
}
syncBuiltinESMExports();
