import type { Instant } from '../facts.ts';
import type { Call, ProcessName } from '../spec.ts';
import type { Connecting } from './faults.ts';

/** A request and everything that happened to it, as only an observer of both sides sees it. */
export interface RequestFact extends Instant {
  readonly on: ProcessName;
  readonly call: Call | 'other';
  /** The how-manieth of its kind in its process, from 1. */
  readonly nth: number;
  /** The run or the pipeline that it is about. */
  readonly subject: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Its number among the effects of its process. */
  readonly effect: number;
  /** The name of the fault or of the outage that it met. */
  readonly what: string | undefined;
  /** How long each phase of connecting takes, if the client waits for it. */
  readonly connecting: Connecting;
  /** When the client handled the event that the connection is established: only from then on bytes of the request are sent. */
  connectedAtMs: number | undefined;
  connectedStep: number | undefined;
  committedAtMs: number | undefined;
  /** What the client received, as far as it did. */
  status: number | undefined;
  answerHeaders: Readonly<Record<string, string>>;
  text: string;
  over: (Instant & { how: 'complete' | 'cut' | 'failed' | 'hung_up'; effect: number; code: string }) | undefined;
}
