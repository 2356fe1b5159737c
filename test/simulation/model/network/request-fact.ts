import type { Instant } from '../facts.ts';
import type { Call, ProcessName } from '../spec.ts';
import type { Connecting } from './faults.ts';

/** A request and everything that happened to it, which only an observer of both sides can see. */
export interface RequestFact extends Instant {
  readonly on: ProcessName;
  readonly call: Call | 'other';
  /** The request's number among those of its kind in its process, from 1. */
  readonly nth: number;
  /** The run or pipeline that the request concerns. */
  readonly subject: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The request's number among the effects of its process. */
  readonly effect: number;
  /** The name of the fault or outage that affected the request. */
  readonly what: string | undefined;
  /** The duration of each phase of connecting, if the client waits for it. */
  readonly connecting: Connecting;
  /** When the client handled the event that the connection is established. The client sends no bytes before that. */
  connectedAtMs: number | undefined;
  connectedStep: number | undefined;
  committedAtMs: number | undefined;
  /** The part of the response that the client received. */
  status: number | undefined;
  answerHeaders: Readonly<Record<string, string>>;
  text: string;
  over: (Instant & { how: 'complete' | 'cut' | 'failed' | 'hung_up'; effect: number; code: string }) | undefined;
}
