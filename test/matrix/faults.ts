import { BROKEN_BODIES, WRONG_BODIES } from './body-faults.ts';
import { BEFORE_AN_ANSWER, BEFORE_CONNECTED } from './connection-faults.ts';
import type { Fault } from './fault.ts';
import { REDIRECTS, STATUSES } from './status-faults.ts';

const ALL = { ...BEFORE_CONNECTED, ...BEFORE_AN_ANSWER, ...BROKEN_BODIES, ...WRONG_BODIES, ...REDIRECTS, ...STATUSES };

export type FaultName = keyof typeof ALL;

/** Everything that can happen to a call, by the name under which the tables have it. */
export const FAULTS: Readonly<Record<FaultName, Fault>> = ALL;

/** In the order of the tables. */
export const FAULT_NAMES = Object.keys(ALL) as readonly FaultName[];
