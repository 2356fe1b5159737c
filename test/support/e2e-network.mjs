// Loaded before a bundle (`node --import`). Records the bundle's actions in the file RECORD_TO, one per line:
//   lookup HOST, connect HOST:PORT     hosts that it connects to
//   start PROGRAM                      programs that it runs
//   env NAME                           environment variables that its own code reads
// Every name under example.test resolves to this machine.
import child from 'node:child_process';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const file = process.env.RECORD_TO;
const recorded = new Set();

function record(line) {
  if (file === undefined || recorded.has(line)) return;
  recorded.add(line);
  fs.appendFileSync(file, `${line}\n`);
}

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

for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork']) {
  const start = child[name];
  child[name] = (program, ...rest) => {
    record(`start ${program}`);
    return start(program, ...rest);
  };
}

/** Whether the nearest code outside this script belongs to the bundle. */
function isReadByBundle() {
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  const caller = frames.find((frame) => !frame.includes(import.meta.url));
  return /[\\/]dist[\\/]/.test(caller ?? '');
}

process.env = new Proxy(process.env, {
  get(env, name) {
    if (typeof name === 'string' && isReadByBundle()) record(`env ${name}`);
    return env[name];
  },
  // Without this, a proxy cannot pass on an assignment.
  set(env, name, value) {
    env[name] = value;
    return true;
  },
  has(env, name) {
    if (typeof name === 'string' && isReadByBundle()) record(`env ${name}`);
    return name in env;
  },
});

syncBuiltinESMExports();
