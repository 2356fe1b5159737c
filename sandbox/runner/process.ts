import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Mode } from './modes.ts';

export interface Ended {
  /** The exit code, or null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Watcher {
  readonly text: string;
  readonly resolve: (line: string) => void;
  readonly reject: (reason: Error) => void;
}

/** A process of a step. Splits its output into lines, and can send it the signals that a runner sends. */
export class StepProcess {
  readonly pid: number;
  /** Settles once the process has exited and all of its output has been read. */
  readonly ended: Promise<Ended>;
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #watchers = new Set<Watcher>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #startedAt = performance.now();
  #spokeAt: number | undefined;
  #endedAt: number | undefined;

  constructor(
    [program, ...args]: readonly [string, ...string[]],
    options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
    onLine: (line: string) => void,
  ) {
    this.#child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.pid = this.#child.pid ?? 0;
    const take = (line: string): void => {
      this.#spokeAt ??= performance.now();
      this.lines.push(line);
      onLine(line);
      this.#resolveWatchers(line);
    };
    for (const stream of [this.#child.stdout, this.#child.stderr]) splitIntoLines(stream, take);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('exit', () => {
        this.#endedAt = performance.now();
        for (const timer of this.#timers) clearTimeout(timer);
      });
      this.#child.once('close', (exitCode, signal) => {
        for (const { text, reject: miss } of this.#watchers) {
          miss(new Error(`no line contains "${text}":\n${this.lines.join('\n')}`));
        }
        resolve({ exitCode, signal });
      });
    });
  }

  get alive(): boolean {
    return this.#endedAt === undefined;
  }

  /** The time in ms from the start to the first line, which shows how busy the machine is. */
  get startUpMs(): number {
    return (this.#spokeAt ?? performance.now()) - this.#startedAt;
  }

  /** The time of the process's exit, according to `performance.now()`. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** Resolves with the first line that contains a text, past or future. Rejects if the process ends without one. */
  line(text: string): Promise<string> {
    const past = this.lines.find((line) => line.includes(text));
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((resolve, reject) => {
      this.#watchers.add({ text, resolve, reject });
    });
  }

  /** Sends a signal to the process itself, but not to its children. */
  signal(name: NodeJS.Signals): void {
    if (this.alive) this.#child.kill(name);
  }

  /** Sends signals one after the other, as long as the process is alive. */
  send(signals: Mode['signals']): void {
    for (const [name, afterMs] of signals) {
      if (afterMs === 0) this.signal(name);
      else this.#timers.push(setTimeout(() => this.signal(name), afterMs));
    }
  }

  /** Stops reading the output, so that the next write fails with EPIPE. */
  closeStdout(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #resolveWatchers(line: string): void {
    for (const watcher of this.#watchers) {
      if (!line.includes(watcher.text)) continue;
      this.#watchers.delete(watcher);
      watcher.resolve(line);
    }
  }
}

/** Splits output into lines. As in the runner, a carriage return ends a line as well. */
function splitIntoLines(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    const parts = (rest + decoder.write(chunk)).split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? '';
    for (const part of parts) take(part);
  });
  stream?.on('end', () => {
    if (rest !== '') take(rest.replace(/\r$/, ''));
  });
}
