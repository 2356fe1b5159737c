// Loaded before a bundle (`node --import`): notes in the file RECORD_TO, a line each, what the bundle does.
//   lookup HOST, connect HOST:PORT     whom it speaks to
//   start PROGRAM                      which programs it runs
//   env NAME                           which environment variables its own code asks for
// Every name below example.test is this machine.
import child from 'node:child_process';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const file = process.env.RECORD_TO;
const noted = new Set();

function note(line) {
  if (file === undefined || noted.has(line)) return;
  noted.add(line);
  fs.appendFileSync(file, `${line}\n`);
}

const { lookup } = dns;
dns.lookup = (host, options, callback = options) => {
  note(`lookup ${host}`);
  if (!/\.example\.test$/.test(host)) return lookup(host, options, callback);
  const here = { address: '127.0.0.1', family: 4 };
  if (options?.all) setImmediate(() => callback(null, [here]));
  else setImmediate(() => callback(null, here.address, here.family));
};

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  // node's own calls bring their arguments in a list.
  const [to] = Array.isArray(args[0]) ? args[0] : args;
  note(typeof to === 'object' ? `connect ${to.path ?? `${to.host}:${to.port}`}` : `connect ${args.slice(0, 2)}`);
  return connect.apply(this, args);
};

for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork']) {
  const start = child[name];
  child[name] = (program, ...rest) => {
    note(`start ${program}`);
    return start(program, ...rest);
  };
}

/** Whether the nearest code that is not node's or ours belongs to the bundle. */
function isAskedByBundle() {
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  const caller = frames.find((frame) => !frame.includes(import.meta.url));
  return /[\\/]dist[\\/]/.test(caller ?? '');
}

process.env = new Proxy(process.env, {
  get(env, name) {
    if (typeof name === 'string' && isAskedByBundle()) note(`env ${name}`);
    return env[name];
  },
  has(env, name) {
    if (typeof name === 'string' && isAskedByBundle()) note(`env ${name}`);
    return name in env;
  },
});

syncBuiltinESMExports();
