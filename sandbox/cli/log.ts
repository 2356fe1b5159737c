import type { Violation } from '../model/index.ts';
import type { RequestRecord } from '../server/index.ts';

/** Returns the log line of a request: its time, its call, its request line and its response. */
export function requestLine(record: RequestRecord): string {
  const { at, endedAt, kind, nth, method, path, answeredStatus, aborted } = record;
  const status = answeredStatus === null ? 'no response' : String(answeredStatus);
  const end = aborted ? `${status}, client disconnected` : status;
  const took = endedAt === null ? '' : ` in ${String(Math.round(endedAt - at))} ms`;
  return printable(`${stamp(at)} ${kind} ${String(nth)}: ${method} ${path} -> ${end}${took}`);
}

/** Returns the log line of a request that a correct client would not send. */
export function violationLine({ at, kind, detail }: Violation): string {
  return printable(`${stamp(at)} VIOLATION ${kind}: ${detail}`);
}

function stamp(ms: number): string {
  return `${(ms / 1_000).toFixed(3).padStart(9)} s`;
}

/** Text from a request must not control the terminal. */
function printable(line: string): string {
  return line.replace(/[^\u0020-\u007e]/g, '?');
}
