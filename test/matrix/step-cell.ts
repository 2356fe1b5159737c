import { type PlayedStep, playStep, type StepOptions } from '../support/step.ts';
import type { CallName } from './fault.ts';
import { FAULTS, type FaultName } from './faults.ts';

/** A cancel has two columns: at a time-out nobody is in a hurry, after a signal everybody is. */
export const PHASES = ['exchange', 'list', 'trigger', 'read', 'cancel', 'cancel on a signal'] as const;
export type Phase = (typeof PHASES)[number];

export type HowOften = 'always' | 'once';

/** When the signal strikes: the run is in progress, and no read is due. */
const SIGNAL_AT_MS = 40_000;
const TIMEOUT_MS = 300_000;

const SETTINGS: Readonly<Record<Phase, StepOptions>> = {
  exchange: {},
  list: {},
  trigger: {},
  read: {},
  cancel: { inputs: { timeout: '5m' }, statuses: ['running'] },
  'cancel on a signal': { interruptAtMs: SIGNAL_AT_MS, statuses: ['running'] },
};

/**
 * By when a step in which one call never gets right has ended, in virtual milliseconds: eight tries with their
 * deadlines and the longest pauses between them; the longest outage and one read; a minute after the time-out;
 * and 9.3 s after a signal.
 */
export const ENDS_WITHIN_MS: Readonly<Record<Phase, number>> = {
  exchange: 8 * 30_000 + 7 * 60_000,
  list: 8 * 30_000 + 7 * 60_000,
  trigger: 8 * 15_000 + 7 * 60_000,
  read: 15 * 60_000 + 60_000 + 30_000,
  cancel: TIMEOUT_MS + 60_000,
  'cancel on a signal': SIGNAL_AT_MS + 9_300,
};

/** The call that meets the fault. */
export function callOf(phase: Phase): CallName {
  return phase === 'cancel on a signal' ? 'cancel' : phase;
}

/** A whole step in which one call meets this fault, always or the first time only. */
export function playFault(fault: FaultName, phase: Phase, howOften: HowOften): Promise<PlayedStep> {
  const script = (nth: number, good: string) => (howOften === 'always' || nth === 1 ? FAULTS[fault](good) : undefined);
  const statuses = phase === 'read' && howOften === 'always' ? ['running'] : ['running', 'completed'];
  return playStep({ statuses, ...SETTINGS[phase], scripts: { [callOf(phase)]: script } });
}

/** What `job-status` usually says with an outcome. */
const USUAL_STATUS: Readonly<Record<string, string>> = {
  not_triggered: 'not_queued',
  unknown: 'unknown',
  lost: 'queued',
  succeeded: 'completed',
};

/** The cell of the table: the outcome, the status where it is not the usual one, and how often what was sent. */
export function stepCell({ outputs, of }: PlayedStep): string {
  const { outcome = '', 'job-status': status = '' } = outputs;
  const patches = of('cancel').length;
  return [
    outcome,
    USUAL_STATUS[outcome] === status ? '' : status,
    `${of('trigger').length}${patches === 0 ? '' : `+${patches}`}`,
  ]
    .filter((word) => word !== '')
    .join(' ');
}
