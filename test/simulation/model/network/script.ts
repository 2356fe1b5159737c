import type { ModelEffect } from '../../../../sandbox/model/index.ts';
import { type Connecting, connectingMs } from './connecting.ts';

/** What a connection does next, `ms` milliseconds after what it did before. */
export type Step = { readonly ms: number } & (
  | { readonly do: 'connected' }
  /** The service does what it was asked: from here on it is true, whoever hears of it. */
  | { readonly do: 'commit'; readonly how?: ModelEffect; readonly edit?: (body: string) => string }
  | {
      readonly do: 'head';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** In the place of what the service answers. */
      readonly body?: string;
    }
  /** Up to this share of the body, from where the last one ended. */
  | { readonly do: 'body'; readonly upTo: number }
  | { readonly do: 'bytes'; readonly bytes: Uint8Array }
  | { readonly do: 'end'; readonly complete: boolean }
  | { readonly do: 'fail'; readonly code?: string; readonly message: string }
);

/** What the service does when it does what it was asked. */
export type Commit = Extract<Step, { do: 'commit' }>;

/** The legs of a request, in milliseconds. */
export interface Legs {
  readonly connecting: Connecting;
  readonly send: number;
  readonly work: number;
  readonly back: number;
}

/** A request that meets no fault. The body comes in two pieces, split anywhere. */
export function plainScript(legs: Legs, split: number): Step[] {
  return [...opened(legs), { ms: legs.work, do: 'commit' }, ...answered(legs, split)];
}

/** How every request begins that gets as far as a connection: it is established when all phases are over. */
export function opened({ connecting }: Legs): Step[] {
  return [{ ms: connectingMs(connecting), do: 'connected' }];
}

/** A whole answer, as the service gave it. Its body comes in two pieces, split after this share of it. */
export function answered(legs: Legs, split: number): Step[] {
  return [
    { ms: legs.send + legs.back, do: 'head' },
    { ms: 0, do: 'body', upTo: split },
    { ms: split < 1 ? 1 : 0, do: 'body', upTo: 1 },
    { ms: 0, do: 'end', complete: true },
  ];
}

/** A connection that fails, with the code and the words that node:http has for it. */
export function failing(ms: number, code: string, message: string): Step {
  return { ms, do: 'fail', code, message };
}
