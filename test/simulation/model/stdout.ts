import type { Toolkit } from '../../../src/action/runner/toolkit.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';

export interface Line {
  readonly text: string;
  readonly step: number;
  readonly atMs: number;
}

/** A line as the runner receives it: text, or one of its commands. */
export interface Received {
  readonly atMs: number;
  readonly text: string;
}

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly step: number;
}

/** What a process writes to stdout, as its runner reads it: until nobody reads any more. */
export class Stdout {
  /** Lines that are no commands of ours: no command may be among them. */
  readonly lines: Line[] = [];
  readonly annotations: Annotation[] = [];
  readonly masked: { readonly secret: string; readonly step: number }[] = [];
  /** Everything, in order; a mask hides its own secret. */
  readonly received: Received[] = [];
  #gone = false;
  #read = true;
  #onGone: (() => void) | undefined;
  readonly #process: SimProcess;
  readonly #loop: Loop;
  readonly #debug: boolean;

  constructor(process: SimProcess, loop: Loop, debug: boolean) {
    this.#process = process;
    this.#loop = loop;
    this.#debug = debug;
  }

  /** From now on nobody sees what is written, and no write fails. */
  stopReading(): void {
    this.#read = false;
  }

  /** From now on every write fails: the reader has gone. */
  close(): void {
    this.#gone = true;
    this.#process.isStdoutOpen = false;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  readonly print = (line: string): void => {
    this.#write('print', line, () => this.#push(line, line));
  };

  /** The commands of the runner's toolkit, in the toolkit's own form. */
  readonly toolkit: Toolkit = {
    mask: (secret) => {
      const take = (): void => {
        this.masked.push({ secret, step: this.#loop.step });
        this.#receive('::add-mask::***');
      };
      this.#write('mask', '', take, true);
    },
    annotate: (level, title, message) => {
      this.#write('annotate', `${level} ${title}: ${message.replaceAll('\n', ' | ')}`, () => {
        this.annotations.push({ level, title, message, step: this.#loop.step });
        this.#receive(`::${level} title=${title}::${message}`);
      });
    },
    debug: (line) => {
      if (this.#debug) this.#write('debug', line, () => this.#push(line, `::debug::${line}`));
    },
  };

  #push(text: string, received: string): void {
    this.lines.push({ text, step: this.#loop.step, atMs: this.#loop.nowMs });
    this.#receive(received);
  }

  #receive(text: string): void {
    if (this.#read) this.received.push({ atMs: this.#loop.nowMs, text });
  }

  #write(kind: string, what: string, take: () => void, always = false): void {
    const act = (torn: boolean): void => {
      if (!this.#gone) {
        if (!torn && (this.#read || always)) take();
        return;
      }
      // The error comes through the stream, some time after the write.
      const listener = this.#onGone;
      if (listener !== undefined) {
        this.#loop.at(this.#loop.nowMs, () => this.#process.deliver('stdout gone', '', listener));
      }
    };
    this.#process.perform(kind, what, act);
  }
}
