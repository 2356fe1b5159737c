import { setMaxListeners } from 'node:events';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import * as core from '@actions/core';
import { type Clock, TICK_MS } from './base/clock.ts';
import { createSend } from './service/http.ts';
import type { Files, Host, Toolkit, World } from './world.ts';

/** The longest delay of a timer. Node fires timers with a longer delay immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const USER_AGENT = 'run-pipeline';

const clock: Clock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  wall: () => Date.now(),
  after(ms, task) {
    // A timer would fire early and keep the process alive.
    if (ms === Infinity) return () => undefined;
    const timer = setTimeout(task, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

const files: Files = {
  append(path, text) {
    const file = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_APPEND);
    try {
      const { size } = fs.fstatSync(file);
      const isInsideLine = size > 0 && bytesAt(file, size - 1, 1).toString() !== '\n';
      const line = Buffer.from(isInsideLine ? `\n${text}` : text);
      try {
        fs.writeFileSync(file, line);
      } catch (error) {
        if (orUndefined(() => hasOnlyPartOf(line, file, size)) === true) orUndefined(() => fs.truncateSync(path, size));
        throw error;
      }
    } finally {
      fs.closeSync(file);
    }
  },
  // Only the owner can read the files that a step leaves behind.
  create: (path, text) => fs.writeFileSync(path, text, { flag: 'wx', mode: 0o600 }),
  read: (path) => orUndefined(() => fs.readFileSync(path, 'utf8')),
  list: (folder) => orUndefined(() => fs.readdirSync(folder)) ?? [],
};

/**
 * Returns whether the file contains, after its first `size` bytes, nothing but the beginning of a line. It is removed if
 * its write fails, because a partial line would make later lines unreadable. What another process has appended stays.
 */
function hasOnlyPartOf(line: Buffer, file: number, size: number): boolean {
  const added = fs.fstatSync(file).size - size;
  return added <= line.length && bytesAt(file, size, added).equals(line.subarray(0, added));
}

function bytesAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, fs.readSync(file, bytes, 0, length, position));
}

function orUndefined<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}

/** Returns an output in the runner's format. The value may come from the network, so the delimiter must not occur in it. */
export function asOutput(name: string, value: string): string {
  let delimiter = 'END';
  while (value.includes(delimiter)) delimiter += '_END';
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}

const ANNOTATE = { error: core.error, warning: core.warning, notice: core.notice };

const toolkit: Toolkit = {
  getInput: (name) => core.getInput(name),
  setSecret: (secret) => core.setSecret(secret),
  // If a write is cut off, the toolkit's setOutput leaves an unfinished value, which makes the runner reject the file.
  setOutput: (name, value) => files.append(process.env['GITHUB_OUTPUT'] ?? '', asOutput(name, value)),
  info: (line) => core.info(line),
  debug(line) {
    if (core.isDebug()) process.nextTick(() => core.debug(line));
  },
  annotate: (level, message, title) => ANNOTATE[level](message, { title }),
};

/**
 * Returns whether `process.exit` may hang, because it waits for libuv's threads, and a name lookup can block one of
 * them for minutes.
 */
function isHeldUp(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^GetAddrInfoReq/.test(name));
}

/** Only Windows sends SIGBREAK. A closed terminal sends SIGHUP. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const;

const host: Host = {
  pid: process.pid,
  hostname: hostname(),
  uid: process.getuid?.(),
  parent: () => process.ppid,
  isAlive(pid) {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      // EPERM means that the process exists but belongs to another user.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
  onSignal(listener) {
    for (const name of SIGNALS) process.on(name, () => listener(name));
  },
  onStdoutClosed(listener) {
    process.stdout.on('error', listener);
    // This action never writes to stderr, but Node may.
    process.stderr.on('error', () => undefined);
  },
  onError(listener) {
    process.on('uncaughtException', listener);
    process.on('unhandledRejection', listener);
  },
  onTick: (listener) => void setInterval(listener, TICK_MS).unref(),
  onDrained: (listener) => void process.on('beforeExit', listener),
  flushed: () =>
    new Promise((resolve) => {
      process.stdout.write('', (error) => resolve(error === null || error === undefined));
    }),
  // The first callback may run in the same turn, before the event loop looks for signals.
  turned: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  setExitCode(code) {
    process.exitCode = code;
  },
  exit(code) {
    if (code === 0 || !isHeldUp()) process.exit(code);
    // A lookup that has just failed stays in the list until the next turn of the event loop.
    setImmediate(() => {
      if (isHeldUp()) process.kill(process.pid, 'SIGKILL');
      process.exit(code);
    });
  },
};

export function realWorld(): World {
  // Each run listens to shared signals. Node 20 would report so many listeners as a leak.
  setMaxListeners(0);
  const send = createSend({ clock, env: process.env, userAgent: USER_AGENT });
  return { env: process.env, clock, random: Math.random, files, toolkit, host, send };
}
