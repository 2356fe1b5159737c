/* What a test, and a user, can see of a fake process. */
import type { Role } from '../../sandbox/faults.ts';
import { type Annotation, parseRecords } from '../../sandbox/runner/index.ts';
import type { Environment } from '../../src/base/environment.ts';
import type { Machine } from './machine.ts';
import type { Instant, SentRequest } from './network.ts';

interface Write {
  readonly file: string;
  readonly path: string;
  readonly failed: boolean;
  /** Whether the text contains the last line of a main step. */
  readonly isLast: boolean;
}

/** Everything that a process did and learned, in order. */
export interface ProcessHistory {
  readonly role: Role;
  readonly started: Instant;
  readonly requests: SentRequest[];
  /** Lines that were written, without the creation of empty files. */
  readonly writes: (Instant & Write)[];
  readonly outputs: (Instant & { readonly name: string; readonly value: string })[];
  /** `isRead` is false if the runner no longer reads what the process prints. */
  readonly lines: (Instant & { readonly text: string; readonly isDebug: boolean; readonly isRead: boolean })[];
  readonly annotations: (Instant & Annotation & { readonly isRead: boolean })[];
  readonly masked: (Instant & { readonly secret: string })[];
  /** When the process learned of each interruption: a signal, a closed stdout, the mark of post, or a dead runner. */
  readonly stops: (Instant & { readonly by: string })[];
  readonly errors: (Instant & { readonly message: string })[];
  end?: Instant & { readonly how: 'exited' | 'killed'; readonly code: number };
}

export class Observed {
  readonly machine: Machine;
  readonly history: ProcessHistory;
  readonly #env: Environment;

  constructor(machine: Machine, role: Role, env: Environment) {
    this.machine = machine;
    this.#env = env;
    this.history = {
      role,
      started: machine.instant(),
      requests: [],
      writes: [],
      outputs: [],
      lines: [],
      annotations: [],
      masked: [],
      stops: [],
      errors: [],
    };
  }

  get clock() {
    return this.machine.clock;
  }

  get files() {
    return this.machine.disk;
  }

  get service() {
    return this.machine.service;
  }

  get requests(): readonly SentRequest[] {
    return this.history.requests;
  }

  /** The lines of the log, without annotations. */
  get log(): string[] {
    return this.history.lines.flatMap(({ isDebug, text }) => (isDebug ? [] : text));
  }

  get debugged(): string[] {
    return this.history.lines.flatMap(({ isDebug, text }) => (isDebug ? text : []));
  }

  get annotations(): Annotation[] {
    return this.history.annotations.map(({ level, title, message }) => ({ level, title, message }));
  }

  get masked(): string[] {
    return this.history.masked.map(({ secret }) => secret);
  }

  /** The outputs, as the runner reads them. */
  get outputs(): Readonly<Record<string, string>> {
    return parseRecords(this.#file('GITHUB_OUTPUT')).values;
  }

  /** The saved state as the environment variables of the post step. */
  get state(): Environment {
    const { values } = parseRecords(this.#file('GITHUB_STATE'));
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [`STATE_${name}`, value]));
  }

  get summary(): string {
    return this.#file('GITHUB_STEP_SUMMARY');
  }

  #file(variable: string): string {
    return this.machine.disk.read(this.#env[variable] ?? '') ?? '';
  }
}
