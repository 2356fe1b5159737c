// Turns the faults of the catalogue into scripts of a connection.
import { type Call, type Change, type Hit, JSON_TYPE } from './fault-scripts.ts';
import { FAULTS, type FaultName } from './faults.ts';
import type { Step } from './scripted-wire.ts';
import { PIPELINE } from './service.ts';

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Everything happens at once, apart from faults that have a duration. */
export const INSTANT: Omit<Hit, 'call' | 'commit'> = {
  ms: 40,
  retryAfter: null,
  legs: { connecting: { lookup: 0, tcp: 0, proxy: 0, tls: 0 }, send: 0, work: 0, back: 0 },
  split: 1,
  sent: 'text',
};

/**
 * The behaviour of a connection whose request meets the fault, derived from the response of a healthy service. The call
 * matters only for `denied`, which rejects the key in an exchange and the token in any other call.
 */
export function meeting(fault: FaultName, call: Call = 'read'): (good: string) => readonly Step[] {
  const { commits, script } = FAULTS[fault];
  return (good) => {
    let response: Response = { status: 200, headers: JSON_TYPE, body: good };
    let sent = 0;
    return script({ ...INSTANT, call, commit: commits === 'yes' ? 'at_once' : 'never' }).flatMap((step): Step[] => {
      if ('commit' in step) {
        response = changed(response, step.commit);
        return [];
      }
      if ('head' in step) {
        response = { ...response, ...step.head };
        const { status, headers } = response;
        return [{ ms: step.ms, status, headers }];
      }
      if (!('upTo' in step)) return [step];
      const text = response.body.slice(sent, Math.floor(step.upTo * response.body.length));
      sent += text.length;
      return text === '' ? [] : [{ ms: step.ms, text }];
    });
  };
}

/** A script in which the requests with these numbers meet the fault. */
export function meets(fault: FaultName, from = 1, to = Infinity, call?: Call) {
  return (nth: number, good: string) => (nth < from || nth > to ? undefined : meeting(fault, call)(good));
}

/** The response of a service that is affected in this way. */
function changed(good: Response, { how, edit = (body) => body }: Change): Response {
  const rows = (change: (row: object) => readonly object[]): Response => {
    return { ...good, body: edit(JSON.stringify((JSON.parse(good.body) as object[]).flatMap(change))) };
  };
  switch (how?.do) {
    case undefined:
    case 'lag':
      return { ...good, body: edit(good.body) };
    case 'answer':
      return { ...good, ...how };
    case 'refuse-token':
      return { ...good, status: 401, body: '{"message":"JWT expired","code":"PGRST301"}' };
    case 'null':
      return { ...good, body: 'null' };
    case 'empty':
      return rows(() => []);
    case 'status':
      return rows((row) => [{ ...row, job_status: how.status }]);
    case 'foreign-row':
      return rows((row) => [...(how.instead === true ? [] : [row]), { ...row, id: PIPELINE }]);
  }
}
