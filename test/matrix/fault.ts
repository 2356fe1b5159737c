// Defines a fault, and lists the calls that can meet a fault.
import type { Step } from '../support/scripted-wire.ts';

/** The calls of the service, in the order in which a step makes them. */
export const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;
export type CallName = (typeof CALLS)[number];

/** The behaviour of a connection, derived from the response of a healthy service. */
export type Fault = (good: string) => readonly Step[];
