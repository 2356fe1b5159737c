/** The final statuses of a run; any other text means that it is still in progress. */
export const TERMINAL_STATUSES = [
  'completed',
  'completed_with_warning',
  'failed',
  'cancelled',
  'timed_out',
  'skipped',
] as const;

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

/** The statuses in which a run can be cancelled; they are the precondition of every cancel. */
export const CANCELLABLE_STATUSES = ['queued', 'picked', 'running'] as const;

export function isTerminal(status: string): status is TerminalStatus {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}

/** Whether a status is one that this version knows, terminal or not. */
export function isKnownStatus(status: string): boolean {
  return isTerminal(status) || (CANCELLABLE_STATUSES as readonly string[]).includes(status);
}

/** Replaces a status message that is larger than an answer may be. */
export const MESSAGE_TOO_LONG = '(the status message is longer than 256 KiB and is not shown)';
