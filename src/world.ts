import type { Clock } from './base/clock.ts';
import type { Environment } from './base/environment.ts';
import type { Send } from './service/send.ts';

/** File access. Every call is synchronous, so its effect survives even if the process is killed right afterwards. */
export interface Files {
  /**
   * Appends text in one call, on a new line if the last line is incomplete. Throws if the file does not exist or cannot
   * be written, and removes any part that was written, unless another process has appended something since.
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

/** What the action needs from GitHub's toolkit. */
export interface Toolkit {
  /** Returns a trimmed input, or '' if it is not set. */
  getInput(name: string): string;
  /** Makes the runner mask a secret in the log. */
  setSecret(secret: string): void;
  /** Sets an output. Throws if the runner's file cannot be written. */
  setOutput(name: string, value: string): void;
  /** Prints a line. */
  info(line: string): void;
  /**
   * Prints a line that the runner shows only with debug logging. This happens after everything that follows directly from
   * the current event, because a full pipe blocks this process, and what a response says must be saved first.
   */
  debug(line: string): void;
  annotate(level: Level, message: string, title: string): void;
}

/** This process and its machine. */
export interface Host {
  readonly pid: number;
  readonly hostname: string;
  /** The id of this process's user, or undefined on Windows. */
  readonly uid?: number | undefined;
  /** Returns the id of the parent process at this moment. It changes when the parent dies, except on Windows. */
  parent(): number;
  /** Returns whether a process with this id exists. */
  isAlive(pid: number): boolean;
  /** Calls the listener for each signal. From this call on, signals no longer kill this process. */
  onSignal(listener: (name: string) => void): void;
  /** Calls the listener when a write to stdout fails, usually because its reader is gone. */
  onStdoutClosed(listener: () => void): void;
  /** Calls the listener for uncaught exceptions and unhandled rejections. */
  onError(listener: (error: unknown) => void): void;
  /** Calls the listener about once a second, without keeping the process alive. */
  onTick(listener: () => void): void;
  /** Calls the listener when the event loop is empty. */
  onDrained(listener: () => void): void;
  /** Resolves with true once stdout has accepted everything that was printed, or with false once stdout has failed. */
  flushed(): Promise<boolean>;
  /** Resolves once the signals that have already arrived were passed to the listeners, which requires the event loop. */
  turned(): Promise<void>;
  /** Sets the exit code in case the process ends without calling `exit`. */
  setExitCode(code: number): void;
  exit(code: number): void;
}

/** What the code below the entries uses of its surroundings. Each process creates one real world and passes it down. */
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
