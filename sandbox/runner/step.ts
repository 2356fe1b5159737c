/** A step as plain data, which the runners in real processes and in virtual time play in the same way. */
import type { CallKind, RequestFault } from '../faults.ts';
import type { Mode, ModeName } from './modes.ts';

export interface StepDescription {
  /** The inputs that the workflow sets, apart from the key and the address. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly faults?: readonly RequestFault[];
  /** How main ends from outside. By default, it exits by itself. */
  readonly mode?: ModeName | Mode;
  /** When it ends. By default, when the response to the first trigger has arrived. */
  readonly at?: Moment;
}

/** When a request of main has arrived, has been processed, or has been answered. */
export interface Moment {
  readonly call: CallKind;
  /** Its number among the requests with this call, counted from 1. */
  readonly nth: number;
  readonly phase: 'connected' | 'processed' | 'answered';
}

export const QUEUED: Moment = { call: 'trigger', nth: 1, phase: 'answered' };

/** The inputs of a step that is ended from outside: a run that is never picked up, so the log does not depend on time. */
export const UNPICKED = { pipeline: 'unpicked', 'poll-interval': '1h' } as const;
