import type { Rule } from '../../../sandbox/server/index.ts';
import type { FaultName } from '../model/fault-table.ts';
import type { Fault } from '../model/spec.ts';

type How = Rule['how'];

const PAGE = { 'content-type': 'text/html' };

/** The faults that a server can have towards a real client in no time. */
export const REAL: readonly FaultName[] = [
  'reset',
  'not_http',
  'cut_at_once',
  'cut_half',
  'cut_whole',
  'not_json',
  'wrong_shape',
  'html_ok',
  's301',
  's400',
  's403',
  's404',
  's408',
  's409',
  's429',
  's500',
  's502',
  's503',
  's504',
  'denied',
  'empty',
  'foreign_row',
  'two_rows',
  'odd_status',
  'still_running',
  'no_credits',
  'no_token',
  'null_token',
];

/** What makes the sandbox do to a real client what a fault does to a simulated one. */
export function rulesOf(fault: Fault): Rule[] {
  const how = howOf(fault);
  if (how === undefined) throw new Error(`A real server cannot have the fault ${fault.what}.`);
  const when = { kind: fault.call, from: fault.from, to: fault.to };
  return [{ ...when, how } as Rule];
}

function howOf({ what, commit, call }: Fault): How | undefined {
  const done = commit === 'at_once';
  const status = /^s(\d{3})$/.exec(what)?.[1];
  if (status !== undefined) return { do: 'answer', status: Number(status), commit: done };
  const body = (text: string, headers = {}): How => ({ do: 'answer', status: 200, headers, body: text, commit: done });
  switch (what) {
    case 'reset':
      return { do: 'reset', point: done ? 'after-commit' : 'before-commit' };
    case 'not_http':
      return { do: 'garbage' };
    case 'cut_at_once':
      return { do: 'cut', afterBytes: 0, framing: 'length' };
    case 'cut_half':
      return { do: 'cut', afterBytes: 12, framing: 'length' };
    case 'cut_whole':
      return { do: 'cut', afterBytes: 100_000, framing: 'chunked' };
    case 'not_json':
      return body('upstream connect error');
    case 'wrong_shape':
      return body('{"jobs": 5}');
    case 'html_ok':
      return body('<!doctype html><title>Maintenance</title>', PAGE);
    case 'no_token':
      return body('{"message": "no"}');
    case 'null_token':
      return body('{"token": null}');
    case 'denied':
      return call === 'exchange' ? { do: 'answer', status: 401, body: '{}' } : { do: 'refuse-token' };
    case 'empty':
      return { do: 'empty' };
    case 'foreign_row':
      return { do: 'foreign-row', instead: true };
    case 'two_rows':
      return { do: 'foreign-row' };
    case 'odd_status':
      return { do: 'status', status: 'paused' };
    case 'still_running':
      return { do: 'status', status: 'running' };
    case 'no_credits':
      return { do: 'null' };
    default:
      return undefined;
  }
}
