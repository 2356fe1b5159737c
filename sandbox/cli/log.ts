import type { Violation } from '../model/index.ts';
import type { RequestRecord } from '../server/index.ts';

/** One line per request: when, which call, the request line, and the answer. */
export function requestLine(record: RequestRecord): string {
  const { at, endedAt, kind, nth, method, path, answeredStatus, aborted } = record;
  const status = answeredStatus === null ? 'no answer' : String(answeredStatus);
  const end = aborted ? `${status}, client went away` : status;
  const took = endedAt === null ? '' : ` in ${String(Math.round(endedAt - at))} ms`;
  return printable(`${stamp(at)} ${kind} ${String(nth)}: ${method} ${path} -> ${end}${took}`);
}

/** One line for a request that a correct client does not send. */
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
