import type { Step } from '../support/scripted-wire.ts';

/** The calls of the service, in the order in which a step makes them. */
export const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;
export type CallName = (typeof CALLS)[number];

/** What a connection does instead of what it should, given the text that a service without faults answers with. */
export type Fault = (good: string) => readonly Step[];

export const connected: Step = { connected: true };

export function failed(code: string, message = ''): Step {
  return { failed: { code, message } };
}

/** The head of a 2xx, and nothing yet of its body. */
export const begun: readonly Step[] = [connected, { status: 200, headers: { 'content-type': 'application/json' } }];
