// What a fault is, and the calls that can meet one.
import type { Step } from '../support/scripted-wire.ts';

/** The calls of the service, in the order in which a step makes them. */
export const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;
export type CallName = (typeof CALLS)[number];

/** What a connection does, given the text with which a service without faults responds. */
export type Fault = (good: string) => readonly Step[];
