import type { Clock } from './base/clock.ts';
import type { Send } from './service/send.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Files. Every call is synchronous, so what it wrote survives a kill at the next instant. */
export interface Files {
  /**
   * Appends text in one call. Begins a new line if the last one is incomplete, and removes what a failed call wrote.
   * Throws if the file does not exist or cannot be written.
   */
  append(path: string, text: string): void;
  /** Creates a file. Throws if it exists or cannot be written. */
  create(path: string, text: string): void;
  /** Returns the contents of a file, or undefined if it cannot be read. */
  read(path: string): string | undefined;
  /** Returns the names in a folder, or an empty list if it cannot be read. */
  list(folder: string): readonly string[];
}

export type Level = 'error' | 'warning' | 'notice';

/** What the action uses of the toolkit. */
export interface Toolkit {
  /** Returns a trimmed input, or '' if it is not set. */
  getInput(name: string): string;
  /** Makes the runner mask a secret in the log. */
  setSecret(secret: string): void;
  /** Throws if the runner's file cannot be written. */
  setOutput(name: string, value: string): void;
  /** Prints a line. */
  info(line: string): void;
  /** Prints a line that the runner shows only with debug logging. */
  debug(line: string): void;
  annotate(level: Level, message: string, title: string): void;
}

/** This process, and those around it. */
export interface Host {
  readonly pid: number;
  readonly hostname: string;
  /** Returns the id of the parent process at this moment. It changes when the parent dies, except on Windows. */
  parent(): number;
  /** Returns whether a process with this id exists. */
  isAlive(pid: number): boolean;
  /** From this call on, signals no longer kill this process. */
  onSignal(listener: (name: string) => void): void;
  /** Calls the listener when a write to stdout fails, because its reader is gone. */
  onStdoutClosed(listener: () => void): void;
  /** Calls the listener for uncaught exceptions and unhandled rejections. */
  onError(listener: (error: unknown) => void): void;
  /** Calls the listener about once a second, which does not keep the process alive. */
  onTick(listener: () => void): void;
  /** Calls the listener when nothing is left to wait for. */
  onDrained(listener: () => void): void;
  /** Resolves once stdout has accepted everything that was printed (true), or has failed (false). */
  flushed(): Promise<boolean>;
  /** Sets the code with which the process exits if nothing else decides. */
  setExitCode(code: number): void;
  exit(code: number): void;
}

/** Everything outside this program. The entries make the only real one, and hand it down. */
export interface World {
  readonly env: Environment;
  readonly clock: Clock;
  /** Returns a random number from 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly files: Files;
  readonly toolkit: Toolkit;
  readonly host: Host;
  /** Makes one HTTP request. */
  readonly send: Send;
}
