import type { Fault } from '../spec.ts';
import { brokenBody } from './broken-body.ts';
import { changedAnswer } from './changed-answer.ts';
import { phaseOfFault } from './connecting.ts';
import { otherStatus } from './other-status.ts';
import { type Legs, opened, plainScript, type Step } from './script.ts';
import { unanswered } from './unanswered.ts';
import { unconnected } from './unconnected.ts';

/** What a connection does when a fault crashes it. */
export function faultScript(fault: Fault, legs: Legs, split: number, echo: string): Step[] {
  if (fault.what === 'none') return plainScript(legs, split);
  const early = unconnected(fault, legs);
  if (early !== undefined) return early;
  if (phaseOfFault(fault.what) !== undefined) return plainScript(legs, split);
  const status = /^s(\d{3})$/.exec(fault.what)?.[1];
  const right = [...opened(legs), ...commits(fault, legs)];
  if (status !== undefined) return settleLate(fault, [...right, ...otherStatus(fault, Number(status), legs, echo)]);
  const broken = unanswered(fault, legs) ?? brokenBody(fault, legs);
  if (broken !== undefined) return settleLate(fault, [...right, ...broken]);
  return [...opened(legs), ...changedAnswer(fault, legs, split)];
}

/** The commit before the failure, or none yet. Without one there is nothing to answer but what the fault says. */
function commits(fault: Fault, legs: Legs): Step[] {
  return fault.commit === 'at_once' ? [{ ms: legs.send + legs.work, do: 'commit' }] : [];
}

/** A commit when all is over for the client. */
function settleLate(fault: Fault, steps: Step[]): Step[] {
  return fault.commit === 'late' ? [...steps, { ms: fault.ms, do: 'commit' }] : steps;
}
