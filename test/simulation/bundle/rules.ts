/** Rules by which the sandbox exposes a real client to the faults of the catalogue. */
import type { Rule } from '../../../sandbox/server/index.ts';
import type { ConnectionError } from '../../../src/service/http/connection.ts';
import { type Change, type Head, JSON_TYPE } from '../../support/fault-scripts.ts';
import { FAULTS, SIMULATED_FAULTS } from '../../support/faults.ts';
import { INSTANT } from '../../support/meeting.ts';
import { HEALTHY } from '../../support/service.ts';
import type { Fault } from '../model/spec.ts';

/** More bytes than any response has, and fewer. */
const ALL_BYTES = 100_000;
const SOME_BYTES = 12;

/** @throws if a real server cannot reproduce one of the faults. */
export function rulesOf(faults: readonly Fault[]): Rule[] {
  return faults.flatMap((fault) => {
    const { what, call, from, to } = fault;
    const how = howOf(fault);
    if (how === undefined && what !== 'none') throw new Error(`A real server cannot reproduce the fault ${what}.`);
    return how === undefined ? [] : [{ kind: call, from, to, how } as Rule];
  });
}

/** All steps of a fault, without their durations. Of several parts of a body, only the last one counts. */
interface Merged {
  readonly connected?: true;
  readonly commit?: Change;
  readonly head?: Head;
  readonly upTo?: number;
  readonly bytes?: Uint8Array;
  readonly failed?: ConnectionError;
  readonly end?: 'complete' | 'cut_off';
}

/** How the sandbox reproduces a fault; undefined if it cannot, because the fault takes time or prevents a request. */
function howOf({ what, call, commit }: Pick<Fault, 'what' | 'call' | 'commit'>): Rule['how'] | undefined {
  const steps = FAULTS[what].script({ ...INSTANT, ms: Infinity, call, commit });
  const merged: Merged = {};
  for (const step of steps) Object.assign(merged, step);
  const { connected, bytes, failed, end, upTo = 0, head, commit: change = {} } = merged;
  if (connected === undefined || bytes !== undefined || steps.some(({ ms }) => ms === Infinity)) return undefined;
  if (failed?.code === 'HPE_INVALID_CONSTANT') return { do: 'garbage' };
  if (failed?.code === 'ECONNRESET' && upTo < 1) {
    if (head !== undefined) return { do: 'reset', point: 'mid-body' };
    return { do: 'reset', point: commit === 'at_once' ? 'after-commit' : 'before-commit' };
  }
  if (end === 'cut_off' && upTo === 1) return { do: 'cut', afterBytes: ALL_BYTES, framing: 'chunked' };
  if (end === 'cut_off') return { do: 'cut', afterBytes: upTo === 0 ? 0 : SOME_BYTES, framing: 'length' };
  if (end !== 'complete') return undefined;
  if (head?.status !== undefined) return { do: 'answer', ...head, commit: commit === 'at_once' };
  if (change.how !== undefined) return change.how.do === 'lag' ? undefined : change.how;
  return change.edit && { do: 'answer', headers: JSON_TYPE, body: change.edit(HEALTHY[call]) };
}

/** Every fault with a rule. The sandbox has no rule that changes only the lifetime of a token. */
export const REAL_FAULTS = SIMULATED_FAULTS.filter(
  (what) =>
    !what.startsWith('ttl_') &&
    FAULTS[what].calls.some((call) => howOf({ what, call, commit: 'at_once' }) !== undefined),
);
