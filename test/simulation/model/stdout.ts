import type { Toolkit } from '../../../src/action/toolkit.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';

export interface Line {
  readonly text: string;
  readonly step: number;
  readonly atMs: number;
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
  #gone = false;
  #onGone: (() => void) | undefined;
  readonly #process: SimProcess;
  readonly #loop: Loop;
  readonly #debug: boolean;

  constructor(process: SimProcess, loop: Loop, debug: boolean) {
    this.#process = process;
    this.#loop = loop;
    this.#debug = debug;
  }

  /** From now on every write fails: the reader has gone. */
  close(): void {
    this.#gone = true;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  readonly print = (line: string): void => {
    this.#write('print', line, () => this.#push(line));
  };

  /** The commands of the runner's toolkit, in the toolkit's own form. */
  readonly toolkit: Toolkit = {
    mask: (secret) => {
      this.#write('mask', '', () => this.masked.push({ secret, step: this.#loop.step }));
    },
    annotate: (level, title, message) => {
      this.#write('annotate', `${level} ${title}: ${message.replaceAll('\n', ' | ')}`, () =>
        this.annotations.push({ level, title, message, step: this.#loop.step }),
      );
    },
    debug: (line) => {
      if (this.#debug) this.#write('debug', line, () => this.#push(line));
    },
  };

  #push(text: string): void {
    this.lines.push({ text, step: this.#loop.step, atMs: this.#loop.nowMs });
  }

  #write(kind: string, what: string, take: () => void): void {
    const act = (torn: boolean): void => {
      if (!this.#gone) {
        if (!torn) take();
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
